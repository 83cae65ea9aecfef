//! A match, and what its caller gives it: a store for finished games and an observer.

use dz_infer::EvaluatorError;

use crate::match_file::MatchHeader;
use crate::pool::BoxError;
use crate::{EarlyStop, MatchPlayer, PlayedGame, PlayerError};

/// Two players, the number of their games, and what fixes these games.
///
/// ```
/// use dz_game::games::TicTacToe;
/// use dz_infer::Lockstep;
/// use dz_play::{
///     Match, MatchCounts, NoNetworks, NoObserver, PlayerPool, play_match, rollout_anchor,
/// };
///
/// let plan = Match {
///     players: [rollout_anchor("strong", 50), rollout_anchor("weak", 2)],
///     games: 20,
///     opening_plies: 2,
///     seed: 1,
///     plies_max: 9,
///     early_stop: None,
/// };
/// let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
/// let lockstep = Lockstep { parallel_games: 8, groups: 1 };
/// let played = play_match(&plan, &mut pool, &lockstep, None, &mut NoObserver).unwrap();
/// assert!(MatchCounts::of(&played.games).score() > 0.5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Players A and B. A moves first in even games.
    pub players: [MatchPlayer; 2],
    /// Games; even. Games 2k and 2k + 1 begin with one opening, colours swapped.
    pub games: u64,
    /// Random plies of each opening.
    pub opening_plies: u32,
    /// Fixes openings and games.
    pub seed: u64,
    /// Plies after which a game is a draw.
    pub plies_max: u32,
    /// Ends the match before its last game, once it is decided.
    pub early_stop: Option<EarlyStop>,
}

/// Keeps the finished games of one match, so that an interrupted match can be resumed.
pub trait GameStore: Send {
    /// Finished games of the match with this header, in any order.
    ///
    /// # Errors
    /// What the storage reports.
    fn open(&mut self, header: &MatchHeader) -> Result<Vec<PlayedGame>, BoxError>;

    /// Adds a game that has just ended.
    ///
    /// # Errors
    /// What the storage reports. No more games are started then.
    fn append(&mut self, game: &PlayedGame) -> Result<(), BoxError>;
}

/// The progress of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchProgress {
    /// A's name.
    pub a: String,
    /// B's name.
    pub b: String,
    /// Finished games, those of earlier processes included.
    pub games: u64,
    /// Games to be played.
    pub games_total: u64,
    /// A's mean score so far, 0 to 1; one half without games.
    pub score: f64,
    /// Positions that networks evaluated per second in this process, over all matches that are
    /// played at the same time.
    pub evaluations_per_second: f64,
}

/// Follows matches and may stop them.
pub trait MatchObserver: Send {
    /// A match begins or is resumed.
    fn begins(&mut self, _progress: &MatchProgress) {}
    /// A game has ended.
    fn progress(&mut self, progress: &MatchProgress);
    /// The matches that were played at the same time are over: decided, finished or stopped.
    fn over(&mut self) {}
    /// True if no more games are to be started.
    fn stopped(&self) -> bool {
        false
    }
}

/// Follows nothing and never stops.
#[derive(Clone, Copy, Debug)]
pub struct NoObserver;

impl MatchObserver for NoObserver {
    fn progress(&mut self, _progress: &MatchProgress) {}
}

/// Why matches cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A player cannot play.
    #[error("seating {pair}")]
    Player {
        /// Who meets whom.
        pair: String,
        /// Why.
        source: Box<PlayerError>,
    },
    /// An evaluator has failed.
    #[error("playing {pairs}")]
    Evaluator {
        /// Who meets whom.
        pairs: String,
        /// Why.
        source: EvaluatorError,
    },
    /// Finished games cannot be kept.
    #[error(transparent)]
    Store(BoxError),
    /// The machines that play with this one cannot be reached, or another one took over.
    #[error("sharing out the games of matches")]
    Scheduler(#[source] BoxError),
}

/// A match to be played, and where its finished games are kept, if they are.
pub struct MatchTask<'p, 's> {
    /// The match.
    pub plan: &'p Match,
    /// Where its finished games are kept.
    pub store: Option<&'s mut dyn GameStore>,
}

impl Match {
    /// Who plays, for people.
    pub(crate) fn pair(&self) -> String {
        let [a, b] = &self.players;
        format!("{} against {}", a.name, b.name)
    }

    /// Whether a player is another program.
    pub(crate) fn has_engine(&self) -> bool {
        self.players.iter().any(MatchPlayer::is_engine)
    }
}
