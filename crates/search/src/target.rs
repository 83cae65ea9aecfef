//! From a search to the policy target.

use crate::{
    PolicyTarget, RootMove, Summary,
    choose::worth_playing,
    formula::{self, Child, GumbelParams, MixedWeight},
};

/// The policy target of a search: shares that sum to 1, one a legal move, in the order of the
/// moves. Empty where the game is over. Moves that proofs rule out have no share: a search that has
/// proven a win ends, so its visits show what was looked at before, not which move wins.
pub fn policy_target(summary: &Summary, target: PolicyTarget) -> Vec<f64> {
    let quiet: Vec<Child> = summary.moves.iter().map(RootMove::quiet_child).collect();
    let mut shares = Vec::with_capacity(quiet.len());
    match target {
        PolicyTarget::Visits => formula::visit_shares(&quiet, &mut shares),
        PolicyTarget::PrunedVisits => {
            let children: Vec<Child> = summary.moves.iter().map(RootMove::child).collect();
            formula::pruned_visits(&children, summary.exploration_scale, &mut shares);
            formula::normalise(&mut shares);
        }
        PolicyTarget::Regularized { c } => {
            formula::regularized_policy(&quiet, summary.value, c, &mut shares);
        }
        PolicyTarget::CompletedQ(sigma) => {
            let params = GumbelParams { sigma, mixed_weight: MixedWeight::Visits };
            formula::improved_policy(&quiet, summary.own_value, &params, &mut shares);
        }
    }
    if summary.has_proofs() {
        keep(&mut shares, &worth_playing(&summary.moves));
    }
    shares
}

/// Shares out to some moves what the others had; evenly where they had nothing themselves.
fn keep(shares: &mut [f64], kept: &[bool]) {
    let has_share = shares.iter().zip(kept).any(|(share, is)| *is && *share > 0.0);
    for (share, is) in shares.iter_mut().zip(kept) {
        let own = if has_share { *share } else { 1.0 };
        *share = if *is { own } else { 0.0 };
    }
    formula::normalise(shares);
}
