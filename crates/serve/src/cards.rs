//! A run in short, for the page of all runs and for Prometheus.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use dz_report::{AlarmLine, Report, in_force};
use dz_stage::run_boards;
use dz_store::{Ledger, Losses, Run, RunLock, Stage, layout};
use serde::Serialize;

use crate::runs::FoundRun;

/// Time until the bytes on disk are counted again. A count looks at every file.
const DISK_LOOK: Duration = Duration::from_secs(30);

/// A run in short.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Card {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) game: String,
    /// The other boards that games are played on.
    pub(crate) boards: Vec<String>,
    pub(crate) state: &'static str,
    pub(crate) cycles_done: u32,
    /// Cycles that the configuration asks for; 0 where it cannot be read.
    pub(crate) cycles: u32,
    pub(crate) generation: u32,
    /// Of the newest rated champion: Elo, and half the width of the 95 % interval.
    pub(crate) elo: Option<[f64; 2]>,
    /// Who is at 0 Elo.
    pub(crate) against: Option<String>,
    /// Running time in milliseconds and Elo of each champion.
    pub(crate) curve: Vec<[f64; 2]>,
    pub(crate) games: u64,
    pub(crate) positions: u64,
    /// Rows trained on.
    pub(crate) rows: u64,
    /// Evaluations a second in the newest finished self-play.
    pub(crate) evaluations_per_s: Option<f64>,
    pub(crate) losses: Option<Losses>,
    pub(crate) elapsed_ms: u64,
    /// Bytes by folder.
    pub(crate) disk: BTreeMap<&'static str, u64>,
    /// Alarms and warnings that are not over.
    pub(crate) alarms: Vec<String>,
    /// How many of them are alarms.
    pub(crate) alarms_count: usize,
    pub(crate) newest_unix_ms: u64,
    /// Number of the newest record.
    pub(crate) record: u64,
    /// Why the run cannot be read; everything else is then empty.
    pub(crate) error: Option<String>,
}

impl Card {
    /// The boards of the run, its own first.
    pub(crate) fn all_boards(&self) -> Vec<&str> {
        std::iter::once(&self.game).chain(&self.boards).map(String::as_str).collect()
    }

    /// Bytes of the run.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.disk.values().sum()
    }
}

/// The cards of all runs, read again where a ledger has grown.
#[derive(Debug, Default)]
pub(crate) struct Cards {
    known: Mutex<HashMap<PathBuf, Arc<Mutex<Known>>>>,
}

#[derive(Debug, Default)]
struct Known {
    /// Identifies the ledger: another run may take the place of this one.
    inode: u64,
    ledger: Option<Ledger>,
    card: Card,
    disk_seen: Option<Instant>,
}

/// Runs that are kept in memory.
const KNOWN_MAX: usize = 1_000;

impl Cards {
    /// Returns each run with its card. Runs are read side by side, on their own threads, because
    /// those of rayon may be busy with a search.
    pub(crate) fn all(&self, runs: &[FoundRun]) -> Vec<(FoundRun, Card)> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(runs.len());
        let next = AtomicUsize::new(0);
        let read = || {
            let taken = || {
                let at = next.fetch_add(1, Ordering::Relaxed);
                runs.get(at).map(|run| (at, (run.clone(), self.card(run))))
            };
            std::iter::from_fn(taken).collect::<Vec<_>>()
        };
        let mut cards = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(read)).collect();
            let mut cards = read();
            for other in others {
                match other.join() {
                    Ok(more) => cards.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            cards
        });
        cards.sort_by_key(|&(at, _)| at);
        cards.into_iter().map(|(_, card)| card).collect()
    }

    /// Returns the card of a run. If the run cannot be read, the card holds the error.
    pub(crate) fn card(&self, found: &FoundRun) -> Card {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KNOWN_MAX && !all.contains_key(&found.path) {
            all.clear();
        }
        let known = Arc::clone(all.entry(found.path.clone()).or_default());
        drop(all);
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut card = match known.update(found) {
            Ok(()) => known.card.clone(),
            Err(error) => Card { state: "unreadable", error: Some(error), ..Card::default() },
        };
        card.id.clone_from(&found.id);
        card.name.clone_from(&found.name);
        card
    }
}

