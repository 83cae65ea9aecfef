//! `dagzero`: parses the command line, runs the command, and turns errors into exit codes.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Parser;
use dagzero::{Cli, Exit};

fn main() -> ExitCode {
    // Prints help or a usage error by itself, exit codes 0 and 2.
    let cli = Cli::parse();
    // Neither is locked: an engine reads its front end's lines on a thread of their own, and the stage that
    // plays reports from whichever thread has something to report.
    let mut out = io::BufWriter::new(io::stdout());
    let done = dagzero::run(cli, &mut io::BufReader::new(io::stdin()), &mut out)
        .and_then(|exit| out.flush().map(|()| exit).map_err(Into::into));
    let exit = done.unwrap_or_else(|error| {
        let exit = Exit::of(&error);
        if exit != Exit::Done {
            eprintln!("error: {error:#}");
        }
        exit
    });
    exit.into()
}
