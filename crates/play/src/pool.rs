//! The evaluators of all players of a match, each loaded once.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use dz_external_engines::{EngineError, Rules};
use dz_game::Game;
use dz_infer::{NetworkEvaluator, Rollout, Sources, Uniform};
use dz_search::{Domain, SearchParams};
use dz_search_settings::LeafValue;
use dz_solver::SolverError;

use crate::guide::{Guide, GuideError, GuideEvaluator};
use crate::{Amaf, Exact, Lookahead, MatchPlayer, PlayerEvaluator, PlayerKind, SearchPlayer};

/// An error of a caller's code, for example of its network loader.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Puts network files on a device. A library of networks implements it; tests use fakes.
pub trait NetworkLoader<G: Game> {
    /// The network of the file `bytes`, with this share of its optimistic policy
    /// ([`SearchParams::policy_optimism`]).
    ///
    /// # Errors
    /// If the file is damaged, for another game or without an optimistic policy that is asked for,
    /// or the device fails.
    fn load(
        &self,
        game: &G,
        bytes: &[u8],
        optimism: f64,
    ) -> Result<Box<dyn NetworkEvaluator>, BoxError>;
}

/// The loader of matches in which no network plays.
#[derive(Clone, Copy, Debug)]
pub struct NoNetworks;

impl<G: Game> NetworkLoader<G> for NoNetworks {
    fn load(
        &self,
        _game: &G,
        _bytes: &[u8],
        _optimism: f64,
    ) -> Result<Box<dyn NetworkEvaluator>, BoxError> {
        Err("no network can be loaded here; give PlayerPool::new a loader".into())
    }
}

/// Why a player cannot play.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// Its network cannot be loaded.
    #[error("player {name} cannot be loaded")]
    Load {
        /// The player.
        name: String,
        /// What the loader reports.
        source: BoxError,
    },
    /// Its program cannot be started, or does not play this game.
    #[error("player {name} is asked for a game")]
    Engine {
        /// The player.
        name: String,
        /// What the program did.
        source: EngineError,
    },
    /// What was learned for it is not there.
    #[error(transparent)]
    Guide(#[from] GuideError),
    /// The game has no solver.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// Its search uses numbers that its evaluator does not give.
    #[error("player {name}: {missing}")]
    Missing {
        /// The player.
        name: String,
        /// What is missing.
        missing: MissingNumbers,
    },
    /// It does not search, and a search was asked for.
    #[error("{name} does not search")]
    NoSearch {
        /// The player.
        name: String,
    },
}

/// The evaluators of the players of one or several matches. Players with the same network share one
/// evaluator and its cache.
pub struct PlayerPool<G: Game> {
    game: G,
    networks: Box<dyn NetworkLoader<G>>,
    cache_entries: usize,
    sources: Sources<G>,
    /// Indices of sources by what they evaluate with.
    by_key: BTreeMap<String, usize>,
    /// Guides by their files and policies.
    guides: BTreeMap<String, Arc<Guide>>,
}

/// A player that can play.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The index of its source of evaluations, 0 for players without an evaluator.
    pub source: usize,
    /// Its rollouts, and its heuristic values of moves.
    pub guide: Arc<Guide>,
}

/// Numbers that a search would use and that its game or evaluator does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MissingNumbers {
    /// The game counts no points.
    #[error(
        "search.score_utility_static and search.score_utility_dynamic need a game that counts points, such as go; set both to 0"
    )]
    Points,
    /// The evaluator does not know by how many points a game will be won.
    #[error(
        "search.score_utility_static and search.score_utility_dynamic need a network that was trained with heads.margin_weight above 0; set both to 0"
    )]
    Margins,
    /// The evaluator does not know how far its values may be off.
    #[error(
        "search.uncertainty_coeff needs a network that was trained with heads.short_term_error_weight above 0; set it to 0"
    )]
    Errors,
}

/// Checks that a game and the evaluator with this index give every number that a search uses.
///
/// # Errors
/// What is missing.
pub fn check_numbers<G: Game>(
    game: &G,
    params: &SearchParams,
    sources: &Sources<G>,
    index: usize,
) -> Result<(), MissingNumbers> {
    if params.score_utility.is_some() {
        if Domain::board_side(game).is_none() {
            return Err(MissingNumbers::Points);
        }
        if !sources.has_margins(index) {
            return Err(MissingNumbers::Margins);
        }
    }
    if params.uncertainty.is_some() && !sources.has_errors(index) {
        return Err(MissingNumbers::Errors);
    }
    Ok(())
}

impl<G: Game> fmt::Debug for PlayerPool<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayerPool").field("by_key", &self.by_key).finish_non_exhaustive()
    }
}

