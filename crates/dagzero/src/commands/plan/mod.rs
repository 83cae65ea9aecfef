//! `dagzero plan`: what a run will take on this machine, before anything long starts.

mod card;
mod fleet;
mod forecast;
mod measure;

use std::{io::Write, path::PathBuf, time::Duration};

use dz_config::{RunConfig, RunMode};
use dz_stage::{Column, TextTable, count_text, duration_text};
use dz_text::Look;
use serde::Serialize;

use super::write_line;
use crate::{Exit, drive};
use card::{Card, Modelled};
use fleet::Fleet;
use forecast::{CycleForecast, Forecast, Measured};

/// Say what a run of a configuration will take: time, games, rows, disk and memory
///
/// Calibrates for some 10 to 20 seconds in a temporary folder: searches, a few games, rows and
/// training steps with a fresh network of the configured size. An estimate: trained networks play
/// longer or shorter games than fresh ones, and a machine that is busy now is slower now.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero plan connect4-quick\n  \
    dagzero plan go9 --set network.channels=64 --hours 8\n  \
    dagzero plan go9 --workers 100\n  \
    dagzero plan go9-h200 --card h200")]
pub(crate) struct Args {
    /// The configuration file, or the name of a preset
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Override a key: section.key=value, value as in TOML; may be given again and again
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Also say how many cycles fit into so many hours
    #[arg(long, value_name = "H", value_parser = hours)]
    hours: Option<f64>,
    /// Also say what a fleet of so many workers, machines like this one, does a day
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    workers: Option<u32>,
    /// Plan for a machine with this card instead: its rates are modelled from figures that were
    /// measured on such a card, since this machine has none
    #[arg(long, value_name = "CARD")]
    card: Option<Card>,
    /// Processor cores of the machine with that card
    #[arg(long, value_name = "N", default_value = "16", requires = "card",
        value_parser = clap::value_parser!(u32).range(1..=1024))]
    cores: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn hours(text: &str) -> Result<f64, String> {
    let hours = text.parse().ok().filter(|hours: &f64| hours.is_finite() && *hours > 0.0);
    hours.ok_or_else(|| "a number above 0".to_owned())
}

/// Cycles that are looked at for --hours.
const CYCLES_MAX: u32 = 100_000;

