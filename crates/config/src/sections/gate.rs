//! `[gate]`: the match that decides whether a candidate becomes champion.

use crate::field::choice;
use crate::limits::{Limits, even, real, whole};
use crate::section::section;

section! {
    /// `[gate]`: the match that decides whether a candidate becomes champion.
    pub struct GateSection = "gate" {
        /// Who becomes champion: `always` (every candidate) or `score` (who scores at least
        /// `score_min`).
        [Results, Limits::Any] rule: GateRule;
        /// Games of the match, two an opening with colours swapped; 0 only with the rule `always`.
        [Results, even(0, 1_000_000)] games: u32 = 100;
        /// Playouts a move of both sides.
        [Results, whole(2, 1_000_000)] playouts: u32 = 100;
        /// Score (a draw is half a point) that the candidate needs; must be given with the rule
        /// `score` (AlphaGo Zero: 0.55) and is not looked at with `always`.
        [Results, real(0.0, 1.0)] score_min: f64 = 0.55;
        /// Random plies of each opening; openings are distinct.
        [Results, whole(0, 10_000)] opening_plies: u32 = 4;
        /// Games of a match, or of a rating, that are played at once.
        [Speed, whole(2, 65_536)] parallel_games: u32 = 64;
    }
}

choice! {
    /// Who becomes champion.
    pub enum GateRule {
        /// Every candidate.
        Always = "always",
        /// A candidate with a score of at least `score_min`.
        Score = "score",
    }
}
