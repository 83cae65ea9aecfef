//! `dagzero bench selfplay`: whole games on the processor.

use std::time::Instant;

use anyhow::{Context, ensure};
use dz_burn_net::{BurnEvaluator, DeviceChoice, EvaluatorOptions};
use dz_config::RunConfig;
use dz_cpu_net::{CpuEvaluator, random_network_of};
use dz_game::{AnyGame, Game};
use dz_infer::NetworkEvaluator;
use dz_network_file::NetworkFile;
use dz_selfplay::{CyclePlan, Past, ShardSink, cycle_plan, play_cycle_of};
use dz_shard::GameRecord;

use crate::python::PythonPeer;
use crate::rates::Rates;
use crate::row::BenchRow;

/// Samples of each figure, whose median counts.
const SAMPLES: usize = 5;

/// Which games are played, and by what.
struct Setting {
    /// What sets them apart.
    name: &'static str,
    /// Blocks and channels of the network.
    network: (usize, usize),
    /// Games of a sample.
    games: u32,
    /// Laid over the quick preset.
    overrides: &'static [&'static str],
}

/// Self-play of the quick preset.
const QUICK: Setting =
    Setting { name: "quick preset", network: (4, 48), games: 300, overrides: &[] };

/// Every move has the same small search.
const SMALL: Setting = Setting {
    name: "32 playouts",
    network: (4, 64),
    games: 300,
    overrides: &["selfplay.playouts=32", "selfplay.full_share=1", "selfplay.opening_plies_max=0"],
};

/// A setting's games, and what plays them.
struct Ready {
    plan: CyclePlan,
    file: NetworkFile,
    cache_entries: usize,
}

/// Work a second in several samples.
#[derive(Default)]
struct Samples {
    games: Vec<f64>,
    evaluations: Vec<f64>,
    playouts: Vec<f64>,
}

pub(crate) fn rows(game: &AnyGame) -> anyhow::Result<Vec<BenchRow>> {
    let mut rows = beside_burn(game, &QUICK, SAMPLES)?;
    rows.extend(beside_pgx(game, &SMALL, SAMPLES)?);
    Ok(rows)
}

/// Our evaluator and Burn's, in turns.
fn beside_burn(game: &AnyGame, setting: &Setting, samples: usize) -> anyhow::Result<Vec<BenchRow>> {
    let ready = setting.ready(game)?;
    let mut ours = Samples::default();
    let mut theirs = Samples::default();
    for _ in 0..samples {
        let network = CpuEvaluator::load(&ready.file)?;
        ours.add(game, &ready, Box::new(network))?;
        let options = EvaluatorOptions::for_device(DeviceChoice::Cpu);
        let burn = BurnEvaluator::load(&ready.file, DeviceChoice::Cpu, options)?;
        theirs.add(game, &ready, Box::new(burn))?;
    }
    let name = setting.full_name(game);
    let peers = theirs.figures().map(|(_, rates)| rates.median());
    let rows = ours.figures().into_iter().zip(peers);
    Ok(rows.map(|(ours, peer)| row(&name, &ours).beside("with Burn's evaluator", peer)).collect())
}

/// Our self-play and that of pgx and mctx, in turns; alone where there is no Python for them, and
/// in games other than Connect Four.
fn beside_pgx(game: &AnyGame, setting: &Setting, samples: usize) -> anyhow::Result<Vec<BenchRow>> {
    const SCRIPT: &str = include_str!("../../../benchmarks/pgx_peer.py");
    let ready = setting.ready(game)?;
    let (blocks, channels) = setting.network;
    let sizes = [blocks, channels, ready.plan.games.playouts as usize];
    let sizes = sizes.map(|size| size.to_string());
    let args = sizes.each_ref().map(AsRef::as_ref);
    let mut peer = match game.spec().to_string().as_str() {
        "connect4:width=7,height=6,connect=4" => {
            PythonPeer::start(SCRIPT, "jax, pgx and mctx", &args)?
        }
        _ => None,
    };
    let mut ours = Samples::default();
    let mut theirs = Samples::default();
    for _ in 0..samples {
        let network = CpuEvaluator::load(&ready.file)?;
        ours.add(game, &ready, Box::new(network))?;
        if let Some(peer) = &mut peer {
            let numbers: Result<Vec<f64>, _> = peer.ask("")?.split(' ').map(str::parse).collect();
            let numbers = numbers.context("the peer's rates")?;
            ensure!(numbers.len() == 3, "the peer gave {} rates, not 3", numbers.len());
            theirs.games.push(numbers[0]);
            theirs.evaluations.push(numbers[1]);
            theirs.playouts.push(numbers[2]);
        }
    }
    let name = setting.full_name(game);
    let rows = ours.figures().into_iter().zip(theirs.figures());
    let rows = rows.map(|(ours, (_, theirs))| match &peer {
        Some(peer) => row(&name, &ours).beside(&peer.greeting, theirs.median()),
        None => row(&name, &ours),
    });
    Ok(rows.collect())
}

