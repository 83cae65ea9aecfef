//! `dagzero status`: where a run stands.

mod disk;

use std::{io::Write, path::PathBuf, time::Duration};

use dz_config::RunConfig;
use dz_report::{AlarmLine, Severity, count};
use dz_stage::{ConfigRefused, InForce};
use dz_store::{
    Holder, Ledger, MatchResult, MatchState, PlayerName, RatingRow, RatingsState, Run, RunLock,
    RunState, Stage, StageTurn, TurnProgress, layout,
};
use dz_text::Colour;
use serde::Serialize;

use self::disk::Disk;
use super::write_line;
use crate::{Exit, drive, shown::Shown};

/// Say where a run stands
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  dagzero status data/connect4-quick")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Show the ratings of all players, not only the champion's
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Where a run stands.
#[derive(Debug, Serialize)]
struct Status {
    run: PathBuf,
    game: Option<String>,
    /// Other boards that games are played on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boards: Vec<String>,
    seed: Option<u64>,
    config_hash: String,
    /// Whose turn it is; where stages work side by side, what the oldest cycle waits for.
    turn: StageTurn,
    /// All turns that may be taken now, in words.
    turns: String,
    /// The process that drives the run at this moment.
    driven_by: Option<u32>,
    /// Stages that are alive, whoever started them.
    stages: Vec<Worker>,
    /// Those of them, and the driver, that wait for a disk.
    paused: Vec<Paused>,
    /// What was changed in `config.toml` and is not in the ledger, in words.
    config_edits: Option<String>,
    cycles_done: u32,
    /// Cycles that the run has, as far as is known where its time is limited.
    cycles: u32,
    /// Hours that the run is to be over within; 0 is no limit.
    hours_max: f64,
    generation: u32,
    /// The newest champion that is rated.
    champion: Option<Champion>,
    /// Time spent in cycles, pauses left out.
    elapsed_ms: u64,
    /// Estimated time of the remaining cycles; `None` where nothing is known, or the run is
    /// finished.
    left_ms: Option<u64>,
    games: u64,
    positions: u64,
    steps: u64,
    /// The champion first, then from the strongest on.
    ratings: Vec<RatingRow>,
    /// The player at 0 Elo.
    anchor: Option<PlayerName>,
    first_mover_elo: Option<f64>,
    /// The newest final match.
    final_match: Option<FinalMatch>,
    /// Alarms and warnings that the driver has reported and that have not ended.
    alarms: Vec<AlarmLine>,
    finished: Option<String>,
    disk: Disk,
    report: PathBuf,
}

/// The process of a stage.
#[derive(Debug, Serialize)]
struct Worker {
    stage: Stage,
    process_id: u32,
    /// Where it stands in its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<TurnProgress>,
}

/// A process that waits for a disk.
#[derive(Debug, Serialize)]
struct Paused {
    stage: Stage,
    since_unix_ms: u64,
    /// What it waits for, in words.
    reason: String,
}

/// The match that ended the run, in the view of the champion.
#[derive(Debug, Serialize)]
struct FinalMatch {
    cycle: u32,
    champion: PlayerName,
    opponent: PlayerName,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

/// A rated champion.
#[derive(Debug, Serialize)]
struct Champion {
    generation: u32,
    cycle: u32,
    elo: f64,
    error95: f64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run)?;
    let ledger = Ledger::open(&run)?;
    let (config, config_edits) = config_of(&run, ledger.state())?;
    let status = Status { config_edits, ..Status::of(&run, ledger.state(), &config)? };
    if args.json {
        write_line(out, &status)?;
    } else {
        status.write_text(args.all, &mut Shown::new(out))?;
    }
    Ok(Exit::Done)
}

/// The configuration that the run is played by, and how `config.toml` differs from it, in words.
/// Where the ledger names one that is not kept, what the file says is shown.
fn config_of(run: &Run, state: &RunState) -> anyhow::Result<(RunConfig, Option<String>)> {
    match InForce::of(run, state) {
        Ok(InForce { config, edits }) => {
            Ok((config, (!edits.is_none()).then(|| edits.to_string())))
        }
        Err(error) if error.is::<ConfigRefused>() => {
            let config = RunConfig::of_run(&run.root().join(layout::CONFIG))?;
            Ok((config, Some(dz_stage::error_text(&error))))
        }
        Err(error) => Err(error),
    }
}

