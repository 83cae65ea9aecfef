//! Resignation in whole games: who resigns, what is measured, and how the threshold follows.
#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::{collections::BTreeMap, sync::Arc};

use crate::common::preset_with;
use dz_game::games::{Connect4, TicTacToe};
use dz_game::{Game, Move, Outcome, Player, Wdl};
use dz_infer::{Hashed, InstantEvaluator, Rollout, Sources};
use dz_search::formula::{false_positive_rate, resign_threshold};
use dz_shard::{
    GameEnd, GameRecord, PlyRecord, ResignThresholds, SHARD_LEVEL, SearchKind, ShardHeader,
    ShardWriter, replay,
};
use dz_store::{ChampionState, ObjectRef, Run, RunState, ShardState};
use selfplay::{
    CyclePlan, Past, ResignPlan, ResignTally, ShardSink, cycle_plan, cycle_resign, play_cycle,
    unbeaten_minimum,
};

fn tictactoe() -> TicTacToe {
    TicTacToe::from_spec(&"tictactoe".parse().unwrap()).unwrap()
}

#[derive(Default)]
struct Kept(BTreeMap<u64, Vec<GameRecord>>);

impl ShardSink for Kept {
    fn shard(&mut self, index: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        self.0.insert(index, games);
        Ok(())
    }
}

/// The games of a plan, in order, played on this many threads.
fn play<G: Game>(
    game: &G,
    plan: &CyclePlan,
    evaluator: impl InstantEvaluator<G> + 'static,
    threads: usize,
) -> Vec<GameRecord> {
    let mut sources = Sources::default();
    sources.add_instant(Arc::new(evaluator));
    let mut kept = Kept::default();
    let missing: Vec<u64> = (0..plan.shards()).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| play_cycle(game, plan, &missing, &mut sources, &mut kept)).unwrap();
    kept.0.into_values().flatten().collect()
}

fn tally<G: Game>(game: &G, records: &[GameRecord]) -> ResignTally {
    let mut tally = ResignTally::default();
    for record in records {
        tally.add(game, record).unwrap();
    }
    tally
}

/// Plies without the marks of resignation.
fn bare(plies: &[PlyRecord]) -> Vec<PlyRecord> {
    plies.iter().cloned().map(|ply| PlyRecord { flags: 0, ..ply }).collect()
}

#[test]
fn a_resigned_game_is_the_beginning_of_the_game_without_resignation() {
    let game = Connect4::from_spec(&"connect4".parse().unwrap()).unwrap();
    let config = preset_with("connect4-smoke", &["selfplay.games=400"]);
    let resign = ResignPlan { value_min: 0.1, turns: 2, play_on_share: 0.25 };
    let plan = cycle_plan(&config, 1, 0, Some(resign), Past::default());
    let records = play(&game, &plan, Hashed, 1);
    assert_eq!(records, play(&game, &plan, Hashed, 2), "threads make a difference");
    let without = play(&game, &cycle_plan(&config, 1, 0, None, Past::default()), Hashed, 2);

    let mut early = 0;
    for (record, whole) in records.iter().zip(&without) {
        replay(&game, record).unwrap();
        assert_eq!(whole.resign, None);
        assert!(whole.plies.iter().all(|ply| ply.flags == 0));
        let thresholds = record.resign.unwrap();
        assert_eq!((thresholds.value_min, thresholds.turns), (0.1, 2));
        let plies = record.plies.len();
        assert_eq!(bare(&record.plies), whole.plies[..plies]);
        if record.end == GameEnd::Resigned {
            assert!(thresholds.enforced);
            assert!(plies < whole.plies.len());
            early += 1;
        } else {
            assert_eq!((record.end, record.outcome), (whole.end, whole.outcome));
            assert_eq!(plies, whole.plies.len());
        }
    }
    let counts = tally(&game, &records);
    assert_eq!(counts.resigned, early);
    // The evaluator knows nothing, so many resign and many of them wrongly.
    assert!(counts.resigned > 100 && counts.would_resign > 30 && counts.wrong > 5, "{counts:?}");
    assert!(counts.wrong <= counts.would_resign && counts.would_resign <= counts.played_on);
}

