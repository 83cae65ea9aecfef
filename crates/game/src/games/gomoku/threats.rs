//! Points that complete a row of five, for rollouts.

use rand::{Rng, RngExt};

use super::{Gomoku, GomokuState, Points, board::rows_through};
use crate::Move;

impl Gomoku {
    /// Samples a move that wins, or else one that keeps the opponent from winning at once; `None`
    /// if there is neither.
    pub(super) fn winning_or_blocking(
        &self,
        state: &GomokuState,
        random: &mut impl Rng,
    ) -> Option<Move> {
        let own = usize::from(state.placed % 2);
        [own, 1 - own].into_iter().find_map(|colour| {
            let points = self.winning_points(state, colour);
            let count = points.iter().count();
            let bit = points.iter().nth(random_below(count, random)?)?;
            let (row, column) = (bit / self.stride() - 1, bit % self.stride() - 1);
            Some(Move(row * self.grid.size + column))
        })
    }

    /// The empty points where a stone of `colour`, 0 for black, wins.
    fn winning_points(&self, state: &GomokuState, colour: usize) -> Points {
        let stones = state.stones[colour];
        let stride = self.stride();
        // A winning stone has four neighbours in line, some before it and the others behind it.
        let mut found = [1, stride, stride - 1, stride + 1]
            .into_iter()
            .fold(Points::EMPTY, |found, step| found.or(fourth_in_line(stones, step)));
        let mut winning = Points::EMPTY;
        while let Some(bit) = found.pop() {
            let on_board = |place: u16| (1..=self.grid.size).contains(&place);
            let is_empty = on_board(bit / stride)
                && on_board(bit % stride)
                && !state.stones.iter().any(|stones| stones.has(bit));
            if is_empty {
                let mut with = stones;
                with.insert(bit);
                if self.rule.wins(rows_through(&with, bit, stride)) {
                    winning.insert(bit);
                }
            }
        }
        winning
    }
}

/// The bits with four stones in line in the direction of `step`: `n` behind the bit and `4 - n`
/// before it, without a gap.
fn fourth_in_line(stones: Points, step: u16) -> Points {
    let mut behind = [stones.down(step); 4];
    let mut before = [stones.up(step); 4];
    for count in 1..4 {
        behind[count] = behind[0].and(behind[count - 1].down(step));
        before[count] = before[0].and(before[count - 1].up(step));
    }
    let mixed = (0..3).map(|count| behind[count].and(before[2 - count]));
    mixed.fold(behind[3].or(before[3]), Points::or)
}

/// A number below `count`, or `None` if that is 0. No random number is used for a single choice.
fn random_below(count: usize, random: &mut impl Rng) -> Option<usize> {
    match count {
        0 => None,
        1 => Some(0),
        _ => Some(random.random_range(0..count)),
    }
}
