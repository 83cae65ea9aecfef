//! Reads games from shards and match files and turns them into records.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use dz_game::{AnyGame, Game};
use dz_play::{Cause, Forfeit, MatchHeader, PlayedGame, PlayedMatch, Seat, read_match};
use dz_record::{Header, Record, RecordEnd, RecordedMove};
use dz_shard::{GameEnd, GameRecord, PlyRecord, SearchKind, ShardError, ShardHeader, ShardReader};
use dz_store::{Ledger, Run};

use crate::exit::UsageError;

/// Files with games.
pub(in crate::commands) struct Source {
    /// The name of the run, shard or match, for people.
    name: String,
    files: Files,
}

enum Files {
    Shards(Vec<PathBuf>),
    /// Each file's name without its extension, and its content.
    Matches(Vec<(String, String)>),
}

/// Which games to export, and whether with comments.
pub(in crate::commands) struct GameFilter {
    pub(in crate::commands) game: Option<u64>,
    pub(in crate::commands) generation: Option<u32>,
    pub(in crate::commands) comments: bool,
}

/// A game as a record, with what records do not hold.
pub(in crate::commands) struct ExportedGame {
    pub(in crate::commands) name: String,
    /// The rules, with the game's own komi.
    pub(in crate::commands) rules: AnyGame,
    pub(in crate::commands) record: Record,
}

/// Takes a game and returns whether to go on.
pub(in crate::commands) type TakeGame<'a> = &'a mut dyn FnMut(ExportedGame) -> anyhow::Result<bool>;

