//! Earlier networks as opponents, for policy gradient.

use anyhow::Context;
use dz_config::{ReinforcePhase, RunConfig};
use dz_game::Game;
use dz_infer::Sources;
use dz_store::{ChampionState, Run, RunState};

/// Returns the opponents of a cycle, oldest first: the newest earlier champions, or the champion
/// itself where there is no earlier one. Only policy gradient has opponents.
pub fn pool(state: &RunState, config: &RunConfig, cycle: u32) -> Vec<ChampionState> {
    if config.reinforce_phase(cycle) != Some(ReinforcePhase::Policy) {
        return Vec::new();
    }
    let before = state.cycles.range(..cycle);
    let mut champions: Vec<ChampionState> =
        before.filter_map(|(_, now)| now.champion.clone()).collect();
    // The newest one is the champion that plays against them.
    if champions.len() > 1 {
        champions.pop();
    }
    let most = config.reinforce.pool as usize;
    champions.split_off(champions.len().saturating_sub(most))
}

/// Adds opponents to the sources behind the champion, in order.
///
/// # Errors
/// If a network is damaged or does not load, or the device is not there.
pub fn add_pool<G: Game>(
    game: &G,
    run: &Run,
    config: &RunConfig,
    pool: &[ChampionState],
    sources: &mut Sources<G>,
) -> anyhow::Result<()> {
    let devices = dz_burn_net::pick_devices(&config.run.devices_or(&config.selfplay.devices))?;
    // Together they remember as many positions as the champion.
    let entries = config.selfplay.cache_entries as usize / pool.len().max(1);
    for champion in pool {
        let bytes = run.get(&champion.network)?;
        let network = dz_burn_net::network_evaluator_on(game, &bytes, &devices)
            .with_context(|| format!("the opponent {} does not load", champion.network.path))?;
        sources.add_network(game, network, entries)?;
    }
    Ok(())
}
