//! `dagzero play`: a person against a player of ours.

mod screen;

use std::io::{BufRead, IsTerminal, Write};

use clap::ValueEnum;
use dz_frontends::{LEVEL_MAX, Person, playouts_of};
use dz_game::Player;
use dz_text::Look;

use super::{
    players::{PlayerArg, TableArgs, game_of},
    session::session_of,
};
use crate::Exit;

/// Play against a champion, or any other player, at the terminal
///
/// At a terminal, the arrow keys move a cursor over the board and Enter plays where it is: in
/// chess, first the piece and then its square. Moves can be written as well, as the board names
/// them, and so can commands: hint, undo, level, side, bar, moves, record, new, quit; `help`
/// explains them.
///
/// With --lines, and where input or output is no terminal, the board is printed after every move,
/// and a line is read for yours. The last move is in brackets. Chess reads e2e4 and e4, Nf3, O-O.
///
/// A level is a power of two of playouts a move: 0 is the network's first thought, 10 is 1024
/// playouts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero play data/connect4-quick\n  \
    dagzero play data/go9 --side second --level 12\n  \
    dagzero play rollout:1000 --game hex:size=7")]
pub(crate) struct Args {
    /// The opponent: RUN, RUN@GENERATION, a network file, random, rollout:N, uniform:N or solver
    player: PlayerArg,
    #[command(flatten)]
    table: TableArgs,
    /// Your side
    #[arg(long, value_enum, default_value = "first")]
    side: Side,
    /// How hard it thinks [default: the player's own playouts, else 7]
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u32).range(0..=i64::from(LEVEL_MAX)))]
    level: Option<u32>,
    /// Read lines and print boards, at a terminal too
    #[arg(long)]
    lines: bool,
}

/// The level of players that bring no playouts along.
const LEVEL: u32 = 7;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Side {
    /// You move first
    First,
    /// The program moves first
    Second,
    /// You play both sides
    Both,
}

pub(crate) fn run(
    args: &Args,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    let found = args.player.find_ours(1)?;
    let spec = game_of(args.table.game.as_ref(), std::slice::from_ref(&found))?;
    let session = session_of(found, &spec, &args.table)?;
    let side = match args.side {
        Side::First => Some(Player::First),
        Side::Second => Some(Player::Second),
        Side::Both => None,
    };
    let own = args.player.own_playouts().unwrap_or(playouts_of(LEVEL));
    let person = Person::new(session, side, args.level.map_or(own, playouts_of));
    let look = Look::stdout();
    if !args.lines && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        // The screen paints by itself.
        screen::play(person.with_look(Look { colours: false, ..look }))?;
        return Ok(Exit::Done);
    }
    let mut person = person.with_look(look);
    say(out, &person.greet()?)?;
    let mut line = Vec::new();
    while !person.ended() {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let text = person.line(&String::from_utf8_lossy(&line))?;
        say(out, &text)?;
    }
    Ok(Exit::Done)
}

/// Shows `text`, and that a line is waited for.
fn say(out: &mut dyn Write, text: &str) -> anyhow::Result<()> {
    write!(out, "{text}> ")?;
    Ok(out.flush()?)
}
