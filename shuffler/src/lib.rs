//! Turns shards into shuffled training rows of the window.
//!
//! *Pass 1*, once a shard ([`segments`]): replay the games, split training from validation by game,
//! scatter the rows by seeded hash into small buckets, the frames of one segment file a shard.
//! *Pass 2*, each cycle ([`sample`], [`mix`]): sample whole buckets of the window without
//! replacement, until there are as many rows as the cycle trains on, mix them in bounded memory,
//! write them in the order in which the trainer reads.
//!
//! A row's place is decided by hashes of the run's seed and the row's name (shard, game, ply),
//! never by threads, clocks or the order of reading: same shards and seed, same bytes. Work is
//! linear in new and trained rows; rows of the window that are not sampled are not read.

mod boards;
mod budget;
mod hash;
pub mod mix;
pub mod sample;
pub mod segments;
mod shuffler;
mod sources;
mod stage;
mod window;

pub use mix::Mixer;
pub use sample::{Pick, Sample};
pub use segments::{Buckets, SegmentFile, Source};
pub use shuffler::{Shuffler, Window};
pub use stage::{run, start};
pub use window::{RowCounts, WindowLaw};
