//! Reanalyzed games: their kept parts, their new parts, which are sampled, and how they train.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::collections::BTreeSet;

use crate::common::{hashed_games, text_with};
use dz_config::RunConfig;
use dz_game::games::Connect4;
use dz_game::{Encoding, Game, Outcome, Player};
use dz_shard::{
    GameEnd, GameRecord, ResignThresholds, RowBlock, RowShape, SHARD_LEVEL, SearchKind,
    ShardHeader, ShardWriter, rows_of_game,
};
use dz_store::{RowsState, RowsSummary, Run, RunState, ShardState};
use selfplay::{Forks, Past, Reanalyses, ResignTally, cycle_plan, unbeaten_minimum};

const BASE: &str = "format = 1\nrun = { game = \"connect4:width=5,height=4\", cycles = 9, seed = 3 }\n\
    selfplay = { games = 100, games_per_shard = 70, playouts = 24, playouts_fast = 6, full_share = 0.5 }\n\
    bootstrap = { games = 100, playouts = 6 }\nnetwork = { blocks = 1, channels = 8 }\n\
    gate = { rule = \"always\" }\n";

fn connect4() -> Connect4 {
    Connect4::new(5, 4, 4).unwrap()
}

fn config(overrides: &[&str]) -> RunConfig {
    text_with(BASE, overrides)
}

/// Games of a generation from this number on, by an evaluator whose priors and values are hashes.
fn games(
    generation: u32,
    numbers: std::ops::Range<u64>,
    past: Past,
    overrides: &[&str],
) -> Vec<GameRecord> {
    let plan = cycle_plan(&config(overrides), generation, 0, None, past);
    let games = hashed_games(&connect4(), &plan, numbers);
    games.into_iter().map(|(record, _)| record).collect()
}

fn again(of: impl IntoIterator<Item = (u64, GameRecord)>) -> Past {
    Past { forks: None, reanalyses: Some(Reanalyses::of(of)) }
}

fn rows(record: &GameRecord) -> RowBlock {
    let mut rows = RowBlock::new(RowShape::of(&connect4().encoding()));
    rows_of_game(&connect4(), record, &mut rows).unwrap();
    rows
}

/// Moves and outcome stay; every full search is a new one, with new rows; nothing else is searched
/// or learnt from again.
#[test]
fn moves_stay_and_full_searches_are_new() {
    let originals = games(0, 0..60, Past::default(), &[]);
    let numbers = 100..160;
    let past = || again(numbers.clone().zip(originals.clone()));
    assert_eq!(
        games(0, numbers.clone(), past(), &[]),
        games(0, numbers.clone(), Past::default(), &[])
    );
    let anew = games(1, numbers.clone(), past(), &[]);
    let (mut new_visits, mut full) = (0, 0);
    for (old, new) in originals.iter().zip(&anew) {
        assert_eq!((new.reanalyzed(), new.resign), (Some(old.number), None));
        assert_ne!((new.number, new.seed), (old.number, old.seed));
        assert!(old.moves().eq(new.moves()) && old.start_moves == new.start_moves);
        assert_eq!((old.outcome, old.end), (new.outcome, new.end));
        for (old, new) in old.plies.iter().zip(&new.plies) {
            assert_eq!(old.kind, new.kind);
            if old.kind == SearchKind::Fast {
                assert_eq!((new.budget, new.weight, new.visits.len()), (0, 0.0, 0));
                assert_eq!(new.root_value, old.root_value);
                continue;
            }
            // Generation 0 had six playouts.
            assert_eq!((new.budget, new.weight), (24, 1.0));
            full += 1;
            new_visits += u32::from(new.visits != old.visits && new.root_value != old.root_value);
        }
        let count = old.plies.iter().filter(|ply| ply.kind == SearchKind::Full).count();
        assert_eq!(rows(new).len(), count);
        assert!(rows(new).rows().all(|row| row.policy_weight.get() == 1.0));
    }
    assert!(full > 200 && new_visits > full * 9 / 10, "{new_visits} of {full}");
    // One by one, as `dagzero replay` does; and the settings of searches hold.
    let alone = again([(130, originals[30].clone())]);
    assert_eq!(games(1, 130..131, alone, &[])[0], anew[30]);
    let soft = games(
        1,
        numbers.clone(),
        past(),
        &["selfplay.soft_resign={ above = 0.0 }", "selfplay.surprise_share=0.5"],
    );
    let weights: BTreeSet<u32> =
        soft.iter().flat_map(|game| &game.plies).map(|ply| ply.weight.to_bits()).collect();
    assert!(weights.len() > 50 && soft.iter().all(|game| game.reanalyzed().is_some()));
    // A reanalyzed game is not reanalyzed again.
    let twice = games(1, numbers.clone(), again(numbers.clone().zip(anew)), &[]);
    assert!(twice.iter().all(|game| game.reanalyzed().is_none()));
}

/// A resigned game stays resigned, without thresholds, and is no measure of resigning.
#[test]
fn resigned_games_are_reanalyzed_and_not_counted_again() {
    let mut original = games(1, 5..6, Past::default(), &["selfplay.full_share=1"]).remove(0);
    original.plies.truncate(5);
    let mover =
        if original.plies_total().is_multiple_of(2) { Player::First } else { Player::Second };
    original.end = GameEnd::Resigned;
    original.outcome = Outcome::win_of(mover.opponent());
    original.resign = Some(ResignThresholds { value_min: -0.9, turns: 1, enforced: true });
    let new = games(1, 9..10, again([(9, original.clone())]), &[]).remove(0);
    assert_eq!((new.end, new.outcome), (GameEnd::Resigned, original.outcome));
    let mut tally = ResignTally::default();
    tally.add(&connect4(), &new).unwrap();
    assert_eq!(tally, ResignTally::default());
    let over = games(1, 7..8, Past::default(), &[]).remove(0);
    let anew = games(1, 9..10, again([(9, over.clone())]), &[]).remove(0);
    assert!(unbeaten_minimum(&connect4(), &over, 2).unwrap().is_some());
    assert_eq!(unbeaten_minimum(&connect4(), &anew, 2).unwrap(), None);
}

