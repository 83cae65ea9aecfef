//! Matches whose games are played on several machines.

use std::ops::Range;

use crate::match_file::MatchHeader;
use crate::match_plan::Match;
use crate::pool::BoxError;
use crate::{Opening, PlayedGame};

/// Shares out the games of matches that are played together: some are played here, others come from
/// elsewhere. A game depends on its match and its number alone, so both are the same game.
pub trait Partner: Send {
    /// The matches begin.
    ///
    /// # Errors
    /// What keeps them from being shared out. Nothing is played then.
    fn begin(&mut self, matches: &[SharedMatch<'_>]) -> Result<(), BoxError>;

    /// The games to begin here next, numbers of one match; none where there are none now.
    fn next(&mut self) -> Option<(usize, Range<u64>)>;

    /// Takes a game that has ended here.
    ///
    /// # Errors
    /// What keeps it from being handed on. No more games are started then.
    fn played(&mut self, match_index: usize, game: &PlayedGame) -> Result<(), BoxError>;

    /// Says whether a match needs no more games, since it is decided or whole. Called when that
    /// changes; it may change back after [`News::TakenBack`].
    fn set_over(&mut self, match_index: usize, is_over: bool);

    /// Returns what others have done since the last call. If `waits` is set, there is nothing to
    /// play here, and the partner may wait for a moment.
    ///
    /// # Errors
    /// What ends the matches.
    fn news(&mut self, waits: bool) -> Result<Vec<News>, BoxError>;

    /// The matches end. `is_whole` says whether all of them are over: then the finished games are
    /// kept here, and nobody needs to keep them elsewhere.
    ///
    /// # Errors
    /// What ends the run.
    fn end(&mut self, is_whole: bool) -> Result<(), BoxError>;
}

/// What a partner needs to know of a match.
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

/// What others did.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Games were played.
    Played {
        /// Their match.
        match_index: usize,
        /// The games.
        games: Vec<PlayedGame>,
        /// Ids of the evaluators that played them, where they are not those of the header.
        other_evaluators: Vec<String>,
    },
    /// Games that came before are not good. They are missing again unless they were played here.
    TakenBack {
        /// Their match.
        match_index: usize,
        /// Their numbers.
        games: Range<u64>,
    },
    /// Nothing more comes, and nothing more is to be begun.
    End,
}
