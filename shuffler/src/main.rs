//! `shuffler`: the shuffle stage as a program of its own.

use std::process::ExitCode;

use clap::Parser;
use dz_stage::{Stage, StageArgs, run_stage_with};

/// Turns a run's game shards into shuffled training rows of the window.
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
    let turn = |(): &mut (), context: &mut _, cycle| shuffler::run(context, cycle);
    dz_stage::exit_with(&run_stage_with(Stage::Shuffler, &args.stage, shuffler::start, turn))
}
