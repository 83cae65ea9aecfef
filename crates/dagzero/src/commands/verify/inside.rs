//! Checks the content of published files against the ledger.

use std::{fmt, ops::Range, path::Path};

use anyhow::{Context, bail, ensure};
use dz_game::{AnyGame, Game, game_ids};
use dz_gatekeeper::result_of;
use dz_network_file::NetworkFile;
use dz_play::{PlayedGame, PlayedMatch, read_match, replay_match_game};
use dz_shard::{RowReader, RowSet, ShardError};
use dz_store::{MatchResult, PlayerName, RunInfo};
use dz_trainer::checkpoint;

/// A whole shard: hashes, counts, every game by the rules. Answers the numbers of its games.
pub(super) fn shard(
    path: &Path,
    info: &RunInfo,
    board: &BoardIds,
    generation: u32,
    champion: Option<&str>,
    games: u64,
    positions: u64,
) -> anyhow::Result<Range<u64>> {
    let found = dz_shard::describe(path)?;
    let header = &found.header;
    same("game", &header.game, &board.game)?;
    same("encoding", &header.encoding, &board.encoding)?;
    same("run's seed", &header.run_seed, &info.seed)?;
    same("generation", &header.generation, &generation)?;
    same("number of games", &found.games, &games)?;
    same("number of positions", &found.positions, &positions)?;
    if let (Some(champion), [network]) = (champion, header.networks.as_slice()) {
        same("network", network.as_str(), champion)?;
    }
    Ok(header.first_game()..header.first_game() + found.games)
}

/// A board of a run: the game with its parameters, and its encoding.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoardIds {
    game: String,
    encoding: String,
}

impl BoardIds {
    /// The board that the ledger names; none is the run's own.
    pub(super) fn of(info: &RunInfo, board: Option<&str>) -> anyhow::Result<Self> {
        let Some(board) = board else {
            let RunInfo { game, encoding, .. } = info.clone();
            return Ok(Self { game, encoding });
        };
        let (game, encoding) = game_ids(&board.parse()?)?;
        Ok(Self { game, encoding })
    }
}

/// A whole row file of one of these boards, every row decoded. Answers how many there are.
pub(super) fn rows(
    path: &Path,
    info: &RunInfo,
    boards: &[BoardIds],
    cycle: u32,
) -> anyhow::Result<u64> {
    let mut reader = RowReader::open(path)?;
    reader.verify()?;
    let is_one = |ids: &&BoardIds| reader.check(&ids.game, &ids.encoding).is_ok();
    if boards.iter().find(is_one).is_none() {
        reader.check(&info.game, &info.encoding)?;
    }
    // Validation rows are sampled without the cycle's number, so that losses are taken over much
    // the same rows.
    let drawn_in = if reader.header().set == RowSet::Validation { 0 } else { u64::from(cycle) };
    same("cycle", &reader.header().cycle, &drawn_in)?;
    same("seed", &reader.header().seed, &info.seed)?;
    let rows = reader.rows();
    let mut decoded = 0;
    for block in reader.blocks() {
        decoded += block?.len() as u64;
    }
    same("number of rows", &decoded, &rows)?;
    Ok(rows)
}

/// Rows that a file says it has; 0 where it cannot be read, which is a finding of its own.
pub(super) fn row_count(path: &Path) -> u64 {
    RowReader::open(path).map_or(0, |reader| reader.rows())
}

/// A checkpoint with network, moving averages and optimizer.
pub(super) fn checkpoint(bytes: &[u8], info: &RunInfo, step: u64) -> anyhow::Result<()> {
    let (header, learner) = checkpoint::unpack(bytes)?;
    header.check(&info.game, &info.encoding)?;
    let (spec, learner_step) =
        dz_burn_net::check_checkpoint(learner).context("the learner's state in it")?;
    same("step", &header.step, &step)?;
    same("learner's step", &learner_step, &step)?;
    same("network's game", &spec.game, &info.game)?;
    same("network's encoding", &spec.encoding, &info.encoding)
}

/// A network file.
pub(super) fn network(bytes: &[u8], info: &RunInfo, cycle: u32, step: u64) -> anyhow::Result<()> {
    let file = NetworkFile::from_bytes(bytes)?;
    file.check_fits(&info.game, &info.encoding)?;
    same("cycle", &file.header.cycle, &cycle)?;
    same("step", &file.header.step, &step)?;
    let finite = |data: &[f32]| data.iter().all(|x| x.is_finite());
    match file.tensors.iter().find(|(_, tensor)| !finite(&tensor.data)) {
        Some((name, _)) => bail!("a number in {name} is not finite"),
        None => Ok(()),
    }
}

/// A match file: every game by the rules, and the counts. Answers its games.
pub(super) fn match_file(
    bytes: &[u8],
    info: &RunInfo,
    players: [&PlayerName; 2],
    result: &MatchResult,
) -> anyhow::Result<u64> {
    let text = std::str::from_utf8(bytes).context("it is no text")?;
    let PlayedMatch { header, games } = read_match(text)?;
    same("game", &header.game, &info.game)?;
    for (found, wanted) in header.players.iter().zip(players) {
        same("player", found.name.as_str(), wanted.as_str())?;
    }
    let plies_max = header.plies_max;
    replay_all(&AnyGame::of(&header.game.parse()?)?, &games, plies_max)?;
    let counted = result_of(&games);
    ensure!(counted == *result, "its games come to {counted:?}, the ledger states {result:?}");
    Ok(counted.games)
}

/// What an error says, without the file's own path in front.
pub(super) fn text(error: &anyhow::Error) -> String {
    if let Some(ShardError::At { source, .. }) = error.downcast_ref() {
        return source.to_string();
    }
    format!("{error:#}")
}

fn same<T: PartialEq + fmt::Display + ?Sized>(
    what: &str,
    found: &T,
    wanted: &T,
) -> anyhow::Result<()> {
    ensure!(found == wanted, "its {what} is {found}, the ledger states {wanted}");
    Ok(())
}

/// Plays the games of a match again.
fn replay_all<G: Game>(game: &G, games: &[PlayedGame], plies_max: u32) -> anyhow::Result<()> {
    for played in games {
        replay_match_game(game, played, plies_max)
            .with_context(|| format!("game {}", played.number))?;
    }
    Ok(())
}
