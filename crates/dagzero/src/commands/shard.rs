//! `dagzero shard`: what is in a shard file.

use std::{io::Write, path::PathBuf};

use super::write_line;
use crate::Exit;

/// Show what is in a shard, and check it
///
/// Reads the file to its end, checks every hash and replays every game.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  dagzero shard data/connect4-quick/shards/cycle-0001/00000000.dzs"
)]
pub(crate) struct Args {
    /// The shard file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let description = dz_shard::describe(&args.file)?;
    if args.json {
        write_line(out, &description)?;
    } else {
        write!(out, "{description}")?;
    }
    Ok(Exit::Done)
}