/// Identifies a run's ledger by the inode and the creation time of its folder. Inodes of removed
/// folders are used again.
pub(crate) fn inode(run: &Run) -> u64 {
    std::fs::metadata(run.root().join(layout::LOG)).map_or(0, |meta| {
        let made = meta.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        meta.ino() ^ made.map_or(0, |since| since.as_nanos() as u64).rotate_left(32)
    })
}

impl Known {
    fn update(&mut self, found: &FoundRun) -> Result<(), String> {
        let run = Run::open(&found.path).map_err(|error| error.to_string())?;
        let inode = inode(&run);
        if self.inode != inode {
            *self = Self { inode, ..Self::default() };
        }
        let is_new = self.ledger.is_none();
        let ledger = match self.ledger.take() {
            Some(mut ledger) => ledger.poll().map(|_| ledger),
            None => Ledger::open(&run),
        };
        let ledger = ledger.map_err(|error| error.to_string())?;
        if is_new || self.card.record != ledger.state().number {
            let disk = std::mem::take(&mut self.card.disk);
            self.card = Card { disk, ..of_ledger(&run, &ledger) };
        }
        let is_running = RunLock::seen_holder(&run, Stage::Driver).is_some();
        self.card.state = match (is_running, &ledger.state().finished) {
            (true, _) => "running",
            (false, Some(_)) => "finished",
            (false, None) => "stopped",
        };
        if self.disk_seen.is_none_or(|seen| seen.elapsed() > DISK_LOOK) {
            self.card.disk = run.usage().unwrap_or_default();
            self.disk_seen = Some(Instant::now());
        }
        let lines: Vec<AlarmLine> = run.metrics(Stage::Driver).unwrap_or_default();
        let alarms = in_force(lines);
        let is_alarm = |line: &&AlarmLine| line.severity == dz_report::Severity::Alarm;
        self.card.alarms_count = alarms.values().filter(is_alarm).count();
        self.card.alarms = alarms.values().map(AlarmLine::text).collect();
        self.ledger = Some(ledger);
        Ok(())
    }
}

fn of_ledger(run: &Run, ledger: &Ledger) -> Card {
    let state = ledger.state();
    let (report, config) = Report::of_open_ledger(run, ledger);
    let champion = report.champion();
    let selfplay = || report.cycles.iter().filter_map(|cycle| cycle.selfplay.as_ref());
    let losses = || report.cycles.iter().filter_map(|cycle| cycle.losses.as_ref());
    let boards = config.iter().flat_map(run_boards).flatten();
    let boards = boards.filter_map(|board| board.name).collect();
    let begun = Some(report.run.game.clone()).filter(|game| !game.is_empty());
    let game = begun.or_else(|| config.as_ref().map(|config| config.run.game.clone()));
    Card {
        game: game.unwrap_or_default(),
        boards,
        cycles_done: state.cycles_done,
        cycles: config.map_or(0, |config| config.cycles_planned(state.walls_ms())),
        generation: report.generation(),
        elo: champion.map(|player| [player.elo, player.error95]),
        against: report.zero_anchor().map(|zero| zero.name.clone()),
        curve: report.curve.iter().map(|point| [point.running_ms as f64, point.elo]).collect(),
        games: state.games(),
        positions: state.positions(),
        rows: losses().map(|losses| losses.rows).sum(),
        evaluations_per_s: selfplay()
            .next_back()
            .filter(|summary| summary.wall_ms > 0)
            .map(|summary| 1_000.0 * summary.evaluations as f64 / summary.wall_ms as f64),
        losses: losses().next_back().cloned(),
        elapsed_ms: report.cycles.last().map_or(0, |cycle| cycle.elapsed_ms),
        newest_unix_ms: report.run.newest_unix_ms,
        record: state.number,
        ..Card::default()
    }
}
