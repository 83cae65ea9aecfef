//! Komi that differs from game to game, so that networks learn what points are worth.

use dz_game::{Game, Komi, mix64};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What the stream that komi is drawn from is seeded with, beside the game's seed.
const KOMI: u64 = 0x6b6f_6d69_2121_2121;
/// Deviations beyond which a draw is drawn again.
const DEVIATIONS_MAX: f64 = 3.0;

/// The komi of the game with this seed, where it is not that of the rules: normal around it, `deviation` in points
/// (`KataGo`, `PlayUtils::setKomiWithNoise`; value there: 1 * rows / 19). The stream is none of the game's own, so a game that
/// keeps the rules' komi is what it would have been.
pub(crate) fn own_komi<G: Game>(game: &G, deviation: f64, game_seed: u64) -> Option<Komi> {
    let rules = game.komi().filter(|_| deviation > 0.0)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(mix64(game_seed ^ mix64(KOMI)));
    let noise = loop {
        let noise: f64 = StandardNormal.sample(&mut random);
        if noise.abs() <= DEVIATIONS_MAX {
            break noise;
        }
    };
    // Half points above and below, each as likely as it is near.
    let halves = f64::from(rules.halves) + 2.0 * deviation * noise + random.random::<f64>();
    let drawn = Komi { halves: halves.floor() as i16 };
    game.with_komi(drawn)?.komi().filter(|&komi| komi != rules)
}

#[cfg(test)]
mod tests {
    use dz_game::games::{Go, TicTacToe};

    use super::*;

    fn go(text: &str) -> Go {
        Go::from_spec(&text.parse().unwrap()).unwrap()
    }

    /// Half points that the games of 20,000 seeds are away from a komi of 7.
    fn shifts(deviation: f64) -> Vec<f64> {
        let shift = |seed| own_komi(&go("go:size=9"), deviation, mix64(seed));
        (0..20_000).map(|s| shift(s).map_or(0.0, |komi| f64::from(komi.halves - 14))).collect()
    }

    #[test]
    fn komi_is_normal_around_that_of_the_rules() {
        for deviation in [0.5, 1.0, 4.0] {
            let shifts = shifts(deviation);
            let count = shifts.len() as f64;
            let mean = shifts.iter().sum::<f64>() / count;
            let variance = shifts.iter().map(|shift| (shift - mean).powi(2)).sum::<f64>() / count;
            // In half points; cut off at three deviations 0.973 of it is left. Rounding by chance keeps the mean and adds
            // the variance of a share of one half point, 1/6 where all shares are as likely.
            let wanted = (2.0 * deviation).powi(2) * 0.973_3 + 1.0 / 6.0;
            assert!(mean.abs() < 4.0 * (wanted / count).sqrt(), "{deviation}: {mean}");
            assert!((variance / wanted - 1.0).abs() < 0.05, "{deviation}: {variance}, {wanted}");
            assert!(shifts.iter().all(|shift| shift.abs() <= 6.0 * deviation + 1.0));
            let of = |parity| shifts.iter().filter(|shift| shift.rem_euclid(2.0) == parity).count();
            assert!(of(0.0) > 8_000 && of(1.0) > 8_000, "whole and half points");
        }
    }

    #[test]
    fn nothing_is_drawn_where_nothing_varies() {
        for seed in 0..100 {
            assert_eq!(own_komi(&go("go"), 0.0, seed), None);
            assert_eq!(own_komi(&TicTacToe, 1.0, seed), None);
            let tiny = own_komi(&go("go:size=2,komi=0"), 100.0, seed);
            assert!(
                tiny.is_none_or(|komi| komi.halves.abs() <= 48),
                "area and 20 points: {tiny:?}"
            );
        }
    }
}
