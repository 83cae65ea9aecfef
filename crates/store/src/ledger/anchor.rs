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
/// always lose to it. Of equals, the first in `matches` wins. `None` if no network has met an
/// anchor.
///
/// `n` games with a mean score of `s` weigh `n s (1 - s)`, which is proportional to the Fisher
/// information about an Elo difference (draws make it larger still). The weights of an anchor are
/// summed over the networks that it met.
///
/// `matches` are the two names of each match and its counts, in the order in which they were
/// played. The answer depends on nothing else.
pub fn best_connected<'a>(
    matches: impl IntoIterator<Item = (&'a str, &'a str, ByFirst)>,
) -> Option<&'a str> {
    let mut anchors: Vec<&str> = Vec::new();
    let mut met: BTreeMap<(usize, &str), Score> = BTreeMap::new();
    for (a, b, by_first) in matches {
        let (network, anchor) = match [a, b].map(|name| PlayerName::new(name).line()) {
            [Some(("network", _)), None] => (a, b),
            [None, Some(("network", _))] => (b, a),
            _ => continue,
        };
        let place = anchors.iter().position(|&known| known == anchor).unwrap_or_else(|| {
            anchors.push(anchor);
            anchors.len() - 1
        });
        met.entry((place, network)).or_default().add(by_first);
    }
    let mut weights = vec![0.0; anchors.len()];
    for ((place, _), score) in met {
        weights[place] += score.weight();
    }
    let best = (0..anchors.len())
        .reduce(|best, place| if weights[place] > weights[best] { place } else { best })?;
    Some(anchors[best])
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
    /// The half points of either player. The weight is the same for both.
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
        // Networks grow: random tells nothing any more, and what it told is soon outweighed.
        let later = [
            ("network-0002", "random", won(20)),
            ("network-0002", "rollout", won(6)),
            ("network-0002", "engine", won(0)),
        ];
        assert_eq!(best_connected(early.into_iter().chain(later)), Some("rollout"));
        // The other way round they are the same games.
        let turned = later.map(|(a, b, [first, second])| (b, a, [second, first]));
        assert_eq!(best_connected(early.into_iter().chain(turned)), Some("rollout"));
    }

    #[test]
    fn of_equals_the_first_counts_and_games_of_others_do_not() {
        let equal = |names: [&'static str; 2]| {
            best_connected(names.map(|name| ("network-0001", name, won(20))))
        };
        assert_eq!(equal(["random", "rollout"]), Some("random"));
        assert_eq!(equal(["rollout", "random"]), Some("rollout"));
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