#[derive(Debug, Serialize)]
struct Plan {
    measured: Measured,
    /// With --card: the rates in `measured` that come from the model.
    modelled: Option<Modelled>,
    /// What the networks were measured on: `cpu` or `cuda:N`.
    device: String,
    /// How long the calibration took.
    calibration_s: f64,
    /// The machine's load before it: processes that ran or wanted to, averaged over a minute.
    load: Option<f64>,
    cores: usize,
    forecast: Forecast,
    /// With --hours: how many cycles fit, and what they take.
    within: Option<Within>,
    /// With --workers: what they do.
    fleet: Option<Fleet>,
    disk_free_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Within {
    hours: f64,
    cycles: u32,
    games: u64,
    disk_bytes: u64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let config = drive::load_config(&args.config, &args.set)?.config;
    drive::check_policies(&args.config, &config)?;
    let load = load();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let begun = std::time::Instant::now();
    let folder = tempfile::tempdir()?;
    let mut measured = measure::measure_boards(&config, folder.path())?;
    let modelled = match args.card {
        Some(card) => Some(card::apply(card, args.cores, &config, &mut measured)?),
        None => None,
    };
    let calibration_s = begun.elapsed().as_secs_f64();
    let device = dz_burn_net::pick_device(&config.run.device.to_string())?.to_string();
    let within = args.hours.map(|hours| {
        let seconds = hours * 3600.0;
        let cycles = Forecast::cycles_within(&config, &measured, seconds, CYCLES_MAX);
        let forecast = Forecast::of(&config, &measured, cycles);
        Within { hours, cycles, games: forecast.games, disk_bytes: forecast.disk_bytes }
    });
    let cycles = config.time_ms_max().map_or(config.run.cycles, |time_ms_max| {
        let seconds = time_ms_max as f64 / 1000.0;
        // What was begun is played to its end, so there is a first one.
        Forecast::cycles_within(&config, &measured, seconds, config.run.cycles).max(1)
    });
    let forecast = Forecast::of(&config, &measured, cycles);
    let disk_free_bytes = dz_stage::free_bytes(&std::env::current_dir()?).ok();
    let fleet = args.workers.and_then(|workers| Fleet::of(&config, &measured, &forecast, workers));
    let plan = Plan {
        measured,
        modelled,
        device,
        calibration_s,
        load,
        cores,
        forecast,
        within,
        fleet,
        disk_free_bytes,
    };
    if args.json {
        write_line(out, &plan)?;
    } else {
        plan.write_text(&config, out)?;
    }
    Ok(Exit::Done)
}

/// Linux says it in the first word of `/proc/loadavg`.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// From so many hours on, minutes are not shown.
const HOURS_ALONE: u64 = 1_000;
/// Above this share of a machine's cores others would feel our calibration, and we them.
const BUSY_SHARE: f64 = 0.25;

impl Plan {
    fn write_text(&self, config: &RunConfig, out: &mut dyn Write) -> anyhow::Result<()> {
        let of = &self.forecast;
        let boards: Vec<&str> = config.boards().iter().map(|board| board.game).collect();
        let game = boards.join(" and ");
        let cycles = count_text(of.cycles.into());
        let within = config.time_ms_max().map_or_else(String::new, |time_ms_max| {
            format!(" that fit into {}", time(time_ms_max as f64 / 1000.0))
        });
        let calibrated = time(self.calibration_s);
        writeln!(out, "{game}, {cycles} cycles{within}")?;
        let on = match self.device.as_str() {
            "cpu" => "the processor".to_owned(),
            card => format!("the card {card}"),
        };
        writeln!(out, "measured    on {on} of this machine in {calibrated}")?;
        if let Some(modelled) = &self.modelled {
            modelled.write_text(out)?;
        } else if self.device == "cpu" && config.run.mode == RunMode::Asynchronous {
            writeln!(
                out,
                "            a card has other times: plan on its machine, or with --card"
            )?;
        }
        writeln!(out)?;
        self.write_times(out)?;
        let positions = count_text(of.positions);
        writeln!(out, "games       {} ({positions} positions recorded)", count_text(of.games))?;
        let steps = count_text(of.steps);
        writeln!(out, "training    {} rows in {steps} steps", count_text(of.rows_trained))?;
        let free = self.disk_free_bytes.map_or(String::new(), |free| {
            let enough = if free < of.disk_bytes { ": NOT ENOUGH" } else { "" };
            format!("; {} are free here{enough}", dz_report::count::bytes(free))
        });
        writeln!(
            out,
            "disk        about {} at the end{free}",
            dz_report::count::bytes(of.disk_bytes)
        )?;
        let memory = dz_report::count::bytes(of.memory_bytes);
        writeln!(out, "memory      about {memory} at most, all stages together")?;
        if let Some(load) = self.load.filter(|load| *load > BUSY_SHARE * self.cores as f64) {
            writeln!(
                out,
                "\nOther programs were busy: load {load:.1} on {} cores before the calibration. \
                 The times\nabove hold while that lasts; an idle machine is faster.",
                self.cores
            )?;
        }
        self.within.as_ref().map_or(Ok(()), |within| within.write_text(out))?;
        self.fleet.as_ref().map_or(Ok(()), |fleet| fleet.write_text(out))
    }

    fn write_times(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let of = &self.forecast;
        writeln!(out, "time        about {}, most of it {}", time(of.wall_s), of.dominates)?;
        for (name, seconds) in [
            ("self-play", of.selfplay_s),
            ("training", of.train_s),
            ("matches", of.matches_s),
            ("shuffling", of.shuffle_s),
            ("final match", of.final_s),
        ] {
            let share = 100.0 * seconds / of.wall_s.max(1e-9);
            writeln!(out, "  {name:<13}{} ({share:.0} %)", time(seconds))?;
        }
        for cycle in ends(&of.by_cycle) {
            let CycleForecast { cycle, games, train_rows, wall_s, .. } = cycle;
            let games = count_text(*games);
            let rows = count_text(*train_rows);
            writeln!(out, "  cycle {cycle:<7}{} for {games} games and {rows} rows", time(*wall_s))?;
        }
        Ok(())
    }
}

impl Within {
    fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let Self { hours, cycles, games, disk_bytes } = self;
        if *cycles == 0 {
            writeln!(out, "\nNot even one cycle fits into {hours} h.")?;
            return Ok(());
        }
        let counted = count_text((*cycles).into());
        let games = count_text(*games);
        let disk = dz_report::count::bytes(*disk_bytes);
        writeln!(
            out,
            "\n{hours} h are enough for {counted} cycles: {games} games, {disk} on disk."
        )?;
        let mut ways = TextTable::new(&[Column::Words(""), Column::Words("")]);
        ways.row([
            format!("--set run.cycles={cycles}").as_str(),
            "plays so many, however long they take",
        ]);
        ways.row([
            format!("--set run.hours_max={hours}").as_str(),
            "ends when the time is over, at run.cycles at the latest",
        ]);
        for line in ways.lines(None, Look::default()) {
            writeln!(out, "  {line}")?;
        }
        Ok(())
    }
}

