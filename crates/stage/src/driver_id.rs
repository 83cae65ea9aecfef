//! Which process drives this one.

use dz_store::DRIVER_ENV;

/// Process id of the driver that started this process, where one did.
pub(crate) fn driver_id() -> Option<u32> {
    std::env::var(DRIVER_ENV).ok()?.parse().ok()
}
