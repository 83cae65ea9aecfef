//! The boards of a run, and how they share its games and rows.

use dz_config_keys::Fault;

use crate::RunConfig;

/// A board that a run plays on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoardWeight<'a> {
    /// The game with its parameters, as the configuration has it.
    pub game: &'a str,
    /// How often games are played on it, in proportion to the others.
    pub weight: f64,
}

impl RunConfig {
    /// The boards that games are played on: that of `run.game` first, then those of `run.boards`.
    pub fn boards(&self) -> Vec<BoardWeight<'_>> {
        let run = &self.run;
        let own = BoardWeight { game: &run.game, weight: 1.0 };
        let others = run.boards.iter().enumerate().map(|(at, game)| {
            let weight = run.board_weights.get(at).copied().unwrap_or(1.0);
            BoardWeight { game, weight }
        });
        std::iter::once(own).chain(others).collect()
    }

    /// What `run.boards` contradicts.
    pub(crate) fn board_faults(&self) -> Vec<Fault> {
        let run = &self.run;
        let mut faults = Vec::new();
        let [boards, weights] = [run.boards.len(), run.board_weights.len()];
        if weights > 0 && weights != boards {
            let problem = format!("{weights} weights for the {boards} of run.boards");
            let allowed = format!("{boards} numbers, or the key left out");
            faults.push(Fault::new("run.board_weights", problem).allowed(allowed));
        }
        if boards == 0 {
            return faults;
        }
        if !self.network.any_size {
            let problem = "the network of this run is for one board";
            let allowed = "no boards, or network.any_size = true";
            faults.push(Fault::new("run.boards", problem).allowed(allowed));
        }
        if self.mailbox().is_some() {
            let problem = "workers play on the board of run.game alone";
            let allowed = "no boards, or no workers.mailbox";
            faults.push(Fault::new("run.boards", problem).allowed(allowed));
        }
        faults
    }
}

/// Deals numbered things out in proportion to weights, as evenly as can be: thing `j` of taker `i`
/// has its place at `(j + 1/2) / weight[i]`. So with whole weights, the first things are as many as
/// the sum of the weights, and each taker has its weight of them. Ends where all weights are 0.
///
/// ```
/// use dz_config::Deal;
///
/// let takers: Vec<usize> = Deal::new([2.0, 1.0]).take(6).collect();
/// assert_eq!(takers, [0, 1, 0, 0, 1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct Deal {
    weights: Vec<f64>,
    dealt: Vec<u64>,
}

impl Deal {
    /// A deal to takers of these weights, 0 or more.
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let weights: Vec<f64> = weights.into_iter().collect();
        let dealt = vec![0; weights.len()];
        Self { weights, dealt }
    }

    /// How many things each taker has so far.
    pub fn dealt(&self) -> &[u64] {
        &self.dealt
    }
}

impl Iterator for Deal {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let place = |&taker: &usize| (self.dealt[taker] as f64 + 0.5) / self.weights[taker];
        let takers = (0..self.weights.len()).filter(|&taker| self.weights[taker] > 0.0);
        // Of equal places the first taker has the earlier one.
        let taker = takers.min_by(|a, b| place(a).total_cmp(&place(b)))?;
        self.dealt[taker] += 1;
        Some(taker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deal_is_even_at_any_time_and_exact_at_the_end() {
        for weights in [[5_u64, 0, 3], [1, 1, 1], [1_000, 1, 37], [0, 0, 4]] {
            let total: u64 = weights.iter().sum();
            let mut deal = Deal::new(weights.map(|weight| weight as f64));
            for things in 1..=total {
                assert!(deal.next().is_some());
                let even = |(&dealt, weight): (&u64, u64)| {
                    let share = things as f64 * weight as f64 / total as f64;
                    (dealt as f64 - share).abs() <= 1.0
                };
                assert!(deal.dealt().iter().zip(weights).all(even), "{weights:?} {deal:?}");
            }
            assert_eq!(deal.dealt(), weights);
        }
        assert_eq!(Deal::new([0.0]).next(), None);
    }
}
