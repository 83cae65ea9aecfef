//! Games read from shards and match files.

use std::path::PathBuf;

use dz_game::{Komi, Move, Outcome, Player};
use dz_play::{PlayedGame, Seat, read_match};
use dz_shard::{GameEnd, GameRecord, SearchKind, ShardReader};
use dz_store::Run;

use super::places::{Kind, Place};

/// Bytes of a match file that are read.
const MATCH_BYTES_MAX: u64 = 64 << 20;

/// A game, wherever it lies.
#[derive(Clone, Debug)]
pub(crate) struct RecordedGame {
    pub(crate) number: u64,
    /// First and second player, for people.
    pub(crate) players: [String; 2],
    pub(crate) moves: Vec<Move>,
    /// How many of the moves are the opening.
    pub(crate) opening: usize,
    pub(crate) outcome: Outcome,
    /// `rules`, `resigned`, `limit` or `forfeit`.
    pub(crate) end: &'static str,
    pub(crate) komi: Option<Komi>,
    /// What the searches of self-play found, for each move after the opening.
    pub(crate) searched: Vec<Searched>,
    /// A note for people, such as the parent of a fork.
    pub(crate) note: Option<String>,
}

/// What the search of a ply found.
#[derive(Clone, Debug)]
pub(crate) struct Searched {
    /// The mover's expected score, 0 to 1.
    pub(crate) score: f64,
    pub(crate) visits: Vec<(Move, u32)>,
    /// Shares of the policy target where they are not the visits.
    pub(crate) target: Option<Vec<(Move, u16)>>,
    pub(crate) is_full: bool,
}

/// Where a file of the run lies.
pub(crate) fn path_of(run: &Run, place: &Place) -> PathBuf {
    run.root().join(&place.file)
}

/// Calls `take` with each game of a file, in the order of their numbers, until it returns false.
///
/// # Errors
/// A line for people, also if the file is damaged. The games before the damage have been taken.
pub(crate) fn each(
    run: &Run,
    place: &Place,
    take: &mut dyn FnMut(RecordedGame) -> bool,
) -> Result<(), String> {
    let path = path_of(run, place);
    if place.kind != Kind::Selfplay {
        let bytes = dz_text::read_file(&path, MATCH_BYTES_MAX);
        let bytes = bytes.map_err(|error| format!("{}: {error}", place.file))?;
        let text = String::from_utf8_lossy(&bytes);
        let played = read_match(&text).map_err(|error| format!("{}: {error}", place.file))?;
        let names = played.header.players.each_ref().map(|player| player.name.clone());
        for game in played.games {
            if !take(of_match(&names, game)) {
                return Ok(());
            }
        }
        return Ok(());
    }
    let mut reader = ShardReader::open(&path).map_err(|error| error.to_string())?;
    for record in reader.games() {
        let record = record.map_err(|error| error.at(&path).to_string())?;
        if !take(of_selfplay(place, record)) {
            return Ok(());
        }
    }
    Ok(())
}

/// The game of this number.
///
/// # Errors
/// A line for people.
pub(crate) fn one(run: &Run, place: &Place, number: u64) -> Result<RecordedGame, String> {
    let mut found = None;
    each(run, place, &mut |game| {
        let is_it = game.number == number;
        if is_it {
            found = Some(game);
        }
        !is_it
    })?;
    found.ok_or_else(|| format!("{} has no game {number}", place.file))
}

fn of_match(names: &[String; 2], game: PlayedGame) -> RecordedGame {
    let [a, b] = names.clone();
    let forfeit = game.forfeit.map(|forfeit| format!("the {} player lost", forfeit.loser.name()));
    RecordedGame {
        number: game.number,
        players: if game.first == Seat::A { [a, b] } else { [b, a] },
        opening: game.opening_plies as usize,
        outcome: game.outcome,
        end: match (&forfeit, game.adjudicated) {
            (Some(_), _) => "forfeit",
            (None, true) => "limit",
            (None, false) => "rules",
        },
        komi: None,
        searched: Vec::new(),
        note: game.dispute.or(forfeit),
        moves: game.moves,
    }
}

fn of_selfplay(place: &Place, record: GameRecord) -> RecordedGame {
    let note = match (record.reanalyzed(), record.parent) {
        (Some(parent), _) => Some(format!("the moves of game {parent}, reanalyzed")),
        (None, Some(parent)) => {
            Some(format!("forked from game {} after {} plies", parent.game, parent.ply))
        }
        (None, None) => None,
    };
    let moves = record.moves().collect();
    let searched = record.plies.into_iter().map(|ply| Searched {
        score: f64::from(ply.root_value.score()),
        visits: ply.visits,
        target: ply.target,
        is_full: ply.kind == SearchKind::Full,
    });
    RecordedGame {
        number: record.number,
        players: place.who.clone(),
        moves,
        opening: record.start_moves.len(),
        outcome: record.outcome,
        end: match record.end {
            GameEnd::Rules => "rules",
            GameEnd::Resigned => "resigned",
            GameEnd::PlyLimit => "limit",
        },
        komi: record.komi,
        searched: searched.collect(),
        note,
    }
}

/// `first`, `second` or `draw`.
pub(crate) fn winner(outcome: Outcome) -> &'static str {
    outcome.winner.map_or("draw", Player::name)
}
