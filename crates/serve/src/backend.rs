//! What the server asks of its caller, which knows networks.

use std::path::{Path, PathBuf};

use dz_frontends::Session;
use serde_json::Value;

use crate::Rules;

/// Makes players, searches and records. The server calls it from threads of its own.
pub trait Backend: Send + Sync + 'static {
    /// A game against the champion of `generation` of a run, the newest if none is given. `rules`
    /// are those of a recorded game, such as another board of the run or another komi; without
    /// them it is the run's own game. Moves have the game's own names. The server refuses a
    /// session of any other game. It is called on the thread that keeps the session.
    ///
    /// # Errors
    /// A line for people, for example if the network cannot play on this board.
    fn session(
        &self,
        run: &Path,
        rules: Option<&Rules>,
        generation: Option<u32>,
        seed: u64,
    ) -> Result<Box<dyn Session>, String>;

    /// Searches a position and lays the search open. It ends early once `stop` is true.
    ///
    /// # Errors
    /// A line for people.
    fn search(&self, request: &SearchRequest, stop: &dyn Fn() -> bool) -> Result<LaidOpen, String>;

    /// A recorded game in the format of its game: SGF, PGN or plain text.
    ///
    /// # Errors
    /// A line for people.
    fn record(&self, file: &GameFile) -> Result<RecordText, String>;
}

/// A position and how it is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRequest {
    /// The run.
    pub run: PathBuf,
    /// The board and the komi of the position. The server refuses a search of any other game.
    pub rules: Rules,
    /// The champion that evaluates; the newest if none is given.
    pub generation: Option<u32>,
    /// Moves from the start, in the game's notation.
    pub moves: String,
    /// Playouts, the one that evaluates the root included.
    pub playouts: u32,
    /// Settings over the plain reference search, `search.key=value`.
    pub settings: Vec<String>,
}

/// A search as `dagzero search --nodes --trace` prints it.
#[derive(Clone, Debug, Default)]
pub struct LaidOpen {
    /// Everything but the trace.
    pub report: Value,
    /// Each playout.
    pub trace: Vec<Value>,
}

/// A game of a shard or of a match file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The run.
    pub run: PathBuf,
    /// The shard or the match file.
    pub path: PathBuf,
    /// The number of the game.
    pub number: u64,
}

/// A record as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordText {
    /// Ending of its name: `sgf`, `pgn` or `txt`.
    pub extension: &'static str,
    /// The content.
    pub text: String,
}
