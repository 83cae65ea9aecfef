//! How games ended, as their communities write it.

use dz_game::{Komi, Outcome, Player};

/// Returns who won and by how many points, komi counted: "black won by 2.5", "white won", "draw".
/// `sides` are the names of the sides, the first player's first.
pub(crate) fn outcome_text(outcome: Outcome, sides: [&str; 2], komi: Option<Komi>) -> String {
    let Some(winner) = outcome.winner else { return "draw".to_owned() };
    let name = sides[winner.index()];
    let komi = komi.map_or(0, |komi| komi.halves);
    let ahead = outcome.margin.map(|margin| {
        let first = margin.saturating_mul(2).saturating_sub(komi);
        if winner == Player::First { first } else { first.saturating_neg() }
    });
    match ahead {
        Some(halves) if halves > 0 => format!("{name} won by {}", Komi { halves }),
        // The points do not decide a game that ended by resignation or forfeit.
        _ => format!("{name} won"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_is_counted() {
        let sides = ["black", "white"];
        let text = |winner, margin, halves: Option<i16>| {
            let komi = halves.map(|halves| Komi { halves });
            outcome_text(Outcome { winner, margin }, sides, komi)
        };
        let (first, second) = (Some(Player::First), Some(Player::Second));
        assert_eq!(text(first, Some(12), Some(19)), "black won by 2.5");
        assert_eq!(text(second, Some(5), Some(14)), "white won by 2");
        assert_eq!(text(None, Some(7), Some(14)), "draw");
        assert_eq!(text(second, Some(-3), Some(-1)), "white won by 2.5");
        assert_eq!(text(first, Some(12), None), "black won by 12");
        assert_eq!(text(second, None, Some(14)), "white won");
        assert_eq!(text(second, Some(20), Some(14)), "white won", "a forfeit");
    }
}
