//! The working file of a match in progress: what lets an interrupted match go on.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dz_play::{BoxError, GameStore, MatchHeader, PlayedGame, match_file::match_line};
use dz_store::{SEAL_DIGITS, Writes, match_cycle, open_own, remove_own, seal, unseal};

/// Finished games of a match, appended as they end. Not fsynced: after a power cut the last games
/// may have to be played again.
#[derive(Debug)]
pub struct WorkFile {
    path: PathBuf,
    file: File,
}

impl WorkFile {
    /// Opens the file of the match that `header` describes, with the games it holds. The file of
    /// another match is started again. Everything after the first torn or changed line is dropped.
    ///
    /// # Errors
    /// What the operating system reports.
    pub fn open(path: &Path, header: &MatchHeader) -> Result<(Self, Vec<PlayedGame>)> {
        let context = || format!("working file {}", path.display());
        let mut file = open_own(path, Writes::Append).with_context(context)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content).with_context(context)?;
        let first = match_line(header)?;
        let mut kept = 0;
        let mut games = Vec::new();
        if content.starts_with(first.as_bytes()) {
            kept = first.len();
            let mut seen = BTreeSet::new();
            for line in content[kept..].split_inclusive(|&byte| byte == b'\n') {
                match game_of(line) {
                    Some(game) if game.number < header.games && seen.insert(game.number) => {
                        games.push(game);
                    }
                    _ => break,
                }
                kept += line.len();
            }
        }
        file.set_len(kept as u64).with_context(context)?;
        if kept == 0 {
            file.write_all(first.as_bytes()).with_context(context)?;
        }
        Ok((Self { path: path.to_owned(), file }, games))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// What the operating system reports, such as a full disk.
    pub fn append(&mut self, game: &PlayedGame) -> Result<()> {
        let context = || format!("working file {}", self.path.display());
        let object = serde_json::to_vec(game).with_context(context)?;
        self.file.write_all(&seal(&object, SEAL_DIGITS)).with_context(context)
    }
}

/// The working file of a match that is about to be played.
#[derive(Debug)]
pub struct WorkStore {
    path: PathBuf,
    file: Option<WorkFile>,
}

impl WorkStore {
    /// The store in the file at `path`.
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }
}

impl GameStore for WorkStore {
    fn open(&mut self, header: &MatchHeader) -> Result<Vec<PlayedGame>, BoxError> {
        let (file, games) = WorkFile::open(&self.path, header)?;
        self.file = Some(file);
        Ok(games)
    }

    fn append(&mut self, game: &PlayedGame) -> Result<(), BoxError> {
        let file = self.file.as_mut().ok_or("a working file is opened before games are added")?;
        Ok(file.append(game)?)
    }
}

/// The game of a line that is as it was written.
fn game_of(line: &[u8]) -> Option<PlayedGame> {
    let (object, true) = unseal(line, SEAL_DIGITS).ok()? else { return None };
    serde_json::from_slice(&object).ok()
}

/// Removes the working files of matches in `folder`: none of them is needed once their cycle is
/// over.
///
/// # Errors
/// What the operating system reports.
pub fn clear(folder: &Path) -> Result<()> {
    let context = || format!("folder {}", folder.display());
    for entry in fs::read_dir(folder).with_context(context)? {
        let entry = entry.with_context(context)?;
        let name = entry.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
        if stem.is_some_and(|stem| match_cycle(stem).is_some()) {
            remove_own(&entry.path()).with_context(context)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use dz_game::Outcome;
    use dz_play::Seat;

    use super::*;
    use dz_play::match_file::{FORMAT, KIND, PlayerHeader};

    fn header(seed: u64) -> MatchHeader {
        let player = |name: &str| PlayerHeader {
            name: name.into(),
            network: None,
            search: None,
            engine: None,
        };
        MatchHeader {
            kind: KIND.to_owned(),
            format: FORMAT,
            game: "tictactoe".to_owned(),
            players: [player("a"), player("b")],
            games: 4,
            openings: 2,
            opening_plies: 1,
            seed,
            plies_max: 9,
            other_evaluators: Vec::new(),
        }
    }

    fn game(number: u64) -> PlayedGame {
        PlayedGame {
            number,
            first: Seat::A,
            opening_plies: 1,
            moves: Vec::new(),
            outcome: Outcome::DRAW,
            adjudicated: true,
            forfeit: None,
            dispute: None,
        }
    }

    fn numbers(games: &[PlayedGame]) -> Vec<u64> {
        games.iter().map(|game| game.number).collect()
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.jsonl");
        let (mut file, games) = WorkFile::open(&path, &header(1)).unwrap();
        assert!(games.is_empty());
        for number in [2, 0, 3] {
            file.append(&game(number)).unwrap();
        }
        let text = fs::read(&path).unwrap();
        for torn in 1..20 {
            fs::write(&path, &text[..text.len() - torn]).unwrap();
            let (mut file, games) = WorkFile::open(&path, &header(1)).unwrap();
            assert_eq!(numbers(&games), [2, 0]);
            file.append(&game(3)).unwrap();
            assert_eq!(fs::read(&path).unwrap(), text);
        }
    }

    #[test]
    fn no_changed_bit_passes_for_a_game() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.jsonl");
        let (mut file, _) = WorkFile::open(&path, &header(1)).unwrap();
        file.append(&game(2)).unwrap();
        let text = fs::read(&path).unwrap();
        let begin = text.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for bit in begin * 8..text.len() * 8 {
            let mut changed = text.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &changed).unwrap();
            let (_, games) = WorkFile::open(&path, &header(1)).unwrap();
            assert_eq!(numbers(&games), [] as [u64; 0], "bit {bit}");
        }
    }

    #[test]
    fn games_of_another_match_are_not_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.jsonl");
        let (mut file, _) = WorkFile::open(&path, &header(1)).unwrap();
        file.append(&game(0)).unwrap();
        assert_eq!(WorkFile::open(&path, &header(1)).unwrap().1.len(), 1);
        assert!(WorkFile::open(&path, &header(2)).unwrap().1.is_empty());
        assert!(WorkFile::open(&path, &header(1)).unwrap().1.is_empty());
    }

    #[test]
    fn a_game_that_is_there_twice_or_does_not_belong_ends_the_file() {
        let dir = tempfile::tempdir().unwrap();
        for bad in [1, 4] {
            let path = dir.path().join(format!("{bad}.jsonl"));
            let (mut file, _) = WorkFile::open(&path, &header(1)).unwrap();
            for number in [1, bad, 2] {
                file.append(&game(number)).unwrap();
            }
            assert_eq!(numbers(&WorkFile::open(&path, &header(1)).unwrap().1), [1]);
        }
    }
}