/// AlphaGo's rule: the first search whose best move is below ends the game with that turn.
#[test]
fn resigning_at_once_ends_the_game_with_the_turn_that_is_below() {
    let game = Connect4::from_spec(&"connect4".parse().unwrap()).unwrap();
    let config = preset_with("connect4-smoke", &["selfplay.games=200"]);
    let resign = ResignPlan { value_min: 0.0, turns: 0, play_on_share: 0.25 };
    let plan = cycle_plan(&config, 1, 0, Some(resign), Past::default());
    let records = play(&game, &plan, Hashed, 2);
    let without = play(&game, &cycle_plan(&config, 1, 0, None, Past::default()), Hashed, 2);
    let mut early = 0;
    for (record, whole) in records.iter().zip(&without) {
        replay(&game, record).unwrap();
        let plies = record.plies.len();
        assert_eq!(bare(&record.plies), whole.plies[..plies], "the beginning of the same game");
        let below = record.plies.iter().position(PlyRecord::is_below);
        if record.end == GameEnd::Resigned {
            assert!(record.resign.unwrap().enforced);
            assert_eq!(below, Some(plies - 1));
            let first_moves = (record.start_moves.len() + plies - 1) % 2 == 0;
            let winner = if first_moves { Player::Second } else { Player::First };
            assert_eq!(record.outcome.winner, Some(winner));
            early += 1;
        } else if record.resign.unwrap().enforced {
            assert!(below.is_none_or(|at| at == plies - 1), "the rules ended it");
        }
    }
    let counts = tally(&game, &records);
    assert_eq!(counts.resigned, early);
    assert!(early > 50 && counts.would_resign > 10, "{counts:?}");
}

#[test]
fn the_share_played_on_is_what_was_asked_for() {
    let resign = |play_on_share| ResignPlan { value_min: -0.9, turns: 3, play_on_share };
    let games = 20_000_u32;
    for share in [0.0, 0.1, 0.5, 1.0] {
        let played_on = |seed| !resign(share).thresholds(seed).enforced;
        let found = (0..u64::from(games)).filter(|&seed| played_on(seed)).count() as f64;
        let expected = f64::from(games) * share;
        // Five standard deviations of the binomial distribution.
        let bound = 5.0 * (expected * (1.0 - share)).sqrt();
        assert!((found - expected).abs() <= bound, "{found} of {games} at {share}");
    }
    let seeds = 0..1_000;
    let more = seeds.clone().filter(|&seed| !resign(0.2).thresholds(seed).enforced);
    let more: Vec<u64> = more.collect();
    let fewer = seeds.filter(|&seed| !resign(0.1).thresholds(seed).enforced);
    assert!(fewer.into_iter().all(|seed| more.contains(&seed)), "a larger share has more games");
}

/// A game of tic-tac-toe that is played on; the value of each ply's root is in tenths.
fn played_on(moves: &str, tenths: &[i32], end: (GameEnd, Option<Player>)) -> GameRecord {
    let resign = ResignThresholds { value_min: -0.55, turns: 1, enforced: false };
    let plies = moves.bytes().zip(tenths).map(|(digit, &tenths)| {
        let win = (10 + tenths) as f32 / 20.0;
        let root_value = Wdl { win, draw: 0.0, loss: 1.0 - win };
        PlyRecord {
            mv: Move(u16::from(digit - b'1')),
            network: 0,
            kind: SearchKind::Full,
            budget: 8,
            visits: Vec::new(),
            root_value,
            flags: if tenths < -5 { PlyRecord::BELOW } else { 0 },
            weight: 1.0,
            target: None,
        }
    });
    GameRecord {
        number: 0,
        seed: 0,
        start_moves: Vec::new(),
        parent: None,
        komi: None,
        resign: Some(resign),
        evaluator: 0,
        outcome: Outcome { winner: end.1, margin: None },
        end: end.0,
        plies: plies.collect(),
    }
}

