//! Which board of a run each shard is played on.

use dz_config::{Deal, RunConfig};

/// Which board, as an index into [`dz_stage::run_boards`], each of `count` shards is played on, the
/// first of which has number `first_shard` in the run. Shards are dealt by their number in the run,
/// so short cycles together have the shares of a long one.
pub(crate) fn boards_of_shards(config: &RunConfig, first_shard: u64, count: u64) -> Vec<usize> {
    let deal = Deal::new(config.boards().iter().map(|board| board.weight));
    deal.skip(first_shard as usize).take(count as usize).collect()
}
