//! The anchors of a run's configuration as players.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use dz_config::{Anchor, AnchorKind, EngineAnchor, EngineProtocol, Fault, RolloutAnchor};
use dz_external_engines::{EngineError, EnginePool, EngineSpec, ProtocolKind};
use dz_search_settings::SearchSection;

use crate::{
    MatchPlayer, PlayerEvaluator, PlayerKind, one_ply_player, rollout_player, rollout_section,
};

/// Anchors whose programs cannot be started here, for [`dz_config::RunConfig::load`]. Otherwise a
/// run would find out only after its first cycle.
pub fn anchor_faults(anchors: &[Anchor]) -> Vec<Fault> {
    let fault = |(at, anchor): (usize, &Anchor)| {
        let AnchorKind::Engine(engine) = &anchor.kind else { return None };
        let problem = match engine_spec(engine) {
            Ok(spec) if engine.optional || spec.is_found() => return None,
            Ok(spec) => format!("there is no program {:?} here", spec.command[0]),
            Err(error) => error.to_string(),
        };
        let allowed = "the command line of a program that is installed";
        let fault = Fault::new(format!("rating.anchors[{at}]"), problem);
        Some(fault.value(format_args!("{:?}", engine.command)).allowed(allowed))
    };
    anchors.iter().enumerate().filter_map(fault).collect()
}

/// The names of the anchors that are optional, and whose programs this machine does not have.
pub fn missing_anchors(anchors: &[Anchor]) -> BTreeSet<String> {
    let is_missing = |anchor: &&Anchor| match &anchor.kind {
        AnchorKind::Engine(engine) => {
            engine.optional && !engine_spec(engine).is_ok_and(|spec| spec.is_found())
        }
        _ => false,
    };
    anchors.iter().filter(is_missing).map(|anchor| anchor.name.clone()).collect()
}

/// The player of an anchor.
///
/// # Errors
/// [`EngineError::Command`] if the command line of another program cannot be read.
pub fn anchor_player(anchor: &Anchor) -> Result<MatchPlayer, EngineError> {
    let name = &anchor.name;
    Ok(match &anchor.kind {
        AnchorKind::Random => MatchPlayer { name: name.clone(), kind: PlayerKind::Random },
        AnchorKind::Rollout(RolloutAnchor { playouts, policy, selection }) => {
            let section = SearchSection {
                rollout: policy.clone(),
                selection: *selection,
                ..rollout_section()
            };
            rollout_player(name, &section, *playouts)
        }
        AnchorKind::Solver { depth: Some(plies) } => {
            one_ply_player(name, PlayerEvaluator::Lookahead(*plies))
        }
        AnchorKind::Solver { depth: None } => one_ply_player(name, PlayerEvaluator::Solver),
        AnchorKind::Engine(engine) => {
            let pool = Arc::new(EnginePool::new(engine_spec(engine)?));
            MatchPlayer { name: name.clone(), kind: PlayerKind::Engine(pool) }
        }
    })
}

/// Returns how the program of an anchor is started and asked.
///
/// # Errors
/// If its command line has no program or an open quote.
pub fn engine_spec(engine: &EngineAnchor) -> Result<EngineSpec, EngineError> {
    let protocol = match engine.protocol {
        EngineProtocol::Gtp => ProtocolKind::Gtp,
        EngineProtocol::Uci => ProtocolKind::Uci,
    };
    let spec = EngineSpec::new(protocol, &engine.command, engine.setup.clone())?;
    Ok(EngineSpec { move_time: Duration::from_secs_f64(engine.seconds), ..spec })
}
