//! `[storage]`: what a run keeps on disk.

use dz_config_keys::{section, whole};
section! {
    /// `[storage]`: what a run keeps on disk.
    pub struct StorageSection = "storage" {
        /// Newest checkpoints (network and optimizer) that are kept; champions are always kept.
        [Speed, whole(2, 1_000_000)] checkpoints_keep: u32 = 3;
        /// Newest cycles whose shuffled rows are kept; they can be made again from the shards.
        [Speed, whole(1, 1_000_000)] rows_keep_cycles: u32 = 1;
        /// Megabytes (of 1,000,000 bytes) that the run may take on disk; 0 for no limit. Above it
        /// the oldest shards that the window has left behind are removed. Files that training,
        /// ratings and the report need stay.
        [Speed, whole(0, 1_000_000_000)] disk_budget_mb: u64 = 0;
        /// Free disk, in MB of 1,000,000 bytes, below which a stage pauses before it writes.
        [Speed, whole(0, 1_000_000_000)] disk_free_min_mb: u64 = 512;
    }
}
