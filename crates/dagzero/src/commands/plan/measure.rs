//! The calibration: a few seconds of searches, then a small run of the same configuration in a
//! temporary folder.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use dz_burn_net::DeviceChoice;
use dz_config::{BootstrapEvaluator, RunConfig};
use dz_game::{AnyGame, Encoding, Game, GameSpec};
use dz_gatekeeper::selfplay_ply_cost;
use dz_infer::Lockstep;
use dz_play::{Arena, MatchPlayer, PlayerEvaluator, PositionCheck, SearchPlayer};
use dz_shard::GameRecord;
use dz_stage::{EventSink, Stage, StageContext, Stop};
use dz_store::Run;

use super::card::position_flops;
use super::forecast::Measured;
use crate::drive;

/// How long each kind of search is measured, and how long the games of each cycle of the small run
/// may take.
const SEARCH_TIME: Duration = Duration::from_millis(1_500);
const GAMES_TIME: Duration = Duration::from_secs(3);
/// Games of a cycle of the small run: fewer than these say little, more are not needed.
const GAMES_MIN: u32 = 8;
const GAMES_MAX: u32 = 400;
/// Games without a network at least, so that not all of them are for validation.
const GAMES_LEAST: u32 = 4;
/// Batches that the small run trains on at most, and at least.
const BATCHES: [u64; 2] = [3, 30];
/// How long a step and all steps of the small run may take on the processor, by a rough guess of
/// its speed.
const STEP_TIME_S: f64 = 2.0;
const STEPS_TIME_S: f64 = 20.0;
/// What that guess is, in operations a second.
const PROCESSOR_FLOPS: f64 = 4e10;
/// Playouts of the first searches.
const PLAYOUTS_FIRST: u32 = 8;
/// Distinct positions that are searched.
const DISTINCT_MAX: usize = 256;
/// Random games whose plies are counted.
const RANDOM_GAMES: u64 = 100;

/// Measures the machine's speed with `config`, in folders that are made in the empty folder `dir`.
/// Games and rows are means over the boards of the run, each as often as it is played. Matches are
/// on the run's own board.
pub(super) fn measure_boards(config: &RunConfig, dir: &Path) -> anyhow::Result<Measured> {
    let boards = config.boards();
    let on = |at: usize| {
        let mut config = config.clone();
        boards[at].game.clone_into(&mut config.run.game);
        (config.run.boards, config.run.board_weights) = (Vec::new(), Vec::new());
        measure(&config, &dir.join(at.to_string()))
    };
    let own = on(0)?;
    let mut found = vec![own.clone()];
    for at in 1..boards.len() {
        found.push(on(at)?);
    }
    let games: Vec<f64> = boards.iter().map(|board| board.weight).collect();
    let rows: Vec<f64> =
        found.iter().zip(&games).map(|(board, weight)| board.positions * weight).collect();
    let mean = |weights: &[f64], of: fn(&Measured) -> f64| {
        let sum: f64 = found.iter().zip(weights).map(|(board, weight)| of(board) * weight).sum();
        sum / weights.iter().sum::<f64>()
    };
    Ok(Measured {
        positions: mean(&games, |board| board.positions),
        bootstrap_game_s: mean(&games, |board| board.bootstrap_game_s),
        game_s: mean(&games, |board| board.game_s),
        train_row_s: mean(&rows, |board| board.train_row_s),
        shuffle_row_s: mean(&rows, |board| board.shuffle_row_s),
        position_bytes: mean(&rows, |board| board.position_bytes),
        row_bytes: mean(&rows, |board| board.row_bytes),
        ..own
    })
}

