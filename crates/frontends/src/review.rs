//! Reviews of games: a search of every position, and a judgement of every move.

use dz_game::{Move, Player, Status, Wdl};
use dz_infer::EvaluatorError;
use serde::Serialize;
use thiserror::Error;

use crate::{Refusal, Session};

/// Playouts between two checks whether a search is done.
const PLAYOUTS_AT_ONCE: u32 = 64;

/// Plies of the best line in a review.
const LINE_PLIES: usize = 8;

/// How good a move was, by the expected score (a draw is half a point) that it lost. The steps are
/// those of lichess (`modules/tree/src/main/Advice.scala`: 0.3, 0.2 and 0.1 of win minus loss).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// The search's own choice.
    Best,
    /// Less than 0.05 lost.
    Good,
    /// 0.05 or more.
    Inaccuracy,
    /// 0.1 or more.
    Mistake,
    /// 0.15 or more.
    Blunder,
}

impl Judgement {
    fn of(loss: f64, best: bool) -> Self {
        match loss {
            _ if best => Self::Best,
            0.15.. => Self::Blunder,
            0.1.. => Self::Mistake,
            0.05.. => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Good => "good",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "BLUNDER",
        }
    }
}

/// A ply of a game that is reviewed. Scores are expected ones, from 0 to 1, of the player named.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedPly {
    /// From 1.
    pub ply: usize,
    /// Who moved: "first" or "second".
    pub player: &'static str,
    /// The move, as front ends name it.
    pub played: String,
    /// The move that the search would have played.
    pub best: String,
    /// The line that the search expects after it.
    pub best_line: Vec<String>,
    /// Score of the mover before the move, by the search there.
    pub score_before: f64,
    /// Score of the mover after the move: by the search there, or the outcome.
    pub score_after: f64,
    /// The expected score that the move lost; 0 for the search's own move.
    pub loss: f64,
    /// In one word.
    pub judgement: Judgement,
    /// The first player's score after the move: the value curve.
    pub first_score: f64,
}

/// Why a game cannot be reviewed.
#[derive(Debug, Error)]
pub enum ReviewError {
    /// A move cannot be played.
    #[error("move {ply}: {refusal}")]
    Move {
        /// From 1.
        ply: usize,
        /// Why.
        refusal: Refusal,
    },
    /// An evaluator has failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

/// A position before its move, with what a search found.
struct SearchedPosition {
    player: Player,
    wdl: Wdl,
    best: Option<(Move, Vec<Move>)>,
}

/// Searches every position of a game with `playouts` each, and judges every move. The game consists
/// of `moves` from the session's position. `on_ply` is called after each ply. Afterwards the
/// session is at the end of the game.
///
/// # Errors
/// [`ReviewError::Move`] at the first move that cannot be played.
pub fn review(
    session: &mut dyn Session,
    moves: &[Move],
    playouts: u32,
    on_ply: &mut dyn FnMut(usize),
) -> Result<Vec<ReviewedPly>, ReviewError> {
    let mut plies = Vec::with_capacity(moves.len());
    let mut now = search_position(session, playouts)?;
    for (index, &mv) in moves.iter().enumerate() {
        let ply = index + 1;
        let refused = |refusal| ReviewError::Move { ply, refusal };
        let Some(SearchedPosition { player, wdl, best }) = now else {
            return Err(refused(Refusal::Over));
        };
        let played = session.format(mv);
        let named = best.map(|(best, line)| {
            let names = names(session, &line);
            (best == mv, session.format(best), names)
        });
        session.play(player, mv).map_err(refused)?;
        now = search_position(session, playouts)?;
        let after = match (&now, session.status()) {
            (Some(next), _) if next.player == player => next.wdl,
            (Some(next), _) => next.wdl.flip(),
            (None, Status::Over(outcome)) => outcome.wdl_for(player),
            (None, Status::ToMove(_)) => wdl,
        };
        let score_before = f64::from(wdl.score());
        let score_after = f64::from(after.score());
        let (is_best, best, best_line) = named.unwrap_or((true, played.clone(), Vec::new()));
        let loss = if is_best { 0.0 } else { (score_before - score_after).max(0.0) };
        plies.push(ReviewedPly {
            ply,
            player: player.name(),
            played,
            best,
            best_line,
            score_before,
            score_after,
            loss,
            judgement: Judgement::of(loss, is_best),
            first_score: if player == Player::First { score_after } else { 1.0 - score_after },
        });
        on_ply(ply);
    }
    Ok(plies)
}

/// Returns the comment of a ply for a record.
pub fn comment(ply: &ReviewedPly) -> String {
    let score = format!("score {:.2}", ply.score_after);
    let judgement = ply.judgement.word().to_lowercase();
    let line = ply.best_line.join(" ");
    match ply.judgement {
        Judgement::Best => score,
        Judgement::Good => format!("{score}, {judgement}; first choice {line}"),
        _ => format!("{score}, {judgement} (-{:.2}); better {line}", ply.loss),
    }
}

fn search_position(
    session: &mut dyn Session,
    playouts: u32,
) -> Result<Option<SearchedPosition>, ReviewError> {
    let Status::ToMove(player) = session.status() else { return Ok(None) };
    if session.begin(player, Some(playouts)).is_err() {
        return Ok(None);
    }
    while !session.search(PLAYOUTS_AT_ONCE)? {}
    let report = session.report();
    let best = report.moves.first().map(|m| (m.mv, m.line.clone()));
    Ok(Some(SearchedPosition { player, wdl: report.wdl, best }))
}

/// Returns the names of the first moves of a line.
pub(crate) fn names(session: &dyn Session, line: &[Move]) -> Vec<String> {
    line.iter().take(LINE_PLIES).map(|&mv| session.format(mv)).collect()
}