fn row(name: &str, (unit, rates): &(&'static str, Rates)) -> BenchRow {
    BenchRow::new(name, rates.median(), unit, rates.samples())
}

impl Setting {
    /// The plan of a sample's games, and what plays them.
    fn ready(&self, game: &AnyGame) -> anyhow::Result<Ready> {
        let config = self.config(game)?;
        let (blocks, channels) = self.network;
        Ok(Ready {
            plan: cycle_plan(&config, 1, 0, None, Past::default()),
            file: random_network_of(game, blocks, channels, 1),
            cache_entries: config.selfplay.cache_entries as usize,
        })
    }

    fn config(&self, game: &AnyGame) -> anyhow::Result<RunConfig> {
        const PRESET: &str = include_str!("../../../configs/connect4-quick.toml");
        let mut overrides: Vec<String> = self.overrides.iter().map(ToString::to_string).collect();
        overrides.push(format!("run.game=\"{}\"", game.spec()));
        overrides.push(format!("selfplay.games={}", self.games));
        if game.spec().name() != "connect4" {
            // The preset's bound is Connect Four's board.
            overrides.push("selfplay.plies_max=1000".to_owned());
        }
        Ok(RunConfig::from_text(PRESET, &overrides)?)
    }

    fn full_name(&self, game: &AnyGame) -> String {
        let (blocks, channels) = self.network;
        let threads = rayon::current_num_threads();
        format!("{}, b{blocks}c{channels}, {}, {threads} threads", game.spec().name(), self.name)
    }
}

impl Samples {
    /// Plays the games once more.
    fn add(
        &mut self,
        game: &AnyGame,
        Ready { plan, cache_entries, .. }: &Ready,
        network: Box<dyn NetworkEvaluator>,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        let tally = play_cycle_of(&game.spec(), plan, network, *cache_entries, &mut Nowhere)?;
        let seconds = begun.elapsed().as_secs_f64();
        self.games.push(tally.games as f64 / seconds);
        self.evaluations.push(tally.lockstep.evaluations as f64 / seconds);
        self.playouts.push(tally.search.playouts as f64 / seconds);
        Ok(())
    }

    fn figures(self) -> [(&'static str, Rates); 3] {
        [
            ("games/s", Rates::new(self.games)),
            ("evaluations/s", Rates::new(self.evaluations)),
            ("playouts/s", Rates::new(self.playouts)),
        ]
    }
}

/// Takes games and keeps none.
struct Nowhere;

impl ShardSink for Nowhere {
    fn shard(&mut self, _index: u64, _games: Vec<GameRecord>) -> anyhow::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use dz_game::games::{Connect4, TicTacToe};

    use super::*;

    #[test]
    fn games_are_played_with_both_evaluators_and_counted() {
        let setting = Setting { network: (1, 16), games: 3, ..QUICK };
        let rows = beside_burn(&TicTacToe.into(), &setting, 1).unwrap();
        let units: Vec<&str> = rows.iter().map(|row| row.unit.as_str()).collect();
        assert_eq!(units, ["games/s", "evaluations/s", "playouts/s"]);
        for row in &rows {
            assert!(row.value > 0.0 && row.peer_value.is_some_and(|value| value > 0.0), "{row:?}");
            assert!(row.name.starts_with("tictactoe, b1c16, quick preset"), "{row:?}");
        }
        assert!(rows[2].value >= rows[1].value, "playouts that a cache answers are none of its");
    }

    /// With `DAGZERO_PYTHON`, beside pgx and mctx.
    #[test]
    fn small_searches_have_the_playouts_that_they_are_named_for() {
        let game = Connect4::new(7, 6, 4).unwrap().into();
        let setting = Setting { network: (1, 16), games: 2, ..SMALL };
        let plan = setting.ready(&game).unwrap().plan;
        assert_eq!((plan.games.playouts, plan.games.full_share, plan.count), (32, 1.0, 2));
        let rows = beside_pgx(&game, &setting, 1).unwrap();
        assert!(rows.len() == 3 && rows.iter().all(|row| row.value > 0.0), "{rows:?}");
    }
}
