//! `dagzero selfplay`, `shuffler`, `trainer`, `gatekeeper`: the stages from this executable.

use dz_stage::{Stage, StageArgs, StageEnd, run_stage, run_stage_with};

use crate::Exit;

/// Lives as one stage of a run until the run is finished.
pub(crate) fn run(stage: Stage, args: &StageArgs) -> anyhow::Result<Exit> {
    dz_stage::init_logging(args.events);
    let end = match stage {
        Stage::Selfplay => run_stage(stage, args, dz_selfplay::run),
        Stage::Shuffler => run_stage_with(stage, args, dz_shuffler::start, |(), context, cycle| {
            dz_shuffler::run(context, cycle)
        }),
        Stage::Trainer => run_stage_with(stage, args, dz_trainer::start, dz_trainer::run),
        Stage::Gatekeeper => run_stage(stage, args, dz_gatekeeper::run),
        Stage::Driver => anyhow::bail!("the driver is no stage; use `dagzero run`"),
    }?;
    Ok(match end {
        StageEnd::NotOurs | StageEnd::Stopped | StageEnd::Interrupted | StageEnd::Reconfigured => {
            Exit::TryAgain
        }
        StageEnd::Finished | StageEnd::TurnDone => Exit::Done,
    })
}
