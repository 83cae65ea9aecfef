//! Who waits for a store's answers: this thread for a folder, a runtime for an object store.

use std::future::Future;

#[cfg(feature = "cloud")]
use std::sync::Arc;

use crate::block::wait;

/// Waits for futures of one store. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Waiter {
    /// A folder does its work on the calling thread.
    Here,
    /// An object store needs timers and sockets.
    #[cfg(feature = "cloud")]
    Runtime(Arc<tokio::runtime::Runtime>),
}

impl Waiter {
    /// Runs `future` to its end.
    pub(super) fn wait<F: Future>(&self, future: F) -> F::Output {
        match self {
            Self::Here => wait(future),
            #[cfg(feature = "cloud")]
            Self::Runtime(runtime) => runtime.block_on(future),
        }
    }
}
