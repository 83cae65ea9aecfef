//! `go`: how long to think.

use std::time::Duration;

use dz_game::Player;

use crate::clock::TimeLeft;

/// What may follow a list of moves.
const KEYWORDS: [&str; 12] = [
    "infinite",
    "ponder",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "mate",
    "searchmoves",
];

/// What a front end sends with `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    pub nodes: Option<u32>,
    pub move_time: Option<Duration>,
    pub infinite: bool,
    pub ponder: bool,
    /// The moves to think of, as they were written; all where there are none.
    pub among: Vec<String>,
    /// What is not obeyed, for people.
    pub ignored: Option<String>,
    white: Option<Duration>,
    black: Option<Duration>,
    white_increment: Duration,
    black_increment: Duration,
    moves: Option<u32>,
}

impl Go {
    pub(super) fn read(words: &[&str]) -> Self {
        let mut go = Self::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "nodes" => {
                    go.nodes = number(words.next()).map(|n| n.clamp(1, i64::from(u32::MAX)) as u32);
                }
                "movetime" => go.move_time = time(words.next()),
                "wtime" => go.white = time(words.next()),
                "btime" => go.black = time(words.next()),
                "winc" => go.white_increment = time(words.next()).unwrap_or_default(),
                "binc" => go.black_increment = time(words.next()).unwrap_or_default(),
                "movestogo" => {
                    go.moves = number(words.next()).map(|n| n.clamp(1, 1_000) as u32);
                }
                "depth" | "mate" => {
                    words.next();
                    go.ignored = Some(format!("{word} is no limit of this search; use nodes"));
                }
                "searchmoves" => {
                    while let Some(mv) = words.next_if(|word| !KEYWORDS.contains(word)) {
                        go.among.push(mv.to_owned());
                    }
                }
                _ => {}
            }
        }
        go
    }

    /// Returns whether the search ends only on the front end's command.
    pub(super) fn waits(&self) -> bool {
        self.infinite || self.ponder
    }

    /// The clock of a player.
    pub(super) fn time(&self, player: Player) -> Option<TimeLeft> {
        let (left, increment) = if is_white(player) {
            (self.white, self.white_increment)
        } else {
            (self.black, self.black_increment)
        };
        Some(TimeLeft { left: left?, increment, moves: self.moves })
    }
}

fn number(word: Option<&str>) -> Option<i64> {
    word?.parse().ok()
}

/// Reads milliseconds. A clock that has run out may be sent as a negative number.
fn time(word: Option<&str>) -> Option<Duration> {
    let most = i64::from(u32::MAX) * 1_000;
    number(word).map(|n| Duration::from_millis(n.clamp(0, most) as u64))
}

/// White moves first.
pub(super) fn is_white(player: Player) -> bool {
    player == Player::First
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_nonsense_is_skipped() {
        let read = |text: &str| Go::read(&text.split_whitespace().collect::<Vec<_>>());
        let go = read("ponder wtime 1000 btime -5 winc 10 movestogo 3 nodes 99999999999 x depth 4");
        assert!(go.waits() && go.ignored.is_some());
        assert_eq!(go.nodes, Some(u32::MAX));
        let time = go.time(Player::First).expect("a clock");
        assert_eq!((time.left, time.moves), (Duration::from_secs(1), Some(3)));
        assert_eq!(go.time(Player::Second).map(|time| time.left), Some(Duration::ZERO));
        assert_eq!(read("movetime").move_time, None);
        assert_eq!(read("wtime soon"), Go::default());
        let go = read("searchmoves e2e4 d2d4 nodes 7");
        assert_eq!((go.among, go.nodes), (vec!["e2e4".to_owned(), "d2d4".to_owned()], Some(7)));
    }
}
