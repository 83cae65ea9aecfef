//! Null-window alpha-beta search on the score.

use crate::connect4::{
    board::{Board, Position},
    table::{Bounds, Table},
};

/// A search with its tables and counters. `WIDTH_MAX` is at least the board's width.
pub(super) struct Search<'a, const WIDTH_MAX: usize> {
    pub board: &'a Board,
    pub table: &'a mut Table,
    /// Positions expanded.
    pub nodes: u64,
}

/// A move with what ordering found out about it.
#[derive(Clone, Copy, Default)]
struct Candidate {
    point: u64,
    /// The points on which the mover wins after this move.
    threats: u64,
    rank: u32,
}

/// The table is asked about children while at least this many points are empty: 26 % fewer
/// positions are expanded on the sample. Later a search costs little more than the question.
const PROBE_EMPTY_MIN: i32 = 9;

/// Mirror images share an entry of the table while at least this many points are empty: a third
/// fewer positions from empty boards, none from random ones after 7 plies. Later ones seldom both
/// occur, and mirroring costs time.
const MIRROR_EMPTY_MIN: u32 = 22;

impl<const WIDTH_MAX: usize> Search<'_, WIDTH_MAX> {
    /// The score within `bounds`: exact if inside, otherwise the bound that it passes. The mover
    /// must not be able to win with one stone.
    ///
    /// A bisection whose steps lean towards 0, where searches are short (P. Pons).
    pub fn bisect(&mut self, position: Position, bounds: Bounds) -> i32 {
        let Bounds { mut lower, mut upper } = bounds;
        let threats = self.board.winning(position.opponent(), position.stones);
        while lower < upper {
            let mut middle = lower + (upper - lower) / 2;
            if middle <= 0 && lower / 2 < middle {
                middle = lower / 2;
            } else if middle >= 0 && upper / 2 > middle {
                middle = upper / 2;
            }
            let found = self.compare(position, threats, middle + 1);
            if found > middle {
                lower = found.min(upper);
            } else {
                upper = found.max(lower);
            }
        }
        lower
    }

    /// Compares the score with `bound`: an answer of at least `bound` is a lower bound of the
    /// score, a smaller one is an upper bound. The opponent wins on `threats`; the mover must not
    /// be able to win with one stone.
    fn compare(&mut self, position: Position, threats: u64, bound: i32) -> i32 {
        self.nodes += 1;
        let left = (self.board.cells - position.plies) as i32;
        let moves = self.board.safe_moves(position, threats);
        if moves == 0 {
            // The opponent's next stone wins; or the board is full, and this is 0.
            return -left / 2;
        }
        if left <= 2 {
            return 0;
        }
        // Neither this stone wins nor the opponent's next one.
        let mut known = Bounds { lower: -(left - 2) / 2, upper: (left - 1) / 2 };
        let key = self.key(position);
        if let Some(found) = self.table.get(key) {
            known.lower = known.lower.max(found.lower);
            known.upper = known.upper.min(found.upper);
        }
        if known.lower >= bound {
            return known.lower;
        }
        if known.upper < bound {
            return known.upper;
        }
        let mut candidates = [Candidate::default(); WIDTH_MAX];
        let count = self.order(position, moves, &mut candidates);
        if left >= PROBE_EMPTY_MIN
            && let Some(score) = self.known_answer(position, &candidates[..count], bound)
        {
            return score;
        }
        let mut best = known.lower;
        for candidate in &candidates[..count] {
            let child = position.play(candidate.point);
            best = best.max(-self.compare(child, candidate.threats, 1 - bound));
            if best >= bound {
                break;
            }
        }
        if best >= bound {
            known.lower = best;
        } else {
            known.upper = best;
        }
        self.table.put(key, position.plies, known);
        best
    }

    /// A score of at least `bound` that a move has according to the table: one look at all children
    /// before the first is searched (A. Plaat's enhanced transposition cutoff, 1996).
    fn known_answer(&self, position: Position, moves: &[Candidate], bound: i32) -> Option<i32> {
        moves.iter().find_map(|candidate| {
            let child = self.table.get(self.key(position.play(candidate.point)))?;
            (-child.upper >= bound).then_some(-child.upper)
        })
    }

    fn key(&self, position: Position) -> u64 {
        if self.board.cells - position.plies >= MIRROR_EMPTY_MIN {
            self.board.mirror_key(position.key())
        } else {
            position.key()
        }
    }

    /// Fills in the moves, those that leave the mover most points to win on first, and of equal
    /// ones those near the middle. Answers how many there are.
    fn order(
        &self,
        position: Position,
        moves: u64,
        candidates: &mut [Candidate; WIDTH_MAX],
    ) -> usize {
        let mut count = 0;
        for &column in self.board.columns() {
            let point = moves & column;
            if point == 0 {
                continue;
            }
            let threats = self.board.winning(position.mover | point, position.stones | point);
            let rank = threats.count_ones();
            let mut at = count;
            while at > 0 && candidates[at - 1].rank < rank {
                candidates[at] = candidates[at - 1];
                at -= 1;
            }
            candidates[at] = Candidate { point, threats, rank };
            count += 1;
        }
        count
    }
}