impl Source {
    /// Finds the games at `path`: a run with its self-play or its matches, a shard, or a match
    /// file.
    pub(in crate::commands) fn find(path: &Path, matches: bool) -> anyhow::Result<Self> {
        if Run::exists(path) {
            return Self::of_run(path, matches);
        }
        if !path.is_file() {
            let what = "there is no run, no shard and no match file";
            return Err(UsageError(format!("{}: {what}", path.display())).into());
        }
        let name = stem(path);
        match ShardReader::open(path) {
            Ok(_) => Ok(Self { name, files: Files::Shards(vec![path.to_owned()]) }),
            Err(ShardError::At { source, .. })
                if matches!(*source, ShardError::NotThisKind { .. }) =>
            {
                let text = fs::read_to_string(path)
                    .with_context(|| format!("{}: neither shard nor match", path.display()))?;
                Ok(Self { name: name.clone(), files: Files::Matches(vec![(name, text)]) })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The shard or match file at `path`, of the run called `name`.
    #[cfg(feature = "serve")]
    pub(in crate::commands) fn of_file(name: String, path: &Path) -> anyhow::Result<Self> {
        Ok(Self { name, ..Self::find(path, false)? })
    }

    fn of_run(path: &Path, matches: bool) -> anyhow::Result<Self> {
        let run = Run::open(path)?;
        let ledger = Ledger::open(&run)?;
        let state = ledger.state();
        let files = if matches {
            let played = state.cycles.values().flat_map(|cycle| &cycle.matches);
            let read = played.map(|found| {
                let text = String::from_utf8(run.get(&found.games)?.to_vec());
                let text = text.with_context(|| format!("{} is no text", found.games.path))?;
                Ok((stem(Path::new(&found.games.path)), text))
            });
            Files::Matches(read.collect::<anyhow::Result<_>>()?)
        } else {
            Files::Shards(
                run.shards_kept(state).map(|(_, shard)| run.local_path(&shard.object)).collect(),
            )
        };
        Ok(Self { name: run.name(), files })
    }

    /// Returns the game of the first file.
    pub(in crate::commands) fn game(&self) -> anyhow::Result<String> {
        match &self.files {
            Files::Shards(paths) => {
                let path = paths.first().ok_or_else(|| self.nothing("shards"))?;
                Ok(ShardReader::open(path)?.header().game.clone())
            }
            Files::Matches(matches) => {
                let (name, text) = matches.first().ok_or_else(|| self.nothing("matches"))?;
                Ok(read_match(text).with_context(|| name.clone())?.header.game)
            }
        }
    }

    fn nothing(&self, what: &str) -> UsageError {
        UsageError(format!("{} has no {what} yet", self.name))
    }

    /// Passes every game that the filter admits to `take`, in the order of numbers, until `take`
    /// returns false.
    pub(in crate::commands) fn each(
        &self,
        filter: &GameFilter,
        take: TakeGame<'_>,
    ) -> anyhow::Result<()> {
        match &self.files {
            Files::Shards(paths) => {
                for path in paths {
                    if !self.shard_games(path, filter, take)? {
                        return Ok(());
                    }
                }
            }
            Files::Matches(matches) => {
                for (name, text) in matches {
                    if !self.match_games(name, text, filter, take)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn shard_games(
        &self,
        path: &Path,
        filter: &GameFilter,
        take: TakeGame<'_>,
    ) -> anyhow::Result<bool> {
        let mut reader = ShardReader::open(path)?;
        let header = reader.header().clone();
        let numbers = header.first_game()..header.first_game() + reader.footer().games;
        if filter.generation.is_some_and(|generation| generation != header.generation)
            || filter.game.is_some_and(|game| !numbers.contains(&game))
        {
            return Ok(true);
        }
        let game = AnyGame::of(&header.game.parse()?)?;
        for record in reader.games() {
            let record = record.map_err(|error| error.at(path))?;
            if filter.game.is_some_and(|game| game != record.number) {
                continue;
            }
            let name = format!("game-{:08}", record.number);
            let rules = record.komi.and_then(|komi| game.with_komi(komi));
            let rules = rules.unwrap_or_else(|| game.clone());
            let record = self.of_selfplay(&header, &record, filter.comments);
            if !take(ExportedGame { name, rules, record })? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn of_selfplay(&self, shard: &ShardHeader, game: &GameRecord, comments: bool) -> Record {
        let player = format!("{} generation {}", self.name, shard.generation);
        let mut note = vec![format!("self-play game {}, seed {}", game.number, game.seed)];
        if let Some(original) = game.reanalyzed() {
            note.push(format!("the moves of game {original}, reanalyzed"));
        } else if let Some(parent) = &game.parent {
            note.push(format!("forked from game {} after {} plies", parent.game, parent.ply));
        } else if !game.start_moves.is_empty() {
            note.push(format!("the first {} moves are an opening", game.start_moves.len()));
        }
        let end = match (game.end, game.outcome.winner) {
            (GameEnd::Rules, _) => RecordEnd::Rules(game.outcome),
            (GameEnd::Resigned, Some(winner)) => RecordEnd::Resigned { loser: winner.opponent() },
            (GameEnd::Resigned, None) => RecordEnd::Open,
            (GameEnd::PlyLimit, winner) => {
                note.push("ended at the ply limit".to_owned());
                RecordEnd::Adjudicated { winner }
            }
        };
        let opening = game.start_moves.iter().map(|&mv| RecordedMove { mv, comment: None });
        let comment = |ply: &PlyRecord| comments.then(|| comment(ply));
        let plies = game.plies.iter().map(|p| RecordedMove { mv: p.mv, comment: comment(p) });
        let header = Header {
            players: [Some(player.clone()), Some(player)],
            event: Some(format!("{} self-play", self.name)),
            round: Some(game.number.to_string()),
            date: None,
            note: Some(note.join("\n")),
        };
        Record { header, moves: opening.chain(plies).collect(), end, ..Record::default() }
    }

    fn match_games(
        &self,
        name: &str,
        text: &str,
        filter: &GameFilter,
        take: TakeGame<'_>,
    ) -> anyhow::Result<bool> {
        let PlayedMatch { header, games } = read_match(text).with_context(|| name.to_owned())?;
        let rules = AnyGame::of(&header.game.parse()?)?;
        let event =
            if self.name == name { name.to_owned() } else { format!("{} {name}", self.name) };
        for game in &games {
            if filter.game.is_some_and(|number| number != game.number) {
                continue;
            }
            let name = format!("{name}-{:06}", game.number);
            let record = match_record(event.clone(), &header, game);
            if !take(ExportedGame { name, rules: rules.clone(), record })? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns a game of a match as a record of `event`.
pub(in crate::commands) fn match_record(
    event: String,
    header: &MatchHeader,
    game: &PlayedGame,
) -> Record {
    let [a, b] = header.players.each_ref().map(|player| Some(player.name.clone()));
    let mut note = vec![format!("match game {}, seed {}", game.number, header.seed)];
    if game.opening_plies > 0 {
        note.push(format!("the first {} moves are an opening", game.opening_plies));
    }
    let end = match &game.forfeit {
        Some(Forfeit { loser, cause: Cause::Resigned, .. }) => {
            RecordEnd::Resigned { loser: *loser }
        }
        Some(Forfeit { loser, cause, what }) => {
            note.push(format!("the {} player {}: {what}", loser.name(), cause.word()));
            RecordEnd::Adjudicated { winner: Some(loser.opponent()) }
        }
        None if game.adjudicated => {
            note.push("ended at the ply limit".to_owned());
            RecordEnd::Adjudicated { winner: game.outcome.winner }
        }
        None => RecordEnd::Rules(game.outcome),
    };
    note.extend(game.dispute.clone());
    let header = Header {
        players: if game.first == Seat::A { [a, b] } else { [b, a] },
        event: Some(event),
        round: Some(game.number.to_string()),
        date: None,
        note: Some(note.join("\n")),
    };
    let moves = game.moves.iter().map(|&mv| RecordedMove { mv, comment: None }).collect();
    Record { header, moves, end, ..Record::default() }
}

/// Returns a comment with the value and visits that the search of a ply found.
fn comment(ply: &PlyRecord) -> String {
    let visits: u64 = ply.visits.iter().map(|&(_, count)| u64::from(count)).sum();
    let fast = if ply.kind == SearchKind::Fast { ", fast search" } else { "" };
    format!("value {:+.3}, {visits} visits{fast}", ply.root_value.value())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