impl<G: Game> PlayerPool<G> {
    /// A pool without evaluators. Each network gets a cache of `cache_entries` evaluations.
    pub fn new(game: &G, networks: impl NetworkLoader<G> + 'static, cache_entries: usize) -> Self {
        Self {
            game: game.clone(),
            networks: Box::new(networks),
            cache_entries,
            sources: Sources::default(),
            by_key: BTreeMap::new(),
            guides: BTreeMap::new(),
        }
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The evaluators. Callers add their own here and name them by [`PlayerEvaluator::Added`].
    pub fn sources(&mut self) -> &mut Sources<G> {
        &mut self.sources
    }

    /// The same pool for a search that has the processor to itself: networks on the processor work
    /// on so many threads of their own.
    #[must_use]
    pub fn on_threads(self, threads: usize) -> Self {
        Self { sources: self.sources.on_threads(threads), ..self }
    }

    /// The evaluators, for callers that drive their searches themselves.
    pub fn into_sources(self) -> Sources<G> {
        self.sources
    }

    /// Makes a player ready: loads its evaluator and its guide, or asks its program for a game.
    ///
    /// # Errors
    /// [`PlayerError`].
    pub fn prepare(&mut self, player: &MatchPlayer) -> Result<Ready, PlayerError> {
        let nothing = || Ready { source: 0, guide: Arc::default() };
        match &player.kind {
            PlayerKind::Random => Ok(nothing()),
            PlayerKind::Search(search) => {
                let guide = self.guide(search)?;
                let source = self.source(&player.name, search, &guide)?;
                check_numbers(&self.game, &search.params, &self.sources, source).map_err(
                    |missing| PlayerError::Missing { name: player.name.clone(), missing },
                )?;
                Ok(Ready { source, guide })
            }
            PlayerKind::Engine(pool) => {
                // A program that is missing or does not play this game is an error, not a loss.
                let engine = pool
                    .take()
                    .and_then(|mut engine| engine.begin(&Rules::of(&self.game)).map(|()| engine));
                let failed = |source| PlayerError::Engine { name: player.name.clone(), source };
                pool.put(engine.map_err(failed)?);
                Ok(nothing())
            }
        }
    }

    /// The rollouts and heuristics of a player; each file is read once.
    fn guide(&mut self, search: &SearchPlayer) -> Result<Arc<Guide>, PlayerError> {
        let key = format!("{:?} {:?}", search.rollouts, search.heuristic);
        if let Some(guide) = self.guides.get(&key) {
            return Ok(guide.clone());
        }
        let guide = Arc::new(Guide::load(&self.game, &search.rollouts, &search.heuristic)?);
        self.guides.insert(key, guide.clone());
        Ok(guide)
    }

    fn source(
        &mut self,
        name: &str,
        search: &SearchPlayer,
        guide: &Arc<Guide>,
    ) -> Result<usize, PlayerError> {
        let evaluator = &search.evaluator;
        // Else the search plays its rollouts itself.
        let plays = search.params.leaf_value != LeafValue::Rollout;
        let optimism = search.params.policy_optimism;
        let key = match evaluator {
            PlayerEvaluator::Added(index) => return Ok(*index),
            PlayerEvaluator::Network { hash, .. } if optimism > 0.0 => {
                format!("{hash} with optimism {optimism}")
            }
            PlayerEvaluator::Network { hash, .. } => hash.clone(),
            PlayerEvaluator::Uniform => "uniform".to_owned(),
            PlayerEvaluator::Rollout => format!("rollout {:?} {plays}", search.rollouts),
            PlayerEvaluator::Amaf(playouts) => format!("amaf-{playouts}"),
            PlayerEvaluator::Lookahead(plies) => format!("lookahead-{plies}"),
            PlayerEvaluator::Solver => "solver".to_owned(),
        };
        if let Some(&index) = self.by_key.get(&key) {
            return Ok(index);
        }
        let sources = &mut self.sources;
        let index = match evaluator {
            PlayerEvaluator::Added(index) => *index,
            PlayerEvaluator::Network { bytes, .. } => {
                let failed = |source| PlayerError::Load { name: name.to_owned(), source };
                let network = self.networks.load(&self.game, bytes, optimism).map_err(failed)?;
                let added = sources.add_network(&self.game, network, self.cache_entries);
                added.map_err(|error| failed(error.into()))?
            }
            PlayerEvaluator::Uniform => sources.add_instant(Arc::new(Uniform)),
            PlayerEvaluator::Rollout => {
                let guide = guide.clone();
                sources.add_instant(Arc::new(GuideEvaluator::new(guide, plays)))
            }
            PlayerEvaluator::Amaf(playouts) => {
                sources.add_instant(Arc::new(Amaf::new(*playouts, Rollout::default())))
            }
            PlayerEvaluator::Lookahead(plies) => {
                sources.add_instant(Arc::new(Lookahead::new(*plies)))
            }
            PlayerEvaluator::Solver => sources.add_instant(Arc::new(Exact::new(&self.game)?)),
        };
        self.by_key.insert(key, index);
        Ok(index)
    }
}
