//! The driver: prepares a run, keeps its stages alive, shows what they do, and ends with a verdict.

mod alarms;
mod final_match;
mod home;
mod load;
mod notify;
mod ours;
mod outside;
mod policies;
mod prepare;
mod presets;
mod programs;
mod progress;
mod report;
mod restore;
mod whole;

use std::{
    ffi::OsString,
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::ValueEnum;
use dz_config::RunConfig;
use dz_stage::{
    ChildSpec, DiskTrouble, Event, EventSink, ProgramsWord, Stop, Supervisor, Update,
    duration_text, trouble_text,
};
use dz_store::{Entry, Pause, RunState, Stage};

pub(crate) use alarms::open_alarms;
pub(crate) use load::load_config;
pub(crate) use policies::{check_policies, policy_damage};
pub(crate) use prepare::{
    RefusedChanges, config_of, config_with, default_dir, expected_of, prepare,
};
pub(crate) use presets::{PRESETS, Preset};
pub(crate) use programs::Programs;
pub(crate) use progress::left_ms;
pub(crate) use report::{report, write_csv, write_report};
pub(crate) use restore::{is_mailbox, restored};
pub(crate) use whole::make_whole;

use crate::Exit;
use crate::shown::Shown;
use notify::Notifier;
use prepare::Prepared;
use progress::CycleLines;

/// How long the driver waits before it writes again to a disk that took nothing.
const DISK_PAUSE: Duration = Duration::from_secs(2);
/// Pause of the driver between two reports, as a multiple of the time that a report took. After
/// many short cycles a report takes longer than a cycle, and the driver must react to its stages
/// and to Ctrl-C in between.
const REPORT_REST: u32 = 9;

/// Drives the run at `dir` under `config` until it is finished or somebody asks to stop. A new run
/// keeps `expected` for its report. `takes_over` says whether another home that seems to be alive
/// is to end.
///
/// # Errors
/// What preparing reports, or the stage that cannot be kept alive.
pub(crate) fn drive(
    dir: &Path,
    config: RunConfig,
    expected: Option<&str>,
    programs: &Programs,
    takes_over: bool,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    dz_stage::init_logging(true);
    let out = &mut Shown::heedless(out);
    let mut prepared = prepare(dir, config, expected)?;
    let mut notifier = Notifier::new();
    notifier.ready(status_text(&prepared));
    let generation = prepared.ledger.state().generation();
    dz_stage::log_to_run(&prepared.run, Stage::Driver, generation);
    let page = prepared.run.root().join(dz_store::layout::REPORT);
    writeln!(out, "run     {}", prepared.run.root().display())?;
    writeln!(out, "report  {}", page.display())?;
    print_start(&prepared, out)?;
    out.flush()?;
    let word = programs.settle(&prepared.run, prepared.ledger.state(), &prepared.config)?;
    let written = report(&prepared.run).and_then(|page| write_report(&prepared.run, &page));
    match written {
        // The stages wait for the disk, and the next report is written when they have gone on.
        Err(error) if DiskTrouble::of(&error).is_some() => {
            writeln!(out, "note    no report yet: {}", trouble_text(&error))?;
        }
        other => {
            other?;
        }
    }
    if prepared.ledger.state().finished.is_none() {
        let stop = Stop::of_driver()?;
        let home = home::Home::begin(&prepared.run, &prepared.config, takes_over, &stop, out)?;
        let supervised = supervise(&mut prepared, word, &mut notifier, home.as_ref(), &stop);
        // A home that was taken over has to say so, whatever its stages met.
        home.map_or(Ok(()), |home| home.end(&stop, out))?;
        supervised?;
        if prepared.ledger.state().finished.is_some() {
            write_report(&prepared.run, &report(&prepared.run)?)?;
        }
    }
    Notifier::stopping();
    let Some(verdict) = prepared.ledger.state().finished.clone() else {
        let dir = prepared.run.root().display();
        writeln!(out, "\nStopped; what was published is kept. To go on: dagzero resume {dir}")?;
        return Ok(Exit::TryAgain);
    };
    let verdict = dz_stage::fitted(&verdict, 0);
    writeln!(out, "\n{verdict}\n\nreport  {}", page.display())?;
    Ok(Exit::Done)
}

/// How far the run is, in one line for the service manager.
fn status_text(prepared: &Prepared) -> String {
    let state = prepared.ledger.state();
    if state.finished.is_some() {
        return "finished".to_owned();
    }
    let planned = prepared.config.cycles_planned(state.walls_ms());
    format!("{} of {planned}, generation {}", state.turn(), state.generation())
}

/// Prints in a few lines what is about to happen.
fn print_start(prepared: &Prepared, out: &mut dyn Write) -> anyhow::Result<()> {
    let config = &prepared.config;
    let state = prepared.ledger.state();
    let game = state.started.as_ref().map_or(&config.run.game, |info| &info.game);
    writeln!(out, "game    {game}, seed {}, device {}", config.run.seed, config.run.device)?;
    if state.finished.is_some() {
        writeln!(out, "over    {} cycles are done", state.cycles_done)?;
        if let Some(command) = final_match::by_hand(prepared) {
            writeln!(out, "note    the run ended without a final match. This command plays one:")?;
            writeln!(out, "        {command}")?;
        }
    } else if prepared.resumed {
        writeln!(out, "resumes at {} of {}", state.turn(), cycles_text(config, state))?;
    } else {
        let cycles = cycles_text(config, state);
        writeln!(out, "starts  {cycles}; Ctrl-C stops it, the same command resumes")?;
    }
    if config.lead_cycles() > 0 {
        writeln!(out, "mode    asynchronous: the stages work side by side")?;
    }
    for change in &prepared.changes {
        writeln!(out, "{}", dz_stage::fitted(&format!("changed {change}"), 8))?;
    }
    for note in &prepared.notes {
        writeln!(out, "{}", dz_stage::fitted(&format!("note    {note}"), 8))?;
    }
    Ok(writeln!(out)?)
}

/// How many cycles the run has, in words.
fn cycles_text(config: &RunConfig, state: &RunState) -> String {
    let planned = config.cycles_planned(state.walls_ms());
    let Some(time_ms_max) = config.time_ms_max() else { return format!("{planned} cycles") };
    let time = duration_text(Duration::from_millis(time_ms_max));
    match state.cycles_done {
        0 => format!("as many cycles as fit into {time}, {planned} at most"),
        _ => format!("{planned} cycles, which fit into {time}"),
    }
}

/// Keeps the stages alive until the run is finished.
fn supervise(
    prepared: &mut Prepared,
    programs: Option<ProgramsWord>,
    notifier: &mut Notifier,
    home: Option<&home::Home>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let events = EventSink::people();
    let mut lines = CycleLines::new(prepared.ledger.state().cycles_done);
    let mut failed = None;
    // While the disk takes nothing, and after a report: when to look again.
    let mut again_at = None;
    let mut rests_until = Instant::now();
    let supervisor = Supervisor::new(stages(prepared.run.root(), programs)?);
    supervisor.run(stop, |update| {
        notifier.alive();
        home.into_iter().flat_map(home::Home::notes).for_each(|n| events.note(Stage::Driver, n));
        let look = match update {
            Update::Event(event) => {
                let look = matches!(event, Event::TurnDone { .. });
                events.emit(&event);
                look
            }
            Update::Idle => true,
        };
        if !look || failed.is_some() || again_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        let begun = Instant::now();
        match follow(prepared, &mut lines, &events, begun >= rests_until) {
            Ok(()) => {
                notifier.status(status_text(prepared));
                rests_until = rests_until.max(Instant::now() + REPORT_REST * begun.elapsed());
                if again_at.take().is_some() {
                    prepared.lock.note_pause(None);
                    events.note(Stage::Driver, "goes on: the disk takes files again".to_owned());
                }
            }
            Err(error) if DiskTrouble::of(&error).is_some() => {
                if again_at.is_none() {
                    let reason = trouble_text(&error);
                    prepared.lock.note_pause(Some(Pause::now(reason.clone())));
                    let text = format!("PAUSED: {reason}. The driver tries again by itself");
                    events.note(Stage::Driver, text);
                }
                again_at = Some(Instant::now() + DISK_PAUSE);
            }
            Err(error) => {
                // The ledger cannot be read: the stages meet the same fault, but say it now.
                failed = Some(error);
                stop.ask();
            }
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if !stop.urgent() && again_at.is_none() {
        // What ended since the last report.
        follow(prepared, &mut lines, &events, true)?;
    }
    Ok(())
}

/// Looks at the ledger: a finished cycle gets its line and a fresh report, if it is time for one,
/// the last one the verdict.
fn follow(
    prepared: &mut Prepared,
    lines: &mut CycleLines,
    events: &EventSink,
    is_time: bool,
) -> anyhow::Result<()> {
    prepared.ledger.poll()?;
    let state = prepared.ledger.state();
    dz_stage::log_generation(state.generation());
    let is_over = state.cycles_done >= prepared.config.cycles_planned(state.walls_ms());
    if state.finished.is_some() || !(is_over || lines.is_behind(state.cycles_done)) {
        return Ok(());
    }
    if !is_time && !is_over {
        return Ok(());
    }
    let report_so_far = report(&prepared.run)?;
    if !is_over {
        // First, so that a cycle whose report cannot be written is looked at again.
        write_report(&prepared.run, &report_so_far)?;
    }
    for line in lines.newly_done(prepared.ledger.state(), &report_so_far, &prepared.config) {
        events.note(Stage::Driver, line);
    }
    let done = prepared.ledger.state().cycles_done;
    alarms::report_changes(&prepared.run, &report_so_far.findings, done, events)?;
    if is_over {
        // The last report, with the verdict, is written when the stages have ended.
        prepared.ledger.append(Entry::Finished { verdict: report_so_far.verdict() })?;
    }
    Ok(())
}

/// Each stage as a process of this same executable.
fn stages(run: &Path, programs: Option<ProgramsWord>) -> anyhow::Result<Vec<ChildSpec>> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let spec = |stage: Stage| {
        let args = [stage.name().into(), "--run".into(), run.into(), "--events".into()];
        let mut args = Vec::<OsString>::from(args);
        let word = programs.filter(|_| stage == Stage::Gatekeeper);
        if let Some(word) = word.and_then(|word| word.to_possible_value()) {
            args.extend(["--programs".into(), word.get_name().into()]);
        }
        ChildSpec { stage, program: program.clone(), args }
    };
    Ok(Stage::WORKERS.map(spec).to_vec())
}
