//! `dagzero play`: a person against a player of ours.

use std::io::{BufRead, Write};

use clap::ValueEnum;
use dz_engine::{LEVEL_MAX, Person};
use dz_game::{GameSpec, Player};

use super::{
    engine::{no_program, session_of},
    match_cmd::game_of,
    players::PlayerArg,
};
use crate::Exit;

/// Play against a champion, or any other player, at the terminal
///
/// The board is shown after every move, and a line is read for yours: a move as the board names it, or
/// hint, undo, level, side, bar, moves, record, new, quit; `help` tells more. Lines may come from a pipe.
///
/// A level is a power of two of playouts a move: 0 is the network's first thought, 10 is 1024 playouts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero play data/connect4-quick\n  \
    dagzero play data/go9-quick --side second --level 12\n  \
    dagzero play rollout:100 --game hex:size=7")]
pub(crate) struct Args {
    /// The opponent: RUN, RUN@GENERATION, a network file, random, rollout:N, uniform:N or solver
    player: PlayerArg,
    /// The game, where the player has none of its own
    #[arg(long, value_name = "GAME")]
    game: Option<GameSpec>,
    /// Your side
    #[arg(long, value_enum, default_value = "first")]
    side: Side,
    /// How hard it thinks
    #[arg(long, value_name = "N", default_value_t = 7,
        value_parser = clap::value_parser!(u32).range(0..=i64::from(LEVEL_MAX)))]
    level: u32,
    /// Fixes every random choice
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// What evaluates networks: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
}

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
    no_program(Some(&args.player))?;
    let found = args.player.find(1)?;
    let spec = game_of(args.game.as_ref(), std::slice::from_ref(&found))?;
    let session = session_of(found, &spec, &args.device, args.seed)?;
    let side = match args.side {
        Side::First => Some(Player::First),
        Side::Second => Some(Player::Second),
        Side::Both => None,
    };
    // Who knows searches nothing.
    let knows = matches!(args.player, PlayerArg::Solver(_));
    let mut person = Person::new(session, side, if knows { 0 } else { args.level });
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
