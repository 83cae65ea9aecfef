//! From the run configuration to players.

use std::{sync::Arc, time::Duration};

use dz_config::{Anchor, AnchorKind, EngineAnchor, EngineProtocol, Fault};
use dz_external_engines::{EngineError, EnginePool, EngineSpec, ProtocolKind};

use crate::{PlayerKind, PlayerSetup, knowing_player, rollout_anchor};

/// Programs of anchors that cannot be started here, for [`dz_config::RunConfig::load`]: a run would
/// only find out when it has played its first cycle.
pub fn anchor_faults(anchors: &[Anchor]) -> Vec<Fault> {
    let fault = |(at, anchor): (usize, &Anchor)| {
        let AnchorKind::Engine(engine) = &anchor.kind else { return None };
        let problem = match engine_spec(engine) {
            Ok(spec) if spec.is_found() => return None,
            Ok(spec) => format!("there is no program {:?} here", spec.command[0]),
            Err(error) => error.to_string(),
        };
        let allowed = "the command line of a program that is installed";
        let fault = Fault::new(format!("rating.anchors[{at}]"), problem);
        Some(fault.value(format_args!("{:?}", engine.command)).allowed(allowed))
    };
    anchors.iter().enumerate().filter_map(fault).collect()
}

/// A fixed opponent; `source` is the index of what its moves come from, where they come from one:
/// rollouts, or a solver's answers.
///
/// # Errors
/// [`EngineError::Command`] for a command line of another program that cannot be read.
pub fn anchor_player(anchor: &Anchor, source: usize) -> Result<PlayerSetup, EngineError> {
    let kind = match &anchor.kind {
        AnchorKind::Random => PlayerKind::Random,
        AnchorKind::Rollout { playouts } => {
            return Ok(rollout_anchor(&anchor.name, *playouts, source));
        }
        AnchorKind::Solver { .. } => return Ok(knowing_player(&anchor.name, source)),
        AnchorKind::Engine(engine) => {
            PlayerKind::External(Arc::new(EnginePool::new(engine_spec(engine)?)))
        }
    };
    Ok(PlayerSetup { name: anchor.name.clone(), kind })
}

/// How the program of an anchor is started and asked.
fn engine_spec(engine: &EngineAnchor) -> Result<EngineSpec, EngineError> {
    let protocol = match engine.protocol {
        EngineProtocol::Gtp => ProtocolKind::Gtp,
        EngineProtocol::Uci => ProtocolKind::Uci,
    };
    let spec = EngineSpec::new(protocol, &engine.command, engine.setup.clone())?;
    Ok(EngineSpec { move_time: Duration::from_secs_f64(engine.seconds), ..spec })
}
