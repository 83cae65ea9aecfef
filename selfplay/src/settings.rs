//! From the run configuration to the plan of a cycle's games.

use std::sync::Arc;

use dz_config::RunConfig;
use dz_infer::Lockstep;
use dz_play::{SearchSettings, root_noise};
use dz_search::{RootSetup, SearchParams, TieBreak};

use crate::{CyclePlan, GamePlan, ResignPlan};

/// The plan of a cycle. In generation 0 the bootstrap section says how many games and playouts; equal
/// priors are then tried in a random order, since no prior tells moves apart.
pub fn cycle_plan(
    config: &RunConfig,
    generation: u32,
    first_shard: u64,
    resign: Option<ResignPlan>,
) -> CyclePlan {
    let (selfplay, bootstrap) = (&config.selfplay, &config.bootstrap);
    let search = SearchSettings::of(&config.search);
    let params = search.params;
    let (params, games, playouts) = if generation == 0 {
        let params = SearchParams { tie_break: TieBreak::Random, ..params };
        (params, bootstrap.games, bootstrap.playouts)
    } else {
        (params, selfplay.games, selfplay.playouts)
    };
    let noise = root_noise(&config.search, selfplay.dirichlet_alpha, selfplay.dirichlet_share);
    let plan = GamePlan {
        run_seed: config.run.seed,
        params,
        reuse: search.reuse,
        playouts,
        playouts_fast: selfplay.playouts_fast.min(playouts),
        full_share: selfplay.full_share,
        root: RootSetup { noise, ..search.root },
        root_fast: search.quiet_root(),
        target: search.target,
        choice: search.choice,
        temperature: selfplay.temperature,
        temperature_final: selfplay.temperature_final,
        temperature_halflife_plies: selfplay.temperature_halflife_plies,
        opening_plies_max: selfplay.opening_plies_max,
        plies_max: selfplay.plies_max,
        resign,
    };
    CyclePlan {
        games: Arc::new(plan),
        count: games.into(),
        games_per_shard: selfplay.games_per_shard.into(),
        first_shard,
        lockstep: Lockstep {
            parallel_games: selfplay.parallel_games as usize,
            // While each card has a batch, another is being made for it.
            groups: (selfplay.groups as usize).max(2 * selfplay.devices.len()),
        },
    }
}
