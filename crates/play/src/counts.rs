//! Played games and their counts.

use std::collections::BTreeSet;

use dz_game::{Move, Outcome, Player, Wdl};
use serde::{Deserialize, Serialize};

use crate::Forfeit;

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seat {
    /// The one the match is about.
    A,
    /// Its opponent.
    B,
}

/// A game that was played, from its opening to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Number in the match; games 2k and 2k + 1 are a pair.
    pub number: u64,
    /// Who made the first move.
    pub first: Seat,
    /// How many of the moves are the opening.
    pub opening_plies: u32,
    /// All moves.
    pub moves: Vec<Move>,
    /// How it ended; a draw at the ply limit.
    pub outcome: Outcome,
    /// True if the ply limit ended it.
    pub adjudicated: bool,
    /// Why it was lost otherwise than by the rules, where it was: `outcome` then has no margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<Forfeit>,
    /// An external player's result, where it differs from that of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<String>,
}

impl PlayedGame {
    /// Which side a seat played.
    pub fn player_of(&self, seat: Seat) -> Player {
        if self.first == seat { Player::First } else { Player::Second }
    }
}

/// Counts of a match, from A's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchCounts {
    /// Games.
    pub games: u64,
    /// Games that A won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that B won.
    pub losses: u64,
    /// Pairs by A's score in both games: 0, 0.5, 1, 1.5, 2.
    pub pairs: [u64; 5],
    /// By who moved first, A or B: the first player's wins, draws, losses.
    pub by_first: [[u64; 3]; 2],
    /// Games with the very moves of an earlier one with the same player first.
    pub duplicates: u64,
}

impl MatchCounts {
    /// Counts games in the order of their numbers, so that the result does not depend on when each
    /// one ended.
    pub fn of(games: &[PlayedGame]) -> Self {
        let mut sorted: Vec<&PlayedGame> = games.iter().collect();
        sorted.sort_by_key(|game| game.number);
        let mut result = Self::default();
        let mut seen = BTreeSet::new();
        let mut half_points_of_pair = None;
        for game in sorted {
            let a = game.player_of(Seat::A);
            let (place, half_points): (usize, usize) = match game.outcome.wdl_for(a) {
                Wdl::WIN => (0, 2),
                Wdl::LOSS => (2, 0),
                _ => (1, 1),
            };
            result.games += 1;
            *[&mut result.wins, &mut result.draws, &mut result.losses][place] += 1;
            let firsts_place = if game.first == Seat::A { place } else { 2 - place };
            result.by_first[usize::from(game.first == Seat::B)][firsts_place] += 1;
            result.duplicates += u64::from(!seen.insert((game.first == Seat::A, &game.moves)));
            match half_points_of_pair.take() {
                Some((pair, earlier)) if pair == game.number / 2 => {
                    result.pairs[earlier + half_points] += 1;
                }
                _ => half_points_of_pair = Some((game.number / 2, half_points)),
            }
        }
        result
    }

    /// Twice A's points.
    pub fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// A's mean score, in [0, 1]; one half without games.
    pub fn score(&self) -> f64 {
        if self.games == 0 {
            return 0.5;
        }
        (self.wins as f64 + 0.5 * self.draws as f64) / self.games as f64
    }
}
