//! `dagzero selfplay`, `shuffler`, `trainer`, `gatekeeper`: the stages from this executable.

use dz_selfplay::{HeadStarts, SelfplayStage};
use dz_stage::{
    InForce, Stage, StageArgs, StageContext, StageEnd, Stop, run_stage, run_stage_with,
};
use dz_store::{Ledger, Run};

use crate::Exit;

/// Lives as one stage of a run until the run is finished.
pub(crate) fn run(stage: Stage, args: &StageArgs) -> anyhow::Result<Exit> {
    dz_stage::init_logging(args.events);
    let end = match stage {
        Stage::Selfplay => {
            let start = |_: &mut StageContext| {
                Ok(SelfplayStage::new(env!("DAGZERO_VERSION"), HeadStarts::OnDevices))
            };
            run_stage_with(stage, args, start, SelfplayStage::turn)
        }
        Stage::Shuffler => run_stage_with(stage, args, dz_shuffler::start, |(), context, cycle| {
            dz_shuffler::run(context, cycle)
        }),
        Stage::Trainer => run_stage_with(stage, args, dz_trainer::start, dz_trainer::run),
        Stage::Gatekeeper => run_stage(stage, args, |context, cycle| {
            dz_gatekeeper::run_with(context, cycle, &|arena, context| {
                dz_selfplay::share_matches(arena, context, cycle, env!("DAGZERO_VERSION"))
            })
        }),
        Stage::Driver => anyhow::bail!("the driver is no stage; use `dagzero run`"),
    }?;
    if stage == Stage::Selfplay && end == StageEnd::Finished {
        notify_workers(args)?;
    }
    Ok(match end {
        StageEnd::NotOurs | StageEnd::Stopped | StageEnd::Interrupted | StageEnd::Reconfigured => {
            Exit::TryAgain
        }
        StageEnd::Finished | StageEnd::TurnDone => Exit::Done,
    })
}

/// Publishes to the workers of a finished run, if it has any, that it is finished.
fn notify_workers(args: &StageArgs) -> anyhow::Result<()> {
    let run = Run::open(&args.run)?;
    let ledger = Ledger::open(&run)?;
    let config = InForce::of(&run, ledger.state())?.config;
    // Signals are handled already: if one arrives now, the next start publishes it.
    dz_selfplay::finish_mailbox(&run, &config, &Stop::new())
}
