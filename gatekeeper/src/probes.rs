//! What the cycle's candidate makes of fixed positions: metrics for the report, no results.
//!
//! Two kinds of lines go to `metrics/gatekeeper.jsonl`: a [`SampleLine`], and where the game has a
//! solver, a [`TruthLine`] for the raw policy and one for the search of rating games.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use dz_game::{GameSpec, Move, Wdl};
use dz_infer::Lockstep;
use dz_play::{Arena, MatchPlayer, PositionCheck, SampleLine, TruthLine};
use dz_solver::solved_positions;
use dz_store::{MetricsWriter, Run, SEAL_DIGITS, Stage, seal, unseal, write_own};
use serde::{Deserialize, Serialize};

/// Solved positions of a run.
const SOLVED: usize = 120;
/// No more positions are solved after this; which ones a run has is kept in its folder.
const SOLVING_MAX: Duration = Duration::from_secs(8);
/// Their file, in the stage's working folder.
pub(crate) const SOLVED_FILE: &str = "solved.json";

/// Longest such file.
const SOLVED_BYTES_MAX: u64 = 1 << 24;

/// Asks the candidate of `cycle` and writes down its answers.
///
/// # Errors
/// What the evaluator or the metrics' file report.
pub(crate) fn probe(
    arena: &mut dyn Arena,
    run: &Run,
    candidate: &MatchPlayer,
    settings: Settings,
) -> Result<()> {
    let Settings { seed, cycle, playouts, lockstep } = settings;
    let mut metrics = MetricsWriter::open(run, Stage::Gatekeeper)?;
    let positions = arena.samples(seed);
    let samples = arena.probe(candidate, &positions, &lockstep)?;
    metrics.write(&SampleLine { cycle, samples })?;
    let solved = solved(&arena.spec(), &run.work_dir(Stage::Gatekeeper)?.join(SOLVED_FILE), seed)?;
    if solved.is_empty() {
        return Ok(());
    }
    for playouts in [0, playouts] {
        let answers = arena.check(candidate, &solved, playouts, &lockstep)?;
        metrics.write(&TruthLine::of(cycle, playouts, &answers))?;
    }
    Ok(())
}

/// How to ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The run's seed: it fixes the positions.
    pub(crate) seed: u64,
    /// The cycle.
    pub(crate) cycle: u32,
    /// Playouts of a search.
    pub(crate) playouts: u32,
    /// How positions share batches.
    pub(crate) lockstep: Lockstep,
}

/// The file; sealed as a record is.
#[derive(Serialize, Deserialize)]
struct SolvedFile<S> {
    solved: S,
}

/// A solved position in the file.
#[derive(Serialize, Deserialize)]
struct Kept {
    moves: Vec<Move>,
    preserving: Vec<Move>,
    /// -1, 0 or 1 for the player to move.
    value: i8,
}

impl Kept {
    fn check(self) -> PositionCheck {
        let value = match self.value {
            1 => Wdl::WIN,
            0 => Wdl::DRAW,
            _ => Wdl::LOSS,
        };
        PositionCheck { moves: self.moves, preserving: self.preserving, value: Some(value) }
    }
}

/// The positions in the file, unless it is damaged.
fn kept(text: &[u8]) -> Option<Vec<Kept>> {
    let (object, sealed) = unseal(text, SEAL_DIGITS).ok()?;
    if sealed {
        return Some(serde_json::from_slice::<SolvedFile<Vec<Kept>>>(&object).ok()?.solved);
    }
    // Of an earlier version, whose files had no hash.
    serde_json::from_slice(text).ok()
}

/// The run's solved positions: from their file, or else solved and kept; none where the game has no
/// solver.
fn solved(spec: &GameSpec, file: &Path, seed: u64) -> Result<Vec<PositionCheck>> {
    if let Some(solved) =
        dz_text::read_file(file, SOLVED_BYTES_MAX).ok().and_then(|text| kept(&text))
    {
        return Ok(solved.into_iter().map(Kept::check).collect());
    }
    let Ok(stream) = solved_positions(spec, seed) else { return Ok(Vec::new()) };
    let begun = Instant::now();
    let mut kept: Vec<Kept> = Vec::new();
    for position in stream.take(SOLVED) {
        let position = position.context("solving positions for the report")?;
        let preserving = position.solved.preserving();
        let value = position.solved.value.sign();
        kept.push(Kept { moves: position.moves, preserving, value });
        if begun.elapsed() > SOLVING_MAX {
            break;
        }
    }
    let text = serde_json::to_vec(&SolvedFile { solved: &kept }).context("solved positions")?;
    write_own(file, &seal(&text, SEAL_DIGITS))
        .with_context(|| format!("writing {}", file.display()))?;
    Ok(kept.into_iter().map(Kept::check).collect())
}
