//! `dagzero new`: writes a commented configuration.

use std::{
    fmt::Write as _,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;
use dz_config::{Key, RunConfig};
use dz_game::{AnyGame, Game, GameSpec};
use dz_text::wrapped;

use super::create;
use crate::Exit;

/// Write a commented configuration file for a game, to edit and run
///
/// It has the keys that people change first, with what they mean. Keys that are commented out show
/// their defaults.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero new connect4\n  \
    dagzero new go:size=7 --out go7-mine.toml\n  dagzero run go7-mine.toml")]
pub(crate) struct Args {
    /// Game and parameters, `name:key=value,...`; `dagzero rules` lists them
    #[arg(value_name = "GAME")]
    game: GameSpec,
    /// The file; my-GAME.toml unless given. Nothing is overwritten
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let path = args.out.clone().unwrap_or_else(|| format!("my-{}.toml", args.game.name()).into());
    let (game, _) = dz_game::game_ids(&args.game)?;
    let legal = moves_at_start(&AnyGame::of(&args.game)?);
    let text = configuration(&path, &game, legal);
    let mut file = create(&path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    writeln!(out, "{}", path.display())?;
    dz_stage::stderr_line(&format!("edit it, then: dagzero run {}", path.display()));
    Ok(Exit::Done)
}

fn moves_at_start<G: Game>(game: &G) -> usize {
    let mut moves = Vec::new();
    game.legal_moves(&game.start(), &G::History::default(), &mut moves);
    moves.len()
}

/// How a key is written to the file.
enum Line {
    /// With this value.
    Value(String),
    /// With its default, stated.
    Stated,
    /// With its default, commented out.
    Hidden,
}

/// Columns of comments.
const COLUMNS: usize = 96;

/// Returns the file. `legal` is the number of legal moves at the start of the game.
fn configuration(path: &Path, game: &str, legal: usize) -> String {
    let file = path.display();
    let mut text = format!(
        "# To start the run: dagzero run {file}\n\
         # Time, games and disk on this machine: dagzero plan {file}\n#\n\
         # Keys that are commented out show their defaults. A key that is not here has its default, too;\n\
         # configs/README.md explains all of them.\n\nformat = 1\n"
    );
    // Silver 2017: about 10 over the number of legal moves.
    let alpha = (1000.0 / legal.max(1) as f64).round() / 100.0;
    let alpha = alpha.clamp(0.03, 2.0);
    let lines = [
        ("run.game", Line::Value(format!("{game:?}"))),
        ("run.seed", Line::Hidden),
        ("run.cycles", Line::Stated),
        ("run.hours_max", Line::Hidden),
        ("run.device", Line::Hidden),
        ("search.c_puct", Line::Hidden),
        ("selfplay.games", Line::Stated),
        ("selfplay.playouts", Line::Stated),
        ("selfplay.full_share", Line::Hidden),
        ("selfplay.dirichlet_alpha", Line::Value(format!("{alpha:?}"))),
        ("selfplay.opening_plies_max", Line::Hidden),
        ("selfplay.plies_max", Line::Hidden),
        ("bootstrap.games", Line::Stated),
        ("bootstrap.playouts", Line::Hidden),
        ("window.rows_min", Line::Hidden),
        ("network.blocks", Line::Stated),
        ("network.channels", Line::Stated),
        ("training.batch", Line::Hidden),
        ("training.learning_rate", Line::Hidden),
        ("training.rows_per_new_row", Line::Hidden),
        ("gate.rule", Line::Stated),
        ("gate.games", Line::Hidden),
        ("rating.games", Line::Hidden),
        ("storage.disk_budget_mb", Line::Hidden),
    ];
    let keys = RunConfig::keys();
    let mut section = "";
    for (path, line) in lines {
        let Some(key) = keys.iter().find(|key| key.path() == path) else { continue };
        if key.section != section {
            section = key.section;
            let _ = write!(text, "\n[{section}]\n");
        }
        write_key(&mut text, key, line);
    }
    text
}

fn write_key(text: &mut String, key: &Key, line: Line) {
    for comment in wrapped(&key.meaning, COLUMNS) {
        let _ = writeln!(text, "# {comment}");
    }
    let default = key.default.as_ref().map(ToString::to_string).unwrap_or_default();
    let _ = match line {
        Line::Value(value) => writeln!(text, "{} = {value}", key.name),
        Line::Stated => writeln!(text, "{} = {default}", key.name),
        Line::Hidden => writeln!(text, "# {} = {default}", key.name),
    };
}