/// Measures what the machine does with `config`, in the empty folder `dir`.
fn measure(config: &RunConfig, dir: &Path) -> anyhow::Result<Measured> {
    let game: GameSpec = config.run.game.parse()?;
    let devices = dz_burn_net::pick_devices(&config.run.devices_or(&config.selfplay.devices))?;
    let mut measured = Measured {
        plies: random_plies(&AnyGame::of(&game)?, config.selfplay.plies_max),
        ..Measured::default()
    };
    let search = |evaluator: PlayerEvaluator, playouts: u32| {
        let search = SearchPlayer::of_run(evaluator, &config.search, playouts);
        let player = MatchPlayer::search("calibration", search);
        let mut arena = dz_gatekeeper::arena(&game, &devices, 0)?;
        playouts_per_s(arena.as_mut(), &player, playouts, config)
    };
    let rollouts = config.bootstrap.playouts;
    let of_rollouts = search(PlayerEvaluator::Rollout, rollouts)?;
    (measured.rollouts_s, measured.rollouts_core_s) = (of_rollouts.second, of_rollouts.core_second);
    let generation_0 = match config.bootstrap.evaluator {
        BootstrapEvaluator::Rollout => measured.rollouts_s,
        BootstrapEvaluator::Uniform => search(PlayerEvaluator::Uniform, rollouts)?.second,
    };
    measured.bootstrap_game_s = measured.plies * f64::from(rollouts) / generation_0;
    measured.shuffle_row_s = dz_bench::shuffle_row_s(&game, &dir.join("shuffled"), measured.plies)?;
    let small = SmallRun::new(config, &dir.join("run"), measured.bootstrap_game_s, measured.plies)?;
    let network = small.first_cycle(&mut measured)?;
    let evaluator =
        PlayerEvaluator::Network { hash: "calibration".to_owned(), bytes: network.into() };
    let ply = selfplay_ply_cost(config, u32::MAX);
    let playouts = ply.round().max(2.0) as u32;
    measured.playouts_s = search(evaluator, playouts)?.second;
    measured.game_s = measured.plies * ply / measured.playouts_s;
    small.network_games(&mut measured)?;
    measured.peak_bytes = dz_stage::peak_bytes().unwrap_or(0);
    Ok(measured)
}

/// Mean plies of games of random moves.
fn random_plies<G: Game>(game: &G, plies_max: u32) -> f64 {
    let games = dz_shard::random_records(game, RANDOM_GAMES, 2, 1);
    let plies = |game: &GameRecord| (game.plies_total() as f64).min(plies_max.into());
    games.iter().map(plies).sum::<f64>() / RANDOM_GAMES as f64
}

/// Playouts by time.
struct PlayoutRate {
    /// In a second.
    second: f64,
    /// In a second of processor time; 0 if the system does not report it.
    core_second: f64,
}

/// Measures the playouts of a player, as many searches at once as self-play has.
fn playouts_per_s(
    arena: &mut dyn Arena,
    player: &MatchPlayer,
    playouts_whole: u32,
    config: &RunConfig,
) -> anyhow::Result<PlayoutRate> {
    // Loading is no part of the time.
    arena.prepare(player)?;
    let parallel_games = config.selfplay.parallel_games as usize;
    let lockstep = Lockstep { parallel_games, groups: config.selfplay.groups as usize };
    // A few short searches first, then longer ones, then twice as many, until they take long enough
    // to be timed: one whole search with a large network takes minutes on a processor.
    let mut count = 2;
    let mut playouts = playouts_whole.min(PLAYOUTS_FIRST);
    loop {
        let positions: Vec<PositionCheck> = arena
            .openings(4, count.min(DISTINCT_MAX), 1)
            .into_iter()
            .map(|opening| PositionCheck {
                moves: opening.moves,
                preserving: Vec::new(),
                value: None,
            })
            .collect();
        let distinct = positions.len().max(1);
        let positions: Vec<PositionCheck> =
            (0..count).filter_map(|i| positions.get(i % distinct).cloned()).collect();
        let (begun, cpu_s) = (Instant::now(), dz_stage::cpu_s());
        arena.check(player, &positions, playouts, &lockstep)?;
        let elapsed = begun.elapsed();
        if elapsed >= SEARCH_TIME / 2 || count >= 1 << 16 {
            let all = count as f64 * f64::from(playouts);
            let used_s = cpu_s.zip(dz_stage::cpu_s()).map(|(before, after)| after - before);
            return Ok(PlayoutRate {
                second: all / elapsed.as_secs_f64().max(1e-6),
                core_second: used_s.map_or(0.0, |used_s| all / used_s.max(1e-2)),
            });
        }
        if playouts < playouts_whole {
            playouts = playouts_whole.min(4 * playouts);
        } else {
            count *= 2;
        }
    }
}

/// A run of the same configuration with few games and no matches.
struct SmallRun<'a> {
    config: RunConfig,
    whole: &'a RunConfig,
    run: Run,
}