/// A run of cycles of 100 games in shards of 70 and 30, the first of generation 0.
struct Fixture {
    _folder: tempfile::TempDir,
    run: Run,
    state: RunState,
    config: RunConfig,
}

impl Fixture {
    fn new(share: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(folder.path().join("run"), "").unwrap();
        let config = config(&[&format!("selfplay.reanalyse_share={share}")]);
        Self { _folder: folder, run, state: RunState::default(), config }
    }

    fn past(&self, cycle: u32) -> Past {
        let found =
            Reanalyses::of_window(&self.run, &self.state, &self.config, cycle, None).unwrap();
        Past { forks: None, reanalyses: Some(found) }
    }

    /// Numbers of a cycle's games: two shards each.
    fn numbers(cycle: u32) -> std::ops::Range<u64> {
        let first = u64::from(cycle - 1) * 140;
        first..first + 100
    }

    /// Plays a cycle, publishes it, and closes it with a window of so many games.
    fn publish(&mut self, cycle: u32, window_games: u64) -> Vec<GameRecord> {
        let games = games(cycle - 1, Self::numbers(cycle), self.past(cycle), &[]);
        for (index, games) in games.chunks(70).enumerate() {
            let header = ShardHeader {
                game: connect4().spec().to_string(),
                encoding: connect4().encoding().id(),
                generation: cycle - 1,
                number: u64::from(2 * (cycle - 1)) + index as u64,
                games_per_shard: 70,
                run_seed: 3,
                config_hash: String::new(),
                evaluators: vec!["hashed".into()],
                networks: vec!["hashed".into()],
                own_komi: false,
            };
            let staged = self.run.create_file(&format!("shards/{cycle}-{index}.dzs")).unwrap();
            let mut writer = ShardWriter::new(staged, header, SHARD_LEVEL).unwrap();
            for game in games {
                writer.push(game.clone()).unwrap();
            }
            let object = writer.finish().unwrap().0.publish().unwrap();
            let number = index as u32;
            let shard = ShardState {
                generation: cycle - 1,
                number,
                games: games.len() as u64,
                positions: 0,
                object,
                board: None,
            };
            self.state.cycles.entry(cycle).or_default().shards.insert(number, shard);
        }
        let summary = RowsSummary { window_games, ..RowsSummary::default() };
        let rows = RowsState { train: Vec::new(), validation: Vec::new(), summary };
        self.state.cycles.entry(cycle).or_default().rows = Some(rows);
        games
    }
}

/// A share of the games, of games of the window that were played, each with the moves that it
/// names; the rest are played as without reanalysis.
#[test]
fn a_share_of_a_cycles_games_is_sampled_from_the_window() {
    let mut fixture = Fixture::new("0.4");
    let mut all: Vec<GameRecord> = Vec::new();
    for (cycle, window) in [(1, 100), (2, 200), (3, 130), (4, 130)] {
        let games = fixture.publish(cycle, window);
        let anew: Vec<&GameRecord> =
            games.iter().filter(|game| game.reanalyzed().is_some()).collect();
        let count = anew.len();
        if cycle == 1 {
            assert_eq!(count, 0, "there was no window and no champion");
        } else {
            assert!((25..=55).contains(&count), "{count} of 100 in cycle {cycle}");
        }
        // What cycle 3 closed with reaches back to the last shard of cycle 2.
        let oldest = if cycle == 4 { 210 } else { 0 };
        for game in anew {
            let number = game.reanalyzed().unwrap();
            let original = all.iter().find(|game| game.number == number).unwrap();
            assert!(number >= oldest && original.reanalyzed().is_none());
            assert!(original.moves().eq(game.moves()));
        }
        let plain = self::games(cycle - 1, Fixture::numbers(cycle), Past::default(), &[]);
        for (game, plain) in games.iter().zip(&plain) {
            assert!(game.reanalyzed().is_some() || game == plain, "its own stream");
        }
        all.extend(games);
    }
    assert_eq!(fixture.past(5), fixture.past(5));
    let forks = Forks::of_cycle_before(&fixture.run, &fixture.state, 5, None, 1.0).unwrap();
    let played = all[300..].iter().filter(|game| game.reanalyzed().is_none());
    assert_eq!(forks, Forks::of(played, 1.0), "forks are of games that were played");
}

/// A window of reanalyzed games alone has nothing left to reanalyse; shards that are gone are
/// passed over.
#[test]
fn what_is_not_there_is_played_instead() {
    let mut fixture = Fixture::new("0.999999");
    fixture.publish(1, 100);
    let second = fixture.publish(2, 100);
    assert!(second.iter().all(|game| game.reanalyzed().is_some()), "of generation 0");
    let third = fixture.publish(3, 100);
    assert!(third.iter().all(|game| game.reanalyzed().is_none()), "of cycle 2 none was played");
    let paths: Vec<String> =
        fixture.state.shards().map(|(_, shard)| shard.object.path.clone()).collect();
    fixture.state.expired.extend(paths);
    fixture.state.cycles.get_mut(&3).unwrap().rows.as_mut().unwrap().summary.window_games = 300;
    assert_eq!(fixture.past(4), again([]));
}
