//! Heads beside policy and value: from rows to batches, through a turn, and into its report.

#![allow(clippy::unwrap_used)]

use crate::common::{TestRun, game, records};
use dz_burn_net::TrainBatch;
use dz_game::{
    Encoding, Game, Symmetry,
    games::{Go, GoHistory},
};
use dz_network_file::{Head, NetworkFile};
use dz_shard::{
    GameEnd, GameRecord, RowBlock, RowFileHeader, RowSet, RowTargets, SearchKind, random_records,
    replay, rows_of_game,
};
use dz_store::Stage;
use trainer::{BatchMaker, StepMetrics};

const HEADS: &str = "heads = { reply_weight = 0.15, soft_policy_weight = 2, short_term_weight = 0.7, \
                     plies_left_weight = 1 }\ngate = { rule = \"always\" }";

fn all() -> RowTargets {
    RowTargets::all()
}

/// A run of tic-tac-toe whose network has every head that the game has targets for.
fn test_run() -> TestRun {
    let mut test = TestRun::changed("gate = { rule = \"always\" }", HEADS);
    test.targets = [Head::Reply, Head::ShortTerm, Head::PliesLeft].into_iter().collect();
    test
}

/// Random games of Go, every third of them given up before its end.
fn go_records(game: &Go) -> Vec<GameRecord> {
    let mut records = random_records(game, 12, 20, 6);
    for (i, record) in records.iter_mut().enumerate() {
        for ply in record.plies.iter_mut().step_by(4) {
            ply.kind = SearchKind::Fast;
        }
        if i % 3 == 0 {
            record.plies.truncate(10);
            record.end = GameEnd::PlyLimit;
        }
    }
    records
}

