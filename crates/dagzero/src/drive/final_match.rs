//! The command that plays the final match of a run that ended without one.

use dz_config::{Anchor, AnchorKind, RolloutMoves};

use super::prepare::Prepared;

/// Returns the command that plays a final match of a run whose ledger has none, although its
/// configuration asks for one. `None` if nothing is missing or no anchor is known.
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
    let opponent = player(anchor)?;
    let command = format!("dagzero match {run} {opponent} --games {games} --playouts {playouts}");
    // A stranger's configuration may have control characters.
    Some(dz_text::line(&command).into_owned())
}

/// An anchor as `dagzero match` takes it, for a shell.
fn player(anchor: &Anchor) -> Option<String> {
    Some(match &anchor.kind {
        AnchorKind::Random => "random".to_owned(),
        AnchorKind::Rollout(rollout) => {
            let player = format!("rollout:{}{}", rollout.playouts, rollout.player_keys());
            match rollout.policy {
                RolloutMoves::Uniform | RolloutMoves::Mogo => player,
                RolloutMoves::Learned(_) => format!("'{}'", player.replace('\'', "'\"'\"'")),
            }
        }
        AnchorKind::Solver { depth: None } => "solver".to_owned(),
        AnchorKind::Solver { depth: Some(depth) } => format!("solver:{depth}"),
        AnchorKind::Engine(engine) => {
            let spec = dz_play::engine_spec(engine).ok()?.to_string();
            let quoted = spec.replace('\'', "'\"'\"'");
            format!("'{quoted}' --seconds {}", engine.seconds)
        }
    })
}

#[cfg(test)]
mod tests {
    use dz_config::{EngineAnchor, EngineProtocol};
    use dz_external_engines::{EngineSpec, words};

    use super::*;

    #[test]
    fn a_program_is_named_with_its_setup_and_its_time() {
        let engine = EngineAnchor {
            protocol: EngineProtocol::Uci,
            command: "stockfish 'a folder'".to_owned(),
            setup: vec!["setoption name Skill Level value 0".to_owned()],
            seconds: 0.1,
            optional: false,
        };
        let spec = dz_play::engine_spec(&engine).unwrap();
        let anchor = Anchor { name: "weak".to_owned(), kind: AnchorKind::Engine(engine) };
        let line = words(&player(&anchor).unwrap()).unwrap();
        assert_eq!(line[1..], ["--seconds", "0.1"]);
        let read: EngineSpec = line[0].parse().unwrap();
        assert_eq!((read.command, read.setup), (spec.command, spec.setup));
    }
}
