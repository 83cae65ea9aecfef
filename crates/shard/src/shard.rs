//! Writing and reading shards: files of whole games.

use std::{
    fs::File,
    io::{BufReader, Read, Seek, Write},
    path::Path,
};

use dz_game::{Encoding, Game};
use serde::{Deserialize, Serialize};

use crate::{
    GameRecord, ShardError, codec,
    container::{ALIKE, FileKind, Footer, FrameReader, FrameWriter, PackedFrame},
};

/// The newest version of the shard format: 2 has games with a komi of their own. Shards without any
/// are written in version 1.
pub const SHARD_FORMAT: u32 = 2;
/// Games in a frame, except the last: within 5 % of one large frame, and read one by one.
pub const GAMES_PER_FRAME: usize = 64;

/// zstd's level for shards. On real games it saves 1 to 3 % against levels 3 and 5, whose matches
/// are worse than none here; higher ones save 1 % more and cost several times the time
/// (benchmarks/storage.md).
pub const SHARD_LEVEL: i32 = 9;

pub(crate) const SHARD_KIND: FileKind =
    FileKind { magic: *b"DZSHARD\0", name: "shard", format: SHARD_FORMAT };

/// What all games of a shard share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardHeader {
    /// The game with every parameter, canonical.
    pub game: String,
    /// Id of the encoding that the networks used.
    pub encoding: String,
    /// The champion's number when the shard was begun; 0 is the bootstrap evaluator.
    pub generation: u32,
    /// The shard's number `k`.
    pub number: u64,
    /// Games in a full shard, `M`; this one holds games `kM ..` up to `(k+1)M - 1`.
    pub games_per_shard: u64,
    /// The run's seed.
    pub run_seed: u64,
    /// Hash of the configuration that decides results, hexadecimal.
    pub config_hash: String,
    /// Evaluators by id (backend, instruction set, precision); records name them by index.
    pub evaluators: Vec<String>,
    /// Networks by hash, or the bootstrap evaluator's name; plies name them by index.
    pub networks: Vec<String>,
    /// Whether games may have a komi of their own. `false` is left out, so that such shards keep
    /// the bytes that they had before any game could.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_komi: bool,
}

impl ShardHeader {
    /// The number of the shard's first game.
    pub fn first_game(&self) -> u64 {
        self.number.saturating_mul(self.games_per_shard)
    }

    /// The earliest format of files that can say it.
    fn format(&self) -> u32 {
        if self.own_komi { 2 } else { 1 }
    }
}

/// Writes the games of one shard in the order of their numbers.
#[derive(Debug)]
pub struct ShardWriter<W> {
    frames: FrameWriter<W>,
    header: ShardHeader,
    pending: Vec<GameRecord>,
    next: u64,
}

impl<W: Write> ShardWriter<W> {
    /// Starts a shard. `level` is zstd's, [`SHARD_LEVEL`] unless there is a reason.
    ///
    /// # Errors
    /// [`ShardError::Io`].
    pub fn new(out: W, header: ShardHeader, level: i32) -> Result<Self, ShardError> {
        let kind = FileKind { format: header.format(), ..SHARD_KIND };
        let frames = FrameWriter::new(out, kind, &header, level)?;
        let next = header.first_game();
        Ok(Self { frames, header, pending: Vec::with_capacity(GAMES_PER_FRAME), next })
    }

    /// Adds the next game.
    ///
    /// # Errors
    /// [`ShardError::BadRecord`] if it is not the game with the next number, if the shard is full,
    /// or as [`GameRecord::check`] and the header's lists say.
    pub fn push(&mut self, record: GameRecord) -> Result<(), ShardError> {
        record.check()?;
        let bad = |what: String| Err(ShardError::BadRecord { game: record.number, what });
        if record.number != self.next {
            return bad(format!("game {} comes next in this shard", self.next));
        }
        if record.number - self.header.first_game() >= self.header.games_per_shard {
            return bad(format!("the shard is full with {} games", self.header.games_per_shard));
        }
        if let Some(what) = outside_header(&self.header, &record) {
            return bad(what);
        }
        self.next += 1;
        self.pending.push(record);
        if self.pending.len() == GAMES_PER_FRAME { self.flush() } else { Ok(()) }
    }

    /// Writes the last games and the footer. The caller syncs and publishes the file.
    ///
    /// # Errors
    /// [`ShardError::Io`].
    pub fn finish(mut self) -> Result<(W, Footer), ShardError> {
        self.flush()?;
        self.frames.finish()
    }

    fn flush(&mut self) -> Result<(), ShardError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let games = std::mem::take(&mut self.pending);
        self.write(&games)?;
        self.pending = games;
        self.pending.clear();
        Ok(())
    }

    /// Writes games as one frame, or as several if they are so alike that readers would refuse one.
    fn write(&mut self, games: &[GameRecord]) -> Result<(), ShardError> {
        let positions = games.iter().map(|game| game.plies.len()).sum();
        let columns = codec::encode(games, self.header.own_komi)?;
        let level = self.frames.level();
        let frame = PackedFrame::new(&columns, level, games.len(), positions)?;
        if codec::unpacked_bytes(games) <= ALIKE.bytes_max(frame.bytes()) {
            return self.frames.push(&frame);
        }
        let (first, second) = games.split_at(games.len() / 2);
        if first.is_empty() {
            let what = "its plies are too many and too much alike".to_owned();
            return Err(ShardError::BadRecord { game: games[0].number, what });
        }
        self.write(first)?;
        self.write(second)
    }
}

