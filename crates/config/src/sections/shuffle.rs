//! `[shuffle]`: how rows are mixed in bounded memory.

use dz_config_keys::{section, whole};
section! {
    /// `[shuffle]`: how rows are mixed in bounded memory.
    pub struct ShuffleSection = "shuffle" {
        /// Rows that are mixed at once in memory: the shuffler's memory is this many rows.
        [Results, whole(256, 100_000_000)] bucket_rows: u64 = 65_536;
        /// Rows of each file that the trainer reads.
        [Results, whole(256, 100_000_000)] rows_per_file: u64 = 65_536;
    }
}
