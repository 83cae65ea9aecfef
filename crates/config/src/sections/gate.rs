//! `[gate]`: the match that decides whether a candidate becomes champion.

use crate::sections::DeviceChoice;
use dz_config_keys::{Limits, choice, even, real, section, whole};

section! {
    /// `[gate]`: the match that decides whether a candidate becomes champion.
    pub struct GateSection = "gate" {
        /// Devices that evaluate in matches, as in `selfplay.devices`. They also evaluate the
        /// ratings' matches.
        [Results, Limits::Any] devices: Vec<DeviceChoice> = Vec::new();
        /// Who becomes champion: `always` (every candidate), `score` (who scores at least
        /// `score_min`) or `sprt` (who is shown to be stronger by a sequential test, which ends the
        /// match as soon as it knows).
        [Results, Limits::Any] rule: GateRule = GateRule::Always;
        /// Games of the match, two an opening with colours swapped; 0 only with the rule `always`.
        /// With `sprt` at most so many; a candidate about which they do not decide is refused.
        [Results, even(0, 1_000_000)] games: u32 = 100;
        /// Playouts a move of both sides.
        [Results, whole(2, 1_000_000)] playouts: u32 = 100;
        /// Score (a draw is half a point) that the candidate needs; must be given with the rule
        /// `score` (AlphaGo Zero: 0.55) and is not looked at with `always`.
        [Results, real(0.0, 1.0)] score_min: f64 = 0.55;
        /// `sprt`: normalised Elo (differences in standard deviations of a game's score, 347 Elo
        /// each) that is not enough; a candidate no better than this is accepted with probability
        /// `alpha`.
        [Results, real(-1000.0, 1000.0)] elo0: f64 = 0.0;
        /// `sprt`: normalised Elo that is enough, above `elo0`; a candidate this good is refused
        /// with probability `beta` if games suffice. A difference between the two takes the most
        /// games.
        [Results, real(-1000.0, 1000.0)] elo1: f64 = 50.0;
        /// `sprt`: probability of accepting a candidate no better than `elo0`.
        [Results, real(0.001, 0.4)] alpha: f64 = 0.05;
        /// `sprt`: probability of refusing a candidate as good as `elo1`.
        [Results, real(0.001, 0.4)] beta: f64 = 0.05;
        /// Random plies of each opening; openings are distinct.
        [Results, whole(0, 10_000)] opening_plies: u32 = 4;
        /// Games of the gate's match, or of all rating matches of a cycle, that are played at once;
        /// against other programs one a thread at most.
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
        /// A candidate that a sequential test shows to be stronger.
        Sprt = "sprt",
    }
}
