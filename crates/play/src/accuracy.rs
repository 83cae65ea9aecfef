//! How often a player's move keeps the value of a position whose truth is known.

use dz_game::{Game, Move, Wdl};
use dz_infer::{
    Evaluation, EvaluatorError, GameTask, Lockstep, LockstepCounts, Readers, Request, Roster,
};
use dz_search::{Budget, MoveChoice, Search, Summary, choose_move};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    GameSeed, MatchPlayer, MoveSearch, PlayerError, PlayerKind, PlayerPool, Ready, SearchPlayer,
    SearchStep,
};

/// Why positions cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The player cannot play.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// An evaluator has failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

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

/// Searches every position with `playouts` and compares the move that the player then chooses with
/// the truth. 0 playouts take the raw policy's best move. Returns answers in the order of the
/// positions.
///
/// # Errors
/// If the player does not search or cannot be loaded, or what its evaluator reports.
pub fn check_positions<G: Game>(
    pool: &mut PlayerPool<G>,
    player: &MatchPlayer,
    positions: &[PositionCheck],
    playouts: u32,
    lockstep: &Lockstep,
) -> Result<Vec<Preserved>, CheckError> {
    let lines: Vec<&[Move]> = positions.iter().map(|position| position.moves.as_slice()).collect();
    let mut answers = Vec::new();
    examine(pool, player, &lines, playouts, lockstep, &mut |index, search, summary| {
        let position = &positions[index];
        // Without visits the most visited move is that of the largest prior.
        let choice = if playouts == 0 { MoveChoice::MostVisits } else { search.choice };
        // For choices that sample.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(index as u64);
        let mv = choose_move(summary, choice, &mut random);
        let outlook = summary.outlook(&search.params.selection, mv).wdl;
        answers.push(Preserved {
            index,
            ply: position.moves.len(),
            preserved: position.preserving.contains(&mv),
            nontrivial: position.preserving.len() < summary.moves.len(),
            value_right: position.value.map(|value| likeliest(value) == likeliest(outlook)),
        });
    })?;
    sort_by_index(&mut answers);
    Ok(answers)
}

/// Not generic, so that it is compiled once and not for every game.
fn sort_by_index(answers: &mut [Preserved]) {
    answers.sort_by_key(|answer| answer.index);
}

/// The outcome with the largest probability: 0 a win, 1 a draw, 2 a loss.
fn likeliest(wdl: Wdl) -> usize {
    let chances = [wdl.win, wdl.draw, wdl.loss];
    (0..3).fold(0, |best, at| if chances[at] > chances[best] { at } else { best })
}

/// Searches the position at the end of every line and reports what was found, in the order in which
/// searches end. The root's evaluation is the first playout, and there is always one.
///
/// # Errors
/// As [`check_positions`].
pub(crate) fn examine<G: Game>(
    pool: &mut PlayerPool<G>,
    player: &MatchPlayer,
    lines: &[&[Move]],
    playouts: u32,
    lockstep: &Lockstep,
    report: Report<'_>,
) -> Result<(), CheckError> {
    let PlayerKind::Search(search) = &player.kind else {
        return Err(PlayerError::NoSearch { name: player.name.clone() }.into());
    };
    let ready = pool.prepare(player)?;
    let game = pool.game().clone();
    let mut exam = Exam { game: &game, lines, search, ready, playouts, next: 0, report };
    lockstep.run(pool.sources(), &mut exam)?;
    Ok(())
}

/// Takes a position's index, the player's search and what it found.
type Report<'a> = &'a mut (dyn FnMut(usize, &SearchPlayer, &Summary) + Send);

/// The position at the end of a line.
pub(crate) fn played_out<G: Game>(game: &G, line: &[Move]) -> (G::State, G::History) {
    let mut state = game.start();
    let mut history = G::History::default();
    for &mv in line {
        game.advance(&mut state, &mut history, mv);
    }
    (state, history)
}

struct Exam<'a, G: Game> {
    game: &'a G,
    lines: &'a [&'a [Move]],
    search: &'a SearchPlayer,
    ready: Ready,
    playouts: u32,
    next: usize,
    report: Report<'a>,
}

struct Question<G: Game> {
    index: usize,
    search: MoveSearch<G>,
}

impl<G: Game> GameTask<G> for Question<G> {
    fn resume(&mut self, readers: &Readers<G>, request: &mut Request) -> bool {
        self.search.step(readers, request) == SearchStep::Asks
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        self.search.apply(evaluation);
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
        let seed = GameSeed { run_seed: 0, game_number: index as u64 };
        let mut search =
            MoveSearch::at(search, false, self.ready.source, seed).guided(self.ready.guide.clone());
        search.begin(Budget::Playouts(self.playouts.max(1)), self.search.root);
        Some(Question { index, search })
    }

    fn finished(
        &mut self,
        question: Question<G>,
        _counts: &LockstepCounts,
    ) -> Result<(), EvaluatorError> {
        (self.report)(question.index, self.search, &question.search.summary());
        Ok(())
    }
}
