//! Lists of games.

use dz_game::{Game, Move};
use serde::{Deserialize, Serialize};

use super::places::{Contents, Kind};
use super::read::{RecordedGame, each, winner};
use crate::board_view::sides_of;
use crate::outcome_text::outcome_text;

/// Games of one list.
const LISTED_MAX: usize = 100;
/// Games that are looked at for one list.
const LOOKED_AT_MAX: usize = 50_000;
/// Moves that are shown of each.
const MOVES_SHOWN: usize = 10;

/// Which games.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    cycle: Option<u32>,
    kind: Kind,
    /// `first`, `second` or `draw`; empty for all.
    result: String,
    plies_min: Option<usize>,
    plies_max: Option<usize>,
    /// Games to leave out at the beginning.
    skip: usize,
}

/// A part of the games that a filter admits.
#[derive(Debug, Default, Serialize)]
pub(crate) struct GameList {
    games: Vec<Listed>,
    /// Whether there are more.
    more: bool,
    /// Files that cannot be read, in words.
    troubles: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Listed {
    cycle: u32,
    file: String,
    number: u64,
    players: [String; 2],
    /// `first`, `second` or `draw`.
    result: &'static str,
    /// The same in words, with points.
    outcome: String,
    end: &'static str,
    plies: usize,
    opening: usize,
    moves: Vec<String>,
}

/// The games that `filter` admits.
///
/// # Errors
/// A line for people, where the game is unknown. Files that cannot be read are named in the list.
pub(crate) fn list(contents: &Contents, filter: &Filter) -> Result<GameList, String> {
    let mut list = GameList::default();
    let mut skipped = 0;
    let mut looked_at = 0;
    let wanted = contents.places.iter().filter(|place| {
        place.kind == filter.kind && filter.cycle.is_none_or(|cycle| place.cycle == cycle)
    });
    for place in wanted {
        if list.more || looked_at >= LOOKED_AT_MAX {
            break;
        }
        let game = contents.rules(place)?;
        let mut take = |found: RecordedGame| {
            if looked_at >= LOOKED_AT_MAX {
                return false;
            }
            looked_at += 1;
            if !filter.admits(&found) {
                return true;
            }
            if skipped < filter.skip {
                skipped += 1;
                return true;
            }
            if list.games.len() >= LISTED_MAX {
                list.more = true;
                return false;
            }
            let name = |&mv: &Move| game.format_move(mv);
            let komi = found.komi.or_else(|| game.komi());
            list.games.push(Listed {
                cycle: place.cycle,
                file: place.file.clone(),
                number: found.number,
                players: found.players,
                result: winner(found.outcome),
                outcome: outcome_text(found.outcome, sides_of(game.display()), komi),
                end: found.end,
                plies: found.moves.len(),
                opening: found.opening,
                moves: found.moves.iter().take(MOVES_SHOWN).map(name).collect(),
            });
            true
        };
        if let Err(trouble) = each(&contents.run, place, &mut take) {
            list.troubles.push(dz_text::line(&trouble).into_owned());
        }
    }
    if looked_at >= LOOKED_AT_MAX && !list.more {
        let what = "games were looked at; choose a cycle";
        list.troubles.push(format!("Only the first {LOOKED_AT_MAX} {what}."));
    }
    Ok(list)
}

impl Filter {
    fn admits(&self, game: &RecordedGame) -> bool {
        let plies = game.moves.len();
        (self.result.is_empty() || self.result == winner(game.outcome))
            && self.plies_min.is_none_or(|min| plies >= min)
            && self.plies_max.is_none_or(|max| plies <= max)
    }
}
