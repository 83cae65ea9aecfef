//! `selfplay`: the self-play stage as a program of its own.

use std::process::ExitCode;

use clap::Parser;
use dz_stage::{Stage, StageArgs, StageContext};
use selfplay::{HeadStarts, SelfplayStage};

/// Plays the champion of a run against itself and publishes shards of whole games.
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
    let start = |_: &mut StageContext| {
        Ok(SelfplayStage::new(env!("CARGO_PKG_VERSION"), HeadStarts::OnDevices))
    };
    let turn = SelfplayStage::turn;
    dz_stage::exit_with(&dz_stage::run_stage_with(Stage::Selfplay, &args.stage, start, turn))
}
