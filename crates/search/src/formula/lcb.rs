//! Lower confidence bounds: the move whose value is surely good, not the one looked at most.

use super::argmax;

/// What is known of a move's value: moments of the values below it, the mover's, in [-1, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Sum of weights w, at least 0; the visits where every visit weighs 1.
    pub weight: f64,
    /// Sum of w^2; the visits again where every visit weighs 1.
    pub weight_sq: f64,
    /// Mean value.
    pub q: f64,
    /// Mean of squared values, in [0, 1].
    pub q_sq: f64,
}

impl Moments {
    /// Every visit weighs 1.
    pub const fn of_visits(visits: f64, q: f64, q_sq: f64) -> Self {
        Self { weight: visits, weight_sq: visits, q, q_sq }
    }

    /// Effective sample size (sum w)^2 / sum w^2: the visits where every visit weighs 1.
    pub fn effective_samples(&self) -> f64 {
        self.weight * self.weight / self.weight_sq
    }
}

/// A move's bound: `lower` = mean - `radius`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The lower confidence bound of the mover's value; may be far below -1.
    pub lower: f64,
    /// Half the width of the interval, above 0.
    pub radius: f64,
}

/// The smallest variance that is believed (KataGo).
const VARIANCE_MIN: f64 = 1e-8;
/// Values lie in [-1, 1], so no deviation is larger.
const VALUE_RADIUS: f64 = 1.0;

/// KataGo's bound, u - `stdevs` * sqrt(var / ess) (`getSelfUtilityLCBAndRadius`; `lcbStdevs` = 5).
///
/// A few samples do not determine a variance, so one observation of weight W / ess^3 is added whose
/// second moment is larger by the square of the value range's radius, 1: it dominates at one visit
/// and is gone by ten. `ess` is then taken again with it. A move without weight has a radius of 2
/// `stdevs`, below every other.
pub fn bound(moments: &Moments, stdevs: f64) -> Bound {
    if moments.weight <= 0.0 || moments.weight_sq <= 0.0 {
        let radius = 2.0 * VALUE_RADIUS * stdevs;
        return Bound { lower: -radius, radius };
    }
    let added = moments.weight / moments.effective_samples().powi(3);
    let q_sq = moments.q_sq.max(moments.q * moments.q + VARIANCE_MIN);
    let assumed = q_sq + VALUE_RADIUS * VALUE_RADIUS;
    let weight = moments.weight + added;
    let with_prior = Moments {
        weight,
        weight_sq: moments.weight_sq + added * added,
        q: moments.q,
        q_sq: (q_sq * moments.weight + assumed * added) / weight,
    };
    let variance = with_prior.q_sq - moments.q * moments.q;
    let radius = stdevs * (variance / with_prior.effective_samples()).sqrt();
    Bound { lower: moments.q - radius, radius }
}

/// The plain bound, mean - `z` * sd / sqrt(n), sd the sample's own: 0 where all values were equal,
/// so it trusts a single visit, which [`bound`] does not. Without visits the radius is infinite.
pub fn simple_bound(moments: &Moments, z: f64) -> Bound {
    let variance = (moments.q_sq - moments.q * moments.q).max(0.0);
    let radius = if moments.weight > 0.0 {
        z * (variance / moments.effective_samples()).sqrt()
    } else {
        f64::INFINITY
    };
    Bound { lower: moments.q - radius, radius }
}

/// Fills `out` with [`bound`] of every move.
pub fn bounds(moments: &[Moments], stdevs: f64, out: &mut Vec<Bound>) {
    out.clear();
    out.extend(moments.iter().map(|moments| bound(moments, stdevs)));
}

/// The place of the largest lower bound among moves whose play weight (visits, perhaps pruned) is
/// above 0 and at least `share` of the largest; none without any. KataGo's `share`
/// (`minVisitPropForLCB`) is 0.05 to 0.20.
pub fn lcb_choice(weights: &[f64], bounds: &[Bound], share: f64) -> Option<usize> {
    let least = share * weights.iter().copied().fold(0.0, f64::max);
    let lower = |(&weight, bound): (&f64, &Bound)| {
        if weight > 0.0 && weight >= least { bound.lower } else { f64::NAN }
    };
    argmax(weights.iter().zip(bounds).map(lower))
}

