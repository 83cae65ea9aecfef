//! What to do about a run that ended before runs had final matches.

use dz_config::{Anchor, AnchorKind, EngineProtocol};

use super::prepare::Prepared;

/// The command that plays a final match of a run whose ledger has none, though its configuration
/// asks for one; `None` where nothing is missing or there is nobody to play.
pub(super) fn by_hand(prepared: &Prepared) -> Option<String> {
    let state = prepared.ledger.state();
    let games = prepared.config.r#final.games;
    if games == 0 || state.final_match().is_some() || state.champion.is_none() {
        return None;
    }
    let name = state.anchor()?;
    let anchor = prepared.config.rating.anchors.iter().find(|anchor| anchor.name == name)?;
    let run = prepared.run.root().display();
    let playouts = prepared.config.final_playouts();
    let opponent = player(anchor);
    Some(format!("dagzero match {run} {opponent} --games {games} --playouts {playouts}"))
}

/// An anchor as `dagzero match` takes it.
fn player(anchor: &Anchor) -> String {
    match &anchor.kind {
        AnchorKind::Random => "random".to_owned(),
        AnchorKind::Rollout { playouts } => format!("rollout:{playouts}"),
        AnchorKind::Solver { depth: None } => "solver".to_owned(),
        AnchorKind::Solver { depth: Some(depth) } => format!("solver:{depth}"),
        AnchorKind::Engine(engine) => {
            let protocol = match engine.protocol {
                EngineProtocol::Gtp => "gtp",
                EngineProtocol::Uci => "uci",
            };
            format!("'{protocol}:{}'", engine.command)
        }
    }
}
