//! What is in a shard, for people and programs.

use std::{collections::BTreeMap, fmt, path::Path};

use dz_game::{AnyGame, Game, GameSpec};
use serde::Serialize;
use std::io::{Read, Seek};

use crate::{GameEnd, GameRecord, SearchKind, ShardError, ShardHeader, ShardReader, replay};

/// All that `dagzero shard FILE` shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShardDescription {
    /// What all games share.
    pub header: ShardHeader,
    /// Bytes of the file.
    pub bytes: u64,
    /// Games.
    pub games: u64,
    /// Recorded plies.
    pub positions: u64,
    /// File bytes a recorded ply.
    pub bytes_per_position: f64,
    /// BLAKE3 of header and frames, hexadecimal.
    pub content_hash: String,
    /// Games by outcome: `first`, `second`, `draw`.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Games by why they ended.
    pub ends: BTreeMap<&'static str, u64>,
    /// Plies by search kind.
    pub searches: BTreeMap<&'static str, u64>,
    /// Edge visits of all recorded roots.
    pub visits: u64,
    /// The first game's moves, opening included, in the game's notation.
    pub first_game: String,
    /// Each frame.
    pub frames: Vec<FrameDescription>,
}

/// One frame of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrameDescription {
    /// Byte offset in the file.
    pub offset: u64,
    /// Compressed bytes.
    pub bytes: u32,
    /// Bytes after decompression.
    pub raw_bytes: u32,
    /// Games.
    pub games: u32,
    /// Recorded plies.
    pub positions: u32,
}

/// Reads a shard to its end, checks all hashes and replays every game.
///
/// # Errors
/// [`ShardError`] with the path, for whatever is wrong with the file.
pub fn describe(path: &Path) -> Result<ShardDescription, ShardError> {
    let run = || {
        let mut reader = ShardReader::open(path)?;
        reader.verify().map_err(|error| error.at(path))?;
        let found = reader.header().game.clone();
        let unknown = |error: dz_game::GameError| {
            ShardError::damaged(format!("the header's game '{found}': {error}")).at(path)
        };
        let spec: GameSpec = found.parse().map_err(unknown)?;
        let game = AnyGame::of(&spec).map_err(unknown)?;
        let tally = replay_all(&game, &mut reader).map_err(|error| error.at(path))?;
        let io = |error| ShardError::io("read the shard")(error).at(path);
        let bytes = path.metadata().map_err(io)?.len();
        Ok(tally.description(&reader, bytes))
    };
    run()
}

#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<&'static str, u64>,
    ends: BTreeMap<&'static str, u64>,
    searches: BTreeMap<&'static str, u64>,
    visits: u64,
    first_game: Option<String>,
}

fn replay_all<G: Game, R: Read + Seek>(
    game: &G,
    reader: &mut ShardReader<R>,
) -> Result<Tally, ShardError> {
    let mut tally = Tally::default();
    for record in reader.games() {
        let record = record?;
        replay(game, &record)?;
        tally.add(game, &record);
    }
    Ok(tally)
}

impl Tally {
    fn add<G: Game>(&mut self, game: &G, record: &GameRecord) {
        let winner = record.outcome.winner.map_or("draw", dz_game::Player::name);
        *self.outcomes.entry(winner).or_default() += 1;
        let end = match record.end {
            GameEnd::Rules => "rules",
            GameEnd::Resigned => "resigned",
            GameEnd::PlyLimit => "ply_limit",
        };
        *self.ends.entry(end).or_default() += 1;
        for ply in &record.plies {
            let kind = match ply.kind {
                SearchKind::Full => "full",
                SearchKind::Fast => "fast",
            };
            *self.searches.entry(kind).or_default() += 1;
            self.visits += ply.visits.iter().map(|&(_, count)| u64::from(count)).sum::<u64>();
        }
        self.first_game.get_or_insert_with(|| {
            record.moves().map(|mv| game.format_move(mv)).collect::<Vec<_>>().join(" ")
        });
    }

    fn description<R: Read + Seek>(self, reader: &ShardReader<R>, bytes: u64) -> ShardDescription {
        let footer = reader.footer();
        let frame = |frame: &crate::container::FrameEntry| FrameDescription {
            offset: frame.offset,
            bytes: frame.bytes,
            raw_bytes: frame.raw_bytes,
            games: frame.games,
            positions: frame.positions,
        };
        ShardDescription {
            header: reader.header().clone(),
            bytes,
            games: footer.games,
            positions: footer.positions,
            bytes_per_position: bytes as f64 / footer.positions.max(1) as f64,
            content_hash: footer.content_hex(),
            outcomes: self.outcomes,
            ends: self.ends,
            searches: self.searches,
            visits: self.visits,
            first_game: self.first_game.unwrap_or_default(),
            frames: footer.frames.iter().map(frame).collect(),
        }
    }
}

impl fmt::Display for ShardDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = &self.header;
        let list = |counts: &BTreeMap<&str, u64>| {
            counts
                .iter()
                .map(|(name, count)| format!("{name} {count}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        writeln!(f, "shard {} of {}", header.number, header.game)?;
        writeln!(f, "encoding    {}", header.encoding)?;
        writeln!(f, "generation  {}, run seed {}", header.generation, header.run_seed)?;
        writeln!(f, "evaluators  {}", header.evaluators.join(", "))?;
        writeln!(f, "networks    {}", header.networks.join(", "))?;
        let first = header.first_game();
        let games = self.games;
        writeln!(f, "games       {games}, numbers from {first}")?;
        let each = self.bytes_per_position;
        writeln!(
            f,
            "positions   {}, {:.2} bytes each ({} bytes)",
            self.positions, each, self.bytes
        )?;
        writeln!(f, "outcomes    {}", list(&self.outcomes))?;
        writeln!(f, "ends        {}", list(&self.ends))?;
        writeln!(f, "searches    {}; {} visits", list(&self.searches), self.visits)?;
        writeln!(f, "content     blake3 {}", self.content_hash)?;
        writeln!(f, "first game  {}", self.first_game)?;
        writeln!(f, "all {games} games replayed: every move is legal, every outcome right")?;
        writeln!(
            f,
            "{:>6} {:>10} {:>8} {:>8} {:>6} {:>9}",
            "frame", "offset", "bytes", "raw", "games", "positions"
        )?;
        for (i, frame) in self.frames.iter().enumerate() {
            let FrameDescription { offset, bytes, raw_bytes, games, positions } = frame;
            writeln!(f, "{i:>6} {offset:>10} {bytes:>8} {raw_bytes:>8} {games:>6} {positions:>9}")?;
        }
        Ok(())
    }
}