#[test]
fn wrong_resignations_are_counted_on_known_games() {
    let rules = tictactoe();
    // 1 4 2 5 3: the first player wins with its third move.
    let (moves, won) = ("14253", (GameEnd::Rules, Some(Player::First)));
    // 1 2 3 5 4 6 8 7 9: nobody has three in a row.
    let (even, drawn) = ("123546879", (GameEnd::Rules, None));
    let unmarked: [i32; 9] = [0; 9];
    for (what, record, [would, wrong], minimum) in [
        ("nobody", played_on(moves, &[0; 5], won), [0, 0], 0.0),
        ("the loser", played_on(moves, &[0, -6, 0, 0, 0], won), [1, 0], 0.0),
        ("the winner", played_on(moves, &[-7, 0, 0, 0, 0], won), [1, 1], -0.7),
        ("the winner, after the loser", played_on(moves, &[0, -9, -8, -9, 0], won), [1, 0], -0.8),
        ("the loser, after the winner", played_on(moves, &[-6, -9, 0, 0, 0], won), [1, 1], -0.6),
        // Of the last turns no other follows in which to resign.
        ("the winner, too late", played_on(moves, &[1, 1, 2, 1, -9], won), [0, 0], 0.1),
        ("the loser, too late", played_on(moves, &[1, 1, 2, -9, 1], won), [0, 0], 0.1),
        ("nobody in a draw", played_on(even, &unmarked, drawn), [0, 0], 0.0),
        (
            "the second in a draw",
            played_on(even, &[0, 0, 0, -8, 0, 0, 0, 0, 0], drawn),
            [1, 1],
            -0.8,
        ),
    ] {
        let counts = tally(&rules, std::slice::from_ref(&record));
        let found = [counts.resigned, counts.played_on, counts.would_resign, counts.wrong];
        assert_eq!(found, [0, 1, would, wrong], "{what}");
        let found = unbeaten_minimum(&rules, &record, 1).unwrap().unwrap();
        assert!((found - minimum).abs() < 1e-4, "{what}: {found}");
    }
    // Two turns in a row: the larger of both values decides.
    let record = played_on(even, &[-9, 0, -6, 0, -8, 0, -2, 0, -9], drawn);
    let found = unbeaten_minimum(&rules, &record, 2).unwrap().unwrap();
    assert!((found + 0.6).abs() < 1e-4, "{found}");
    // Games that resignation could end are no evidence about its errors; games without resignation
    // are.
    let mut record = played_on(moves, &[0; 5], won);
    record.resign = record.resign.map(|resign| ResignThresholds { enforced: true, ..resign });
    assert_eq!(unbeaten_minimum(&rules, &record, 1).unwrap(), None);
    record.resign = None;
    assert!(unbeaten_minimum(&rules, &record, 1).unwrap().unwrap().abs() < 1e-4);
    assert_eq!(tally(&rules, &[record]), ResignTally::default());
}

/// A run of two cycles whose games are played with rollouts; the first is of generation 0.
struct Fixture {
    _folder: tempfile::TempDir,
    run: Run,
    state: RunState,
    rules: TicTacToe,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(folder.path().join("run"), "").unwrap();
        let rules = tictactoe();
        let mut fixture = Self { _folder: folder, run, state: RunState::default(), rules };
        fixture.publish(1, 0, None);
        let object = fixture.state.cycles[&1].shards[&0].object.clone();
        let champion = ChampionState { generation: 1, cycle: 1, network: object };
        fixture.state.champion = Some(champion);
        fixture
    }

    /// Plays and publishes 100 games of a cycle in two shards.
    fn publish(&mut self, cycle: u32, generation: u32, resign: Option<ResignPlan>) {
        let overrides =
            ["selfplay.games=100", "selfplay.games_per_shard=50", "bootstrap.games=100"];
        let config = preset_with("tictactoe-smoke", &overrides);
        let plan = cycle_plan(&config, generation, u64::from(2 * cycle), resign, Past::default());
        let games = play(&self.rules, &plan, Rollout::default(), 2);
        for (index, games) in games.chunks(50).enumerate() {
            let number = u64::from(2 * cycle) + index as u64;
            let object = write(&self.run, &self.rules, number, games);
            let shard = ShardState {
                generation,
                number: index as u32,
                games: 50,
                positions: games.iter().map(|game| game.plies.len() as u64).sum(),
                object,
                board: None,
            };
            self.state.cycles.entry(cycle).or_default().shards.insert(index as u32, shard);
        }
    }

    /// The threshold of a cycle, and the games that it was measured on.
    fn resign(&self, cycle: u32, overrides: &[&str]) -> (Option<f64>, Option<u64>) {
        let section = preset_with("tictactoe-smoke", overrides).selfplay;
        let measure = || cycle_resign(&section, &self.run, &self.state, cycle).unwrap();
        let found = measure();
        assert_eq!(found, measure());
        (found.plan.map(|plan| f64::from(plan.value_min)), found.measured)
    }

    fn minima(&self, cycle: u32) -> Vec<f64> {
        let shards = self.state.cycles[&cycle].shards.values();
        shards
            .flat_map(|shard| {
                let path = self.run.local_path(&shard.object);
                let mut reader = dz_shard::ShardReader::open(&path).unwrap();
                reader.games().collect::<Result<Vec<_>, _>>().unwrap()
            })
            .filter_map(|record| unbeaten_minimum(&self.rules, &record, 2).unwrap())
            .collect()
    }
}

fn write(run: &Run, rules: &TicTacToe, number: u64, games: &[GameRecord]) -> ObjectRef {
    let header = ShardHeader {
        game: rules.spec().to_string(),
        encoding: "tictactoe".into(),
        generation: 1,
        number,
        games_per_shard: 50,
        run_seed: 1,
        config_hash: String::new(),
        evaluators: vec!["rollout".into()],
        networks: vec!["rollout".into()],
        own_komi: false,
    };
    let staged = run.create_file(&format!("shards/{number}.dzs")).unwrap();
    let mut writer = ShardWriter::new(staged, header, SHARD_LEVEL).unwrap();
    for game in games {
        writer.push(game.clone()).unwrap();
    }
    writer.finish().unwrap().0.publish().unwrap()
}

