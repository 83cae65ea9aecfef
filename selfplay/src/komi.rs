//! Komi that differs from game to game, so that networks learn what points are worth.

use dz_config::SelfplaySection;
use dz_game::{Game, Komi, hash_unit};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::seeds::word;

/// Salt of the stream that komi is sampled from.
const KOMI: u64 = 0x6b6f_6d69_2121_2121;
/// Salt of the word that decides whether a game's komi differs widely.
const WIDE: u64 = 0x7769_6465_2121_2121;
/// Deviations beyond which a sample is rejected.
const DEVIATIONS_MAX: f64 = 3.0;

/// How komi differs from game to game: normal around that of the rules (`KataGo`,
/// `PlayUtils::setKomiWithNoise`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KomiPlan {
    /// Standard deviation in points (`KataGo`: 1 * rows / 19); 0 is the rules' komi.
    pub deviation: f64,
    /// Share of games with the other deviation (`KataGo`: 0.06).
    pub wide_share: f64,
    /// That of these games (`KataGo`: 12).
    pub deviation_wide: f64,
}

impl KomiPlan {
    /// As the configuration says.
    pub(crate) fn of(selfplay: &SelfplaySection) -> Self {
        Self {
            deviation: selfplay.komi_deviation,
            wide_share: selfplay.komi_wide_share,
            deviation_wide: selfplay.komi_deviation_wide,
        }
    }

    /// The standard deviation for the game with this seed.
    fn deviation_of(self, game_seed: u64) -> f64 {
        let is_wide = hash_unit(word(game_seed, WIDE)) < self.wide_share;
        if is_wide { self.deviation_wide } else { self.deviation }
    }
}

/// Returns the komi of the game with this seed, if it differs from that of the rules. It is sampled
/// from separate random streams, so a game with the rules' komi is unchanged.
pub(crate) fn own_komi<G: Game>(game: &G, plan: KomiPlan, game_seed: u64) -> Option<Komi> {
    let deviation = plan.deviation_of(game_seed);
    let rules = game.komi().filter(|_| deviation > 0.0)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(word(game_seed, KOMI));
    let noise = loop {
        let noise: f64 = StandardNormal.sample(&mut random);
        if noise.abs() <= DEVIATIONS_MAX {
            break noise;
        }
    };
    // Half points above and below, each as likely as it is near.
    let halves = f64::from(rules.halves) + 2.0 * deviation * noise + random.random::<f64>();
    let sampled = Komi { halves: halves.floor() as i16 };
    game.with_komi(sampled)?.komi().filter(|&komi| komi != rules)
}

#[cfg(test)]
mod tests {
    use dz_game::games::{Go, TicTacToe};
    use dz_game::mix64;

    use super::*;

    fn go(text: &str) -> Go {
        Go::from_spec(&text.parse().unwrap()).unwrap()
    }

    fn narrow(deviation: f64) -> KomiPlan {
        KomiPlan { deviation, ..KomiPlan::default() }
    }

    /// Half points that the games of 20,000 seeds are away from a komi of 7.
    fn shifts(plan: KomiPlan) -> Vec<f64> {
        let shift = |seed| own_komi(&go("go:size=9"), plan, mix64(seed));
        (0..20_000).map(|s| shift(s).map_or(0.0, |komi| f64::from(komi.halves - 14))).collect()
    }

    #[test]
    fn komi_is_normal_around_that_of_the_rules() {
        for deviation in [0.5, 1.0, 4.0] {
            let shifts = shifts(narrow(deviation));
            let count = shifts.len() as f64;
            let mean = shifts.iter().sum::<f64>() / count;
            let variance = shifts.iter().map(|shift| (shift - mean).powi(2)).sum::<f64>() / count;
            // In half points; cut off at three deviations 0.973 of it is left. Rounding by chance
            // keeps the mean and adds the variance of a share of one half point, 1/6 where all
            // shares are as likely.
            let wanted = (2.0 * deviation).powi(2) * 0.973_3 + 1.0 / 6.0;
            assert!(mean.abs() < 4.0 * (wanted / count).sqrt(), "{deviation}: {mean}");
            assert!((variance / wanted - 1.0).abs() < 0.05, "{deviation}: {variance}, {wanted}");
            assert!(shifts.iter().all(|shift| shift.abs() <= 6.0 * deviation + 1.0));
            let of = |parity| shifts.iter().filter(|shift| shift.rem_euclid(2.0) == parity).count();
            assert!(of(0.0) > 8_000 && of(1.0) > 8_000, "whole and half points");
        }
    }

    /// The share of games that it says, and the others to the last half point as without.
    #[test]
    fn some_games_differ_widely() {
        let narrow = narrow(1.0);
        let plan = KomiPlan { wide_share: 0.06, deviation_wide: 12.0, ..narrow };
        let plain = shifts(narrow);
        let both = shifts(plan);
        let other: Vec<f64> =
            plain.iter().zip(&both).filter(|(a, b)| a != b).map(|(_, &b)| b).collect();
        // 1,200 of 20,000, but those that come out alike; four standard errors are 134.
        assert!((1_030..=1_334).contains(&other.len()), "{}", other.len());
        let variance = other.iter().map(|shift| shift * shift).sum::<f64>() / other.len() as f64;
        let wanted = 24.0_f64.powi(2) * 0.973_3;
        assert!((variance / wanted - 1.0).abs() < 0.2, "{variance}, {wanted}");
        assert!(plain.iter().all(|shift| shift.abs() <= 7.0));
        let always = KomiPlan { wide_share: 1.0, deviation_wide: 0.0, ..narrow };
        assert!(shifts(always).iter().all(|&shift| shift == 0.0), "a deviation of 0 is none");
    }

    #[test]
    fn nothing_is_drawn_where_nothing_varies() {
        for seed in 0..100 {
            assert_eq!(own_komi(&go("go"), narrow(0.0), seed), None);
            assert_eq!(own_komi(&TicTacToe, narrow(1.0), seed), None);
            let tiny = own_komi(&go("go:size=2,komi=0"), narrow(100.0), seed);
            assert!(
                tiny.is_none_or(|komi| komi.halves.abs() <= 48),
                "area and 20 points: {tiny:?}"
            );
        }
    }
}
