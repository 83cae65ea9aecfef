//! Rows become the batches that the encoding itself would give.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use crate::common::{TestRun, block, game, records};
use dz_game::{Encoding, Game, PlaneWriter, Symmetry};
use dz_shard::{RowBlock, RowFileHeader, RowSet, RowShape, replay, rows_of_game};
use trainer::{BatchMaker, CycleRows, Feed, FeedPlan, Prepared};

fn maker(cycle: u32, value_mix: f64) -> BatchMaker {
    BatchMaker::new(&RowFileHeader::new(&game(), RowSet::Train, 5).unwrap(), 5, cycle, value_mix)
}

#[test]
fn planes_and_policy_are_turned_together() {
    let (game, maker) = (game(), maker(3, 0.0));
    let encoding = game.encoding();
    let shape = encoding.planes();
    let mut index = 0;
    let mut seen = BTreeSet::new();
    for record in records(9, 20) {
        let mut rows = RowBlock::new(RowShape::of(&encoding));
        rows_of_game(&game, &record, &mut rows).unwrap();
        let all: Vec<_> = rows.rows().collect();
        let batch = maker.make(&all, index);
        let positions = replay(&game, &record).unwrap();
        assert_eq!(positions.len(), all.len(), "every ply of these games makes a row");
        for (i, (position, ply)) in positions.iter().zip(&record.plies).enumerate() {
            let number = maker.symmetry_of(index + i as u64);
            seen.insert(number);
            let symmetry = Symmetry(number as u8);
            let (mut bits, mut globals) = (vec![0; shape.packed_bytes()], vec![]);
            let mut writer = PlaneWriter::new(shape, &mut bits, &mut globals);
            encoding.encode(&position.state, &position.history, symmetry, &mut writer);
            assert_eq!(batch.planes.position(i), bits);
            let total: u32 = ply.visits.iter().map(|&(_, count)| count).sum();
            let mut policy = vec![0.0; 9];
            for &(mv, count) in &ply.visits {
                let to = encoding.policy_index(&position.state, mv, symmetry);
                policy[to] = count as f32 / total as f32;
            }
            for (found, wanted) in batch.policy[i * 9..].iter().zip(&policy) {
                assert!((found - wanted).abs() < 1e-4, "{found} {wanted}");
            }
            let outcome = record.outcome.wdl_for(position.mover).to_array();
            assert_eq!(batch.wdl[i * 3..i * 3 + 3], outcome);
        }
        index += all.len() as u64;
    }
    assert_eq!(seen.len(), 8, "all symmetries are sampled");
}

#[test]
fn symmetries_are_sampled_evenly_and_differ_between_cycles() {
    let (one, two) = (maker(1, 0.0), maker(2, 0.0));
    let mut counts = [0_u32; 8];
    for row in 0..8000 {
        counts[one.symmetry_of(row)] += 1;
    }
    // 1,000 each with a standard deviation of 30.
    assert!(counts.iter().all(|n| (870..1130).contains(n)), "{counts:?}");
    let same = (0..800).filter(|&row| one.symmetry_of(row) == two.symmetry_of(row)).count();
    assert!(same < 200, "{same}");
    let upright = one.upright();
    assert!((0..100).all(|row| upright.symmetry_of(row) == 0));
}

#[test]
fn the_value_target_mixes_outcome_and_root_value() {
    let rows = block(3, 2);
    let all: Vec<_> = rows.rows().collect();
    let batch = maker(1, 0.25).make(&all, 0);
    for (row, mixed) in all.iter().zip(batch.wdl.chunks_exact(3)) {
        let (outcome, root) = (row.outcome.wdl(), row.root_value.wdl());
        let wanted = [
            0.75 * outcome.win + 0.25 * root.win,
            0.75 * outcome.draw + 0.25 * root.draw,
            0.75 * outcome.loss + 0.25 * root.loss,
        ];
        for (a, b) in mixed.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
        assert!((mixed.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

fn read(rows: &CycleRows, from: u64, to: u64, keep_rest: bool) -> Vec<Prepared> {
    let plan = FeedPlan { makers: vec![maker(1, 0.0)], batch: 16, from, to, keep_rest };
    let mut feed = Feed::start(rows, plan).unwrap();
    std::iter::from_fn(|| feed.next_batch().unwrap()).collect()
}

#[test]
fn reading_may_begin_anywhere() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    let state = test.state();
    let rows = state.cycle_state(1).unwrap().rows.as_ref().unwrap();
    let identity = state.started.as_ref().unwrap();
    let rows = CycleRows::open(&test.run, rows, RowSet::Train, identity).unwrap();
    assert!(rows.boards[0].files.len() > 2, "batches span files");
    let all = block(1, 40);
    let whole = read(&rows, 0, u64::MAX, false);
    assert_eq!(whole.len(), all.len() / 16);
    let everything: Vec<_> = all.rows().collect();
    let maker = maker(1, 0.0);
    for (i, (prepared, wanted)) in whole.iter().zip(everything.chunks(16)).enumerate() {
        assert_eq!(prepared.parts, [maker.make(wanted, i as u64 * 16)]);
        assert_eq!(prepared.rows_end, (i as u64 + 1) * 16);
    }
    for skipped in 0..whole.len() {
        assert_eq!(read(&rows, skipped as u64 * 16, u64::MAX, false), whole[skipped..]);
    }
    let odd = read(&rows, 5, 5 + 40, true);
    let sizes: Vec<_> = odd.iter().map(Prepared::rows).collect();
    assert_eq!(sizes, [16, 16, 8]);
    assert_eq!(odd[2].parts, [maker.make(&everything[37..45], 37)]);
    assert!(read(&rows, rows.rows, u64::MAX, true).is_empty());
}

#[test]
fn damaged_or_foreign_rows_are_refused() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    let state = test.state();
    let published = state.cycle_state(1).unwrap().rows.clone().unwrap();
    let identity = state.started.clone().unwrap();
    let mut other = identity.clone();
    other.game = "connect4".into();
    let error = CycleRows::open(&test.run, &published, RowSet::Train, &other).unwrap_err();
    assert!(format!("{error:#}").contains("does not belong to this run"), "{error:#}");
    let mut fewer = published.clone();
    fewer.train.pop();
    let error = CycleRows::open(&test.run, &fewer, RowSet::Train, &identity).unwrap_err();
    assert!(error.to_string().contains("the ledger states"), "{error:#}");
    test.damage(&published.train[1].path);
    let error = format!("{:#}", test.process().turn(1).unwrap_err());
    assert!(error.contains(&published.train[1].path), "{error}");
    assert_eq!(test.candidate(1), None);
}
