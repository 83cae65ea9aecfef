//! How a player's rollouts move, and the values of moves before they are tried: "offline knowledge"
//! (Gelly and Silver, Combining Online and Offline Knowledge in UCT, ICML 2007).

use std::path::Path;
use std::sync::Arc;

use dz_game::{Game, Move, Player, Wdl};
use dz_infer::{InstantEvaluator, LeafView, Position, Rollout, RolloutSampler};
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
    /// Hashes of the files that it was loaded from.
    files: Vec<String>,
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
        let mut guide = Self::of(rollouts.policy());
        if let Some(path) = rollouts.file() {
            let policy = guide.read(path, |bytes| LinearPolicy::from_bytes(game, bytes))?;
            guide.learned = Some(Arc::new(policy));
        }
        if let MoveHeuristic::Linear(path) = heuristic {
            let value = guide.read(path, |bytes| LinearValue::from_bytes(game, bytes))?;
            guide.value = Some(Arc::new(value));
        }
        Ok(guide)
    }

    /// Reads what the file `path` holds, and notes the file's hash.
    fn read<T>(
        &mut self,
        path: &str,
        parse: impl Fn(&[u8]) -> Result<T, LinearError>,
    ) -> Result<T, GuideError> {
        let bytes = dz_text::read_input(Path::new(path), BYTES_MAX);
        let bytes = bytes.map_err(|source| GuideError::Read { path: path.to_owned(), source })?;
        self.files.push(blake3::hash(&bytes).to_hex().to_string());
        parse(&bytes).map_err(|source| GuideError::Linear { path: path.to_owned(), source })
    }

    /// The name of an evaluator with the hashes of this guide's files: equal names stand for equal
    /// searches.
    pub fn named(&self, evaluator: &str) -> String {
        let files = self.files.iter().map(String::as_str);
        [evaluator].into_iter().chain(files).collect::<Vec<_>>().join(" ")
    }

    /// Plays a rollout: the chances of the leaf's mover. Clears `moves` and fills in who made which
    /// moves.
    pub fn play<G: Game>(&self, leaf: &LeafView<'_, G>, moves: &mut Vec<(Player, Move)>) -> Wdl {
        match &self.learned {
            None => self.rollout.play(leaf, moves),
            Some(policy) => self.rollout.play_by(
                leaf,
                |at, random, scratch| sampled_move(policy, at, random, scratch),
                moves,
            ),
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

/// Samples a move by a policy of local shapes. `legal` is working memory.
fn sampled_move<G: Game>(
    policy: &LinearPolicy,
    at: &Position<'_, G>,
    random: &mut Xoshiro256PlusPlus,
    legal: &mut Vec<Move>,
) -> Option<Move> {
    at.game.legal_moves(at.state, at.history, legal);
    policy.sample(at.game, at.state, legal, random)
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
            None => self.rollout.sampler.sample(&at, &mut random, &mut scratch),
            Some(policy) => sampled_move(policy, &at, &mut random, &mut scratch),
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
pub struct GuideEvaluator {
    guide: Arc<Guide>,
    plays: bool,
    id: &'static str,
}

impl GuideEvaluator {
    /// An evaluator that plays rollouts by the guide, or gives equal priors alone.
    pub fn new(guide: Arc<Guide>, plays: bool) -> Self {
        let id = match (&guide.learned, guide.rollout.sampler) {
            (Some(_), _) => "rollout-learned",
            (None, RolloutSampler::Uniform) => "rollout",
            (None, RolloutSampler::Informed) => "rollout-informed",
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

/// The rollouts of a search with this key `search.rollout`. Learned functions come with a
/// [`Guide`].
pub fn rollouts_of(policy: RolloutPolicy) -> Rollout {
    Rollout::by(match policy {
        RolloutPolicy::Uniform | RolloutPolicy::Learned => RolloutSampler::Uniform,
        RolloutPolicy::Mogo => RolloutSampler::Informed,
    })
}