impl Status {
    fn of(run: &Run, state: &RunState, config: &RunConfig) -> anyhow::Result<Self> {
        let cycles = config.cycles_planned(state.walls_ms());
        let alive = |stage| {
            let Holder { process_id, progress, .. } = RunLock::holder(run, stage)?;
            Some(Worker { stage, process_id, progress })
        };
        let paused = |stage| {
            let dz_store::Pause { since_unix_ms, reason } = RunLock::holder(run, stage)?.paused?;
            Some(Paused { stage, since_unix_ms, reason })
        };
        let all = || [Stage::Driver].into_iter().chain(Stage::WORKERS);
        Ok(Self {
            run: run.root().to_owned(),
            game: state.started.as_ref().map(|info| info.game.clone()),
            boards: config.run.boards.clone(),
            seed: state.started.as_ref().map(|info| info.seed),
            config_hash: state.config_hash.clone(),
            turn: state.turn(),
            turns: state.turns_text(config.lead_cycles(), cycles),
            driven_by: RunLock::holder(run, Stage::Driver).map(|holder| holder.process_id),
            stages: Stage::WORKERS.into_iter().filter_map(alive).collect(),
            paused: all().filter_map(paused).collect(),
            config_edits: None,
            cycles_done: state.cycles_done,
            cycles,
            hours_max: config.run.hours_max,
            generation: state.generation(),
            champion: champion(state),
            elapsed_ms: state.walls_ms().sum(),
            left_ms: drive::left_ms(state, config),
            games: state.games(),
            positions: state.positions(),
            steps: state.checkpoint().map_or(0, |checkpoint| checkpoint.step),
            ratings: ratings(state),
            anchor: state.ratings.as_ref().and_then(zero).cloned(),
            final_match: state.final_match().map(FinalMatch::of),
            first_mover_elo: state.ratings.as_ref().map(|ratings| ratings.first_mover_elo),
            alarms: drive::open_alarms(run)?.into_values().collect(),
            finished: state.finished.clone(),
            disk: Disk::of(run, state, config)?,
            report: run.root().join(layout::REPORT),
        })
    }

    fn write_text(&self, all: bool, out: &mut Shown<'_>) -> anyhow::Result<()> {
        writeln!(out, "run         {}", self.run.display())?;
        if let (Some(game), Some(seed)) = (&self.game, self.seed) {
            writeln!(out, "game        {game}, seed {seed}")?;
        }
        self.boards.iter().try_for_each(|board| writeln!(out, "also on     {board}"))?;
        self.write_state(out)?;
        for Paused { stage, since_unix_ms, reason } in &self.paused {
            let since = dz_store::utc(*since_unix_ms);
            writeln!(out, "paused      {stage} since {since}: {reason}")?;
        }
        if let Some(edits) = &self.config_edits {
            writeln!(out, "config      config.toml was edited and does not count yet: {edits}")?;
        }
        writeln!(out, "turn        {}", self.turns)?;
        for Worker { stage, progress, .. } in &self.stages {
            if let Some(progress) = progress {
                writeln!(out, "{:<12}{}", stage.name(), dz_stage::progress_text(progress))?;
            }
        }
        let within = match self.hours_max {
            0.0 => String::new(),
            hours => {
                let time = dz_stage::duration_text(Duration::from_secs_f64(3600.0 * hours));
                format!(", as many as fit into {time}")
            }
        };
        let done = dz_stage::count_text(self.cycles_done.into());
        let planned = dz_stage::count_text(self.cycles.into());
        writeln!(out, "cycles      {done} of {planned} done{within}")?;
        writeln!(out, "generation  {}", self.generation)?;
        if let Some(left_ms) = self.left_ms {
            let left = dz_stage::duration_text(Duration::from_millis(left_ms));
            writeln!(out, "time left   about {left}")?;
        }
        let [games, positions, steps] = [self.games, self.positions, self.steps].map(count::whole);
        writeln!(out, "games       {games} ({positions} positions recorded)")?;
        writeln!(out, "steps       {steps}")?;
        self.write_ratings(all, out)?;
        for alarm in &self.alarms {
            let line = format!("since cycle {}: {}", alarm.cycle, alarm.text());
            let is_alarm = alarm.severity == Severity::Alarm;
            out.painted_line(if is_alarm { Colour::Red } else { Colour::Yellow }, &line)?;
        }
        out.painted_line(Colour::Dim, &format!("disk        {}", self.disk))?;
        out.painted_line(Colour::Dim, &format!("report      {}", self.report.display()))?;
        if let Some(verdict) = &self.finished {
            writeln!(out, "\n{}", dz_stage::fitted(verdict, 0))?;
        }
        Ok(())
    }

