//! `dagzero`: parses the command line, runs the command, and turns errors into exit codes.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::FromArgMatches;
use dagzero::{Cli, Exit, command_line};

fn main() -> ExitCode {
    // Prints help or a usage error by itself, exit codes 0 and 2.
    let matches = command_line().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    dz_stage::end_for_lack_of_threads();
    dz_text::Look::detect();
    let outlives_its_output = cli.outlives_its_output();
    // Neither is locked: an engine reads its front end's lines on a thread of their own, and the
    // stage that plays reports from whichever thread has something to report.
    let mut out = io::BufWriter::new(io::stdout());
    let done = dagzero::run(cli, &mut io::BufReader::new(io::stdin()), &mut out);
    let done = done.and_then(|exit| match out.flush() {
        Err(error) if !outlives_its_output => Err(error.into()),
        _ => Ok(exit),
    });
    let exit = done.unwrap_or_else(|error| {
        let exit = Exit::of(&error);
        if exit != Exit::Done {
            dz_stage::stderr_error(&dz_stage::error_text(&error));
        }
        exit
    });
    exit.into()
}