/// Reads a shard, frame by frame.
#[derive(Debug)]
pub struct ShardReader<R> {
    frames: FrameReader<R>,
    header: ShardHeader,
}

impl ShardReader<BufReader<File>> {
    /// Opens a shard on disk.
    ///
    /// # Errors
    /// As [`ShardReader::new`], with the path.
    pub fn open(path: &Path) -> Result<Self, ShardError> {
        let file = dz_text::open_regular(path).map_err(ShardError::io("open the shard"));
        file.and_then(|file| Self::new(BufReader::new(file))).map_err(|error| error.at(path))
    }
}

impl<R: Read + Seek> ShardReader<R> {
    /// Reads and checks header and footer.
    ///
    /// # Errors
    /// Every kind of bad file, see [`FrameReader::open`].
    pub fn new(input: R) -> Result<Self, ShardError> {
        let (frames, header): (_, ShardHeader) = FrameReader::open(input, SHARD_KIND)?;
        // A few bytes can stand for any number of equal games, so no more are unpacked than a
        // writer puts into a frame.
        let too_many = frames.footer().frames.iter().any(|frame| {
            frame.games as usize > GAMES_PER_FRAME
                || u64::from(frame.positions) > u64::from(frame.games) * u64::from(u16::MAX)
        });
        if too_many {
            return Err(ShardError::damaged("a frame has more games or positions than one can"));
        }
        let last = header.number.checked_mul(header.games_per_shard);
        if last.and_then(|first| first.checked_add(frames.footer().games)).is_none() {
            return Err(ShardError::damaged("games whose numbers are too large"));
        }
        Ok(Self { frames, header })
    }

    /// What all games share.
    pub fn header(&self) -> &ShardHeader {
        &self.header
    }

    /// The index: frames, totals, hashes.
    pub fn footer(&self) -> &Footer {
        self.frames.footer()
    }

    /// Refuses a shard of another game. Shards of older encodings are welcome: games are stored,
    /// not planes.
    ///
    /// # Errors
    /// [`ShardError::WrongGame`].
    pub fn check_game<G: Game>(&self, game: &G) -> Result<(), ShardError> {
        let expected = game.spec().to_string();
        if self.header.game == expected {
            return Ok(());
        }
        Err(ShardError::WrongGame { expected, found: self.header.game.clone() })
    }

    /// Refuses a shard whose networks saw another encoding, for readers that evaluate again.
    ///
    /// # Errors
    /// [`ShardError::WrongEncoding`].
    pub fn check_encoding(&self, encoding: &impl Encoding) -> Result<(), ShardError> {
        let expected = encoding.id();
        if self.header.encoding == expected {
            return Ok(());
        }
        Err(ShardError::WrongEncoding { expected, found: self.header.encoding.clone() })
    }

    /// Reads the whole file once and compares all hashes.
    ///
    /// # Errors
    /// [`ShardError::Damaged`].
    pub fn verify(&mut self) -> Result<(), ShardError> {
        self.frames.verify()
    }

    /// The games of frame `index`.
    ///
    /// # Errors
    /// [`ShardError::Damaged`].
    pub fn frame(&mut self, index: usize) -> Result<Vec<GameRecord>, ShardError> {
        let bytes = self.frames.frame(index)?;
        let entry = &self.frames.footer().frames[index];
        let before: u64 =
            self.footer().frames[..index].iter().map(|frame| u64::from(frame.games)).sum();
        let count = entry.games as usize;
        let positions = entry.positions as usize;
        let bytes_max = ALIKE.bytes_max(self.frames.compressed_bytes(index));
        let (games, unpacked) = codec::decode(&bytes, count, self.header.own_komi, bytes_max)?;
        self.frames.spend(index, bytes.len() as u64 + unpacked)?;
        if games.iter().map(|game| game.plies.len()).sum::<usize>() != positions {
            return Err(ShardError::damaged(format!("frame {index} has other positions")));
        }
        let numbers = self.header.first_game() + before..;
        for (game, number) in games.iter().zip(numbers) {
            if game.number != number || outside_header(&self.header, game).is_some() {
                let what = format!("frame {index}: game {} does not fit the header", game.number);
                return Err(ShardError::damaged(what));
            }
        }
        Ok(games)
    }

    /// All games in order, a frame in memory at a time.
    pub fn games(&mut self) -> impl Iterator<Item = Result<GameRecord, ShardError>> + '_ {
        let frames = self.footer().frames.len();
        (0..frames).flat_map(|index| match self.frame(index) {
            Ok(games) => games.into_iter().map(Ok).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })
    }
}

/// What a record refers to that the header does not have, if anything.
fn outside_header(header: &ShardHeader, record: &GameRecord) -> Option<String> {
    if usize::from(record.evaluator) >= header.evaluators.len() {
        return Some(format!("the header has no evaluator {}", record.evaluator));
    }
    if record.komi.is_some() && !header.own_komi {
        return Some("the header states that no game has its own komi".to_owned());
    }
    let networks = header.networks.len();
    let foreign = record.plies.iter().find(|ply| usize::from(ply.network) >= networks)?;
    Some(format!("the header has no network {}", foreign.network))
}
