//! `dagzero import`: a run that begins with games of others.

use std::{
    collections::HashSet,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use dz_config::RunConfig;
use dz_game::{AnyGame, Game, GameSpec, Key};
use dz_record::{BYTES_MAX, Sheet, decode, read};
use dz_report::count::plural;
use dz_selfplay::{RecordImport, game_of_sheet};
use dz_stage::count_text;
use serde::Serialize;

use super::{
    analyze::fits::{Ours, differences},
    write_line,
};
use crate::{Exit, drive, exit::UsageError};

/// Faults and notes that are printed; further ones are counted.
const LINES_MAX: usize = 20;

/// Begin a run with games of others: SGF, PGN, plain lines or JSON
///
/// The games become the first cycle of a new run. Its network learns the moves and the results
/// from all of them, in `training.import_epochs` passes, and then plays on against itself. Start it
/// with `dagzero resume RUN`. For a network of the games alone, set run.cycles=1. For a policy
/// alone, set `training.value_weight=0`.
///
/// A game that cannot be read or played, or is of another game or board, is named, and nothing is
/// imported unless --skip leaves such games out. Games that start from a position (handicap stones,
/// FEN), have no moves or no result, or repeat another game are left out and counted. A game counts
/// with the komi that it states.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero import games/*.sgf --dir data/go7-games --config go7\n  \
    dagzero import masters.pgn --dir data/masters --config chess --skip --set run.cycles=1\n  \
    dagzero resume data/go7-games")]
pub(crate) struct Args {
    /// Files with one game or many
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Directory of the new run, which must not exist
    #[arg(long, value_name = "RUN")]
    dir: PathBuf,
    /// A preset or a configuration file, for the game, the network and what comes after the games
    #[arg(long, value_name = "CONFIG")]
    config: PathBuf,
    /// Override a key: section.key=value, value as in TOML; may be given again and again
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Leave out games that cannot be read or played, or are of another game or board
    #[arg(long)]
    skip: bool,
    /// Keep games without a result; only with `training.value_weight=0`, since nobody knows their
    /// value
    #[arg(long)]
    keep_unfinished: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is printed. Outside programs rely on the names.
#[derive(Serialize)]
struct Imported {
    run: String,
    game: String,
    games: u64,
    positions: u64,
    wins_first: u64,
    draws: u64,
    wins_second: u64,
    /// Games that start from a position, have no moves or no result, or repeat another game.
    left_out: u64,
    /// Games and files that --skip left out.
    skipped: u64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let dir = &args.dir;
    let config = drive::load_config(&args.config, &args.set)?.config;
    let exists = || UsageError(format!("{} exists already; name another directory", dir.display()));
    ensure!(!dir.exists(), exists());
    let what = "--keep-unfinished needs --set training.value_weight=0: games without a result \
                would teach the value draws";
    ensure!(!args.keep_unfinished || config.training.value_weight == 0.0, UsageError(what.into()));
    let spec: GameSpec = config.run.game.parse()?;
    let imported = drive::make_whole(dir, "importing", |unfinished| {
        import(&AnyGame::of(&spec)?, &spec, args, &config, unfinished)
    })?;
    if args.json {
        write_line(out, &imported)?;
    } else {
        writeln!(
            out,
            "{} has {} and {} of {}; start it with: dagzero resume {}",
            imported.run,
            plural(imported.games, "game"),
            plural(imported.positions, "position"),
            imported.game,
            imported.run
        )?;
    }
    Ok(Exit::Done)
}

/// Makes the run and reads all files into its first cycle.
fn import<G: Game>(
    game: &G,
    spec: &GameSpec,
    args: &Args,
    config: &RunConfig,
    unfinished: &Path,
) -> anyhow::Result<Imported> {
    let mut prepared = drive::prepare(unfinished, config.clone(), None)?;
    let import = RecordImport::begin(&prepared.run, &mut prepared.ledger, &prepared.config)?;
    let mut reader = Reader {
        game,
        ours: Ours { game: spec, work: ["import", "imported"], taken: &["komi"] },
        keep_unfinished: args.keep_unfinished,
        import,
        seen: HashSet::new(),
        notes: Lines::default(),
        left_out: Lines::default(),
        faults: Lines::default(),
    };
    for path in &args.files {
        reader.file(path)?;
    }
    let Reader { import, notes, left_out, faults, .. } = reader;
    notes.print("note");
    left_out.print("left out");
    if args.skip {
        faults.print("skipped");
    } else if faults.count > 0 {
        faults.print("refused");
        let what = format!(
            "{} cannot be imported, and nothing was; --skip leaves them out",
            match faults.count {
                1 => "1 file or game".to_owned(),
                count => format!("{} files or games", count_text(count)),
            }
        );
        return Err(UsageError(what).into());
    }
    let nothing = || UsageError("none of the files has a game to import".to_owned());
    let summary = if import.is_empty() { Err(nothing().into()) } else { import.finish() }?;
    Ok(Imported {
        run: args.dir.display().to_string(),
        game: spec.to_string(),
        games: summary.games,
        positions: summary.positions,
        wins_first: summary.wins_first,
        draws: summary.draws,
        wins_second: summary.wins_second,
        left_out: left_out.count,
        skipped: faults.count,
    })
}

/// Lines for people, the first of which are kept.
#[derive(Default)]
struct Lines {
    kept: Vec<String>,
    count: u64,
}

impl Lines {
    fn add(&mut self, line: impl FnOnce() -> String) {
        self.count += 1;
        if self.kept.len() < LINES_MAX {
            self.kept.push(line());
        }
    }

    fn print(&self, kind: &str) {
        for line in &self.kept {
            dz_stage::stderr_line(&format!("{kind}: {}", dz_text::line(line)));
        }
        let more = self.count - self.kept.len() as u64;
        if more > 0 {
            dz_stage::stderr_line(&format!("{kind}: {} more", count_text(more)));
        }
    }
}

/// Reads files into a run.
struct Reader<'a, G> {
    game: &'a G,
    ours: Ours<'a>,
    keep_unfinished: bool,
    import: RecordImport<'a>,
    /// Moves of the games so far: a game that is held out must not be among those that are learned.
    seen: HashSet<Key>,
    notes: Lines,
    left_out: Lines,
    faults: Lines,
}

impl<G: Game> Reader<'_, G> {
    /// Takes in all games of a file.
    fn file(&mut self, path: &Path) -> anyhow::Result<()> {
        let name = dz_text::line(&path.display().to_string()).into_owned();
        let bytes = dz_text::read_input(path, BYTES_MAX as u64)
            .with_context(|| format!("cannot read {name}"))?;
        let decoded = decode(&bytes);
        drop(bytes);
        if let Some(note) = &decoded.note {
            self.notes.add(|| format!("{name}: {note}"));
        }
        let sheets = match read(&decoded.text) {
            Ok(sheets) => sheets,
            Err(error) => {
                self.faults.add(|| format!("{name}: {error}"));
                return Ok(());
            }
        };
        for sheet in &sheets {
            self.sheet(&name, sheet)?;
        }
        Ok(())
    }

    /// Takes in a game.
    fn sheet(&mut self, name: &str, sheet: &Sheet) -> anyhow::Result<()> {
        match differences(name, sheet, &self.ours) {
            Ok(notes) => {
                for note in notes {
                    self.notes.add(|| format!("{name}, line {}: {note}", sheet.line));
                }
            }
            Err(UsageError(what)) => {
                self.faults.add(|| what);
                return Ok(());
            }
        }
        match game_of_sheet(self.game, sheet, self.keep_unfinished) {
            Ok(found) => {
                let words: Vec<u64> = found.record.moves().map(|mv| u64::from(mv.0)).collect();
                if !self.seen.insert(Key::of_words(&words)) {
                    let line = sheet.line;
                    self.left_out.add(|| format!("{name}: line {line}: it repeats another game"));
                    return Ok(());
                }
                for note in found.notes {
                    self.notes.add(|| format!("{name}: {note}"));
                }
                self.import.push(found.record)?;
            }
            Err(error) => {
                let is_sound = error.is_left_out();
                let lines = if is_sound { &mut self.left_out } else { &mut self.faults };
                lines.add(|| format!("{name}: {error}"));
            }
        }
        Ok(())
    }
}
