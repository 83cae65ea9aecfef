//! `gatekeeper`: the gatekeeper stage as a program of its own.

use std::process::ExitCode;

use clap::Parser;
use dz_stage::{Stage, StageArgs};

/// Plays each candidate of a run against the champion, decides, and rates all players.
///
/// Waits for its turn on the run's ledger, again and again, until the run is finished. Make the run
/// with `dagzero init`, and see README.md, "The loop by hand".
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Args {
    #[command(flatten)]
    stage: StageArgs,
}

fn main() -> ExitCode {
    let args = Args::parse();
    dz_stage::init_logging(args.stage.events);
    dz_stage::exit_with(&dz_stage::run_stage(Stage::Gatekeeper, &args.stage, gatekeeper::run))
}
