//! Shards and row files that nobody wrote: the body of a fuzz target on good files and on mutations
//! of them.

#[path = "../../../fuzz/src/files.rs"]
mod files;
#[allow(dead_code, reason = "the inputs are made here")]
#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;

use crate::common::{connect4, header, shard};
use dz_game::{Komi, games::Go};
use dz_shard::{
    ROW_LEVEL, RowBlock, RowFileHeader, RowSet, RowTargets, RowWriter, ShardHeader, random_records,
    rows_of_game,
};

/// Rows that carry everything that a game can offer.
fn aux_rows() -> Vec<u8> {
    let game = Go::from_spec(&"go:size=3".parse().expect("a name")).expect("a game");
    let header = RowFileHeader::new(&game, RowSet::Train, 7).expect("symmetries");
    let header = header.carrying(&game, RowTargets::all()).expect("offered");
    let mut rows = RowBlock::new(header.shape);
    for record in random_records(&game, 6, 20, 4) {
        rows_of_game(&game, &record, &mut rows).expect("a legal game");
    }
    let mut writer = RowWriter::new(Vec::new(), &header, ROW_LEVEL).expect("a header");
    writer.push(&rows).expect("rows");
    writer.finish().expect("a file").0
}

/// Games of Go, every other one with a komi of its own.
fn komi_shard() -> Vec<u8> {
    let game = Go::from_spec(&"go:size=3".parse().expect("a name")).expect("a game");
    let mut records = random_records(&game, 10, 20, 4);
    for record in records.iter_mut().step_by(2) {
        record.komi = Some(Komi { halves: 9 });
    }
    shard(ShardHeader { own_komi: true, ..header(&game, 100) }, records)
}

#[test]
fn shards_and_row_files() {
    let game = connect4();
    let records = || random_records(&game, 70, 20, 4);
    let row_header = RowFileHeader::new(&game, RowSet::Train, 7).expect("symmetries");
    let mut rows = RowBlock::new(row_header.shape);
    for record in records() {
        rows_of_game(&game, &record, &mut rows).expect("a legal game");
    }
    let mut writer = RowWriter::new(Vec::new(), &row_header, ROW_LEVEL).expect("a header");
    writer.push(&rows).expect("rows");
    let row_file = writer.finish().expect("a file").0;
    let seeds = [shard(header(&game, 100), records()), row_file, aux_rows(), komi_shard()];
    mutate::run_on(&seeds, 4000, files::shards);
}
