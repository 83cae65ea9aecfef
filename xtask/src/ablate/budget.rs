//! How many games a cycle plays, so that every cell takes the same number of evaluations.
//!
//! Games of different variants have different costs. All runs of a table therefore have the same
//! number of cycles, and each cycle of a network gets an equal part of the remaining budget. The
//! cost of a game is taken from the previous cycle. Later cycles correct a wrong estimate, so only
//! the last cycle determines the error of the sum.

use super::cell::Cycle;

/// What a search costs at most, by the configuration: for the first cycle of a network, before
/// which nothing was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchCost {
    /// Playouts of a full search.
    pub playouts: f64,
    /// Playouts of a fast one.
    pub playouts_fast: f64,
    /// Share of full searches.
    pub full_share: f64,
}

impl SearchCost {
    /// Playouts of a ply on average.
    fn mean(self) -> f64 {
        self.full_share * self.playouts + (1.0 - self.full_share) * self.playouts_fast
    }
}

/// Games of the next cycle, whose games a network plays: cycles `done` are over, of `cycles` in
/// all.
pub fn games(budget: u64, cycles: u32, done: &[Cycle], cost: SearchCost) -> u64 {
    let spent: u64 = done.iter().map(|cycle| cycle.evaluations).sum();
    let left = (cycles as usize).saturating_sub(done.len()).max(1);
    let part = budget.saturating_sub(spent) as f64 / left as f64;
    let last = done.last().filter(|last| last.games > 0);
    let a_game = last.map_or(cost.mean(), |last| match last.evaluations {
        0 => last.positions as f64 / last.games as f64 * cost.mean(),
        evaluations => evaluations as f64 / last.games as f64,
    });
    ((part / a_game).round() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: SearchCost = SearchCost { playouts: 40.0, playouts_fast: 10.0, full_share: 0.25 };

    fn cycle(games: u64, positions: u64, evaluations: u64) -> Cycle {
        Cycle { games, positions, evaluations }
    }

    #[test]
    fn the_first_cycle_of_a_network_goes_by_the_playouts() {
        // 17.5 playouts a ply, 12 plies a game: 210 evaluations a game, 2,100 a cycle.
        let done = [cycle(100, 1200, 0)];
        assert_eq!(games(21_000, 11, &done, COST), 10);
    }

    #[test]
    fn later_cycles_share_out_what_is_left_at_the_price_of_the_last() {
        let done = [cycle(100, 1200, 0), cycle(10, 120, 1000)];
        // 20,000 over 10 cycles, 100 evaluations a game.
        assert_eq!(games(21_000, 12, &done, COST), 20);
        let last = [cycle(100, 1200, 0), cycle(10, 120, 1000), cycle(20, 240, 19_700)];
        assert_eq!(games(21_000, 4, &last, COST), 1, "300 left at 985 a game: one, and not none");
        assert_eq!(games(500, 4, &last, COST), 1, "a budget that is spent");
    }

    #[test]
    fn whatever_a_game_costs_the_sum_meets_the_budget() {
        for price in [40, 210, 900] {
            let mut done = vec![cycle(200, 2400, 0)];
            while done.len() < 21 {
                let games = games(300_000, 21, &done, COST);
                // Games grow longer and dearer as players get better.
                done.push(cycle(games, 12 * games, games * (price + done.len() as u64)));
            }
            let sum: u64 = done.iter().map(|cycle| cycle.evaluations).sum();
            assert!(sum.abs_diff(300_000) < 3000, "{price} a game: {sum}");
        }
    }
}
