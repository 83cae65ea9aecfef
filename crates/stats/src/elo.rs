//! Elo differences and expected scores, and the bridge between them.

/// Elo points in one natural-log unit of odds: 400 / ln 10.
///
/// The logistic scale of A. Elo, *The Rating of Chessplayers* (1978), section 8.4: ten to one odds
/// are 400 points.
pub const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// A rating, or a difference between two ratings, in Elo points.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// The difference that predicts `score`, or `None` where no finite one does: at 0 and 1, and
    /// outside [0, 1].
    pub fn from_score(score: Score) -> Option<Self> {
        let s = score.0;
        (s > 0.0 && s < 1.0).then(|| Self::from_nats((s / (1.0 - s)).ln()))
    }

    /// The expected score of the player who is this many points stronger.
    pub fn to_score(self) -> Score {
        Score(logistic(self.nats()))
    }

    /// From natural-log odds.
    pub fn from_nats(nats: f64) -> Self {
        Self(nats * ELO_PER_NAT)
    }

    /// In natural-log odds.
    pub fn nats(self) -> f64 {
        self.0 / ELO_PER_NAT
    }
}

/// An average score a game, in [0, 1]: a win is 1, a draw 1/2, a loss 0.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score(pub f64);

impl Score {
    /// An even score.
    pub const EVEN: Self = Self(0.5);

    /// The other player's score.
    #[must_use]
    pub fn flip(self) -> Self {
        Self(1.0 - self.0)
    }
}

/// 1 / (1 + e^-x).
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 400 log10(3), as every Elo table prints it.
    #[test]
    fn three_to_one_is_190_85() {
        let elo = Elo::from_score(Score(0.75)).unwrap();
        assert!((elo.0 - 190.848_501_888).abs() < 1e-6, "{elo:?}");
    }

    #[test]
    fn table_values() {
        // 400 points are odds of ten to one; 200 points are 0.7597, 100 points 0.6401.
        for (elo, score) in
            [(0.0, 0.5), (100.0, 0.640_065), (200.0, 0.759_747), (400.0, 10.0 / 11.0)]
        {
            assert!((Elo(elo).to_score().0 - score).abs() < 1e-6);
            assert!((Elo(-elo).to_score().0 - (1.0 - score)).abs() < 1e-6);
        }
    }

    #[test]
    fn there_and_back() {
        for step in 1..100 {
            let score = Score(f64::from(step) / 100.0);
            let back = Elo::from_score(score).unwrap().to_score();
            assert!((back.0 - score.0).abs() < 1e-12);
        }
    }

    #[test]
    fn extreme_scores_have_no_elo() {
        assert_eq!(Elo::from_score(Score(0.0)), None);
        assert_eq!(Elo::from_score(Score(1.0)), None);
        assert_eq!(Elo::from_score(Score(f64::NAN)), None);
    }
}
