//! Requests and answers of evaluations, and the trait of evaluators that answer at once.

use dz_game::{Game, Key, Move, Symmetry, Wdl, mix64};
use thiserror::Error;

/// Evaluates one position at once, on the thread that asks: rollouts and fakes.
pub trait InstantEvaluator<G: Game>: Send + Sync {
    /// Names the evaluator, so that equal ids give equal evaluations; recorded in headers.
    fn id(&self) -> &str;
    /// Clears `priors`, fills in one probability for each legal move, and returns the mover's
    /// chances.
    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl;
}

/// A position that a search wants evaluated, borrowed from the search.
#[derive(Debug)]
pub struct LeafView<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The position.
    pub state: &'a G::State,
    /// Its past.
    pub history: &'a G::History,
    /// Its legal moves, ascending; never empty.
    pub legal: &'a [Move],
    /// What the network sees of it.
    pub eval_key: Key,
    /// How the network is to see it.
    pub symmetry: Symmetry,
    /// The move that led there, where it is known: rollouts may answer it.
    pub last: Option<Move>,
    /// A random word of this leaf alone, for evaluators that play rollouts.
    pub random: u64,
}

/// A position of its own; the fields are those of [`LeafView`].
#[derive(Clone, Debug)]
pub struct Leaf<G: Game> {
    /// The position.
    pub state: G::State,
    /// Its past.
    pub history: G::History,
    /// Its legal moves, ascending; never empty.
    pub legal: Vec<Move>,
    /// What the network sees of it.
    pub eval_key: Key,
    /// How the network is to see it.
    pub symmetry: Symmetry,
}

impl<G: Game> Leaf<G> {
    /// The same, borrowed.
    pub fn view<'a>(&'a self, game: &'a G) -> LeafView<'a, G> {
        let Self { state, history, legal, eval_key, symmetry } = self;
        let (eval_key, symmetry) = (*eval_key, *symmetry);
        LeafView { game, state, history, legal, eval_key, symmetry, last: None, random: 0 }
    }
}

/// How a position will end, as an evaluator sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Chances of the player to move.
    pub wdl: Wdl,
    /// That player's points less the opponent's, without komi; `None` where the evaluator does not
    /// know.
    pub margin: Option<f32>,
    /// How far the value is expected to be from those of the next plies, in [0, 2]; `None` where
    /// the evaluator does not know.
    pub error: Option<f32>,
}

impl From<Wdl> for Expected {
    /// Without points and error.
    fn from(wdl: Wdl) -> Self {
        Self { wdl, margin: None, error: None }
    }
}

/// An evaluator's answer for a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// How it will end.
    pub expected: Expected,
    /// One probability for each legal move, in their order, summing to 1.
    pub priors: Vec<f32>,
}

impl Default for Evaluation {
    /// Nothing is known, and no move.
    fn default() -> Self {
        Self { expected: Wdl::UNKNOWN.into(), priors: Vec::new() }
    }
}

/// Names a batch that was submitted and not yet waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// What can go wrong when positions are evaluated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvaluatorError {
    /// The ticket is unknown or was waited for already.
    #[error("batch {0:?} is not in flight: submit it before waiting, and wait only once")]
    UnknownTicket(Ticket),
    /// The network was made for another game or encoding.
    #[error(
        "the network is for encoding '{network}', the game needs '{game}'; use a network of this game"
    )]
    WrongEncoding {
        /// What the network was trained for.
        network: String,
        /// What the game's encoding is.
        game: String,
    },
    /// The network's policy has another length than the encoding's.
    #[error(
        "the network's policy has {network} slots, the encoding's {game}; use a network of this game"
    )]
    WrongPolicy {
        /// Policy length of the network.
        network: usize,
        /// Policy length of the encoding.
        game: usize,
    },
    /// There are not as many outputs as positions.
    #[error("{evaluator} answered {got} numbers where {wanted} were asked for: a bug in it")]
    WrongLength {
        /// Id of the evaluator.
        evaluator: String,
        /// Numbers that came.
        got: usize,
        /// Numbers that the batch needs.
        wanted: usize,
    },
    /// A value or a prior is infinite or not a number.
    #[error(
        "{evaluator} gives values that are not finite; its training has diverged, or its file is \
         damaged: use an earlier network"
    )]
    NotFinite {
        /// Id of the evaluator.
        evaluator: String,
    },
    /// Evaluators that are to take turns do not give equal evaluations.
    #[error(
        "'{first}' and '{other}' cannot take turns, since their evaluations differ; name devices of one kind"
    )]
    Unlike {
        /// Id of the first.
        first: String,
        /// Id of another.
        other: String,
    },
    /// The device or library failed.
    #[error("evaluation failed on {device}: {message}")]
    Device {
        /// Which device.
        device: String,
        /// What it said.
        message: String,
    },
}

/// The symmetry through which a position is evaluated: a pure function of the run's seed, the
/// game's number, the ply that is being searched and the position, so that replay gives the same
/// one.
pub fn symmetry_of(run_seed: u64, game: u64, ply: u32, key: Key, count: u8) -> Symmetry {
    if count <= 1 {
        return Symmetry::IDENTITY;
    }
    let word = mix64(mix64(mix64(run_seed ^ key.low) ^ game) ^ u64::from(ply) ^ key.high);
    Symmetry((word % u64::from(count)) as u8)
}
