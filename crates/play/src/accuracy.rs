//! How often a player's move keeps the value of a position whose truth is known.

use dz_game::{Game, Move, Wdl};
use dz_infer::{
    Evaluation, EvaluatorError, Lockstep, LockstepCounts, Readers, Request, Roster, Sources, Walker,
};
use dz_search::{Budget, MoveChoice, Search, Summary, choose_move};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{MoveSearch, Thinker, Thought};

/// A position with the moves that keep its value.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionCheck {
    /// Moves from the start.
    pub moves: Vec<Move>,
    /// Moves that keep the value.
    pub preserving: Vec<Move>,
    /// The value for the player to move, where it is known: a win, a draw or a loss.
    pub value: Option<Wdl>,
}

/// What a player did with one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preserved {
    /// Index of the position.
    pub index: usize,
    /// Plies from the start.
    pub ply: usize,
    /// The player's move keeps the value.
    pub preserved: bool,
    /// Some legal move loses value, so that there was something to know.
    pub nontrivial: bool,
    /// The outcome that the search holds most likely is the true one, where that is known.
    pub value_right: Option<bool>,
}

/// Searches every position with `playouts` of source 0 and compares the move that the player then
/// chooses with the truth; 0 playouts takes the raw policy's best move. Answers in the order of the
/// positions.
///
/// # Errors
/// What the evaluators report.
pub fn check_positions<G: Game>(
    game: &G,
    positions: &[PositionCheck],
    search: &MoveSearch,
    playouts: u32,
    lockstep: &Lockstep,
    sources: &mut Sources<G>,
) -> Result<Vec<Preserved>, EvaluatorError> {
    let lines: Vec<&[Move]> = positions.iter().map(|position| position.moves.as_slice()).collect();
    let mut answers = Vec::new();
    // Without visits the most visited move is that of the largest prior.
    let choice = if playouts == 0 { MoveChoice::MostVisits } else { search.choice };
    examine(game, &lines, search, playouts, lockstep, sources, &mut |index, summary| {
        let position = &positions[index];
        // For choices that draw.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(index as u64);
        let mv = choose_move(summary, choice, &mut random);
        answers.push(Preserved {
            index,
            ply: position.moves.len(),
            preserved: position.preserving.contains(&mv),
            nontrivial: position.preserving.len() < summary.moves.len(),
            value_right: position.value.map(|value| likeliest(value) == likeliest(summary.wdl)),
        });
    })?;
    answers.sort_by_key(|answer| answer.index);
    Ok(answers)
}

/// The outcome with the largest probability: 0 a win, 1 a draw, 2 a loss.
fn likeliest(wdl: Wdl) -> usize {
    let chances = [wdl.win, wdl.draw, wdl.loss];
    (0..3).fold(0, |best, at| if chances[at] > chances[best] { at } else { best })
}

/// Searches the position at the end of every line with source 0 and hands out what was found, in
/// the order in which searches end. The root's evaluation is the first playout, and there is always
/// one.
///
/// # Errors
/// What the evaluators report.
pub(crate) fn examine<G: Game>(
    game: &G,
    lines: &[&[Move]],
    search: &MoveSearch,
    playouts: u32,
    lockstep: &Lockstep,
    sources: &mut Sources<G>,
    each: Each<'_>,
) -> Result<(), EvaluatorError> {
    let mut exam = Exam { game, lines, search, playouts, next: 0, each };
    lockstep.run(sources, &mut exam)?;
    Ok(())
}

/// Is told a position's place and what the search found.
type Each<'a> = &'a mut (dyn FnMut(usize, &Summary) + Send);

/// The position at the end of a line.
pub(crate) fn played_out<G: Game>(game: &G, line: &[Move]) -> (G::State, G::History) {
    let (mut state, mut history) = (game.start(), G::History::default());
    for &mv in line {
        game.advance(&mut state, &mut history, mv);
    }
    (state, history)
}

struct Exam<'a, G: Game> {
    game: &'a G,
    lines: &'a [&'a [Move]],
    search: &'a MoveSearch,
    playouts: u32,
    next: usize,
    each: Each<'a>,
}

struct Question<G: Game> {
    index: usize,
    thinker: Thinker<G>,
}

impl<G: Game> Walker<G> for Question<G> {
    fn walk(&mut self, readers: &Readers<G>) -> Option<Request<G>> {
        match self.thinker.think(readers) {
            Thought::Decided => None,
            Thought::Need(request) => Some(request),
        }
    }

    fn apply(&mut self, evaluation: Evaluation) {
        self.thinker.apply(&evaluation);
    }
}

impl<G: Game> Roster<Question<G>> for Exam<'_, G> {
    type Error = EvaluatorError;

    fn next(&mut self) -> Option<Question<G>> {
        let index = self.next;
        let line = self.lines.get(index)?;
        self.next += 1;
        let (state, history) = played_out(self.game, line);
        let search = Search::new(self.game.clone(), self.search.params, state, history);
        let mut thinker = Thinker::at(search, false, 0, (0, index as u64));
        // The root's evaluation is the first playout; without visits the best prior is the move.
        thinker.begin(Budget::Playouts(self.playouts.max(1)), self.search.root);
        Some(Question { index, thinker })
    }

    fn finished(
        &mut self,
        question: Question<G>,
        _counts: &LockstepCounts,
    ) -> Result<(), EvaluatorError> {
        (self.each)(question.index, &question.thinker.summary());
        Ok(())
    }
}
