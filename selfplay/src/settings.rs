//! From the run configuration to the plan of a cycle's games.

use std::sync::Arc;

use dz_config::{OpeningSampler, ReinforcePhase, RunConfig, SelfplaySection, SoftResign};
use dz_infer::Lockstep;
use dz_play::Guide;
use dz_search::{RootSetup, SearchParams, TieBreak};
use dz_search_settings::SearchSettings;

use crate::{
    CyclePlan, DecidedPlan, GamePlan, KomiPlan, OpeningPlan, Past, PolicyPlan, ResignPlan,
};

/// The plan of a cycle. In generation 0 the bootstrap section sets the numbers of games and
/// playouts; moves are then tried in a random order, since all priors are equal, and everything
/// that needs a network's opinion is off.
pub fn cycle_plan(
    config: &RunConfig,
    generation: u32,
    first_shard: u64,
    resign: Option<ResignPlan>,
    past: Past,
) -> CyclePlan {
    let selfplay = &config.selfplay;
    let bootstrap = &config.bootstrap;
    let is_taught = generation > 0;
    let search = SearchSettings::of(&config.search);
    let params = search.params;
    let (params, games, (playouts, playouts_fast)) = if is_taught {
        (params, selfplay.games, config.selfplay_playouts(generation))
    } else {
        let tie_break = TieBreak::Random;
        let params = SearchParams {
            tie_break,
            value_bias: None,
            score_utility: None,
            uncertainty: None,
            ..params
        };
        let fast = selfplay.playouts_fast.min(bootstrap.playouts);
        (params, bootstrap.games, (bootstrap.playouts, fast))
    };
    let noise = config.search.root_noise(selfplay.dirichlet_alpha, selfplay.dirichlet_share);
    let plan = GamePlan {
        run_seed: config.run.seed,
        params,
        guide: Arc::new(Guide::of(params.rollout)),
        reuse: search.reuse,
        playouts,
        playouts_fast,
        full_share: selfplay.full_share,
        root: RootSetup { noise, ..search.root },
        root_fast: search.quiet_root(),
        target: search.target,
        choice: search.choice,
        temperature: selfplay.temperature,
        temperature_final: selfplay.temperature_final,
        temperature_halflife_plies: selfplay.temperature_halflife_plies,
        temperature_plies: Some(selfplay.temperature_plies).filter(|&plies| plies > 0),
        policies: None,
        opening: OpeningPlan {
            plies_max: selfplay.opening_plies_max,
            sampler: if is_taught { selfplay.opening } else { OpeningSampler::Random },
            temperature: selfplay.opening_temperature,
        },
        komi: KomiPlan::of(selfplay),
        forks: past.forks.filter(|_| is_taught).map(Arc::new),
        reanalyses: past.reanalyses.filter(|_| is_taught).map(Arc::new),
        surprise_share: if is_taught { selfplay.surprise_share } else { 0.0 },
        decided: decided(selfplay).filter(|_| is_taught),
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
            groups: selfplay.groups_on(selfplay.devices.len()),
        },
    }
}

/// Returns the plan of a cycle whose moves are sampled from policies, with this many opponents.
#[must_use]
pub fn policy_cycle_plan(
    plan: &CyclePlan,
    config: &RunConfig,
    phase: ReinforcePhase,
    opponents: usize,
) -> CyclePlan {
    let count = match phase {
        ReinforcePhase::Policy => config.reinforce.games,
        ReinforcePhase::Value => config.reinforce.value_games,
    };
    let policies = Some(PolicyPlan { phase, opponents });
    let games = GamePlan { policies, ..(*plan.games).clone() };
    CyclePlan { games: Arc::new(games), count: count.into(), ..plan.clone() }
}

fn decided(selfplay: &SelfplaySection) -> Option<DecidedPlan> {
    let SoftResign::Above(above) = selfplay.soft_resign else { return None };
    Some(DecidedPlan {
        above,
        plies: selfplay.soft_resign_plies,
        playouts: selfplay.soft_resign_playouts,
        weight: selfplay.soft_resign_weight,
    })
}
