//! The dashboard of a terminal: the report's numbers, read again whenever the ledger has grown.

mod live;
mod view;

pub use live::Live;

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use dz_config::RunConfig;
use dz_stage::InForce;
use dz_store::{Holder, Ledger, Pause, Run, RunLock, RunState, Stage, utc};
use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

use crate::{Report, ReportError};

/// Longest pause between two looks at the ledger.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Longest wait for a key.
const KEY_WAIT: Duration = Duration::from_millis(250);
/// Columns of one picture where there is no terminal to ask.
const COLUMNS: u16 = 120;
/// Lines of one picture, enough for all of it.
const LINES: u16 = 44;

/// What the dashboard shows: a report, and how the run stands at this moment.
#[derive(Debug)]
pub struct Dashboard {
    report: Report,
    live: Live,
}

impl Dashboard {
    /// A dashboard of what is known.
    pub fn new(report: Report, live: Live) -> Self {
        Self { report, live }
    }

    /// Reads a run.
    ///
    /// # Errors
    /// What [`Report::read`] and the ledger report.
    pub fn read(run: &Run) -> Result<Self, ReportError> {
        let ledger = Ledger::open(run)?;
        let live = Live::of(run, &ledger, config_of(run, ledger.state()).as_ref());
        Ok(Self { live, report: Report::read_ledger(run)? })
    }

    /// Draws it, whatever the size.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        view::draw(&self.report, &self.live, frame);
    }

    /// It as text, for a standard output that is no terminal.
    pub fn to_text(&self, width: u16, height: u16) -> String {
        // Memory does not fail.
        let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
        let Ok(_) = terminal.draw(|frame| self.draw(frame));
        let buffer = terminal.backend().buffer();
        let mut text = String::new();
        for y in 0..height {
            let row: String = (0..width)
                .filter_map(|x| buffer.cell((x, y)).map(|cell| cell.symbol().to_owned()))
                .collect();
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }
}

impl Live {
    /// Reads how a run stands, whose ledger was read to `ledger`, without touching its locks.
    pub fn seen(ledger: &Ledger) -> Self {
        let run = ledger.run();
        let config = config_of(run, ledger.state());
        Self::with_holders(run, ledger, config.as_ref(), RunLock::seen_holder)
    }

    fn of(run: &Run, ledger: &Ledger, config: Option<&RunConfig>) -> Self {
        Self::with_holders(run, ledger, config, RunLock::holder)
    }

    fn with_holders(
        run: &Run,
        ledger: &Ledger,
        config: Option<&RunConfig>,
        holder: impl Fn(&Run, Stage) -> Option<Holder>,
    ) -> Self {
        let state = ledger.state();
        let cycles = config.map_or(0, |config| config.cycles_planned(state.walls_ms()));
        let holders = Stage::WORKERS.map(|stage| (stage, holder(run, stage)));
        let driver = holder(run, Stage::Driver);
        let progress = |(stage, holder): &(Stage, Option<Holder>)| {
            let progress = holder.as_ref()?.progress.as_ref()?;
            Some(format!("{stage} {}", dz_stage::progress_text(progress)))
        };
        let alive = |(stage, holder): &(Stage, Option<Holder>)| holder.as_ref().map(|_| *stage);
        let paused = |stage: Stage, holder: &Option<Holder>| {
            let Pause { since_unix_ms, reason } = holder.as_ref()?.paused.as_ref()?;
            Some(format!("{stage} since {}: {reason}", utc(*since_unix_ms)))
        };
        let driver_paused = paused(Stage::Driver, &driver);
        let others = holders.iter().filter_map(|(stage, holder)| paused(*stage, holder));
        Self {
            turn: match config {
                Some(config) => state.turns_text(config.lead_cycles(), cycles),
                None => state.turn().to_string(),
            },
            driven_by: driver.map(|holder| holder.process_id),
            stages: holders.iter().filter_map(alive).collect(),
            progress: holders.iter().filter_map(progress).collect(),
            paused: driver_paused.into_iter().chain(others).collect(),
            cycles_done: state.cycles_done,
            cycles,
            record: state.number,
        }
    }
}

/// The configuration that the run is played by; else what its file says, where that can be read.
fn config_of(run: &Run, state: &RunState) -> Option<RunConfig> {
    let path = run.root().join(dz_store::layout::CONFIG);
    let in_force = InForce::of(run, state).map(|found| found.config);
    in_force.ok().or_else(|| RunConfig::of_run(&path).ok())
}

/// Shows the run on the terminal until `q`, Escape or Ctrl-C; where standard output is none, writes
/// one picture and returns it.
///
/// # Errors
/// What the run or the terminal report.
pub fn watch(run: &Run, once: bool) -> Result<Option<String>, ReportError> {
    let mut dashboard = Dashboard::read(run)?;
    let on_terminal = std::io::stdout().is_terminal();
    if once || !on_terminal {
        let size = if on_terminal { ratatui::crossterm::terminal::size().ok() } else { None };
        let columns = size.map_or(COLUMNS, |(columns, _)| columns);
        return Ok(Some(dashboard.to_text(columns, LINES)));
    }
    let mut ledger = Ledger::open(run)?;
    let mut config = config_of(run, ledger.state());
    let mut terminal = ratatui::try_init()?;
    let shown: Result<(), ReportError> = (|| {
        let mut looked = Instant::now();
        loop {
            terminal.draw(|frame| dashboard.draw(frame))?;
            if event::poll(KEY_WAIT)? && asks_to_leave(&event::read()?) {
                return Ok(());
            }
            if looked.elapsed() >= LOOK_EVERY {
                ledger.poll()?;
                if ledger.state().number != dashboard.live.record {
                    dashboard.report = Report::read_ledger(run)?;
                    config = config_of(run, ledger.state());
                }
                // Whether processes live is not in the ledger.
                dashboard.live = Live::of(run, &ledger, config.as_ref());
                looked = Instant::now();
            }
        }
    })();
    // The terminal is given back whatever happened.
    ratatui::restore();
    shown.map(|()| None)
}

fn asks_to_leave(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    key.kind == KeyEventKind::Press
        && (matches!(key.code, KeyCode::Char('q') | KeyCode::Esc)
            || (key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)))
}