/// Makes batches smaller where a step on the processor would take very long, and returns how many
/// of them the small run is to train on. Rows a second hardly depend on the batch there.
fn bound_training(config: &mut RunConfig) -> anyhow::Result<u64> {
    let [fewest, most] = BATCHES;
    let devices = dz_burn_net::pick_devices(&config.run.devices_or(&config.training.devices))?;
    if devices.iter().any(|device| *device != DeviceChoice::Cpu) {
        return Ok(most);
    }
    let game = AnyGame::of(&config.run.game.parse::<GameSpec>()?)?;
    // The backward pass takes twice what the forward pass does.
    let row_s = 3.0 * position_flops(config, game.encoding().planes()) / PROCESSOR_FLOPS;
    let batch = (STEP_TIME_S / row_s).max(2.0) as u32;
    config.training.batch = config.training.batch.min(batch);
    let step_s = row_s * f64::from(config.training.batch);
    let batches = ((STEPS_TIME_S / step_s) as u64).clamp(fewest, most);
    if batches < most {
        // Every row is slow, those for validation too.
        config.training.validation_rows_max = 0;
    }
    Ok(batches)
}

/// Returns how many games give at least two batches of rows. `plies` is the mean length of a game.
fn games_of_two_batches(config: &RunConfig, plies: f64) -> u32 {
    // Random opening plies give no rows. Their number is uniform, so half of the maximum on
    // average.
    let opening = f64::from(config.selfplay.opening_plies_max) / 2.0;
    let trained = (1.0 - config.window.validation_share) * (plies - opening).max(1.0);
    (2.5 * f64::from(config.training.batch) / trained).ceil() as u32
}

impl<'a> SmallRun<'a> {
    /// As many games without a network as fit, each of which takes about `game_s`, and at least as
    /// many as have two batches of rows.
    fn new(whole: &'a RunConfig, dir: &Path, game_s: f64, plies: f64) -> anyhow::Result<Self> {
        let mut config = whole.clone();
        let batches = bound_training(&mut config)?;
        let wanted = games_of_two_batches(&config, plies).max(GAMES_LEAST);
        let fit = games_within(game_s).unwrap_or(0);
        config.bootstrap.games = fit.max(wanted);
        if fit < wanted {
            // Games as such are needed: rows and training do not ask how well they were played.
            config.bootstrap.playouts = 2;
            config.selfplay.playouts_fast = 2;
        }
        config.run.cycles = 2;
        config.run.mode = dz_config::RunMode::Synchronous;
        config.gate.rule = dz_config::GateRule::Always;
        config.gate.games = 0;
        config.rating.games = 0;
        let batch = u64::from(config.training.batch);
        config.training.rows_max = config.training.rows_max.min(batches * batch).max(batch);
        config.training.rows_per_new_row = 100.0;
        let prepared = drive::prepare(dir, config, None)?;
        Ok(Self { config: prepared.config, whole, run: prepared.run })
    }

    /// Cycle 1: games, rows, training; gives the bytes of its network.
    fn first_cycle(&self, measured: &mut Measured) -> anyhow::Result<Vec<u8>> {
        let began = Instant::now();
        let mut context = self.context(Stage::Selfplay)?;
        dz_selfplay::run(&mut context, 1)?;
        drop(context);
        let mut context = self.context(Stage::Shuffler)?;
        dz_shuffler::run(&mut context, 1)?;
        drop(context);
        let mut context = self.context(Stage::Trainer)?;
        let mut trainer = dz_trainer::start(&mut context)?;
        dz_trainer::run(&mut trainer, &mut context, 1)?;
        context.ledger.poll()?;
        let state = context.ledger.state().clone();
        drop(context);
        let whole_s = began.elapsed().as_secs_f64();
        let now = state.cycle_state(1).context("the calibration's cycle")?;
        let games = &now.games_done.as_ref().context("the calibration's games")?.summary;
        let rows = &now.rows.as_ref().context("the calibration's rows")?;
        let candidate = now.candidate.as_ref().context("the calibration's network")?;
        let seconds = |ms: u64| ms as f64 / 1000.0;
        let per = |value: f64, count: u64| value / count.max(1) as f64;
        measured.positions = per(games.positions as f64, games.games);
        measured.plies = games.plies_mean;
        if self.config.bootstrap.playouts == self.whole.bootstrap.playouts {
            measured.bootstrap_game_s = per(seconds(games.wall_ms), games.games);
        }
        let made = &rows.summary;
        let trained = &candidate.losses;
        measured.train_row_s = self.train_row_s()?;
        let shard_bytes: u64 = now.shards.values().map(|shard| shard.object.bytes).sum();
        measured.position_bytes = per(shard_bytes as f64, games.positions);
        let row_bytes: u64 = rows.train.iter().map(|file| file.bytes).sum();
        measured.row_bytes = per(row_bytes as f64, made.train_rows);
        measured.network_bytes = candidate.network.bytes;
        measured.checkpoint_bytes = state.checkpoint().map_or(0, |kept| kept.object.bytes);
        // The fixed cost of a cycle: starting, publishing, validating. The small run has so few
        // rows that the shuffler's whole time is fixed cost.
        let training_s = trained.rows as f64 * measured.train_row_s;
        measured.cycle_s = (whole_s - seconds(games.wall_ms) - training_s).clamp(0.0, 2.0);
        Ok(self.run.get(&candidate.network)?.to_vec())
    }

