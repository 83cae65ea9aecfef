//! Who sits down to a match, and the sources that evaluate for them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use anyhow::{Context, Result};
use dz_config::{Anchor, AnchorKind, BootstrapEvaluator, SearchSection};
use dz_external_engines::Rules;
use dz_game::Game;
use dz_infer::{Evaluator, Rollout, Sources, Uniform};
use dz_play::{Exact, Lookahead, PlayerKind, PlayerSetup, anchor_player};
use dz_search::{Budget, TieBreak};
use dz_search_settings::SearchSettings;

/// A player by name, and everything that fixes how it plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Contestant {
    /// The name in records and ratings.
    pub name: String,
    /// How it plays.
    pub kind: ContestantKind,
}

/// How a player finds its moves.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a match has two players")]
pub enum ContestantKind {
    /// A fixed opponent with a search of its own.
    Anchor(AnchorKind),
    /// The search of a run.
    Search {
        /// What evaluates positions.
        mind: Mind,
        /// Settings of the search.
        search: SearchSection,
        /// Playouts a move.
        playouts: u32,
    },
}

/// What evaluates positions for a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Mind {
    /// A network.
    Network {
        /// Hash of the file or of its content; equal keys mean equal networks.
        key: String,
        /// The file.
        bytes: Arc<[u8]>,
    },
    /// The stand-in of generation 0.
    Bootstrap(BootstrapEvaluator),
}

impl Contestant {
    /// Whether it is a program of its own.
    pub(crate) fn is_program(&self) -> bool {
        matches!(self.kind, ContestantKind::Anchor(AnchorKind::Engine(_)))
    }

    /// The key of its network, where it has one.
    pub fn network_key(&self) -> Option<&str> {
        match &self.kind {
            ContestantKind::Search { mind: Mind::Network { key, .. }, .. } => Some(key),
            _ => None,
        }
    }
}

/// Makes evaluators of network files: on a device, or of another kind in tests.
pub trait NetworkLoader<G: Game> {
    /// The evaluator of the network file `bytes`.
    ///
    /// # Errors
    /// If the file is damaged, is for another game, or the device fails.
    fn load(&self, game: &G, bytes: &[u8]) -> Result<Box<dyn Evaluator<G>>>;
}

/// The sources of all players of one or several matches; each network is loaded once.
pub struct Players<'a, G: Game> {
    game: &'a G,
    networks: &'a dyn NetworkLoader<G>,
    cache_entries: usize,
    sources: Sources<G>,
    by_key: BTreeMap<String, usize>,
}

impl<G: Game> fmt::Debug for Players<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Players").field("by_key", &self.by_key).finish_non_exhaustive()
    }
}

impl<'a, G: Game> Players<'a, G> {
    /// No players yet. Every network gets a cache of `cache_entries` evaluations.
    pub fn new(game: &'a G, networks: &'a dyn NetworkLoader<G>, cache_entries: usize) -> Self {
        let (sources, by_key) = (Sources::default(), BTreeMap::new());
        Self { game, networks, cache_entries, sources, by_key }
    }

    /// Makes a player ready: loads its network if it is the first to use it.
    ///
    /// # Errors
    /// What [`NetworkLoader::load`] reports.
    pub fn seat(&mut self, contestant: &Contestant) -> Result<PlayerSetup> {
        let name = contestant.name.clone();
        match &contestant.kind {
            ContestantKind::Anchor(kind) => {
                let source = match kind {
                    AnchorKind::Random | AnchorKind::Engine(_) => 0,
                    AnchorKind::Rollout { .. } => self.rollouts(),
                    AnchorKind::Solver { depth } => self.solver(*depth)?,
                };
                let setup = anchor_player(&Anchor { name, kind: kind.clone() }, source)?;
                if let PlayerKind::External(pool) = &setup.kind {
                    // A program that is not there, or does not play this game, is no loss of games.
                    let engine = pool.take().and_then(|mut engine| {
                        engine.begin(&Rules::of(self.game)).map(|()| engine)
                    });
                    let doing = || format!("player {} is asked for a game", setup.name);
                    pool.put(engine.with_context(doing)?);
                }
                Ok(setup)
            }
            ContestantKind::Search { mind, search, playouts } => {
                let source =
                    self.source(mind).with_context(|| format!("player {name} cannot be loaded"))?;
                let SearchSettings { mut params, root, choice, reuse, .. } =
                    SearchSettings::for_matches(search);
                if matches!(mind, Mind::Bootstrap(_)) {
                    // Equal priors tell no moves apart; the lowest is not better than others.
                    params.tie_break = TieBreak::Random;
                }
                let budget = Budget::Playouts(*playouts);
                let kind = PlayerKind::Search { params, root, choice, budget, reuse, source };
                Ok(PlayerSetup { name, kind })
            }
        }
    }

    /// The game.
    pub fn game(&self) -> &'a G {
        self.game
    }

    /// What lockstep runs ask.
    pub fn sources(&mut self) -> &mut Sources<G> {
        &mut self.sources
    }

    /// The sources of the players seated so far, for callers that drive their searches themselves.
    pub fn into_sources(self) -> Sources<G> {
        self.sources
    }

    fn source(&mut self, mind: &Mind) -> Result<usize> {
        match mind {
            Mind::Bootstrap(BootstrapEvaluator::Rollout) => Ok(self.rollouts()),
            Mind::Bootstrap(BootstrapEvaluator::Uniform) => {
                let sources = &mut self.sources;
                let add = || sources.add_instant(Arc::new(Uniform));
                Ok(*self.by_key.entry("uniform".to_owned()).or_insert_with(add))
            }
            Mind::Network { key, bytes } => {
                if let Some(&index) = self.by_key.get(key) {
                    return Ok(index);
                }
                let evaluator = self.networks.load(self.game, bytes)?;
                let index = self.sources.add_batched(evaluator, self.cache_entries);
                self.by_key.insert(key.clone(), index);
                Ok(index)
            }
        }
    }

    /// What looks `depth` plies ahead, or knows the truth.
    fn solver(&mut self, depth: Option<u32>) -> Result<usize> {
        let key = depth.map_or("solver".to_owned(), |depth| format!("solver-{depth}"));
        if let Some(&index) = self.by_key.get(&key) {
            return Ok(index);
        }
        let index = match depth {
            Some(depth) => self.sources.add_instant(Arc::new(Lookahead::new(depth))),
            None => self.sources.add_instant(Arc::new(Exact::new(self.game)?)),
        };
        self.by_key.insert(key, index);
        Ok(index)
    }

    fn rollouts(&mut self) -> usize {
        let sources = &mut self.sources;
        let add = || sources.add_instant(Arc::new(Rollout::default()));
        *self.by_key.entry("rollout".to_owned()).or_insert_with(add)
    }
}
