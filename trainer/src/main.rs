//! `trainer`: the training stage as a program of its own.

use std::process::ExitCode;

use clap::Parser;
use dz_stage::{Stage, StageArgs};

/// Trains the network on the rows of each cycle and publishes checkpoints and candidates.
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
    let end = dz_stage::run_stage_with(Stage::Trainer, &args.stage, trainer::start, trainer::run);
    dz_stage::exit_with(&end)
}
