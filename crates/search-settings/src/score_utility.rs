//! The numbers of score utility.

use serde::{Deserialize, Serialize};

/// Score utility: what points are worth to a search beside winning, so that a player who has won
/// does not give points away, and one who has lost still fights for them (Wu 2019, appendix on
/// score maximization; KataGo, `Search::getScoreUtility`).
///
/// ```text
/// U = w - l + static_weight f(x, 0, 2) + dynamic_weight f(x, x0, center_scale)
/// f(x, x0, r) = 2 / pi atan((x - x0) / (r sqrt(H W)))
/// x0 = (1 - center_zero_weight) x_root, at most center_scale sqrt(H W) away from x_root
/// ```
///
/// x is the lead in points, komi counted; `x_root` the root's when its search starts. KataGo takes
/// the mean of f over a normal distribution with the mean and the deviation that its network gives.
/// Here f is taken at the mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreUtility {
    /// Weight of the lead itself, in [0, 10] (KataGo's `staticScoreUtilityFactor`: 0.1 in matches,
    /// 0 in self-play).
    pub static_weight: f64,
    /// Weight of the lead against what the root expects, in [0, 10] (`dynamicScoreUtilityFactor`:
    /// 0.3 in matches, 0.4 in self-play).
    pub dynamic_weight: f64,
    /// How far x0 is moved from the root's lead towards 0, in [0, 1]
    /// (`dynamicScoreCenterZeroWeight`: 0.2 in matches, 0.25 in self-play).
    pub center_zero_weight: f64,
    /// Width of the dynamic part in sqrt(H W) points, in (0, 100] (`dynamicScoreCenterScale`: 0.75
    /// in matches, 0.5 in self-play).
    pub center_scale: f64,
}

impl ScoreUtility {
    /// Points are kept and reported, and are worth nothing: the search is the one without.
    pub const NOTHING: Self = Self {
        static_weight: 0.0,
        dynamic_weight: 0.0,
        center_zero_weight: 0.0,
        center_scale: 1.0,
    };

    /// The first number outside its range: its key, and what it may be.
    pub(crate) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let is_weight = |weight: f64| (0.0..=10.0).contains(&weight);
        let checks = [
            ("score_utility_static", is_weight(self.static_weight), "a number from 0 to 10"),
            ("score_utility_dynamic", is_weight(self.dynamic_weight), "a number from 0 to 10"),
            (
                "score_center_zero_weight",
                (0.0..=1.0).contains(&self.center_zero_weight),
                "a number from 0 to 1",
            ),
            (
                "score_center_scale",
                self.center_scale > 0.0 && self.center_scale <= 100.0,
                "above 0 and at most 100",
            ),
        ];
        let outside = checks.into_iter().find(|(_, is_inside, _)| !is_inside);
        outside.map(|(key, _, allowed)| (key, allowed))
    }
}

impl Default for ScoreUtility {
    /// KataGo's numbers for matches.
    fn default() -> Self {
        Self {
            static_weight: 0.1,
            dynamic_weight: 0.3,
            center_zero_weight: 0.2,
            center_scale: 0.75,
        }
    }
}
