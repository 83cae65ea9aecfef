//! What goes wrong in silence: findings about a run, each with the figures that it was judged by.
//!
//! [`Report::judge`] asks every check that needs no network; it reads nothing and measures nothing,
//! so the driver asks it after each cycle and `dagzero doctor RUN` asks it again. Measurements that
//! need a network are made elsewhere and judged by [`Probed::judge`].

mod changes;
mod finding;
mod games;
mod losses;
mod probed;
mod strength;

pub use changes::{AlarmChange, AlarmLine, changes, in_force};
pub use finding::{Finding, Rules, Severity};
pub use probed::{Moment, Probed, Scatter, ValueSign};

use crate::report::Report;

impl Report {
    /// Every finding that needs no network, the worst first.
    pub fn judge(&self, rules: &Rules) -> Vec<Finding> {
        let mut findings = vec![
            games::target_entropy(self),
            games::policy_entropy(self),
            games::duplicated(&self.cycles),
            games::openings(&self.cycles),
            games::cut(&self.cycles),
            games::stale(&self.cycles),
            games::resignation(&self.cycles, rules),
            losses::overfitting(&self.cycles),
            losses::rising(&self.measures.steps),
            losses::clipping(&self.measures.steps),
            strength::gate_stuck(&self.cycles),
            strength::repeated_gate(&self.cycles),
            strength::learning(self),
            strength::forgetting(self),
            strength::raw_policy(self),
            strength::search_gain(self),
        ];
        sort(&mut findings);
        findings
    }

    /// The findings that are reported while a run goes on, the worst first.
    pub fn troubles(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity.is_trouble())
    }

    /// Replaces findings by those of a closer look that have the same name.
    pub fn add_findings(&mut self, findings: Vec<Finding>) {
        self.findings.retain(|old| findings.iter().all(|new| new.id != old.id));
        self.findings.extend(findings);
        sort(&mut self.findings);
    }

    /// Whether the raw policy is as good as right where the truth is known: a policy that has
    /// learned a small game no longer changes and is rightly sure of itself. False where the truth
    /// is not known.
    fn is_solved(&self) -> bool {
        let newest = self.measures.truth.iter().rfind(|line| line.truth_playouts == 0);
        newest.is_some_and(|line| {
            line.nontrivial > 0
                && line.nontrivial_preserving as f64 >= SOLVED * line.nontrivial as f64
        })
    }
}

/// Share of solved positions, where some move loses value, in which a policy that has learned the
/// game keeps it.
const SOLVED: f64 = 0.9;

fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| finding.severity);
}
