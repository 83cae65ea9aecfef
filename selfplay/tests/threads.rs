//! Shards of games that a network plays on the processor: the same bytes for any number of threads,
//! any distribution of games to groups, and after a stop in the middle.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::collections::BTreeMap;

use crate::common::preset_with;
use dz_cpu_net::{CpuEvaluator, random_network_of};
use dz_game::games::{Connect4, Go, TicTacToe};
use dz_game::{Encoding, Game};
use dz_infer::{Lockstep, Sources};
use dz_network_file::NetworkFile;
use dz_shard::{GameRecord, SHARD_LEVEL, ShardHeader, ShardWriter, random_records};
use selfplay::{CyclePlan, CycleTally, Past, Reanalyses, ShardSink, cycle_plan, play_cycle};

/// Four shards of eight games, the last one short.
const SETTINGS: [&str; 5] = [
    "selfplay.games=29",
    "selfplay.games_per_shard=8",
    "selfplay.playouts=20",
    "selfplay.playouts_fast=6",
    "selfplay.full_share=0.5",
];

/// A cycle of a game and the network that plays it.
struct Cycle<G: Game> {
    game: G,
    plan: CyclePlan,
    network: NetworkFile,
}

impl<G: Game> Cycle<G> {
    fn new(game: G, more: &[&str], past: Past) -> Self {
        let network = random_network_of(&game, 2, 16, 7);
        let config = preset_with("tictactoe-smoke", &[&SETTINGS, more].concat());
        let plan = cycle_plan(&config, 1, 3, None, past);
        assert_eq!(plan.shards(), 4);
        Self { game, plan, network }
    }

    /// Plays what `shards` does not have, with so many places at the evaluators' cache, and no more
    /// shards once it has `enough`.
    fn play(&self, shards: &mut Shards, lockstep: Lockstep, threads: usize, enough: usize) {
        let plan = CyclePlan { lockstep, ..self.plan.clone() };
        let missing: Vec<u64> =
            (0..plan.shards()).filter(|index| !shards.written.contains_key(index)).collect();
        let mut sources = Sources::default();
        let network = CpuEvaluator::load(&self.network).unwrap();
        sources.add_network(&self.game, Box::new(network), 256).unwrap();
        shards.enough = enough;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let play = || play_cycle(&self.game, &plan, &missing, &mut sources, shards);
        let tally = pool.install(play).unwrap();
        assert!(tally.lockstep.evaluations > 0 && tally.search.cache_hits > 0);
    }

    fn shards(&self) -> Shards {
        let header = ShardHeader {
            game: self.game.spec().to_string(),
            encoding: self.game.encoding().id(),
            generation: 1,
            number: 0,
            games_per_shard: 8,
            run_seed: 1,
            config_hash: String::new(),
            evaluators: vec!["network".into()],
            networks: vec!["network".into()],
            own_komi: false,
        };
        Shards { header, written: BTreeMap::new(), enough: usize::MAX }
    }
}

/// Shards as bytes.
struct Shards {
    header: ShardHeader,
    written: BTreeMap<u64, Vec<u8>>,
    enough: usize,
}

impl ShardSink for Shards {
    fn shard(&mut self, index: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        let own_komi = games.iter().any(|game| game.komi.is_some());
        let header = ShardHeader { number: 3 + index, own_komi, ..self.header.clone() };
        let mut writer = ShardWriter::new(Vec::new(), header, SHARD_LEVEL).unwrap();
        for game in games {
            writer.push(game).unwrap();
        }
        let again = self.written.insert(index, writer.finish().unwrap().0);
        assert!(again.is_none(), "shard {index} was there");
        Ok(())
    }

    fn wants_more(&mut self, _: &CycleTally) -> bool {
        self.written.len() < self.enough
    }
}

fn check<G: Game>(game: G, more: &[&str], past: Past) {
    let cycle = Cycle::new(game, more, past);
    let mut wanted = cycle.shards();
    cycle.play(&mut wanted, Lockstep { parallel_games: 1, groups: 1 }, 1, usize::MAX);
    assert_eq!(wanted.written.len(), 4);
    for (threads, parallel_games, groups) in
        [(1, 7, 2), (1, 64, 1), (2, 2, 2), (2, 16, 1), (2, 9, 3), (5, 5, 1), (5, 3, 2), (5, 40, 4)]
    {
        let how = format!("{threads} threads, {parallel_games} games in {groups} groups");
        let lockstep = Lockstep { parallel_games, groups };
        let mut whole = cycle.shards();
        cycle.play(&mut whole, lockstep, threads, usize::MAX);
        assert!(whole.written == wanted.written, "{how}");

        // Stopped after the first shard, and gone on with by others. Which shards were begun by
        // then is a matter of time where there are more threads than one.
        let mut parts = cycle.shards();
        cycle.play(&mut parts, lockstep, threads, 1);
        let before = parts.written.len();
        let is_stopped = threads > 1 || parallel_games > 16 || before < 4;
        assert!(before >= 1 && is_stopped, "{how}: {before} shards");
        if before < 4 {
            let lockstep = Lockstep { parallel_games: 11, groups: 2 };
            cycle.play(&mut parts, lockstep, 6 - threads, usize::MAX);
        }
        assert!(parts.written == wanted.written, "{how}, in two parts");

        // What a kill may leave: some of the shards, in any order.
        let mut parts = cycle.shards();
        parts.written.extend([1, 3].map(|index| (index, wanted.written[&index].clone())));
        cycle.play(&mut parts, lockstep, threads, usize::MAX);
        assert!(parts.written == wanted.written, "{how}, after a kill");
    }
}

#[test]
fn tictactoe_shards_depend_on_nothing_but_the_games() {
    check(TicTacToe, &[], Past::default());
}

#[test]
fn connect4_shards_depend_on_nothing_but_the_games() {
    check(Connect4::new(5, 4, 4).unwrap(), &[], Past::default());
}

/// Games of different komi share the evaluator and its cache, so positions that differ in komi
/// alone must not meet there.
#[test]
fn go_shards_of_many_komi_depend_on_nothing_but_the_games() {
    let game = Go::from_spec(&"go:size=2,komi=1".parse().unwrap()).unwrap();
    let set =
        ["selfplay.komi_deviation=2", "selfplay.komi_wide_share=0.3", "selfplay.plies_max=30"];
    check(game, &set, Past::default());
}

/// Every third game is reanalyzed instead of played.
#[test]
fn shards_with_reanalyzed_games_depend_on_nothing_but_the_games() {
    let originals = random_records(&TicTacToe, 10, 20, 1);
    let anew = Reanalyses::of((24..).step_by(3).zip(originals));
    check(TicTacToe, &[], Past { reanalyses: Some(anew), forks: None });
}
