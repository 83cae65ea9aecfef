//! `dagzero plan --card`: rates of a card that this machine does not have.
//!
//! The network's time is modelled from its operations. The constants below were fitted to the
//! tables of `benchmarks/gpu/README.md` (one H200 and one H100 with 16 cores, 26 to 28 November
//! 2026) and reproduce them to about 15 %. The host's time is measured here and scaled to the
//! card's machine.

use std::io::Write;
use std::time::Duration;

use dz_bench::{GameLoad, HostRate, host_rate};
use dz_config::{RunConfig, RunMode};
use dz_game::{AnyGame, Encoding, Game, GameSpec, PlaneShape};
use dz_gatekeeper::selfplay_ply_cost;
use serde::Serialize;

use super::forecast::Measured;

/// Cards with figures of their own. Both have the same processors and differ in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Card {
    /// NVIDIA H100 (SXM)
    H100,
    /// NVIDIA H200
    H200,
}

impl Card {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::H100 => "NVIDIA H100",
            Self::H200 => "NVIDIA H200",
        }
    }
}

/// The rates of a card's machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Modelled {
    pub(super) card: Card,
    /// Processor cores of its machine.
    pub(super) cores: u32,
    /// Evaluations a second of the network alone, of the host alone, and of a whole run.
    pub(super) network_s: f64,
    pub(super) host_s: f64,
    pub(super) selfplay_s: f64,
    /// Rows a second that the trainer learns in a whole run.
    pub(super) train_rows_s: f64,
}

impl Modelled {
    pub(super) fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let Self { card, cores, network_s, host_s, selfplay_s, train_rows_s } = self;
        let [network, host, both, rows] =
            [network_s, host_s, selfplay_s, train_rows_s].map(|rate| rate_text(*rate));
        let name = card.name();
        writeln!(out, "modelled    for an {name} and {cores} cores, roughly:")?;
        writeln!(out, "            {network} evaluations/s of the network, {host} of the host,")?;
        writeln!(out, "            {both} of a whole run, whose trainer learns {rows} rows/s")?;
        Ok(())
    }
}

/// A rate with two digits: `2.1 M` or `130 k`.
fn rate_text(rate: f64) -> String {
    if rate >= 995e3 { format!("{:.1} M", rate / 1e6) } else { format!("{:.0} k", rate / 1e3) }
}

/// Operations a second while playing: 9x9 b6c96 has 162 million for a position and reaches 3.4 M
/// positions/s by the whole-tower kernel, and 1.8 M layer by layer.
const PLAY_TOWER_FLOPS: f64 = 550e12;
const PLAY_LAYERS_FLOPS: f64 = 290e12;
/// Share of that with global pooling: 3.08 M instead of 3.39 M.
const POOLING_SHARE: f64 = 0.9;
/// A batch takes at least so long: 64 positions take 71 us.
const PLAY_BATCH_S_MIN: f64 = 65e-6;
/// Points of the largest board that the whole-tower kernel plays.
const TOWER_POINTS_MAX: usize = 256;
/// Operations a second while learning, and a step's fixed time for each convolution: steps of 256
/// rows of 9x9 b6c96 take 1.33 ms, steps of 1,024 rows 2.82 ms.
const TRAIN_FLOPS: f64 = 250e12;
const TRAIN_CONVOLUTION_S: f64 = 64e-6;
/// Share of their speed alone that self-play and training keep in a run whose stages work side by
/// side. Connect Four: 1.09 M of 2.06 M evaluations/s, and 133 k of 188 k rows/s.
const SIDE_BY_SIDE_PLAY: f64 = 0.53;
const SIDE_BY_SIDE_TRAIN: f64 = 0.72;
/// Share of a core's speed that each of many cores keeps. It allows for larger batches, too, which
/// fit into no cache.
const HOST_SCALING: f64 = 0.45;

/// The same of rollouts, which need little memory.
const ROLLOUT_SCALING: f64 = 0.7;

/// The host is measured with these games, so that some end within the time.
const HOST_LOAD: (usize, u16, Duration) = (128, 3, Duration::from_secs(3));

/// Replaces the rates in `measured` that depend on the device by those of `card` in a machine with
/// `cores` cores. Returns what the model gives.
///
/// # Errors
/// If the host's part cannot be measured.
pub(super) fn apply(
    card: Card,
    cores: u32,
    config: &RunConfig,
    measured: &mut Measured,
) -> anyhow::Result<Modelled> {
    let game = AnyGame::of(&config.run.game.parse::<GameSpec>()?)?;
    let ply = selfplay_ply_cost(config, u32::MAX);
    let (batch, groups, time) = HOST_LOAD;
    let playouts = ply.round().max(2.0) as u32;
    let host = host_rate(&game, GameLoad { playouts, batch, groups, time })?;
    let modelled = model(card, cores, config, game.encoding().planes(), host);
    let playouts_s = modelled.selfplay_s * host.playouts_per_evaluation;
    measured.playouts_s = playouts_s;
    measured.game_s = measured.plies * ply / playouts_s;
    measured.train_row_s = 1.0 / modelled.train_rows_s;
    let faster = if measured.rollouts_core_s > 0.0 {
        measured.rollouts_core_s * f64::from(cores) * ROLLOUT_SCALING / measured.rollouts_s
    } else {
        f64::from(cores) / std::thread::available_parallelism()?.get() as f64
    };
    measured.rollouts_s *= faster;
    measured.bootstrap_game_s /= faster;
    Ok(modelled)
}

