//! What plays: the champion's network, or the bootstrap evaluator; and how rollouts move.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use dz_config::{BootstrapEvaluator, RunConfig};
use dz_game::Game;
use dz_infer::{Sources, Uniform};
use dz_play::{Guide, GuideError, GuideEvaluator, rollouts_of};
use dz_search_settings::SearchSettings;
use dz_store::{ChampionState, Run};

/// The champion as source 0, and the name of its network for headers. Without a champion, source 0
/// is the bootstrap evaluator.
///
/// # Errors
/// If the network is damaged or does not load, or the device is not there.
pub fn champion_sources<G: Game>(
    game: &G,
    run: &Run,
    config: &RunConfig,
    champion: Option<&ChampionState>,
) -> anyhow::Result<(Sources<G>, String)> {
    let Some(champion) = champion else {
        return bootstrap_sources(game, config, Some(run.root()));
    };
    let bytes = run.get(&champion.network)?;
    sources_of(game, config, Some((&bytes, &champion.network.blake3)))
        .with_context(|| format!("the champion {} does not load", champion.network.path))
}

/// How rollouts of the run in `root` move, with the policy that lies in its folder if it has one.
///
/// # Errors
/// If that policy cannot be read, or is of another board.
pub fn guide_of<G: Game>(
    game: &G,
    config: &RunConfig,
    root: &Path,
) -> Result<Arc<Guide>, GuideError> {
    let search = config.clone().with_policies_in(root).search;
    Guide::load(game, &search.rollout, &search.heuristic).map(Arc::new)
}

/// A network, given as the bytes of its file and its name, as source 0; the bootstrap evaluator
/// without one. Also the name for headers.
///
/// # Errors
/// If the network does not load, or the device is not there.
pub(crate) fn sources_of<G: Game>(
    game: &G,
    config: &RunConfig,
    network: Option<(&[u8], &str)>,
) -> anyhow::Result<(Sources<G>, String)> {
    let Some((bytes, name)) = network else {
        return bootstrap_sources(game, config, None);
    };
    let devices = dz_burn_net::pick_devices(&config.run.devices_or(&config.selfplay.devices))?;
    let optimism = config.search.policy_optimism;
    let network = dz_burn_net::optimistic_evaluator_on(game, bytes, &devices, optimism)?;
    let mut sources = Sources::default();
    let source = sources.add_network(game, network, config.selfplay.cache_entries as usize)?;
    let params = SearchSettings::of(&config.search).params;
    dz_play::check_numbers(game, &params, &sources, source)?;
    Ok((sources, name.to_owned()))
}

/// The bootstrap evaluator as source 0, and its name for headers. Its rollouts move by the policy
/// file that lies in `root`, if the run has one.
fn bootstrap_sources<G: Game>(
    game: &G,
    config: &RunConfig,
    root: Option<&Path>,
) -> anyhow::Result<(Sources<G>, String)> {
    let mut sources = Sources::default();
    match (config.bootstrap.evaluator, root) {
        (BootstrapEvaluator::Uniform, _) => sources.add_instant(Arc::new(Uniform)),
        (BootstrapEvaluator::Rollout, Some(root)) if config.search.rollout.file().is_some() => {
            let guide = guide_of(game, config, root)?;
            sources.add_instant(Arc::new(GuideEvaluator::new(Arc::clone(&guide), true)));
            let name = guide.named(&sources.ids()[0]);
            return Ok((sources, name));
        }
        (BootstrapEvaluator::Rollout, _) => {
            sources.add_instant(Arc::new(rollouts_of(config.search.rollout.policy())))
        }
    };
    let name = sources.ids()[0].clone();
    Ok((sources, name))
}