    /// The median step of the small run, a row.
    fn train_row_s(&self) -> anyhow::Result<f64> {
        let steps = self.run.metrics::<dz_trainer::StepMetrics>(Stage::Trainer)?;
        let mut rates: Vec<f64> = steps.iter().map(|step| step.rows_per_second).collect();
        rates.sort_by(f64::total_cmp);
        let what = "a cycle of this configuration has fewer rows than a batch; more games would train something";
        let median = rates.get(rates.len() / 2).context(what)?;
        Ok(1.0 / median)
    }

    /// Cycle 2: games with the network that was just trained, where a few fit.
    fn network_games(&self, measured: &mut Measured) -> anyhow::Result<()> {
        let Some(games) = games_within(measured.game_s) else { return Ok(()) };
        let mut context = self.context(Stage::Gatekeeper)?;
        dz_gatekeeper::run(&mut context, 1)?;
        drop(context);
        let mut context = self.context(Stage::Selfplay)?;
        let selfplay = &mut context.config.selfplay;
        selfplay.games = games.min(self.whole.selfplay.games);
        selfplay.playouts_fast = self.whole.selfplay.playouts_fast;
        dz_selfplay::run(&mut context, 2)?;
        context.ledger.poll()?;
        let state = context.ledger.state();
        let done = state.cycle_state(2).and_then(|now| now.games_done.as_ref());
        let summary = &done.context("the calibration's games")?.summary;
        measured.game_s = summary.wall_ms as f64 / 1000.0 / summary.games.max(1) as f64;
        measured.plies = summary.plies_mean;
        measured.positions = summary.positions as f64 / summary.games.max(1) as f64;
        // Caches and reuse answer what searches of single positions had to ask.
        measured.playouts_s = summary.playouts as f64 * 1000.0 / summary.wall_ms.max(1) as f64;
        Ok(())
    }

    fn context(&self, stage: Stage) -> anyhow::Result<StageContext> {
        StageContext::open(self.run.root(), stage, EventSink::new(Silent), Stop::new())
    }
}

/// Games that fit into the time that they may take; none where not even a few do.
fn games_within(game_s: f64) -> Option<u32> {
    let fit = GAMES_TIME.as_secs_f64() / game_s.max(1e-9);
    (fit >= f64::from(GAMES_MIN)).then(|| fit.min(f64::from(GAMES_MAX)) as u32)
}

/// Nobody watches a calibration.
struct Silent;

impl dz_stage::Sink for Silent {
    fn accept(&mut self, _event: &dz_stage::Event) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_large_networks_are_few_and_small_on_a_processor() {
        let bounded = |game: &str, network: &str, batch: u32| {
            let text = format!(
                "format = 1\nrun = {{ game = \"{game}\", device = \"cpu\" }}\n\
                 network = {network}\ntraining = {{ batch = {batch} }}\n"
            );
            let mut config = RunConfig::from_text(&text, &[]).unwrap();
            let batches = bound_training(&mut config).unwrap();
            (config.training.batch, batches)
        };
        let small = bounded("connect4", "{ blocks = 4, channels = 48 }", 128);
        assert_eq!(small, (128, 30), "as before");
        let (batch, batches) = bounded("go:size=19", "{ blocks = 20, channels = 256 }", 2048);
        assert!((2..20).contains(&batch) && (3..=10).contains(&batches), "{batch} {batches}");
    }

    #[test]
    fn plies_that_are_no_rows_take_more_games() {
        let config = |opening: u32| {
            let text = format!(
                "format = 1\n\
                 run = {{ game = \"connect4\", cycles = 2 }}\n\
                 selfplay = {{ games = 2, opening_plies_max = {opening} }}\n\
                 bootstrap = {{ games = 2 }}\n\
                 network = {{ blocks = 1, channels = 8 }}\n\
                 gate = {{ rule = \"always\" }}"
            );
            RunConfig::from_text(&text, &[]).unwrap()
        };
        let [none, many] = [0, 20].map(|opening| games_of_two_batches(&config(opening), 21.0));
        // 21 rows a game without random plies, 11 with 10 random plies on average.
        let ratio = f64::from(many) / f64::from(none);
        assert!((1.85..1.95).contains(&ratio), "{none} and {many} games");
    }
}
