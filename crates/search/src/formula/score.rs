//! The utility of points (Wu 2019, appendix on score maximization; KataGo, `nninputs.cpp`,
//! `ScoreValue`, and `search.cpp`, `recentScoreCenter`).

use std::f64::consts::FRAC_2_PI;

use dz_search_settings::ScoreUtility;

/// Width of the static part in units of the board's side (KataGo, `getScoreUtility`: 2).
const STATIC_SCALE: f64 = 2.0;

/// `2 / pi atan((lead - center) / (scale side))`, in (-1, 1): what a lead is worth against the one
/// that is expected. `lead` and `center` are in points, and `side` is sqrt(H W).
pub fn score_value(lead: f64, center: f64, scale: f64, side: f64) -> f64 {
    FRAC_2_PI * ((lead - center) / (scale * side)).atan()
}

/// The utility of a lead beside winning and losing, for the player whose lead it is. `center` is
/// that player's too.
pub fn score_utility(utility: &ScoreUtility, lead: f64, center: f64, side: f64) -> f64 {
    utility.static_weight * score_value(lead, 0.0, STATIC_SCALE, side)
        + utility.dynamic_weight * score_value(lead, center, utility.center_scale, side)
}

/// x0: the lead that the root expects, moved towards 0 by `center_zero_weight`, but no further than
/// `center_scale` sides.
pub fn score_center(utility: &ScoreUtility, expected: f64, side: f64) -> f64 {
    let most = utility.center_scale * side;
    let center = expected * (1.0 - utility.center_zero_weight);
    center.clamp(expected - most, expected + most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    /// An arcus tangent of 1 is pi / 4, so a lead of one width is worth half of the weight.
    #[test]
    fn a_lead_of_one_width_is_worth_half() {
        close(score_value(9.0, 0.0, 1.0, 9.0), 0.5);
        close(score_value(-18.0, 0.0, 2.0, 9.0), -0.5);
        close(score_value(5.0, 5.0, 0.5, 9.0), 0.0);
        let utility = ScoreUtility {
            static_weight: 0.1,
            dynamic_weight: 0.3,
            center_zero_weight: 0.2,
            center_scale: 1.0,
        };
        // The static part is two sides wide.
        close(score_utility(&utility, 18.0, 9.0, 9.0), 0.1 * 0.5 + 0.3 * 0.5);
        close(score_utility(&utility, -18.0, -9.0, 9.0), -0.2);
    }

    #[test]
    fn the_center_is_drawn_to_zero_within_its_width() {
        let utility = ScoreUtility { center_zero_weight: 0.25, ..ScoreUtility::default() };
        close(score_center(&utility, 8.0, 9.0), 6.0);
        close(score_center(&utility, -8.0, 9.0), -6.0);
        // A quarter of 80 is 20, but the width is 0.75 x 9.
        close(score_center(&utility, 80.0, 9.0), 80.0 - 6.75);
        close(score_center(&utility, -80.0, 9.0), -80.0 + 6.75);
    }
}
