//! Matches whose games are played on several machines.

use std::ops::Range;

use crate::match_file::MatchHeader;
use crate::match_plan::Match;
use crate::pool::BoxError;
use crate::{Opening, PlayedGame};

/// Distributes the games of matches: some are played here, others come from other machines. A game
/// depends only on its match and its number, so its moves are the same wherever it is played.
pub trait MatchScheduler: Send {
    /// The matches begin.
    ///
    /// # Errors
    /// The reason why they cannot be distributed. Nothing is played then.
    fn begin(&mut self, matches: &[SharedMatch<'_>]) -> Result<(), BoxError>;

    /// Returns the games to begin here next, as numbers of one match, or `None` if there are none
    /// now.
    fn next(&mut self) -> Option<(usize, Range<u64>)>;

    /// Receives a game that has ended here.
    ///
    /// # Errors
    /// The reason why it cannot be handed on. No more games are started then.
    fn played(&mut self, match_index: usize, game: &PlayedGame) -> Result<(), BoxError>;

    /// Sets whether a match needs no more games because it is decided or complete. Called when that
    /// changes; it may change back after [`RemoteEvent::Withdrawn`].
    fn set_over(&mut self, match_index: usize, is_over: bool);

    /// Returns the events since the last call. If `waits` is set, there is nothing to play here,
    /// and the scheduler may block for a moment.
    ///
    /// # Errors
    /// What ends the matches.
    fn poll(&mut self, waits: bool) -> Result<Vec<RemoteEvent>, BoxError>;

    /// The matches end. If `is_whole` is set, all of them are over: the finished games are stored
    /// here, and no other machine needs to keep them.
    ///
    /// # Errors
    /// What ends the run.
    fn end(&mut self, is_whole: bool) -> Result<(), BoxError>;
}

/// A match as a scheduler sees it.
#[derive(Clone, Copy, Debug)]
pub struct SharedMatch<'a> {
    /// The match.
    pub plan: &'a Match,
    /// The header of its file. Equal headers have equal games.
    pub header: &'a MatchHeader,
    /// Its openings, by pair; used again where there are fewer than pairs.
    pub openings: &'a [Opening],
    /// Games that were finished before.
    pub played: &'a [PlayedGame],
    /// Whether no more games are wanted.
    pub is_over: bool,
}

/// An event on another machine.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteEvent {
    /// Games were played.
    Played {
        /// Their match.
        match_index: usize,
        /// The games.
        games: Vec<PlayedGame>,
        /// Ids of the evaluators that played them, where they are not those of the header.
        other_evaluators: Vec<String>,
    },
    /// Games of an earlier event were wrong. They are missing again unless they were played here.
    Withdrawn {
        /// Their match.
        match_index: usize,
        /// Their numbers.
        games: Range<u64>,
    },
    /// No more events follow, and no more games may be begun.
    End,
}
