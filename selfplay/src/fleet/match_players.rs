//! Players of matches as data, and the same players again on another machine.

use std::sync::Arc;

use anyhow::Context;
use dz_config::RunConfig;
use dz_fleet::{ObjectHash, PlayerPlan};
use dz_play::{MatchPlayer, PlayerEvaluator, PlayerKind, SearchPlayer, anchor_player};
use dz_search::Budget;
use dz_search_settings::MoveHeuristic;

/// Describes a player by data. None if a worker could not make the same player from it: another
/// program, a file of this machine, or settings that the configuration does not have.
pub(super) fn describe(player: &MatchPlayer, config: &RunConfig) -> Option<PlayerPlan> {
    let name = player.name.clone();
    let is_anchor = config.rating.anchors.iter().any(|anchor| anchor.name == name);
    let mut network = None;
    let plan = match &player.kind {
        PlayerKind::Engine(_) => return None,
        PlayerKind::Search(search) if has_file(search) => return None,
        _ if is_anchor => PlayerPlan::Anchor { name },
        PlayerKind::Random => return None,
        PlayerKind::Search(search) => {
            let Budget::Playouts(playouts) = search.budget else { return None };
            match &search.evaluator {
                PlayerEvaluator::Network { bytes, .. } => {
                    network = Some(Arc::clone(bytes));
                    PlayerPlan::Network { name, network: ObjectHash::of(bytes), playouts }
                }
                _ => PlayerPlan::Bootstrap { name, playouts },
            }
        }
    };
    let made = player_of(&plan, config, network).ok()?;
    (made == *player).then_some(plan)
}

/// Whether a search reads a file of this machine.
fn has_file(search: &SearchPlayer) -> bool {
    search.rollouts.file().is_some() || search.heuristic != MoveHeuristic::None
}

/// The player of a description. `network` is the file of its network, if it has one.
///
/// # Errors
/// If the configuration has no such anchor, or the network is missing.
pub(super) fn player_of(
    plan: &PlayerPlan,
    config: &RunConfig,
    network: Option<Arc<[u8]>>,
) -> anyhow::Result<MatchPlayer> {
    let of_run = |name: &str, evaluator, playouts| {
        MatchPlayer::search(name, SearchPlayer::of_run(evaluator, &config.search, playouts))
    };
    match plan {
        PlayerPlan::Network { name, network: object, playouts } => {
            let bytes = network.with_context(|| format!("{name} has no network"))?;
            let evaluator = PlayerEvaluator::Network { hash: object.blake3.clone(), bytes };
            Ok(of_run(name, evaluator, *playouts))
        }
        PlayerPlan::Bootstrap { name, playouts } => {
            Ok(of_run(name, config.bootstrap.evaluator.into(), *playouts))
        }
        PlayerPlan::Anchor { name } => {
            let anchor = config.rating.anchors.iter().find(|anchor| anchor.name == *name);
            let anchor = anchor.with_context(|| format!("the run has no anchor {name}"))?;
            Ok(anchor_player(anchor)?)
        }
    }
}
