//! Segments of matches: games of a match as a file of their own, written by a worker and checked by
//! the home.
//!
//! The first line names the match, the range of games, and the evaluators. Every other line is a
//! game, as in the match's file.

use dz_fleet::{EvaluatorRule, MatchesPlan, ObjectHash};
use dz_game::Game;
use dz_play::match_file::match_line;
use dz_play::{MatchHeader, Opening, PlayedGame, Seat, replay_match_game};
use serde::{Deserialize, Serialize};

/// The `kind` of a segment.
const KIND: &str = "segment";
/// The format of segments.
const FORMAT: u32 = 1;
/// Longest first line, in bytes.
const HEADER_BYTES_MAX: u64 = 4 << 10;
/// Longest line of a game without its moves, and longest move, in bytes.
const GAME_BYTES_MAX: u64 = 512;
const MOVE_BYTES_MAX: u64 = 6;

/// The first line of a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SegmentHeader {
    kind: String,
    format: u32,
    /// The version of dagzero that played it.
    version: String,
    results_hash: String,
    /// Hash of the header of the match, as the plan has it: players, settings, seed.
    match_hash: String,
    /// Ids of the evaluators of players A and B; empty where a player has none.
    pub(super) evaluators: [String; 2],
}

impl SegmentHeader {
    /// The header of a segment of a match of `plan`.
    pub(super) fn of(plan: &MatchesPlan, match_index: usize, evaluators: [String; 2]) -> Self {
        Self {
            kind: KIND.to_owned(),
            format: FORMAT,
            version: plan.version.clone(),
            results_hash: plan.results_hash.clone(),
            match_hash: ObjectHash::of(plan.matches[match_index].header.as_bytes()).blake3,
            evaluators,
        }
    }
}

/// What is in a segment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlayedSegment {
    pub(super) games: Vec<PlayedGame>,
    /// Ids of the evaluators that are not the home's.
    pub(super) other_evaluators: Vec<String>,
}

/// The file of a segment.
///
/// # Errors
/// If a number in it is not finite.
pub(super) fn write_segment(
    header: &SegmentHeader,
    games: &[PlayedGame],
) -> anyhow::Result<Vec<u8>> {
    let mut text = match_line(header)?;
    for game in games {
        text.push_str(&match_line(game)?);
    }
    Ok(text.into_bytes())
}

/// Ids of the evaluators of a match's players, as its header has them.
pub(super) fn evaluators_of(header: &MatchHeader) -> [String; 2] {
    header
        .players
        .each_ref()
        .map(|player| player.search.as_ref().map_or(String::new(), |s| s.evaluator.clone()))
}

/// What the home knows of a match of a plan.
pub(super) struct CheckedMatch {
    pub(super) header: MatchHeader,
    pub(super) openings: Vec<Opening>,
}

/// What the home knows of every segment of a plan, to check those of others.
pub(super) struct SegmentCheck<G: Game> {
    pub(super) game: G,
    pub(super) plan: MatchesPlan,
    /// The matches of the plan.
    pub(super) matches: Vec<CheckedMatch>,
}

impl<G: Game> SegmentCheck<G> {
    /// The games of a segment, if `bytes` are that segment: played by the right players, with the
    /// right numbers and openings, by the rules.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub(super) fn check(&self, unit: u32, bytes: &[u8]) -> Result<PlayedSegment, String> {
        let segment = self.plan.segment(unit).ok_or("the plan has no such unit")?;
        let CheckedMatch { header, .. } = &self.matches[segment.match_index];
        let wanted = segment.games.end - segment.games.start;
        let plies = u64::from(header.plies_max.max(header.opening_plies));
        let bytes_max = HEADER_BYTES_MAX + wanted * (GAME_BYTES_MAX + plies * MOVE_BYTES_MAX);
        if bytes.len() as u64 > bytes_max {
            return Err(format!("it has {} bytes, more than {bytes_max}", bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| "it is no text")?;
        let mut lines = text.lines();
        let first = lines.next().ok_or("it is empty")?;
        let said: SegmentHeader =
            serde_json::from_str(first).map_err(|e| format!("its first line is none: {e}"))?;
        let other_evaluators = self.check_header(segment.match_index, &said)?;
        let found = lines.clone().count() as u64;
        if found != wanted {
            return Err(format!("it has {found} games instead of {wanted}"));
        }
        let games = lines.map(serde_json::from_str).collect::<Result<Vec<PlayedGame>, _>>();
        let games = games.map_err(|error| format!("a line is no game: {error}"))?;
        for (number, game) in segment.games.zip(&games) {
            self.check_game(segment.match_index, number, game)
                .map_err(|what| format!("game {number}: {what}"))?;
        }
        // A game has one text, so that two workers hand in the same bytes.
        if write_segment(&said, &games).map_err(|error| error.to_string())? != bytes {
            return Err("it is not written as segments are".to_owned());
        }
        Ok(PlayedSegment { games, other_evaluators })
    }

    /// The evaluators that are not the home's.
    fn check_header(
        &self,
        match_index: usize,
        said: &SegmentHeader,
    ) -> Result<Vec<String>, String> {
        let wanted = SegmentHeader::of(&self.plan, match_index, said.evaluators.clone());
        if *said != wanted {
            return Err("its header is not that of this unit".to_owned());
        }
        let of_home = evaluators_of(&self.matches[match_index].header);
        let pairs = said.evaluators.iter().zip(&of_home);
        let mut others: Vec<String> = Vec::new();
        for (id, of_home) in pairs.filter(|(id, of_home)| id != of_home) {
            // A player without an evaluator has none anywhere.
            let has_one = !id.is_empty() && !of_home.is_empty();
            if self.plan.evaluators == EvaluatorRule::Same || !has_one {
                return Err(format!("the evaluator {id:?} played it, and {of_home:?} was to"));
            }
            others.push(id.clone());
        }
        Ok(others)
    }

    fn check_game(&self, index: usize, number: u64, game: &PlayedGame) -> Result<(), String> {
        let CheckedMatch { header, openings } = &self.matches[index];
        if game.number != number {
            return Err(format!("it has the number {}", game.number));
        }
        let first = if number.is_multiple_of(2) { Seat::A } else { Seat::B };
        if game.first != first {
            return Err("the other player was to move first".to_owned());
        }
        let pair = (number / 2) as usize;
        let opening = pair.checked_rem(openings.len()).map(|place| &openings[place].moves[..]);
        let opening = opening.unwrap_or_default();
        if game.opening_plies as usize != opening.len() || !game.moves.starts_with(opening) {
            return Err("it does not begin with the opening of its pair".to_owned());
        }
        if game.forfeit.is_some() || game.dispute.is_some() {
            return Err("no program played that could forfeit or dispute it".to_owned());
        }
        let plies_max = header.plies_max as usize;
        if game.moves.len() > plies_max.max(opening.len()) {
            return Err(format!("it goes on after {plies_max} plies"));
        }
        replay_match_game(&self.game, game, header.plies_max).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
#[path = "segment_tests.rs"]
mod tests;
