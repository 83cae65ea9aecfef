//! `dagzero bench games`: self-play with a device, beside what its host and the device reach alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use dz_burn_net::{DeviceChoice, network_with};
use dz_config::RunConfig;
use dz_cpu_net::{network_spec_of, random_network};
use dz_game::{AnyGame, Game};
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_network_file::NetworkSpec;
use dz_selfplay::{CyclePlan, CycleTally, Past, ShardSink, cycle_plan, play_cycle_of};
use dz_shard::GameRecord;

use crate::at_once::AtOnce;
use crate::device;
use crate::device_args::DeviceArgs;
use crate::game_load::GameLoad;
use crate::row::BenchRow;

/// More games than can be played in the time.
const GAMES: u64 = 10_000_000;
/// Entries of the cache, those of the presets.
const CACHE_ENTRIES: usize = 1 << 20;

/// Hands each figure to `each` as soon as it is known.
pub(crate) fn rows(
    game: &AnyGame,
    args: &DeviceArgs,
    each: &mut dyn FnMut(BenchRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let DeviceArgs { batch, playouts, groups, network, .. } = args;
    let threads = rayon::current_num_threads();
    let name = |what: &str| {
        let games = format!("{playouts} playouts, {groups} groups of {batch}, {threads} threads");
        format!("{}, {games}, {what}", game.spec())
    };
    let load = args.game_load();
    let host = reach(game, load, AtOnce::new(game))?;
    host.report(&name("a device that takes no time"), None, each)?;

    let choice = args.choice()?;
    let size = args.size()?;
    let plain = network_spec_of(game, size.blocks, size.channels);
    let spec = NetworkSpec { global_pooling: size.pooling, any_size: size.pooling, ..plain };
    let file = random_network(&spec, 1);
    let precision = args.precision.0.first().context("name one --precision")?;
    let options = args.options(choice, *precision);
    let raw = device::playing(choice, &file.header.spec, *batch, options, args.time())?.rate;
    let on = format!("{network} on {choice}, {precision}");
    each(BenchRow::new(&format!("{on}, batch {batch}, no games"), raw, "evaluations/s", 1))?;
    if choice == DeviceChoice::Cpu {
        // Where threads evaluate themselves there are no batches for a device: `bench selfplay`
        // measures that.
        return Ok(());
    }
    let network = network_with(choice, &file, options)?;
    reach(game, load, network)?.report(&name(&on), Some(raw), each)
}

/// Speed of self-play without the time of the network.
#[derive(Clone, Copy, Debug)]
pub struct HostRate {
    /// Evaluations for each second of processor time, so that other programs change it little.
    pub evaluations_core_s: f64,
    /// Playouts for each evaluation. More than 1, because terminal positions, reused trees and the
    /// cache need no evaluation; 1 if no game ended in the time.
    pub playouts_per_evaluation: f64,
}

/// Measures self-play with a device that takes no time: search, rules, encoding and cache. Other
/// threads of this process count, too.
///
/// # Errors
/// If the time is too short for two batches.
pub fn host_rate(game: &AnyGame, load: GameLoad) -> anyhow::Result<HostRate> {
    let (begun, cpu_s) = (Instant::now(), dz_stage::cpu_s());
    let reached = reach(game, load, AtOnce::new(game))?;
    let Reached { evaluations, playouts, evaluations_total, .. } = reached;
    let used_s = match cpu_s.zip(dz_stage::cpu_s()) {
        Some((before, after)) => after - before,
        None => begun.elapsed().as_secs_f64() * rayon::current_num_threads() as f64,
    };
    Ok(HostRate {
        evaluations_core_s: evaluations_total / used_s.max(1e-3),
        playouts_per_evaluation: (playouts / evaluations).max(1.0),
    })
}

/// What was reached.
struct Reached {
    /// A second.
    evaluations: f64,
    /// A second.
    playouts: f64,
    /// From the start, before measuring began, too.
    evaluations_total: f64,
    /// Share of the places in batches that were filled.
    fill: f64,
    /// Share of the time that was spent waiting for the device.
    waiting: f64,
}

impl Reached {
    fn report(
        &self,
        name: &str,
        raw: Option<f64>,
        each: &mut dyn FnMut(BenchRow) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let evaluations = BenchRow::new(name, self.evaluations, "evaluations/s", 1);
        each(match raw {
            Some(raw) => evaluations.beside("its network without games", raw),
            None => evaluations,
        })?;
        each(BenchRow::new(name, self.playouts, "playouts/s", 1))?;
        each(BenchRow::new(name, 1e6 / self.evaluations, "us an evaluation", 1))?;
        each(BenchRow::new(name, 100.0 * self.fill, "% of batches filled", 1))?;
        each(BenchRow::new(name, 100.0 * self.waiting, "% of the time waiting", 1))
    }
}

/// Plays games with a network. Measuring begins after half of the time.
fn reach(
    game: &AnyGame,
    load: GameLoad,
    network: impl NetworkEvaluator + 'static,
) -> anyhow::Result<Reached> {
    let plan = plan(game, load)?;
    let begun = Instant::now();
    let waited = Arc::new(AtomicU64::new(0));
    let opens = begun + load.time / 2;
    let end = opens + load.time;
    let network = Until { network, opens, end, batches: 0, waited: Arc::clone(&waited) };
    let mut window = Window { opens, waited, first: None, last: None };
    match play_cycle_of(&game.spec(), &plan, Box::new(network), CACHE_ENTRIES, &mut window) {
        Err(error) if !is_time_over(&error) => Err(error),
        _ => window.reached(),
    }
}

fn is_time_over(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(EvaluatorError::Device { device, .. }) if device == CLOCK)
}