    /// Whether the run goes on, and who drives it.
    fn write_state(&self, out: &mut Shown<'_>) -> anyhow::Result<()> {
        let run = self.run.display();
        let (colour, state, more) = match (self.driven_by, &self.finished) {
            (Some(process), _) if !self.paused.is_empty() => (
                Some(Colour::Yellow),
                "PAUSED",
                format!(" (process {process}); it goes on by itself"),
            ),
            (Some(process), _) => (Some(Colour::Green), "running", format!(" (process {process})")),
            (None, Some(_)) => (None, "finished", String::new()),
            (None, None) if self.cycles_done >= self.cycles => {
                let more = format!("; `dagzero resume {run}` writes the verdict");
                (Some(Colour::Yellow), "all cycles are done", more)
            }
            (None, None) if !self.stages.is_empty() => {
                let stages: Vec<String> =
                    self.stages.iter().map(|p| format!("{} {}", p.stage, p.process_id)).collect();
                let more = format!(" (processes: {})", stages.join(", "));
                (Some(Colour::Green), "stages run by hand", more)
            }
            (None, None) => {
                (Some(Colour::Yellow), "stopped", format!("; `dagzero resume {run}` goes on"))
            }
        };
        write!(out, "state       ")?;
        match colour {
            Some(colour) => out.painted(colour, state)?,
            None => write!(out, "{state}")?,
        }
        Ok(writeln!(out, "{more}")?)
    }

    /// The champion's rating, or everybody's, and the final match.
    fn write_ratings(&self, all: bool, out: &mut Shown<'_>) -> anyhow::Result<()> {
        let shown = if all { self.ratings.len() } else { 1 };
        for (i, row) in self.ratings.iter().take(shown).enumerate() {
            let head = if i == 0 { "Elo" } else { "" };
            let against = match &self.anchor {
                Some(anchor) if i == 0 => format!(" against {anchor}"),
                _ => String::new(),
            };
            writeln!(
                out,
                "{head:<12}{:<20} {:>7} ± {}{against} ({} games)",
                row.player.to_string(),
                dz_stage::elo_text(row.elo),
                dz_stage::elo_width_text(row.error95),
                count::whole(row.games)
            )?;
        }
        let more = self.ratings.len().saturating_sub(shown);
        if more > 0 {
            out.painted_line(Colour::Dim, &format!("{:<12}{more} more players: --all", ""))?;
        }
        if let Some(FinalMatch { champion, opponent, wins, draws, losses, .. }) = &self.final_match
        {
            writeln!(out, "final match {champion} {wins}-{draws}-{losses} against {opponent}")?;
        }
        Ok(())
    }
}

impl FinalMatch {
    fn of((cycle, played): (u32, &MatchState)) -> Self {
        let MatchResult { games, wins, draws, losses, .. } = played.result;
        let champion = played.a.clone();
        Self { cycle, champion, opponent: played.b.clone(), games, wins, draws, losses }
    }
}

/// The newest ratings: the champion first, then from the strongest on.
fn ratings(state: &RunState) -> Vec<RatingRow> {
    let mut rows: Vec<RatingRow> =
        state.ratings.iter().flat_map(|ratings| ratings.players.iter().cloned()).collect();
    rows.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    let name = champion(state).map(|champion| PlayerName::network(champion.cycle));
    if let Some(place) = rows.iter().position(|row| Some(&row.player) == name.as_ref()) {
        rows[..=place].rotate_right(1);
    }
    rows
}

/// The player that the newest ratings have at 0 Elo.
fn zero(ratings: &RatingsState) -> Option<&PlayerName> {
    ratings.players.iter().find(|row| row.error95 == 0.0).map(|row| &row.player)
}

/// The rating of the newest champion that has one.
fn champion(state: &RunState) -> Option<Champion> {
    let ratings = state.ratings.as_ref()?;
    let made = state.cycles.values().rev().filter_map(|cycle| cycle.champion.as_ref());
    let mut rated = made.filter_map(|champion| {
        let name = PlayerName::network(champion.cycle);
        let row = ratings.players.iter().find(|row| row.player == name)?;
        let generation = champion.generation;
        let cycle = champion.cycle;
        Some(Champion { generation, cycle, elo: row.elo, error95: row.error95 })
    });
    rated.next()
}
