//! Games of matches, checked by the rules.

use dz_game::{Game, Outcome, Status};

use crate::PlayedGame;

/// How a game of a match contradicts the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// There are moves after the end.
    #[error("it goes on after its end at ply {ply}")]
    AfterEnd {
        /// Plies of the game that the rules allow.
        ply: usize,
    },
    /// A move is not legal.
    #[error("move {mv} at ply {ply} is not legal")]
    Illegal {
        /// The move's number.
        mv: u16,
        /// Its ply, from 0.
        ply: usize,
    },
    /// The outcome is not that of the last position.
    #[error("its outcome is another one")]
    Outcome,
    /// A finished game cannot be forfeited.
    #[error("it is over, so nobody can have forfeited it")]
    Forfeited,
    /// It ends before its end.
    #[error("it is not over")]
    NotOver,
}

/// Plays a game of a match again: every move, and how it ended.
///
/// # Errors
/// [`ReplayError`].
pub fn replay_match_game<G: Game>(
    game: &G,
    played: &PlayedGame,
    plies_max: u32,
) -> Result<(), ReplayError> {
    let mut state = game.start();
    let mut history = G::History::default();
    let mut legal = Vec::new();
    for (ply, &mv) in played.moves.iter().enumerate() {
        if let Status::Over(_) = game.status(&state, &history) {
            return Err(ReplayError::AfterEnd { ply });
        }
        game.legal_moves(&state, &history, &mut legal);
        if !legal.contains(&mv) {
            return Err(ReplayError::Illegal { mv: mv.0, ply });
        }
        game.advance(&mut state, &mut history, mv);
    }
    let fits = match (game.status(&state, &history), &played.forfeit) {
        (Status::Over(_), Some(_)) => return Err(ReplayError::Forfeited),
        (Status::Over(outcome), None) => outcome == played.outcome && !played.adjudicated,
        (Status::ToMove(_), Some(forfeit)) => {
            played.outcome == Outcome::win_of(forfeit.loser.opponent()) && !played.adjudicated
        }
        (Status::ToMove(_), None) => {
            let at_limit = played.moves.len() >= plies_max as usize;
            if !played.adjudicated || !at_limit {
                return Err(ReplayError::NotOver);
            }
            played.outcome == Outcome::DRAW
        }
    };
    if fits { Ok(()) } else { Err(ReplayError::Outcome) }
}
