//! Results of games, read from PGN or JSON lines.

use dz_stats::{PairResult, Roster};

/// The beginning of the remark on players without a name.
const UNKNOWN: &str = "a player has no name, or \"?\"";

/// The content of the files: who played whom, how it ended, and what could not be read.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Everybody who is named, also those without a finished game.
    pub(super) roster: Roster,
    /// Finished games, one an item.
    pub(super) games: Vec<PairResult>,
    /// Games without a result: `*`.
    pub(super) unfinished: u64,
    /// Games of match files that repeat an earlier one of their match move by move.
    pub(super) repeated: u64,
    /// What is wrong, and where.
    pub(super) faults: Vec<Fault>,
    /// What is unusual, and where; nothing is missing for it.
    pub(super) remarks: Vec<Fault>,
    /// Whether some bytes of the file fit no encoding and are U+FFFD now, so that different names
    /// may look alike.
    pub(super) lossy: bool,
}

/// A game or a line that could not be used.
#[derive(Debug)]
pub(super) struct Fault {
    /// The line, from 1; a game's first one.
    pub(super) line: usize,
    /// What is wrong with it.
    pub(super) what: String,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    First,
    Draw,
    Second,
    Unfinished,
}

impl Ending {
    /// The words of PGN (S. Edwards, *PGN Standard*, 1994, section 8.1.1.7).
    pub(super) fn of_pgn(word: &str) -> Option<Self> {
        match word {
            "1-0" => Some(Self::First),
            "0-1" => Some(Self::Second),
            "1/2-1/2" => Some(Self::Draw),
            "*" => Some(Self::Unfinished),
            _ => None,
        }
    }
}

impl Results {
    /// Adds a game whose players' names were found at `line`.
    pub(super) fn add(&mut self, line: usize, first: &str, second: &str, ending: Ending) {
        if let Some(name) = [first, second].iter().find(|n| self.lossy && n.contains('\u{fffd}')) {
            let what =
                format!("the name {name} has bytes that do not fit the encoding of the file");
            return self.fault(line, what);
        }
        let nobody = |name: &&str| name.is_empty() || **name == *"?";
        let unknown = |remark: &Fault| remark.what.starts_with(UNKNOWN);
        if [first, second].iter().any(nobody) && !self.remarks.iter().any(unknown) {
            self.remark(line, format!("{UNKNOWN}: all of them are one player here"));
        }
        let [first_index, second_index] = [first, second].map(|name| self.roster.index(name));
        if first_index == second_index {
            return self.fault(line, format!("{first} plays against itself"));
        }
        let [wins_first, draws, wins_second] = match ending {
            Ending::First => [1, 0, 0],
            Ending::Draw => [0, 1, 0],
            Ending::Second => [0, 0, 1],
            Ending::Unfinished => return self.unfinished += 1,
        };
        let first = first_index;
        let second = second_index;
        self.games.push(PairResult { first, second, wins_first, draws, wins_second });
    }

    /// The anchor that a run with these games has at 0 Elo; see [`dz_store::best_connected`].
    pub(super) fn best_connected(&self) -> Option<&str> {
        let name = |index: usize| self.roster.names()[index].as_str();
        let games = self.games.iter().map(|game| {
            let counts = [game.wins_first, game.draws, game.wins_second];
            (name(game.first), name(game.second), [counts, [0; 3]])
        });
        // Who plays before there is a network meets the first one's gate alone.
        let rated = games.filter(|(a, b, _)| ![*a, *b].contains(&dz_gatekeeper::BOOTSTRAP));
        dz_store::best_connected(rated)
    }

    /// Notes what is unusual at `line`.
    pub(super) fn remark(&mut self, line: usize, what: String) {
        self.remarks.push(Fault { line, what });
    }

    /// Notes what is wrong at `line`.
    pub(super) fn fault(&mut self, line: usize, what: String) {
        self.faults.push(Fault { line, what });
    }
}
