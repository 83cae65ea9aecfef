//! Findings that take a network to answer: whether it sees turned boards alike and values have the
//! right sign.

use dz_game::Player;
use dz_stats::{Z95, wilson};
use serde::Serialize;

use super::finding::{Check, Finding, Severity};
use super::games::policy_entropy_of;
use crate::count;
use crate::report::Report;

/// Variance over the views of a position through symmetries as a share of the variance of all
/// answers: 1 where the views have nothing in common, as independent networks would have, 0 where
/// they agree. Networks that learned through all symmetries for some hundred steps were measured at
/// 0.1 to 0.4 (tic-tac-toe); with a policy head shifted by one index it is near 1. Halfway up is
/// worth a look.
const VIEW_ALARM: f64 = 0.8;
const VIEW_WARNING: f64 = 0.5;
/// A policy nearer to equal chances than this share of their entropy, and values whose mean square
/// distance from their mean is less, are the outputs of a network that has not learned yet: noise,
/// which no two views share.
const ENTROPY_MAX: f64 = 0.85;
const VALUE_SCATTER_MIN: f64 = 0.02;
/// Positions that a share or a correlation is taken of at least.
const POSITIONS_MIN: u64 = 10;

/// Measurements of a network's answers. [`Probed::judge`] interprets them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Probed {
    /// Symmetries of the game's encoding; 1 is none but the identity.
    pub symmetries: u64,
    /// Squared distances of policies: of each view from the position's mean over views, and from
    /// equal chances.
    pub policy: Scatter,
    /// Squared distances of values (win minus loss): of each view from the position's mean over
    /// views, and from the mean of all.
    pub value: Scatter,
    /// Mean over positions of the policy's entropy over that of equal chances, 0 to 1.
    pub entropy_share: Option<f64>,
    /// Positions in which the recorded move won at once, by who moved.
    pub last_plies: [ValueSign; 2],
    /// Value against the outcome for the mover, by who moved; one position a game for each.
    pub outcomes: [Moment; 2],
}

/// Sums of squares over `views` views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Scatter {
    /// From the mean of the same position.
    pub within: f64,
    /// From what does not depend on the position.
    pub whole: f64,
    /// How many views were summed over.
    pub views: u64,
}

impl Scatter {
    /// Share of the variance that the view causes, 1 where `symmetries` views of a position have
    /// nothing in common; `None` if there is no variance. The mean of n values takes one n-th of
    /// their variance with it.
    fn share(&self, symmetries: u64) -> Option<f64> {
        let views = symmetries as f64;
        (self.whole > 0.0 && symmetries > 1)
            .then(|| self.within / self.whole * views / (views - 1.0))
    }
}

/// How often a value is on the winner's side of the mean value. The mean matters: a network that
/// has only learned that the first player tends to win calls all positions of the second player
/// lost, and its sign is still right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ValueSign {
    /// Positions.
    pub positions: u64,
    /// Those in which the value (win minus loss) is above its mean over recorded positions of the
    /// same mover.
    pub right: u64,
}

/// Sums for a correlation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Moment {
    /// Pairs.
    pub count: u64,
    sums: [f64; 2],
    squares: [f64; 2],
    products: f64,
}

impl Moment {
    /// Takes in a pair.
    pub fn add(&mut self, one: f64, other: f64) {
        self.count += 1;
        for (place, value) in [one, other].into_iter().enumerate() {
            self.sums[place] += value;
            self.squares[place] += value * value;
        }
        self.products += one * other;
    }

    /// Pearson's correlation with its 95 % interval by R. Fisher's transform (atanh, standard error
    /// 1 / sqrt(n - 3)); none of fewer than ten pairs, or where one side does not vary.
    fn correlation(&self) -> Option<[f64; 3]> {
        let n = self.count as f64;
        let [a, b] = self.sums.map(|sum| sum / n);
        let [va, vb] = [self.squares[0] / n - a * a, self.squares[1] / n - b * b];
        if self.count < POSITIONS_MIN || va < 1e-9 || vb < 1e-9 {
            return None;
        }
        let r = ((self.products / n - a * b) / (va * vb).sqrt()).clamp(-0.999_999, 0.999_999);
        let error = Z95 / (n - 3.0).sqrt();
        Some([r.atanh() - error, r.atanh(), r.atanh() + error].map(f64::tanh))
    }
}

impl Probed {
    /// What the measures say of the champion of a run.
    pub fn judge(&self, report: &Report) -> Vec<Finding> {
        let entropy = policy_entropy_of(report, self.entropy_share, "probe positions");
        vec![self.symmetry(), self.value_sign(), self.value_outcome(), entropy]
    }

