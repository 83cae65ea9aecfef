//! What all games of a cycle share.

use std::sync::Arc;

use dz_play::Guide;
use dz_search::{MoveChoice, PolicyTarget, RootSetup, SearchParams};

use crate::{DecidedPlan, Forks, KomiPlan, OpeningPlan, PolicyPlan, Reanalyses, ResignPlan};

/// What all games of a cycle share.
#[derive(Clone, Debug)]
pub struct GamePlan {
    /// The run's seed.
    pub run_seed: u64,
    /// Settings of the searches.
    pub params: SearchParams,
    /// How their rollouts move.
    pub guide: Arc<Guide>,
    /// Whether searches keep what is reachable.
    pub reuse: bool,
    /// Playouts of a full search.
    pub playouts: u32,
    /// Playouts of a fast one.
    pub playouts_fast: u32,
    /// Share of plies with a full search (playout-cap randomisation; Wu 2019, section 3.1).
    pub full_share: f64,
    /// Root of full searches, with its noise.
    pub root: RootSetup,
    /// Root of fast searches.
    pub root_fast: RootSetup,
    /// What the policy learns of full searches.
    pub target: PolicyTarget,
    /// The move that is played where the temperature is 0; policies that are sampled from, and
    /// Gumbel's choice, take the temperature's place.
    pub choice: MoveChoice,
    /// Temperature at the first ply.
    pub temperature: f64,
    /// Temperature far into the game.
    pub temperature_final: f64,
    /// Plies in which the difference of the two halves.
    pub temperature_halflife_plies: f64,
    /// Plies with the first temperature where it is a step; every later ply has temperature 0.
    pub temperature_plies: Option<u32>,
    /// How games are played whose moves are sampled from policies, without searches.
    pub policies: Option<PolicyPlan>,
    /// How games begin that are no forks.
    pub opening: OpeningPlan,
    /// How their komi differs.
    pub komi: KomiPlan,
    /// The games that some begin as forks of.
    pub forks: Option<Arc<Forks>>,
    /// The games that are reanalyzed instead of played.
    pub reanalyses: Option<Arc<Reanalyses>>,
    /// Share of full searches' weight that goes by surprise.
    pub surprise_share: f64,
    /// When a game gets fewer playouts and less weight.
    pub decided: Option<DecidedPlan>,
    /// A game that is not over by then is a draw.
    pub plies_max: u32,
    /// When players resign, if they do.
    pub resign: Option<ResignPlan>,
}

impl GamePlan {
    /// Returns the temperature of the move choice at a ply of the game, from 0; plies of the
    /// opening count.
    pub fn temperature_at(&self, ply: u32) -> f64 {
        match self.temperature_plies {
            Some(plies) if ply < plies => self.temperature,
            Some(_) => 0.0,
            None => {
                let halvings = f64::from(ply) / self.temperature_halflife_plies;
                let above = self.temperature - self.temperature_final;
                self.temperature_final + above * 0.5f64.powf(halvings)
            }
        }
    }
}
