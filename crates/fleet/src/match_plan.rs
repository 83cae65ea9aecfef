//! Which games of matches are to be played: all that they depend on.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::names::is_hash;
use crate::plan::{EvaluatorRule, ObjectHash, PlanObject};
use crate::sealed::FORMAT;
use crate::unit_set::UNITS_MAX;

/// A long match has about so many units: what is played beyond an early stop is a small share.
const UNITS_WANTED: u64 = 32;

/// A plan of matches. A unit is a segment of one of them, a few pairs of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchesPlan {
    /// Version of this format.
    pub format: u32,
    /// The plan's number; a later plan has a larger one.
    pub number: u64,
    /// The version of dagzero that plays it. Another version may play other games.
    pub version: String,
    /// The effective configuration, as TOML.
    pub config: String,
    /// Hash of the keys of `config` that decide results, as the home computes it.
    pub results_hash: String,
    /// The cycle.
    pub cycle: u32,
    /// Which evaluators may play.
    pub evaluators: EvaluatorRule,
    /// The matches. Units are numbered from the first match to the last.
    pub matches: Vec<MatchSegments>,
}

/// A match of a plan, in segments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchSegments {
    /// Players A and B.
    pub players: [PlayerPlan; 2],
    /// The header of the match's file at home, a line of JSON: equal headers have equal games.
    pub header: String,
    /// Games; even.
    pub games: u64,
    /// Games of a segment; even. The last one may have fewer.
    pub unit_games: u64,
}

/// A player, as a worker makes one with the plan's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PlayerPlan {
    /// A network of the run with the search of the run's matches.
    Network {
        /// Its name.
        name: String,
        /// Its file.
        network: ObjectHash,
        /// Playouts of a move.
        playouts: u32,
    },
    /// What plays in generation 0.
    Bootstrap {
        /// Its name.
        name: String,
        /// Playouts of a move.
        playouts: u32,
    },
    /// An anchor of the configuration.
    Anchor {
        /// Its name.
        name: String,
    },
}

/// A unit of a plan of matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The match, by its place in the plan.
    pub match_index: usize,
    /// Numbers of its games in the match.
    pub games: Range<u64>,
}

/// Games of a segment of a match of so many games: a 32nd of them, in whole pairs, and no more than
/// `unit_games` but for one pair.
pub const fn segment_games(games: u64, unit_games: u64) -> u64 {
    let pairs = games.div_ceil(2 * UNITS_WANTED);
    let pairs_max = unit_games / 2;
    let pairs = if pairs < pairs_max { pairs } else { pairs_max };
    if pairs == 0 { 2 } else { 2 * pairs }
}

impl MatchSegments {
    fn units(&self) -> u64 {
        self.games.div_ceil(self.unit_games)
    }
}

impl MatchesPlan {
    /// The version of the format that this program writes.
    pub const FORMAT: u32 = FORMAT;

    /// The games of a unit, if the plan has it.
    pub fn segment(&self, unit: u32) -> Option<Segment> {
        let mut place = u64::from(unit);
        for (match_index, planned) in self.matches.iter().enumerate() {
            if place < planned.units() {
                let begin = place * planned.unit_games;
                let end = (begin + planned.unit_games).min(planned.games);
                return Some(Segment { match_index, games: begin..end });
            }
            place -= planned.units();
        }
        None
    }

    /// The units of a match.
    pub fn units_of(&self, match_index: usize) -> Range<u32> {
        let of = |matches: &[MatchSegments]| matches.iter().map(MatchSegments::units).sum::<u64>();
        let begin = of(&self.matches[..match_index]);
        begin as u32..(begin + self.matches[match_index].units()) as u32
    }

    /// The unit that a game of a match is part of.
    pub fn unit_of(&self, match_index: usize, game: u64) -> u32 {
        self.units_of(match_index).start + (game / self.matches[match_index].unit_games) as u32
    }

    /// The networks that play, each once.
    pub fn networks(&self) -> Vec<&ObjectHash> {
        let players = self.matches.iter().flat_map(|planned| &planned.players);
        let mut networks: Vec<&ObjectHash> = players.filter_map(PlayerPlan::network).collect();
        networks.sort_by_key(|network| &network.blake3);
        networks.dedup();
        networks
    }
}

impl PlayerPlan {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Network { name, .. } | Self::Bootstrap { name, .. } | Self::Anchor { name } => {
                name
            }
        }
    }

    /// Its network, if it has one.
    pub const fn network(&self) -> Option<&ObjectHash> {
        match self {
            Self::Network { network, .. } => Some(network),
            Self::Bootstrap { .. } | Self::Anchor { .. } => None,
        }
    }
}

impl PlanObject for MatchesPlan {
    fn number(&self) -> u64 {
        self.number
    }

    fn numbered(&self, number: u64) -> Self {
        Self { number, ..self.clone() }
    }

    fn units(&self) -> u32 {
        self.matches.iter().map(MatchSegments::units).sum::<u64>() as u32
    }

    fn fault(&self) -> Option<&'static str> {
        let is_even = |games: u64| games > 0 && games.is_multiple_of(2);
        let mut units: u64 = 0;
        for planned in &self.matches {
            if !is_even(planned.games) || !is_even(planned.unit_games) {
                return Some("its matches or segments are not whole pairs of games");
            }
            units = units.saturating_add(planned.units());
        }
        if units > u64::from(UNITS_MAX) {
            return Some("it has too many units");
        }
        if self.networks().into_iter().any(|of| !is_hash(&of.blake3)) {
            return Some("it names an object by something that is no hash");
        }
        None
    }
}
