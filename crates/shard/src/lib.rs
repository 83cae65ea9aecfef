//! Game records and training rows on disk.
//!
//! A *shard* (`.dzs`) holds whole games as moves, sparse visits and root values; planes are not
//! stored, so they can change without new self-play. A *row file* (`.dzr`) holds training examples:
//! bit-packed planes, sparse policy target, outcome. Both are the same kind of container
//! ([`container`]): readable with the `zstd` command, refused as a whole when anything is missing
//! or altered. `data/README.md` gives the bytes.
//!
//! Letters: `C` planes, `H` rows, `W` columns, `A` policy length.

mod aux_builder;
mod aux_columns;
mod aux_targets;
mod block;
mod codec;
mod columns;
pub mod container;
mod describe;
mod error;
mod quantised;
mod random;
mod record;
mod replay;
mod resign;
mod row;
mod row_file;
mod row_shape;
mod shard;
mod symmetry;

pub use aux_targets::{AuxTargets, HORIZON_FACTORS, RowTargets, is_offered, ownership_shape};
pub use block::{Row, RowBlock};
pub use describe::{FrameDescription, ShardDescription, describe};
pub use dz_aux_heads::Head;
pub use error::ShardError;
pub use quantised::{WdlShares, Weight, shares_of_counts};
pub use random::{random_header, random_records, write_random_shard};
pub use record::{GameEnd, GameRecord, ParentGame, PlyRecord, ResignThresholds, SearchKind};
pub use replay::{Position, replay, replay_with};
pub use resign::TurnsBelow;
pub use row::rows_of_game;
pub use row_file::{
    PackedRows, ROW_FORMAT, ROW_LEVEL, RowFileHeader, RowReader, RowSet, RowWriter,
};
pub use row_shape::RowShape;
pub use shard::{
    GAMES_PER_FRAME, SHARD_FORMAT, SHARD_LEVEL, ShardHeader, ShardReader, ShardWriter,
};
pub use symmetry::{SymmetryTables, symmetry_tables};
