//! How a player's rollouts move and what says how good moves are before they are tried: "offline
//! knowledge" (Gelly and Silver, Combining Online and Offline Knowledge in UCT, ICML 2007).

use std::sync::Arc;
use std::{fs::File, io::Read};

use dz_game::{Game, Move, Player, Wdl};
use dz_infer::{InstantEvaluator, LeafView, LearnedMoves, Position, Rollout};
use dz_linear::{LinearError, LinearPolicy, LinearValue};
use dz_search::OfflineKnowledge;
use dz_search_settings::{MoveHeuristic, RolloutMoves, RolloutPolicy};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The most bytes of a file: that of Go 19x19 has some megabytes.
const BYTES_MAX: u64 = 1 << 28;

/// Why a file of `dagzero learn` is of no use.
#[derive(Debug, thiserror::Error)]
pub enum GuideError {
    /// It cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: String,
        /// What the system reports.
        source: std::io::Error,
    },
    /// It is no value function or policy of this game.
    #[error("{path} cannot be used")]
    Linear {
        /// The file.
        path: String,
        /// Why.
        source: LinearError,
    },
}

/// The rollouts of a player, and its heuristic values of moves.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    rollout: Rollout,
    learned: Option<Arc<LinearPolicy>>,
    value: Option<Arc<LinearValue>>,
}

impl Guide {
    /// Rollouts by `policy`, without files: one that is to be learned moves uniformly.
    pub fn of(policy: RolloutPolicy) -> Self {
        Self { rollout: rollouts_of(policy), ..Self::default() }
    }

    /// Rollouts and heuristics with what is in their files.
    ///
    /// # Errors
    /// [`GuideError`].
    pub fn load<G: Game>(
        game: &G,
        rollouts: &RolloutMoves,
        heuristic: &MoveHeuristic,
    ) -> Result<Self, GuideError> {
        let learned = rollouts.file().map(|path| {
            let policy = LinearPolicy::from_bytes(game, &read(path)?);
            let unfit = |source| GuideError::Linear { path: path.to_owned(), source };
            policy.map(Arc::new).map_err(unfit)
        });
        let value = match heuristic {
            MoveHeuristic::None => None,
            MoveHeuristic::Linear(path) => Some(Arc::new(linear_value(game, path)?)),
        };
        Ok(Self { rollout: rollouts_of(rollouts.policy()), learned: learned.transpose()?, value })
    }

    /// Plays a rollout: the chances of the leaf's mover. Clears `moves` and fills in who made which
    /// moves.
    pub fn play<G: Game>(&self, leaf: &LeafView<'_, G>, moves: &mut Vec<(Player, Move)>) -> Wdl {
        match &self.learned {
            None => self.rollout.play(leaf, moves),
            Some(policy) => self.rollout.play_learned(&Moves(policy), leaf, moves),
        }
    }

    /// Clears `values` and fills in the value of each legal move for the mover, 2 sigma - 1 of the
    /// chance after it; leaves it empty without a value function.
    pub fn heuristics<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        legal: &[Move],
        values: &mut Vec<f64>,
    ) {
        values.clear();
        let Some(value) = &self.value else { return };
        values.extend(value.after_moves(game, state, legal).into_iter().map(|p| 2.0 * p - 1.0));
    }
}

/// A policy of local shapes as rollouts ask it.
#[derive(Debug)]
struct Moves<'a>(&'a LinearPolicy);

impl<G: Game> LearnedMoves<G> for Moves<'_> {
    fn sample(
        &self,
        at: &Position<'_, G>,
        random: &mut Xoshiro256PlusPlus,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        at.game.legal_moves(at.state, at.history, scratch);
        self.0.sample(at.game, at.state, scratch, random)
    }
}

impl<G: Game> OfflineKnowledge<G> for Guide {
    fn rollout_move(
        &self,
        game: &G,
        state: &G::State,
        history: &G::History,
        last: Option<Move>,
        random: u64,
    ) -> Option<Move> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(random);
        let mut scratch = Vec::new();
        let at = Position { game, state, history, last };
        match &self.learned {
            None => self.rollout.policy.sample(&at, &mut random, &mut scratch),
            Some(policy) => Moves(policy).sample(&at, &mut random, &mut scratch),
        }
    }

    fn heuristics(
        &self,
        game: &G,
        state: &G::State,
        _history: &G::History,
        legal: &[Move],
        values: &mut Vec<f64>,
    ) {
        self.heuristics(game, state, legal, values);
    }
}

/// A guide as the evaluator of a search: equal priors, and a rollout's outcome as the value unless
/// the search plays its rollouts itself.
#[derive(Debug)]
pub(crate) struct GuideEvaluator {
    guide: Arc<Guide>,
    plays: bool,
    id: &'static str,
}

impl GuideEvaluator {
    /// An evaluator that plays rollouts by the guide, or gives equal priors alone.
    pub(crate) fn new(guide: Arc<Guide>, plays: bool) -> Self {
        let id = match (&guide.learned, guide.rollout.policy) {
            (Some(_), _) => "rollout-learned",
            (None, dz_infer::RolloutPolicy::Uniform) => "rollout",
            (None, dz_infer::RolloutPolicy::Informed) => "rollout-informed",
        };
        Self { guide, plays, id }
    }
}

impl<G: Game> InstantEvaluator<G> for GuideEvaluator {
    fn id(&self) -> &str {
        self.id
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        priors.clear();
        priors.resize(leaf.legal.len(), 1.0 / leaf.legal.len() as f32);
        if self.plays { self.guide.play(leaf, &mut Vec::new()) } else { Wdl::UNKNOWN }
    }
}

/// Reads the value function in the file `path`.
///
/// # Errors
/// [`GuideError`].
pub fn linear_value<G: Game>(game: &G, path: &str) -> Result<LinearValue, GuideError> {
    let unfit = |source| GuideError::Linear { path: path.to_owned(), source };
    LinearValue::from_bytes(game, &read(path)?).map_err(unfit)
}

fn read(path: &str) -> Result<Vec<u8>, GuideError> {
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
    file.map_err(|source| GuideError::Read { path: path.to_owned(), source })?;
    Ok(bytes)
}

/// The rollouts of a search with this key `search.rollout`; what was learned comes with a
/// [`Guide`].
pub fn rollouts_of(policy: RolloutPolicy) -> Rollout {
    Rollout::by(match policy {
        RolloutPolicy::Uniform | RolloutPolicy::Learned => dz_infer::RolloutPolicy::Uniform,
        RolloutPolicy::Mogo => dz_infer::RolloutPolicy::Informed,
    })
}