/// Every number of every head, from the rules themselves through the symmetry that the row was
/// given.
#[test]
fn heads_learn_what_the_rules_say_of_the_turned_board() {
    let game = Go::from_spec(&"go:size=4".parse().unwrap()).unwrap();
    let encoding = game.encoding();
    let header =
        RowFileHeader::new(&game, RowSet::Train, 5).unwrap().carrying(&game, all()).unwrap();
    let maker = BatchMaker::new(&header, 5, 1, 0.0);
    let (mut first, mut unknown, mut seen) = (0, 0, [false; 8]);
    for record in go_records(&game) {
        let mut rows = RowBlock::new(header.shape);
        rows_of_game(&game, &record, &mut rows).unwrap();
        let all: Vec<_> = rows.rows().collect();
        let batch = maker.make(&all, first);
        let positions = replay(&game, &record).unwrap();
        let (mut end, mut history) = (game.start(), GoHistory::default());
        record.plies.iter().for_each(|ply| game.advance(&mut end, &mut history, ply.mv));
        let by_rules = record.end == GameEnd::Rules;
        let weight = |head: Head, i: usize| batch.heads[head].weights[i];
        let numbers = |head: Head, i: usize, len: usize| {
            batch.heads[head].targets[i * len..(i + 1) * len].to_vec()
        };
        for (i, position) in positions.iter().enumerate() {
            let number = maker.symmetry_of(first + i as u64);
            seen[number] = true;
            let symmetry = Symmetry(number as u8);
            let known = if by_rules { 1.0 } else { 0.0 };
            for head in [Head::PliesLeft, Head::Margin, Head::Ownership] {
                assert_eq!(weight(head, i), known);
            }
            let mut reply = vec![0.0; 17];
            let next = record.plies.get(i + 1).filter(|ply| ply.kind == SearchKind::Full);
            for &(mv, count) in next.map_or(&[][..], |ply| &ply.visits) {
                let to = encoding.policy_index(&positions[i + 1].state, mv, symmetry);
                reply[to] = count as f32 / 20.0;
            }
            assert_eq!(weight(Head::Reply, i), f32::from(next.is_some()));
            let found = numbers(Head::Reply, i, 17);
            assert!(found.iter().zip(&reply).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?}");
            assert_eq!(weight(Head::ShortTerm, i), 1.0);
            for value in numbers(Head::ShortTerm, i, 9).chunks(3) {
                assert!((value.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
            if !by_rules {
                unknown += 1;
                continue;
            }
            let mover = position.mover;
            assert_eq!(numbers(Head::PliesLeft, i, 1), [(record.plies.len() - i) as f32]);
            let sign = if mover == dz_game::Player::First { 1.0 } else { -1.0 };
            let margin = f32::from(record.outcome.margin.unwrap());
            assert_eq!(numbers(Head::Margin, i, 1), [sign * margin]);
            let mut owners = Vec::new();
            encoding.ownership(&end, symmetry, &mut owners);
            for (p, owner) in owners.into_iter().enumerate() {
                let wanted = match owner {
                    None => [0.0, 1.0, 0.0],
                    Some(owner) if owner == mover => [1.0, 0.0, 0.0],
                    Some(_) => [0.0, 0.0, 1.0],
                };
                assert_eq!(numbers(Head::Ownership, i, 48)[3 * p..3 * p + 3], wanted);
            }
        }
        assert!(batch.heads[Head::SoftPolicy].targets.is_empty());
        first += all.len() as u64;
    }
    assert!(unknown > 20 && seen == [true; 8], "{unknown} {seen:?}");
}

/// Batches of rows without auxiliary targets are those of before, with nothing for heads.
#[test]
fn rows_that_carry_more_give_the_same_batches_beside() {
    let targets: RowTargets = [Head::Reply, Head::PliesLeft].into_iter().collect();
    let batch = |targets| -> TrainBatch {
        let header = RowFileHeader::new(&game(), RowSet::Train, 5).unwrap();
        let header = header.carrying(&game(), targets).unwrap();
        let mut rows = RowBlock::new(header.shape);
        for record in records(4, 10) {
            rows_of_game(&game(), &record, &mut rows).unwrap();
        }
        BatchMaker::new(&header, 5, 1, 0.25).make(&rows.rows().collect::<Vec<_>>(), 0)
    };
    let (more, fewer) = (batch(targets), batch(RowTargets::NONE));
    assert!(fewer.heads.iter().all(|(_, head)| head.targets.is_empty() && head.weights.is_empty()));
    for (head, rows) in more.heads.iter() {
        let carried = matches!(head, Head::Reply | Head::PliesLeft);
        assert_eq!(rows.weights.len(), if carried { more.planes.len } else { 0 });
    }
    assert_eq!(TrainBatch { heads: fewer.heads.clone(), ..more }, fewer);
}

#[test]
fn a_turn_with_heads_is_reported_and_resumes_exactly() {
    let names = ["reply", "soft_policy", "short_term", "plies_left"];
    let whole = {
        let test = test_run();
        test.publish_rows(1, 60);
        test.process().turn(1).unwrap();
        let lines: Vec<StepMetrics> = test.run.metrics(Stage::Trainer).unwrap();
        for line in &lines {
            let present: Vec<&str> = line.heads.present().map(|(head, _)| head.name()).collect();
            assert_eq!(present, names);
        }
        let heads = test.candidate(1).unwrap().losses.heads;
        let mut sorted = names;
        sorted.sort_unstable();
        assert_eq!(heads.keys().collect::<Vec<_>>(), sorted);
        for (name, loss) in &heads {
            assert!(loss.training > 0.0 && loss.validation.is_some_and(|v| v > 0.0), "{name}");
        }
        let file = NetworkFile::from_bytes(&test.results().1[0]).unwrap();
        assert!(file.header.spec.heads.is_empty(), "nothing of these is played with");
        test.results()
    };
    // Four stops, each after one step.
    let test = test_run();
    test.publish_rows(1, 60);
    for _ in 0..4 {
        let mut process = test.process();
        process.stop.ask();
        process.turn(1).unwrap();
        assert_eq!(test.candidate(1), None, "the turn is not over");
    }
    test.process().turn(1).unwrap();
    assert!(test.results() == whole);
}

#[test]
fn rows_without_what_a_head_learns_from_are_refused() {
    let mut test = test_run();
    test.targets = [Head::Reply].into_iter().collect();
    test.publish_rows(1, 20);
    let error = format!("{:#}", test.process().turn(1).unwrap_err());
    assert!(error.contains("heads.short_term_weight"), "{error}");
}
