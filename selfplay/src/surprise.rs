//! Surprise weights: positions whose search found something else than the network expected count
//! more (KataGo, `policySurpriseDataWeight`; docs/KataGoMethods.md, "Policy Surprise Weighting";
//! value there 0.5).

use dz_search::{PolicyTarget, RootMove, Summary, policy_target};
use dz_shard::{PlyRecord, SearchKind};

/// The most that a record's weight may be.
const WEIGHT_MAX: f64 = 63.0;

/// How far a search's policy target is from the priors it started with, noise included: the
/// Kullback-Leibler divergence in nats, 0 or more. With noise, since what noise made the search
/// look at did not surprise the network.
pub(crate) fn surprise(summary: &Summary, target: PolicyTarget) -> f64 {
    let shares = policy_target(summary, target);
    let of = |(m, share): (&RootMove, f64)| {
        if share > 0.0 { share * (share / m.noisy_prior.max(1e-6)).ln() } else { 0.0 }
    };
    summary.moves.iter().zip(shares).map(of).sum::<f64>().max(0.0)
}

/// Shares out a part of the weight of a game's full searches by their surprises, one for each ply.
/// Their sum stays, except for weight above the maximum of a single position.
pub(crate) fn share_out(plies: &mut [PlyRecord], surprises: &[f64], share: f64) {
    let is_full = |ply: &PlyRecord| ply.kind == SearchKind::Full;
    let full = || plies.iter().zip(surprises).filter(|(ply, _)| is_full(ply));
    let weight: f64 = full().map(|(ply, _)| f64::from(ply.weight)).sum();
    // A search with little weight also has little surprise.
    let whole: f64 = full().map(|(ply, surprise)| f64::from(ply.weight) * surprise).sum();
    if whole <= 0.0 {
        return;
    }
    for (ply, surprise) in plies.iter_mut().zip(surprises) {
        if is_full(ply) {
            let scale = 1.0 - share + share * surprise * weight / whole;
            ply.weight = (f64::from(ply.weight) * scale).min(WEIGHT_MAX) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use dz_game::{Move, Wdl};

    use super::*;

    fn ply(kind: SearchKind, weight: f32) -> PlyRecord {
        PlyRecord {
            mv: Move(0),
            network: 0,
            kind,
            budget: 10,
            visits: vec![(Move(0), 9)],
            root_value: Wdl::DRAW,
            flags: 0,
            weight,
            target: None,
        }
    }

    fn weights(plies: &[PlyRecord]) -> Vec<f32> {
        plies.iter().map(|ply| ply.weight).collect()
    }

    /// Half of two full searches' weight: 0.5 each, and 0.5 * 2 by 3 to 1.
    #[test]
    fn half_goes_by_surprise() {
        let mut plies =
            [ply(SearchKind::Full, 1.0), ply(SearchKind::Fast, 1.0), ply(SearchKind::Full, 1.0)];
        share_out(&mut plies, &[0.3, 9.0, 0.1], 0.5);
        assert_eq!(weights(&plies), [1.25, 1.0, 0.75]);
        share_out(&mut plies, &[0.0, 9.0, 0.0], 0.5);
        assert_eq!(weights(&plies), [1.25, 1.0, 0.75], "nothing surprises");
    }

    /// A tenth of a weight is a tenth of a surprise: shares of 1 * 0.2 and 0.1 * 0.2 of 1.1.
    #[test]
    fn light_positions_stay_light() {
        let mut plies = [ply(SearchKind::Full, 1.0), ply(SearchKind::Full, 0.1)];
        share_out(&mut plies, &[0.2, 0.2], 1.0);
        assert_eq!(weights(&plies), [1.0, 0.1]);
        let mut many: Vec<PlyRecord> = (0..200).map(|_| ply(SearchKind::Full, 1.0)).collect();
        let surprises: Vec<f64> = (0..200).map(|i| f64::from(u8::from(i == 0))).collect();
        share_out(&mut many, &surprises, 1.0);
        assert_eq!(many[0].weight, 63.0);
    }
}
