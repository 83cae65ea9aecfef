//! The front door: every command of `dagzero`, as a library that tests can call.
//!
//! Commands write JSON or tables to the writer they are given and nothing else; what is meant for
//! people on the side goes to standard error.

mod commands;
mod exit;

use std::io::{BufRead, Write};

use clap::{Parser, Subcommand};

use commands::{inspect, perft, rules};
pub use exit::Exit;

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "dagzero",
    version,
    about = "Trains game-playing networks from nothing but the rules.",
    after_help = "JSON goes to standard output and nothing else does; messages go to standard error.\n\
                  Exit codes:\n  \
                     0  done\n  \
                     1  a check found something wrong, or the work failed\n  \
                     2  wrong usage\n \
                    75  try again\n \
                    78  bad configuration\n\n\
                  `dagzero help COMMAND` tells more about a command, with examples.",
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Inspect(inspect::Args),
    Perft(perft::Args),
    Rules(rules::Args),
}

/// Runs the command that `cli` names: it reads `input` where it reads standard input, and writes
/// its result to `out`.
///
/// # Errors
/// What went wrong, for people; [`Exit::of`] gives the exit code.
pub fn run(cli: Cli, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<Exit> {
    match cli.command {
        Command::Inspect(args) => inspect::run(&args, input, out),
        Command::Perft(args) => perft::run(&args, out),
        Command::Rules(args) => rules::run(&args, out),
    }
}
