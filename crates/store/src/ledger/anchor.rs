//! The fixed opponent at 0 Elo of a run's scale.

use std::collections::BTreeMap;

use super::entry::MatchPurpose;
use super::player_name::PlayerName;
use super::state::RunState;

/// The counts of a match: the games that its first named player, then its second, moved first in,
/// each as the first mover's wins, draws and losses.
type ByFirst = [[u64; 3]; 2];

/// Returns the best-connected anchor: the fixed opponent whose games against searching networks
/// give most information about Elo differences. Networks neither nearly always beat it nor nearly
/// always lose to it. `None` if no network has met an anchor.
///
/// `n` games with a mean score of `s` weigh `n s (1 - s)`, which is proportional to the Fisher
/// information about an Elo difference (draws make it larger still). The weights of an anchor are
/// summed over the networks that it met.
///
/// Anchors are equal where networks won or lost all games against each of them. Then the games of
/// raw policies decide in the same way. Of those still equal it is the last by name, with numbers
/// in order, so that `rollout-1000` goes before `random`, and `rollout-10000` before both.
///
/// `matches` are the two names of each match and its counts. Their order does not matter, and the
/// answer depends on nothing else.
pub fn best_connected<'a>(
    matches: impl IntoIterator<Item = (&'a str, &'a str, ByFirst)>,
) -> Option<&'a str> {
    let mut met: BTreeMap<(&str, &str, &str), Score> = BTreeMap::new();
    for (a, b, by_first) in matches {
        match [a, b].map(|name| PlayerName::new(name).line()) {
            [Some((line, _)), None] => met.entry((b, line, a)).or_default().add(by_first),
            [None, Some((line, _))] => {
                met.entry((a, line, b)).or_default().add(of_the_other(by_first));
            }
            _ => {}
        }
    }
    let weight = |anchor: &str, wanted: &str| {
        let of = met.iter().filter(|((other, line, _), _)| *other == anchor && *line == wanted);
        of.map(|(_, score)| score.weight()).sum::<f64>()
    };
    let networks = met.keys().filter(|(_, line, _)| *line == "network");
    networks.map(|(anchor, ..)| *anchor).max_by(|one, other| {
        let by = |line| weight(one, line).total_cmp(&weight(other, line));
        by("network").then(by("policy")).then(by_number(one).cmp(&by_number(other)))
    })
}

/// The same counts with the players named the other way round.
fn of_the_other([first, second]: ByFirst) -> ByFirst {
    [second, first]
}

/// Sort key of names: the text before the number at the end, and the number.
fn by_number(name: &str) -> (&str, u64) {
    let text = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (text, name[text.len()..].parse().unwrap_or(0))
}

impl RunState {
    /// The best-connected anchor by the rating games of the cycles before `cycle`; see
    /// [`best_connected`]. The Elo scale has its 0 there.
    pub fn anchor_before(&self, cycle: u32) -> Option<&str> {
        let rated = self.matches().filter(|(at, _)| *at < cycle);
        let rated = rated.filter(|(_, played)| played.purpose == MatchPurpose::Rating);
        best_connected(rated.map(|(_, m)| (m.a.as_str(), m.b.as_str(), m.result.by_first)))
    }

    /// The best-connected anchor by all rating games.
    pub fn anchor(&self) -> Option<&str> {
        self.anchor_before(u32::MAX)
    }
}

/// Games of two players.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    games: u64,
    /// The half points of the player from whose view it is.
    half_points: u64,
}

impl Score {
    fn add(&mut self, [first, second]: ByFirst) {
        self.games += first.iter().chain(&second).sum::<u64>();
        self.half_points += 2 * first[0] + first[1] + second[1] + 2 * second[2];
    }

    fn weight(self) -> f64 {
        if self.games == 0 {
            return 0.0;
        }
        let games = self.games as f64;
        let score = 0.5 * self.half_points as f64 / games;
        games * score * (1.0 - score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty games of a network, which won so many of them.
    fn won(wins: u64) -> ByFirst {
        let (first, second) = (wins / 2, wins - wins / 2);
        [[first, 0, 10 - first], [10 - second, 0, second]]
    }

    #[test]
    fn the_anchor_that_networks_neither_always_beat_nor_always_lose_to() {
        let early = [
            ("network-0001", "random", won(17)),
            ("network-0001", "rollout", won(0)),
            ("network-0001", "engine", won(0)),
        ];
        assert_eq!(best_connected(early), Some("random"));
        // Networks grow: games with `random` give no more information, and their weight fades.
        let later = [
            ("network-0002", "random", won(20)),
            ("network-0002", "rollout", won(6)),
            ("network-0002", "engine", won(0)),
        ];
        assert_eq!(best_connected(early.into_iter().chain(later)), Some("rollout"));
        // The other way round they are the same games.
        let turned = later.map(|(a, b, [first, second])| (b, a, [second, first]));
        assert_eq!(best_connected(early.into_iter().chain(turned)), Some("rollout"));
        // As games one by one, each with the first mover named first.
        let one_by_one = later.into_iter().flat_map(|(a, b, [first, second])| {
            [(a, b, [first, [0; 3]]), (b, a, [second, [0; 3]])]
        });
        assert_eq!(best_connected(one_by_one), Some("rollout"));
    }

    #[test]
    fn of_equals_policies_or_names_decide_and_games_of_others_do_not() {
        let equal = |names: [&'static str; 2]| {
            best_connected(names.map(|name| ("network-0001", name, won(20))))
        };
        assert_eq!(equal(["random", "rollout-1000"]), Some("rollout-1000"));
        assert_eq!(equal(["rollout-1000", "random"]), Some("rollout-1000"));
        assert_eq!(equal(["rollout-10000", "rollout-900"]), Some("rollout-10000"));
        let with_policies = [
            ("policy-0001", "random", won(19)),
            ("policy-0001", "rollout-1000", won(20)),
            ("network-0001", "rollout-1000", won(20)),
            ("network-0001", "random", won(20)),
        ];
        assert_eq!(best_connected(with_policies), Some("random"));
        let none = [
            ("policy-0001", "rollout", won(10)),
            ("network-0002", "network-0001", won(10)),
            ("rollout", "random", won(10)),
        ];
        assert_eq!(best_connected(none), None);
        assert_eq!(
            best_connected(none.into_iter().chain([("network-0001", "random", won(20))])),
            Some("random")
        );
    }

    #[test]
    fn draws_connect() {
        let drawn = [[0, 10, 0]; 2];
        let games = [("network-0001", "random", won(18)), ("network-0001", "solver", drawn)];
        assert_eq!(best_connected(games), Some("solver"));
        assert_eq!(best_connected([("network-0001", "random", [[0; 3]; 2])]), Some("random"));
    }
}