/// Games of the quick preset with as many playouts for every move.
fn plan(game: &AnyGame, load: GameLoad) -> anyhow::Result<CyclePlan> {
    const PRESET: &str = include_str!("../../../configs/connect4-quick.toml");
    let overrides = [
        format!("run.game=\"{}\"", game.spec()),
        format!("selfplay.playouts={}", load.playouts),
        format!("selfplay.playouts_fast={}", load.playouts),
        "selfplay.full_share=1".to_owned(),
        "selfplay.plies_max=1000".to_owned(),
        format!("selfplay.parallel_games={}", load.batch * usize::from(load.groups)),
        format!("selfplay.groups={}", load.groups),
    ];
    let config = RunConfig::from_text(PRESET, &overrides)?;
    Ok(CyclePlan { count: GAMES, ..cycle_plan(&config, 1, 0, None, Past::default()) })
}

/// Names what ends games when the time is over.
const CLOCK: &str = "the bench's clock";

/// Batches that are measured at least, however slow the machine is.
const BATCHES_MIN: u32 = 8;

/// Fails when the time is over, since a lockstep would go on to its last game. Sums up the time
/// spent waiting.
struct Until<N> {
    network: N,
    /// When measuring begins.
    opens: Instant,
    end: Instant,
    /// Batches since then.
    batches: u32,
    /// Nanoseconds.
    waited: Arc<AtomicU64>,
}

impl<N: NetworkEvaluator> NetworkEvaluator for Until<N> {
    fn id(&self) -> &str {
        self.network.id()
    }

    fn encoding_id(&self) -> &str {
        self.network.encoding_id()
    }

    fn policy_len(&self) -> usize {
        self.network.policy_len()
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let now = Instant::now();
        self.batches += u32::from(now >= self.opens);
        if now < self.end || self.batches <= BATCHES_MIN {
            return self.network.submit(batch);
        }
        let message = "the time is over".to_owned();
        Err(EvaluatorError::Device { device: CLOCK.to_owned(), message })
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        let begun = Instant::now();
        let outputs = self.network.wait(ticket);
        self.waited.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        outputs
    }
}

/// Takes games, keeps none, and reads the tally from a time on.
struct Window {
    opens: Instant,
    waited: Arc<AtomicU64>,
    first: Option<Moment>,
    last: Option<Moment>,
}

#[derive(Clone, Copy)]
struct Moment {
    at: Instant,
    tally: CycleTally,
    waited_ns: u64,
}

impl ShardSink for Window {
    fn shard(&mut self, _index: u64, _games: Vec<GameRecord>) -> anyhow::Result<()> {
        Ok(())
    }

    fn wants_more(&mut self, tally: &CycleTally) -> bool {
        let at = Instant::now();
        let waited_ns = self.waited.load(Ordering::Relaxed);
        let moment = Moment { at, tally: *tally, waited_ns };
        if at >= self.opens {
            self.first.get_or_insert(moment);
        }
        self.last = Some(moment);
        true
    }
}

impl Window {
    fn reached(&self) -> anyhow::Result<Reached> {
        const TOO_SHORT: &str = "the time was too short for two batches; give it more --seconds";
        let (first, last) = self.first.zip(self.last).context(TOO_SHORT)?;
        let time: Duration = last.at - first.at;
        let of = |count: fn(&CycleTally) -> u64| (count(&last.tally) - count(&first.tally)) as f64;
        let evaluations = of(|tally| tally.lockstep.evaluations);
        ensure!(!time.is_zero() && evaluations > 0.0, TOO_SHORT);
        let seconds = time.as_secs_f64();
        // Of the games that have ended by now; those under way are not counted yet.
        let search = last.tally.search;
        let playouts = search.playouts as f64 / search.evaluations.max(1) as f64;
        Ok(Reached {
            evaluations: evaluations / seconds,
            playouts: evaluations / seconds * playouts,
            evaluations_total: last.tally.lockstep.evaluations as f64,
            fill: evaluations / of(|tally| tally.lockstep.places),
            waiting: (last.waited_ns - first.waited_ns) as f64 / 1e9 / seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use dz_game::games::TicTacToe;

    use super::*;

    #[test]
    fn the_host_plays_with_a_device_that_takes_no_time_and_the_device_without_games() {
        let words = ["--device", "cpu", "--network", "3x3b1c8", "--batch", "32"];
        let formats = ["--precision", "f32", "--playouts", "8"];
        // Some batches are measured even in such a short time.
        let args = DeviceArgs::of(&[&words[..], &formats, &["--seconds", "0.01"]].concat());
        let mut rows_found = Vec::new();
        let mut each = |row: BenchRow| {
            rows_found.push(row);
            Ok(())
        };
        rows(&TicTacToe.into(), &args, &mut each).unwrap();
        let unit = |unit: &str| {
            rows_found.iter().find(|row| row.unit == unit).map(|row| row.value).unwrap()
        };
        assert!(unit("evaluations/s") > 0.0 && unit("us an evaluation") > 0.0);
        assert!(unit("playouts/s") >= unit("evaluations/s"), "{rows_found:?}");
        assert!((1.0..=100.0).contains(&unit("% of batches filled")), "{rows_found:?}");
        assert!((0.0..=100.0).contains(&unit("% of the time waiting")), "{rows_found:?}");
        let last = rows_found.last().unwrap();
        assert!(last.name.contains("no games") && last.value > 0.0, "{last:?}");
    }
}
