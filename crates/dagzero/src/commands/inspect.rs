//! `dagzero inspect`: a position in JSON.

use std::io::{BufRead, Write};

use dz_game::{AnyGame, Game, Player, Status};
use serde::Serialize;

use super::{GameArgs, Line, LineArgs, write_line};
use crate::Exit;

/// Show a position: mover, legal moves, outcome, keys and board, as JSON
///
/// Moves are separated by spaces and written as the game's community writes them, in either case
/// (`dagzero rules` shows the notation); columns of Connect Four may stand without spaces. An
/// illegal list is an error, exit code 2, with nothing on standard output.
///
/// With --batch, each line of standard input is a list of moves and each line of the output is its
/// object, or {"error": ...} for a list that is not legal; a blank line is the start.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero inspect --game connect4 --moves 44435\n  \
    dagzero inspect --game connect4:width=12,height=8 --moves \"12 1 12\"\n  \
    printf '5\\n5 1 9\\n\\n' | dagzero inspect --game tictactoe --batch")]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    line: LineArgs,
    /// Read one list of moves a line from standard input
    #[arg(long, conflicts_with = "moves")]
    batch: bool,
}

/// What is printed about a position. Outside programs rely on the names.
#[derive(Serialize)]
struct Position {
    game: String,
    /// Moves applied after `--position`.
    ply: usize,
    to_move: Option<Player>,
    legal: Vec<String>,
    over: bool,
    /// "first", "second", "draw", or null while the game goes on.
    winner: Option<&'static str>,
    margin: Option<i16>,
    eval_key: String,
    node_key: String,
    board: String,
}

#[derive(Serialize)]
struct Refused {
    error: String,
}

pub(crate) fn run(
    args: &Args,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    inspect(&AnyGame::of(&args.game.spec)?, args, input, out)
}

fn inspect<G: Game>(
    game: &G,
    args: &Args,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    if !args.batch {
        write_line(out, &shown(game, &args.line.play(game)?))?;
        return Ok(Exit::Done);
    }
    let start = args.line.start(game)?;
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        match Line::play(game, start.clone(), &String::from_utf8_lossy(&line)) {
            Ok(line) => write_line(out, &shown(game, &line))?,
            Err(error) => write_line(out, &Refused { error: format!("{error:#}") })?,
        }
        // The other end of a pipe may wait for this answer before it asks again.
        out.flush()?;
        line.clear();
    }
    Ok(Exit::Done)
}

fn shown<G: Game>(game: &G, line: &Line<G>) -> Position {
    let state = &line.state;
    let history = &line.history;
    let mut legal = Vec::new();
    game.legal_moves(state, history, &mut legal);
    let (to_move, outcome) = match game.status(state, history) {
        Status::ToMove(player) => (Some(player), None),
        Status::Over(outcome) => (None, Some(outcome)),
    };
    Position {
        game: game.spec().to_string(),
        ply: line.moves.len(),
        to_move,
        legal: legal.into_iter().map(|mv| game.format_move(mv)).collect(),
        over: outcome.is_some(),
        winner: outcome.map(|outcome| outcome.winner.map_or("draw", Player::name)),
        margin: outcome.and_then(|outcome| outcome.margin),
        eval_key: game.eval_key(state, history).to_string(),
        node_key: game.node_key(state, history).to_string(),
        board: game.render(state),
    }
}