fn time(seconds: f64) -> String {
    let hours = (seconds / 3600.0).round() as u64;
    if hours >= HOURS_ALONE {
        return format!("{} h", count_text(hours));
    }
    duration_text(Duration::from_secs_f64(seconds.max(0.0)))
}

/// The first cycle, which has no network to play with, the second, and the last.
fn ends(cycles: &[CycleForecast]) -> impl Iterator<Item = &CycleForecast> {
    let last = cycles.len().saturating_sub(1);
    cycles.iter().enumerate().filter(move |(place, _)| *place < 2 || *place == last).map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMOKE: &str = include_str!("../../../../../configs/tictactoe-smoke.toml");

    fn measured() -> Measured {
        Measured {
            plies: 8.0,
            positions: 7.0,
            bootstrap_game_s: 0.01,
            game_s: 0.02,
            playouts_s: 10_000.0,
            rollouts_s: 200_000.0,
            rollouts_core_s: 100_000.0,
            train_row_s: 1e-4,
            shuffle_row_s: 1e-5,
            cycle_s: 0.1,
            position_bytes: 12.0,
            row_bytes: 20.0,
            network_bytes: 20_000,
            checkpoint_bytes: 100_000,
            peak_bytes: 50_000_000,
        }
    }

    #[test]
    fn sums_are_those_of_the_cycles_and_games_those_of_the_configuration() {
        let config = RunConfig::from_text(SMOKE, &[]).unwrap();
        let forecast = Forecast::of(&config, &measured(), config.run.cycles);
        assert_eq!(forecast.games, 200 + 2 * 40);
        let sum = |of: fn(&CycleForecast) -> f64| forecast.by_cycle.iter().map(of).sum::<f64>();
        let cycles_s = sum(|c| c.wall_s);
        assert!((cycles_s + forecast.final_s - forecast.wall_s).abs() < 1e-9);
        let parts =
            forecast.selfplay_s + forecast.shuffle_s + forecast.train_s + forecast.matches_s;
        assert!((parts + 3.0 * 0.1 - cycles_s).abs() < 1e-9, "the stages take turns");
        assert!((forecast.selfplay_s - (200.0 * 0.01 + 80.0 * 0.02)).abs() < 1e-9);
        assert_eq!(
            forecast.rows_trained,
            forecast.by_cycle.iter().map(|c| c.train_rows).sum::<u64>()
        );
        assert!(forecast.by_cycle.iter().all(|c| c.train_rows <= c.window_rows));
    }

    #[test]
    fn games_of_policies_take_one_evaluation_a_move() {
        let set = ["reinforce.cycles=1", "reinforce.games=400", "reinforce.value_cycles=1"];
        let more = ["reinforce.value_games=1000", "run.cycles=4", "gate.rule=\"always\""];
        let set = set.into_iter().chain(more);
        let config =
            RunConfig::from_text(SMOKE, &set.map(str::to_owned).collect::<Vec<_>>()).unwrap();
        let cycles = Forecast::of(&config, &measured(), 4).by_cycle;
        assert_eq!(cycles.iter().map(|c| c.games).collect::<Vec<_>>(), [200, 400, 1_000, 40]);
        // 8 plies a game, of which the learner has 4 and keeps those of the games that it wins.
        let recorded: Vec<u64> = cycles.iter().map(|c| c.positions).collect();
        assert_eq!(recorded, [200 * 7, 400 * 2, 1_000, 40 * 7]);
        let ply = dz_gatekeeper::selfplay_ply_cost(&config, u32::MAX);
        assert!((cycles[1].selfplay_s - 400.0 * 0.02 / ply).abs() < 1e-9);
    }

    #[test]
    fn the_final_match_is_counted_once_against_the_slowest_anchor() {
        // The preset's anchors are random moves and 50 rollouts.
        let set = ["final.games=100", "final.playouts=50"].map(str::to_owned);
        let config = RunConfig::from_text(SMOKE, &set).unwrap();
        let forecast = Forecast::of(&config, &measured(), 3);
        // Of 100 games of 8 plies each side has half: 50 playouts, or 50 rollouts.
        let expected = 400.0 * (50.0 / 10_000.0 + 50.0 / 200_000.0);
        assert!((forecast.final_s - expected).abs() < 1e-9, "{}", forecast.final_s);
        let none = RunConfig::from_text(SMOKE, &["final.games=0".to_owned()]).unwrap();
        assert_eq!(Forecast::of(&none, &measured(), 3).final_s, 0.0);
    }

    #[test]
    fn side_by_side_the_longest_part_or_the_lead_decides() {
        let wall_s = |mode: &str, game_s: f64| {
            let config = RunConfig::from_text(SMOKE, &[format!("run.mode={mode}")]).unwrap();
            let measured = Measured { game_s, cycle_s: 0.0, ..measured() };
            Forecast::of(&config, &measured, 2).by_cycle[1].clone()
        };
        let slow = wall_s("asynchronous", 100.0);
        let turns = wall_s("synchronous", 100.0);
        assert_eq!(slow.wall_s, slow.selfplay_s);
        assert!(slow.wall_s < turns.wall_s);
        // Two cycles are under way at most.
        let even = wall_s("asynchronous", 1e-9);
        let sum = even.shuffle_s + even.train_s + even.matches_s + even.selfplay_s;
        let longest = even.shuffle_s.max(even.train_s).max(even.matches_s);
        assert_eq!(even.wall_s, longest.max(sum / 2.0));
    }

    #[test]
    fn more_cycles_take_more_and_fit_into_more_hours() {
        let config = RunConfig::from_text(SMOKE, &[]).unwrap();
        let of = |cycles| Forecast::of(&config, &measured(), cycles);
        let all: Vec<Forecast> = (1..30).map(of).collect();
        assert!(all.windows(2).all(|pair| pair[0].wall_s < pair[1].wall_s
            && pair[0].games < pair[1].games
            && pair[0].disk_bytes < pair[1].disk_bytes));
        let fit = |seconds| Forecast::cycles_within(&config, &measured(), seconds, 1_000);
        assert_eq!(fit(0.0), 0);
        for cycles in [1, 7, 20] {
            assert_eq!(fit(of(cycles).wall_s + 1e-6), cycles);
        }
        assert_eq!(fit(f64::INFINITY), 1_000);
    }

    #[test]
    fn searches_that_grow_do_so_within_the_cycles_that_fit() {
        let set = ["run.cycles=500", "selfplay.playouts=100", "selfplay.playouts_start=10"];
        let config = RunConfig::from_text(SMOKE, &set.map(str::to_owned)).unwrap();
        let wall_s = |cycles| Forecast::of(&config, &measured(), cycles).wall_s;
        let fit = Forecast::cycles_within(&config, &measured(), 60.0, 500);
        assert!((2..500).contains(&fit), "{fit}");
        assert!(wall_s(fit) <= 60.0 && wall_s(fit + 1) > 60.0, "{fit}: {}", wall_s(fit));
    }

    #[test]
    fn side_by_side_the_longest_stage_counts() {
        let turns = RunConfig::from_text(SMOKE, &["run.mode=synchronous".to_owned()]).unwrap();
        let side = RunConfig::from_text(SMOKE, &["run.mode=asynchronous".to_owned()]).unwrap();
        let of = |config| Forecast::of(config, &measured(), 5);
        assert!(of(&side).wall_s < of(&turns).wall_s);
        assert!(of(&side).wall_s >= of(&side).selfplay_s);
    }
}