fn model(
    card: Card,
    cores: u32,
    config: &RunConfig,
    planes: PlaneShape,
    host: HostRate,
) -> Modelled {
    let network = &config.network;
    let flops = position_flops(config, planes);
    let has_tower = planes.height * planes.width <= TOWER_POINTS_MAX
        && network.squeeze_ratio == 0
        && network.bottleneck_blocks == 0;
    let peak = if has_tower { PLAY_TOWER_FLOPS } else { PLAY_LAYERS_FLOPS };
    let share = if network.global_pooling { POOLING_SHARE } else { 1.0 };
    let groups = f64::from(config.selfplay.groups.max(1));
    let batch = (f64::from(config.selfplay.parallel_games) / groups).max(1.0);
    let batch_s = (batch * flops / (peak * share)).max(PLAY_BATCH_S_MIN);
    let network_s = batch / batch_s;
    let host_s = host.evaluations_core_s * f64::from(cores) * HOST_SCALING;
    let rows = f64::from(config.training.batch);
    let convolutions = 1.0 + 2.0 * f64::from(network.blocks);
    let step_s = convolutions * TRAIN_CONVOLUTION_S + rows * 3.0 * flops / (TRAIN_FLOPS * share);
    let (play, train) = match config.run.mode {
        RunMode::Asynchronous => (SIDE_BY_SIDE_PLAY, SIDE_BY_SIDE_TRAIN),
        _ => (1.0, 1.0),
    };
    Modelled {
        card,
        cores,
        network_s,
        host_s,
        selfplay_s: play * network_s.min(host_s),
        train_rows_s: train * rows / step_s,
    }
}

/// Operations of a position's forward pass, nearly all of them in the tower's 3x3 convolutions: two
/// for each product.
pub(super) fn position_flops(config: &RunConfig, planes: PlaneShape) -> f64 {
    let channels = f64::from(config.network.channels);
    let convolutions = 2.0 * f64::from(config.network.blocks);
    let products = channels * channels * convolutions + channels * planes.channels as f64;
    2.0 * 9.0 * (planes.height * planes.width) as f64 * products
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(game: &str, network: &str, more: &[&str]) -> RunConfig {
        let text =
            format!("format = 1\nrun = {{ game = \"{game}\" }}\nnetwork = {{ {network} }}\n");
        let more: Vec<String> = more.iter().map(|pair| (*pair).to_owned()).collect();
        RunConfig::from_text(&text, &more).unwrap()
    }

    /// The model for 16 cores, with a host that is never the bottleneck.
    fn of(config: &RunConfig) -> Modelled {
        let game = AnyGame::of(&config.run.game.parse::<GameSpec>().unwrap()).unwrap();
        let host = HostRate { evaluations_core_s: 1e9, playouts_per_evaluation: 1.5 };
        model(Card::H200, 16, config, game.encoding().planes(), host)
    }

    #[test]
    fn the_measured_rates_are_met_to_a_fifth() {
        let near = |found: f64, wanted: f64| {
            assert!((found / wanted - 1.0).abs() < 0.2, "{found:.0} for {wanted:.0}");
        };
        let playing = |batch: u32, network: &str, game: &str| {
            let games = format!("selfplay.parallel_games={}", 2 * batch);
            of(&config(game, network, &[&games, "selfplay.groups=2"])).network_s
        };
        let small = "blocks = 6, channels = 96";
        let pooling = "blocks = 6, channels = 96, global_pooling = true, any_size = true";
        for (batch, wanted) in [(64, 903e3), (256, 3.13e6), (1024, 3.39e6), (4096, 3.56e6)] {
            near(playing(batch, small, "go:size=9"), wanted);
        }
        near(playing(1024, pooling, "go:size=9"), 3.08e6);
        let learning = |rows: u32, network: &str, game: &str| {
            let rows = format!("training.batch={rows}");
            of(&config(game, network, &[&rows, "run.mode=synchronous"])).train_rows_s
        };
        for (rows, wanted) in [(256, 192e3), (1024, 363e3), (4096, 421e3)] {
            near(learning(rows, small, "go:size=9"), wanted);
        }
        near(learning(256, pooling, "go:size=9"), 174e3);
        near(learning(256, "blocks = 6, channels = 128", "connect4"), 188e3);
    }

    #[test]
    fn the_slower_of_host_and_network_decides_and_boards_beyond_the_tower_are_slower() {
        let set = ["run.mode=synchronous", "selfplay.parallel_games=4096"];
        let go9 = config("go:size=9", "blocks = 6, channels = 96", &set);
        let go19 = config("go:size=19", "blocks = 6, channels = 96", &set);
        let planes = AnyGame::of(&go9.run.game.parse::<GameSpec>().unwrap()).unwrap();
        let planes = planes.encoding().planes();
        let slow = HostRate { evaluations_core_s: 1e5, playouts_per_evaluation: 1.5 };
        let found = model(Card::H100, 16, &go9, planes, slow);
        assert!((found.selfplay_s - 1e5 * 16.0 * HOST_SCALING).abs() < 1.0, "{found:?}");
        let [small, large] = [of(&go9), of(&go19)];
        let points = 361.0 / 81.0;
        assert!(small.network_s > 1.5 * points * large.network_s, "{small:?} {large:?}");
        assert_eq!(small.selfplay_s, small.network_s);
    }
}