/// Raises the chosen move's play weight so that weights agree with the bounds (KataGo): to the
/// largest `f^2 w_i`, `f = (r_i + x) / (r_i + 0.2 x)`, over moves i whose bound is x >= 0 below the
/// chosen one's. f is the factor by which i's radius would have to be wider; it is below 5, so the
/// weight comes to less than 25 times another's.
pub fn raise_choice(weights: &mut [f64], bounds: &[Bound], chosen: usize) {
    let lower = bounds[chosen].lower;
    let mut raised = weights[chosen];
    for (place, (&weight, bound)) in weights.iter().zip(bounds).enumerate() {
        let excess = lower - bound.lower;
        // A move with a better bound was not eligible: it gives no reason to raise.
        if place != chosen && excess >= 0.0 {
            let wider = (bound.radius + excess) / (bound.radius + 0.2 * excess);
            raised = raised.max(wider * wider * weight);
        }
    }
    weights[chosen] = raised;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_visit_is_mostly_the_prior_observation() {
        // ess 1, so the added weight is 1: var = (0.04 + 1.04) / 2 - 0.04 = 0.5 and 1e-8, ess 2.
        let one = bound(&Moments::of_visits(1.0, 0.2, 0.04), 5.0);
        assert!((one.radius - 5.0 * 0.25_f64.sqrt()).abs() < 1e-6);
        assert!((one.lower - (0.2 - one.radius)).abs() < 1e-15);
        assert_eq!(
            bound(&Moments::of_visits(0.0, 0.0, 0.0), 5.0),
            Bound { lower: -10.0, radius: 10.0 }
        );
    }

    #[test]
    fn many_visits_are_the_sample() {
        let many = Moments::of_visits(400.0, 0.1, 0.26);
        assert!((bound(&many, 5.0).radius - 5.0 * 0.5 / 20.0).abs() < 1e-4);
        let simple = simple_bound(&many, 2.0);
        assert!((simple.lower - (0.1 - 2.0 * 0.5 / 20.0)).abs() < 1e-12);
        assert_eq!(simple_bound(&Moments::of_visits(0.0, 0.0, 0.0), 2.0).lower, f64::NEG_INFINITY);
        assert_eq!(simple_bound(&Moments::of_visits(9.0, 0.3, 0.09), 2.0).lower, 0.3);
    }

    #[test]
    fn weights_count_as_fewer_samples() {
        // Weights 3 and 1: ess = 16 / 10.
        let uneven = Moments { weight: 4.0, weight_sq: 10.0, q: 0.0, q_sq: 0.25 };
        assert_eq!(uneven.effective_samples(), 1.6);
        // By hand: added 4 / 4.096, W 4.9765625, sum w^2 10.9536743..., q_sq 0.4462323...
        let added: f64 = 4.0 / 4.096;
        let ess = (4.0 + added).powi(2) / (10.0 + added * added);
        let variance = (0.25 * 4.0 + 1.25 * added) / (4.0 + added);
        let radius = bound(&uneven, 5.0).radius;
        assert!((radius - 5.0 * (variance / ess).sqrt()).abs() < 1e-12);
        assert!(radius > bound(&Moments::of_visits(4.0, 0.0, 0.25), 5.0).radius);
        let even = Moments { weight: 8.0, weight_sq: 16.0, ..uneven };
        let visits = Moments::of_visits(4.0, 0.0, 0.25);
        assert!((bound(&even, 5.0).radius - bound(&visits, 5.0).radius).abs() < 1e-12);
    }

    #[test]
    fn the_choice_is_sure_and_eligible() {
        let moments = [
            Moments::of_visits(100.0, 0.30, 0.20), // much looked at, wide
            Moments::of_visits(60.0, 0.29, 0.09),  // nearly as much, narrow
            Moments::of_visits(3.0, 0.95, 0.91),   // hardly looked at
        ];
        let mut out = Vec::new();
        bounds(&moments, 5.0, &mut out);
        assert_eq!(lcb_choice(&[100.0, 60.0, 3.0], &out, 0.15), Some(1));
        assert_eq!(lcb_choice(&[100.0, 10.0, 3.0], &out, 0.15), Some(0));
        assert_eq!(lcb_choice(&[0.0, 0.0, 0.0], &out, 0.15), None);
        // The first move can win too: an earlier KataGo skipped it.
        assert_eq!(lcb_choice(&[60.0, 100.0], &[out[1], out[0]], 0.15), Some(0));

        let mut weights = [100.0, 60.0, 3.0];
        raise_choice(&mut weights, &out, 1);
        let excess = out[1].lower - out[0].lower;
        let wider = (out[0].radius + excess) / (out[0].radius + 0.2 * excess);
        assert!((weights[1] - wider * wider * 100.0).abs() < 1e-9 && weights[1] > 100.0);
        assert_eq!([weights[0], weights[2]], [100.0, 3.0]);
    }

    #[test]
    fn a_raise_is_below_twenty_five_times() {
        let far = [Bound { lower: -1e9, radius: 1e-9 }, Bound { lower: 0.0, radius: 0.1 }];
        let mut weights = [100.0, 20.0];
        raise_choice(&mut weights, &far, 1);
        assert!(weights[1] <= 2500.0 && weights[1] > 2499.0);
        let better = [Bound { lower: 0.5, radius: 0.1 }, Bound { lower: 0.0, radius: 0.1 }];
        let mut weights = [1.0, 20.0];
        raise_choice(&mut weights, &better, 1);
        assert_eq!(weights, [1.0, 20.0]);
    }
}
