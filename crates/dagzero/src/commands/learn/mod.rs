//! `dagzero learn`: functions that searches without a network know moves by.

mod policy;
mod value;

use std::{fs::OpenOptions, io::Write, path::Path};

use dz_game::Game;

use crate::{Exit, exit::UsageError};

/// Learn what searches without a network know of moves
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Value(value::ValueArgs),
    Policy(policy::PolicyArgs),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    match &args.what {
        What::Value(args) => value::run(args, out),
        What::Policy(args) => policy::run(args, out),
    }
}

/// Checks that the file can be written, before minutes are spent on its content.
fn check_out(path: &Path) -> Result<(), UsageError> {
    let existed = path.exists();
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map_err(|error| UsageError(format!("cannot write {}: {error}", path.display())))?;
    if !existed {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a number from 0 to 1".to_owned())
}

/// The game has no local shapes.
fn no_stones<G: Game>(game: &G) -> UsageError {
    UsageError(format!(
        "{} has no stones on the points of a square board; go, gomoku, hex and othello do",
        game.spec().name()
    ))
}
