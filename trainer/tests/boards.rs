//! The rows of several boards are fed evenly, each once, from any place on.

use crate::common::TestRun;
use dz_game::{Game, games::Hex};
use dz_shard::{
    RowBlock, RowFileHeader, RowSet, RowShape, RowWriter, random_records, rows_of_game,
};
use trainer::{BatchMaker, BoardRows, CycleRows, Feed, FeedPlan, Prepared};

const BATCH: usize = 16;

/// Rows of random games of Hex on a board, and their files.
fn board(test: &TestRun, size: u8, games: u64) -> (BoardRows, RowBlock) {
    let game = Hex::from_spec(&format!("hex:size={size}").parse().unwrap()).unwrap();
    let mut rows = RowBlock::new(RowShape::of(&game.encoding()));
    for record in random_records(&game, games, 30, u64::from(size)) {
        rows_of_game(&game, &record, &mut rows).unwrap();
    }
    let header = RowFileHeader::new(&game, RowSet::Train, 5).unwrap();
    let all: Vec<usize> = (0..rows.len()).collect();
    let file = |(number, part): (usize, &[usize])| {
        let mut writer = RowWriter::new(Vec::new(), &header, 1).unwrap();
        for frame in part.chunks(11) {
            let mut block = RowBlock::new(rows.shape());
            for &row in frame {
                block.push(&rows.row(row));
            }
            writer.push(&block).unwrap();
        }
        let path = format!("rows/cycle-0001/train-{size}{number:03}.dzr");
        let object = test.run.put_create(&path, &writer.finish().unwrap().0).unwrap();
        (object, part.len() as u64)
    };
    let files = all.chunks(40).enumerate().map(file).collect();
    (BoardRows { header, files }, rows)
}

fn read(rows: &CycleRows, from: u64, to: u64, keep_rest: bool) -> Vec<Prepared> {
    let makers = BatchMaker::of_boards(rows, 5, 1, 0.0);
    let mut feed =
        Feed::start(rows, FeedPlan { makers, batch: BATCH, from, to, keep_rest }).unwrap();
    std::iter::from_fn(|| feed.next_batch().unwrap()).collect()
}

#[test]
fn batches_have_rows_of_all_boards_and_each_row_once() {
    let test = TestRun::new();
    let (boards, blocks): (Vec<_>, Vec<_>) = [(3, 30), (4, 12), (5, 2)]
        .map(|(size, games)| board(&test, size, games))
        .into_iter()
        .unzip();
    let totals: Vec<u64> = boards.iter().map(BoardRows::rows).collect();
    let total: u64 = totals.iter().sum();
    let identity = test.state().started.unwrap();
    let rows = CycleRows { run: test.run.clone(), boards, rows: total, identity };
    let whole = read(&rows, 0, u64::MAX, true);
    assert_eq!(whole.last().unwrap().rows_end, total);

    // By board: what is fed, in the order of the files.
    let mut fed = vec![Vec::new(); totals.len()];
    for prepared in &whole {
        let is_last = prepared.rows_end == total;
        assert!(is_last || prepared.rows() == BATCH);
        for part in &prepared.parts {
            let at = part.planes.shape.height - 3;
            fed[at].extend_from_slice(&part.wdl);
            let share = BATCH as f64 * totals[at] as f64 / total as f64;
            let rows = part.planes.len as f64;
            assert!(
                is_last || (rows - share).abs() <= 2.0,
                "{rows} rows of board {at}, not {share}"
            );
        }
    }
    for (found, block) in fed.iter().zip(&blocks) {
        let wanted: Vec<f32> = block.rows().flat_map(|row| row.outcome.wdl().to_array()).collect();
        assert_eq!(*found, wanted);
    }

    for skipped in 0..whole.len() {
        let from = (skipped * BATCH) as u64;
        assert_eq!(read(&rows, from, u64::MAX, true), whole[skipped..], "from row {from}");
    }
    assert_eq!(read(&rows, 0, 2 * BATCH as u64, false), whole[..2]);
}