    fn symmetry(&self) -> Finding {
        const CHECK: Check = Check {
            id: "symmetry",
            threshold: "variance over the views of a position as a share of the whole variance of policies and of values, 1 where views have \
                        nothing in common: alarm above 0.8, warning above 0.5; only of a policy with less than 85 % of the entropy of equal \
                        chances, and of values that differ, since a network that has not learned yet says noise",
            advice: "The tables of symmetries, of policy indices or of planes do not fit each other: run `cargo test -p dz-game laws`, and \
                     `dagzero verify RUN` for a damaged network.",
        };
        if self.symmetries < 2 {
            return CHECK.found(
                Severity::Fine,
                "The game's encoding has no symmetries.".to_owned(),
                [],
            );
        }
        let is_sure = self.entropy_share.is_some_and(|share| share <= ENTROPY_MAX);
        let differ = self.value.whole >= VALUE_SCATTER_MIN * self.value.views as f64;
        let shares = [(is_sure, &self.policy), (differ, &self.value)]
            .map(|(counts, scatter)| scatter.share(self.symmetries).filter(|_| counts));
        let Some(most) = shares.into_iter().flatten().reduce(f64::max) else {
            return CHECK.unjudged(
                "The network's answers are nearly the same for every position: it has not learned yet.",
            );
        };
        let severity = Severity::above(most, VIEW_WARNING, VIEW_ALARM);
        let text = |share: Option<f64>| share.map_or("too little data".to_owned(), count::percent);
        let says = format!(
            "Of the variance of the network's answers over positions and {} symmetries, the symmetry makes {} for policies and {} for values.",
            self.symmetries,
            text(shares[0]),
            text(shares[1])
        );
        let [policy, value] = shares.map(|share| share.unwrap_or(0.0));
        CHECK.found(severity, says, [("policy_share", policy), ("value_share", value)])
    }

    fn value_sign(&self) -> Finding {
        const CHECK: Check = Check {
            id: "value-sign",
            threshold: "in positions whose recorded move won at once, by each player, the share whose value is above its mean over that player's \
                        recorded positions: alarm where its whole 95 % interval (Wilson) is below a half, warning where the share is",
            advice: "The value has the wrong sign, or is not the mover's: look at how outcomes become targets and at the order of win, draw and loss.",
        };
        let judged = self.last_plies.iter().filter(|sign| sign.positions >= POSITIONS_MIN);
        let shares: Vec<_> = judged.map(|sign| wilson(sign.right, sign.positions)).collect();
        let Some(worst) = shares.iter().copied().min_by(|a, b| a.share.total_cmp(&b.share)) else {
            return CHECK
                .unjudged("Fewer than ten recorded games end by a winning move of either player.");
        };
        let severity = match worst {
            w if w.hi95 < 0.5 => Severity::Alarm,
            w if w.share < 0.5 => Severity::Warning,
            _ => Severity::Fine,
        };
        let [first, second] = self.last_plies;
        let says = format!(
            "One move before winning, the value is above what is usual for the mover in {} of {} positions of the first player and {} of {} of the second.",
            first.right, first.positions, second.right, second.positions
        );
        CHECK.found(severity, says, [("share_worst", worst.share), ("hi95_worst", worst.hi95)])
    }

    fn value_outcome(&self) -> Finding {
        const CHECK: Check = Check {
            id: "value-outcome",
            threshold: "correlation of the raw value with the outcome for the mover, one recorded position a game, by each player to move: alarm \
                        where its whole 95 % interval (Fisher) is below 0, warning where it is not surely above",
            advice: "The value does not predict who wins: with an alarm its sign is wrong, else look at the value loss and at duplicated-games.",
        };
        let known: Vec<(Player, [f64; 3])> = Player::BOTH
            .into_iter()
            .zip(&self.outcomes)
            .filter_map(|(player, moment)| Some((player, moment.correlation()?)))
            .collect();
        let Some(&(_, [lo95, worst, hi95])) = known.iter().min_by(|a, b| a.1[1].total_cmp(&b.1[1]))
        else {
            return CHECK.unjudged("Too few recorded games, or all of them ended alike.");
        };
        let severity = match (lo95, hi95) {
            (_, hi) if hi < 0.0 => Severity::Alarm,
            (lo, _) if lo <= 0.0 => Severity::Warning,
            _ => Severity::Fine,
        };
        let text: Vec<String> = known
            .iter()
            .map(|&(player, [lo, r, hi])| {
                let found = count::interval(count::real, [r, lo, hi]);
                format!("{found} with the {} player to move", player.name())
            })
            .collect();
        let says = format!("Raw values and outcomes correlate by {}.", text.join(", "));
        CHECK.found(severity, says, [("worst", worst), ("lo95", lo95), ("hi95", hi95)])
    }
}