#[test]
fn an_adaptive_threshold_is_a_function_of_the_newest_games() {
    let mut fixture = Fixture::new();
    let adaptive = "selfplay.resign={ adaptive = -0.01 }";
    let least = |games: u32| format!("selfplay.resign_games_min={games}");
    // Generation 0 is not measured, and nobody resigns before there are enough games.
    assert_eq!(fixture.resign(2, &[adaptive, &least(1)]), (None, Some(0)));
    fixture.publish(2, 1, None);
    let minima = fixture.minima(2);
    assert_eq!(minima.len(), 100, "without resignation all games are measured");
    assert_eq!(fixture.resign(3, &[adaptive, &least(101)]), (None, Some(100)));
    assert_eq!(fixture.resign(2, &[adaptive, &least(1)]), (None, Some(0)), "its own games count");

    let expected = resign_threshold(&minima, 0.05).unwrap();
    assert!(expected.threshold < -0.01, "{expected:?}");
    let (found, measured) = fixture.resign(3, &[adaptive, &least(100)]);
    let found = found.unwrap();
    assert_eq!(measured, Some(100));
    assert!(found <= expected.threshold && found > expected.threshold - 1e-6);
    assert!(false_positive_rate(&minima, found).unwrap() < 0.05);
    // It never goes above what the configuration says.
    let low = fixture.resign(3, &["selfplay.resign={ adaptive = -1.0 }", &least(100)]);
    assert_eq!(low, (Some(-1.0), Some(100)));

    // The next cycle resigns by it; only its games that were played on are measured.
    let plan = ResignPlan { value_min: found as f32, turns: 2, play_on_share: 0.3 };
    fixture.publish(3, 1, Some(plan));
    let newest = fixture.minima(3);
    assert!((10..60).contains(&newest.len()), "{}", newest.len());
    let few = fixture.resign(4, &[adaptive, &least(newest.len() as u32)]);
    assert_eq!(few.1, Some(newest.len() as u64));
    let more = fixture.resign(4, &[adaptive, &least(newest.len() as u32 + 1)]);
    assert_eq!(more.1, Some(newest.len() as u64 + 100), "whole cycles are added");
}

#[test]
fn resignation_is_off_unless_asked_for_and_without_a_champion() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.resign(2, &[]), (None, None));
    let fixed = &["selfplay.resign={ fixed = -0.5 }"][..];
    assert_eq!(fixture.resign(2, fixed), (Some(-0.5), None));
    fixture.state.champion = None;
    assert_eq!(fixture.resign(2, fixed), (None, None));
}

#[test]
fn a_threshold_from_some_games_keeps_resignations_right_in_others() {
    let rules = tictactoe();
    let config = preset_with("tictactoe-smoke", &["selfplay.games=1500", "selfplay.playouts=60"]);
    let calibration =
        play(&rules, &cycle_plan(&config, 1, 0, None, Past::default()), Rollout::default(), 2);
    let minima: Vec<f64> =
        calibration.iter().filter_map(|game| unbeaten_minimum(&rules, game, 1).unwrap()).collect();
    let found = resign_threshold(&minima, 0.05).unwrap();
    let value_min = found.threshold.min(-0.2) as f32;
    let resign = ResignPlan { value_min, turns: 1, play_on_share: 0.5 };
    let plan = cycle_plan(&config, 1, 1_000, Some(resign), Past::default());
    let records = play(&rules, &plan, Rollout::default(), 2);
    let counts = tally(&rules, &records);
    assert!(counts.resigned > 30 && counts.would_resign > 30, "{value_min}: {counts:?}");
    let interval = dz_stats::wilson(counts.wrong, counts.played_on);
    assert!(interval.share < 0.06 && interval.lo95 < 0.05, "{value_min}: {counts:?} {interval:?}");
    // Resigning changes nobody's result more often than the rate says.
    let without =
        play(&rules, &cycle_plan(&config, 1, 1_000, None, Past::default()), Rollout::default(), 2);
    let resigned = records.iter().zip(&without).filter(|(game, _)| game.end == GameEnd::Resigned);
    let changed = resigned.filter(|(game, whole)| game.outcome != whole.outcome).count() as u64;
    let enforced = records.len() as u64 - counts.played_on;
    assert!(dz_stats::wilson(changed, enforced).lo95 < 0.05, "{changed} of {enforced}");
}
