//! The plan of sequential halving: which of the root's moves a Gumbel search visits, and when.
//!
//! A plan says for each playout how many earlier ones of the same plan the chosen move must have
//! had (Danihelka et al. 2022, section 3; the table is mctx's). Visits that were kept from the
//! search before do not count. A walk counts from when it begins. If it is taken back, because it
//! met a leaf that waits, its move is owed a playout and gets it before the plan goes on. So the
//! plan is the same whatever is in flight.
//!
//! Where nobody knows how many playouts are to come, plans follow each other, each for as many
//! playouts as all of them before. Sagers, Winands and Soemers 2024, "Anytime Sequential Halving in
//! Monte-Carlo Tree Search", halve again and again, too, though without longer plans.

use serde::{Deserialize, Serialize};

/// The noise of a Gumbel search and its plan. Vectors with an entry for each of the root's moves
/// are in their order, and empty before the search begins. All is empty in other searches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Halving {
    /// Gumbel noise of the root's moves.
    pub noise: Vec<f64>,
    /// For each playout, how many the chosen move has had under this plan.
    pub plan: Vec<u32>,
    /// Playouts that each move has had under this plan, or is owed.
    pub granted: Vec<u32>,
    /// Visits of each move when the plan was made.
    pub before_plan: Vec<u32>,
    /// Visits of each move when the search began.
    pub before_search: Vec<u32>,
}

impl Halving {
    /// The noise of the root's move at `index`, 0 in other searches.
    pub(crate) fn noise_of(&self, index: usize) -> f64 {
        self.noise.get(index).copied().unwrap_or(0.0)
    }

    /// Visits of the root's move at `index` that were kept from an earlier search.
    pub(crate) fn kept_of(&self, index: usize) -> u32 {
        self.before_search.get(index).copied().unwrap_or(0)
    }

    /// True if the vectors are those of so many moves, or were not filled yet.
    pub(crate) fn fits(&self, root_moves: usize) -> bool {
        let of_moves = [&self.granted, &self.before_plan, &self.before_search];
        let has_whole = |length: usize| length == 0 || length == root_moves;
        let has_sum = |numbers: &Vec<u32>| {
            let sum = numbers.iter().map(|&number| u64::from(number)).sum::<u64>();
            sum <= u64::from(u32::MAX / 2)
        };
        has_whole(self.noise.len())
            && of_moves.iter().all(|numbers| has_whole(numbers.len()) && has_sum(numbers))
    }

    /// Forgets another root's numbers.
    pub(crate) fn clear(&mut self) {
        self.noise.clear();
        self.plan.clear();
        self.granted.clear();
        self.before_plan.clear();
        self.before_search.clear();
    }

    /// True if no playout of the plan is left to be granted.
    pub(crate) fn is_used_up(&self) -> bool {
        self.granted.iter().sum::<u32>() as usize >= self.plan.len()
    }

    /// How many playouts the next move has had, of moves that have had so many. It is the plan's
    /// number, unless no move has it: one of them has turned out to be lost. Then the next higher
    /// number keeps to the moves that are left.
    pub(crate) fn playouts_wanted(&self, granted: &[u32], is_lost: impl Fn(usize) -> bool) -> u32 {
        let done = granted.iter().sum::<u32>() as usize;
        let planned = self.plan.get(done).copied().unwrap_or(u32::MAX);
        let left =
            || (0..granted.len()).filter(|&place| !is_lost(place)).map(|place| granted[place]);
        let next = left().filter(|&playouts| playouts >= planned).min();
        next.or_else(|| left().max()).unwrap_or(planned)
    }
}
