//! An exact solver of Connect Four.

mod board;
mod search;
mod table;

use dz_game::{
    Move,
    games::{Connect4, Connect4State},
};

use crate::{BestMoves, Score, Solved, SolvedMove, Solver, SolverError, Value};
use board::{Board, Position};
use search::Search;
use table::{Bounds, Table};

/// Default bytes of the table: 64 MiB.
pub const TABLE_BYTES: usize = 64 << 20;

/// Bounds that distinguish win, draw and loss.
const VALUES: Bounds = Bounds { lower: -1, upper: 1 };

/// What is asked about a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exactness {
    /// Win, draw or loss.
    Value,
    /// How fast, too.
    Score,
}

/// Solves positions of one Connect Four board, of any width, height and length to connect whose
/// bits (width times height + 1) fit 64: 7x6, 8x7, 9x6 and smaller, and flatter ones.
///
/// What it learns stays in its table, so later positions may be solved faster. Answers do not
/// depend on that, nor on the table's size.
#[derive(Clone, Debug)]
pub struct Connect4Solver {
    board: Board,
    table: Table,
    nodes: u64,
}

impl Connect4Solver {
    /// A solver with a table of [`TABLE_BYTES`].
    ///
    /// # Errors
    /// [`SolverError::TooManyBits`] if the board does not fit 64 bits.
    pub fn new(game: &Connect4) -> Result<Self, SolverError> {
        Self::with_table(game, TABLE_BYTES)
    }

    /// A solver with a table of at most `table_bytes` (rounded down to a power of two; 4 MiB at
    /// least, less on small boards).
    ///
    /// # Errors
    /// [`SolverError::TooManyBits`] if the board does not fit 64 bits.
    pub fn with_table(game: &Connect4, table_bytes: usize) -> Result<Self, SolverError> {
        let board = Board::new(game)?;
        let table = Table::new(board.key_bits, table_bytes);
        Ok(Self { board, table, nodes: 0 })
    }

    /// The score of a state for the player to move; of a finished game for the loser, or 0.
    pub fn solve(&mut self, state: &Connect4State) -> Score {
        let position = Position::of(state);
        self.score_within(position, self.all_scores(position))
    }

    /// Win, draw or loss for the player to move (the loser of a finished game): cheaper than the
    /// score.
    pub fn value(&mut self, state: &Connect4State) -> Value {
        self.score_within(Position::of(state), VALUES).value()
    }

    /// The score of a state and of every move.
    pub fn analyze(&mut self, state: &Connect4State) -> Solved {
        self.solved(Position::of(state), Exactness::Score)
    }

    /// Win, draw or loss of a state and of every move, without scores: cheaper.
    pub fn values(&mut self, state: &Connect4State) -> Solved {
        self.solved(Position::of(state), Exactness::Value)
    }

    /// The moves with the score of the state; none if the game is over. This is cheaper than all
    /// scores: the search of a move only decides whether it reaches the best score.
    pub fn best_moves(&mut self, state: &Connect4State) -> BestMoves {
        let position = Position::of(state);
        let score = self.score_within(position, self.all_scores(position));
        // The opponent's score after a best move. After any other move it is higher.
        let least = -i32::from(score.0);
        let bounds = Bounds { lower: least, upper: least + 1 };
        let mut moves = Vec::new();
        for (mv, child) in self.children(position) {
            if i32::from(self.score_within(child, bounds).0) == least {
                moves.push(mv);
            }
        }
        BestMoves { value: score.value(), moves }
    }

    fn solved(&mut self, position: Position, exactness: Exactness) -> Solved {
        let score = self.score_within(position, self.bounds(position, exactness));
        let kept = |score| (exactness == Exactness::Score).then_some(score);
        let mut moves = Vec::new();
        for (mv, child) in self.children(position) {
            // No move is better than the position.
            let bounds = self.bounds(child, exactness);
            let bounds = Bounds { lower: bounds.lower.max(-i32::from(score.0)), ..bounds };
            let score = Score(-self.score_within(child, bounds).0);
            moves.push(SolvedMove { mv, value: score.value(), score: kept(score) });
        }
        Solved { value: score.value(), score: kept(score), moves }
    }

    /// The legal moves, ascending, and what they lead to; none if the game is over.
    fn children(&self, position: Position) -> Vec<(Move, Position)> {
        let landings =
            if self.is_lost(position) { 0 } else { self.board.landings(position.stones) };
        let points =
            (0..self.board.width).map(|x| (Move(x as u16), landings & self.board.column(x)));
        points
            .filter(|(_, point)| *point != 0)
            .map(|(mv, point)| (mv, position.play(point)))
            .collect()
    }

    /// Positions expanded so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Bytes of the table.
    pub fn table_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// The score, or the bound that it passes.
    fn score_within(&mut self, position: Position, bounds: Bounds) -> Score {
        let clamp = |score: i32| Score(score.clamp(bounds.lower, bounds.upper) as i8);
        let left = (self.board.cells - position.plies) as i32;
        if self.is_lost(position) {
            return clamp(-(left + 2) / 2);
        }
        let wins = self.board.winning(position.mover, position.stones);
        if wins & self.board.landings(position.stones) != 0 {
            return clamp((left + 1) / 2);
        }
        let board = &self.board;
        let table = &mut self.table;
        // Small arrays are worth it: they are set up at every position.
        let (score, nodes) = if board.width <= 8 {
            let mut search = Search::<8> { board, table, nodes: 0 };
            (search.bisect(position, bounds), search.nodes)
        } else {
            let mut search = Search::<32> { board, table, nodes: 0 };
            (search.bisect(position, bounds), search.nodes)
        };
        self.nodes += nodes;
        Score(score as i8)
    }

    fn bounds(&self, position: Position, exactness: Exactness) -> Bounds {
        match exactness {
            Exactness::Value => VALUES,
            Exactness::Score => self.all_scores(position),
        }
    }

    /// The scores that are possible with the stones left, a line on the board included.
    fn all_scores(&self, position: Position) -> Bounds {
        let left = (self.board.cells - position.plies) as i32;
        Bounds { lower: -(left + 2) / 2, upper: (left + 1) / 2 }
    }

    /// The player who does not move has a line.
    fn is_lost(&self, position: Position) -> bool {
        self.board.connects(position.opponent())
    }
}

impl Solver<Connect4> for Connect4Solver {
    fn analyze(&mut self, state: &Connect4State, (): &()) -> Result<Solved, SolverError> {
        unless_over(Self::analyze(self, state))
    }

    fn values(&mut self, state: &Connect4State, (): &()) -> Result<Solved, SolverError> {
        unless_over(Self::values(self, state))
    }

    fn best_moves(&mut self, state: &Connect4State, (): &()) -> Result<BestMoves, SolverError> {
        let best = Self::best_moves(self, state);
        if best.moves.is_empty() { Err(SolverError::Over) } else { Ok(best) }
    }
}

fn unless_over(solved: Solved) -> Result<Solved, SolverError> {
    if solved.moves.is_empty() { Err(SolverError::Over) } else { Ok(solved) }
}
