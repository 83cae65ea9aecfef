//! The file of a match: a header and every game.
//!
//! JSON lines. The first line is a [`MatchHeader`], every other line a [`PlayedGame`]
//! (broken here for its length):
//!
//! ```text
//! {"kind":"match","format":2,"game":"tictactoe","players":[{...},{...}],"games":2,...}
//! {"number":0,"first":"a","opening_plies":1,"moves":[4,0,...],
//!  "outcome":{"winner":"first","margin":null},"adjudicated":false}
//! ```
//!
//! Games are in the order of their numbers, `0..games`; games 2k and 2k + 1 are a pair, which
//! starts from one opening with colours swapped. Moves are numbers as the game's `Move` has them. A
//! published file is whole; in the working file of a match in progress, games stand in the order in
//! which they ended, and a last line may be torn. The header holds all that fixes the games, so two
//! files with equal headers have equal games.

use anyhow::{Context, Result, bail, ensure};
use dz_play::{PlayedGame, PlayerKind, PlayerSetup};
use dz_search::{Budget, MoveChoice, RootSetup, SearchParams};
use serde::{Deserialize, Serialize};

/// The format that this program writes and reads. In format 1 headers told only some of a search's
/// settings.
pub const FORMAT: u32 = 2;

/// The `kind` of every header.
pub const KIND: &str = "match";

/// Everything that fixes a match's games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchHeader {
    /// Always `match`.
    pub kind: String,
    /// [`FORMAT`].
    pub format: u32,
    /// The game in canonical form.
    pub game: String,
    /// Players A and B.
    pub players: [PlayerHeader; 2],
    /// Games that are to be played; in the file of a match that a test ended, those up to there.
    pub games: u64,
    /// Distinct openings that there are; if fewer than pairs, they are used again.
    pub openings: u64,
    /// Random plies of each opening.
    pub opening_plies: u32,
    /// Seed of openings and games.
    pub seed: u64,
    /// Plies after which a game is a draw.
    pub plies_max: u32,
}

/// How every header begins.
#[derive(Deserialize)]
struct Kind {
    kind: String,
    format: u32,
}

/// One player of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerHeader {
    /// Its name.
    pub name: String,
    /// Hash of its network, where it has one.
    pub network: Option<String>,
    /// How it searches; none for random moves.
    pub search: Option<SearchHeader>,
    /// How it is started, where it is another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineHeader>,
}

/// Another program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineHeader {
    /// Protocol, command line and the lines said first, as `dagzero match` takes them.
    pub command: String,
    /// Seconds that it is told to think about a move.
    pub seconds: f64,
}

/// How a player searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchHeader {
    /// Id of the evaluator: network, backend, instruction set, precision.
    pub evaluator: String,
    /// What `budget` counts: `playouts` or `evaluations` of a move, or `visits` of its root; `open`
    /// has none.
    pub unit: String,
    /// Budget of a move.
    pub budget: u32,
    /// Every setting of the search.
    pub params: SearchParams,
    /// How its root differs.
    pub root: RootSetup,
    /// The move that is played.
    pub choice: MoveChoice,
    /// Whether the search goes on from move to move.
    pub reuse: bool,
}

impl PlayerHeader {
    /// The header of a player; `network` is its network's hash, `evaluators` are ids by source.
    pub fn of(setup: &PlayerSetup, network: Option<&str>, evaluators: &[String]) -> Self {
        let network = network.map(ToOwned::to_owned);
        let search = match &setup.kind {
            PlayerKind::Random | PlayerKind::External(_) => None,
            PlayerKind::Search { params, root, choice, budget, reuse, source } => {
                let (unit, budget) = match *budget {
                    Budget::Playouts(playouts) => ("playouts", playouts),
                    Budget::Visits(visits) => ("visits", visits),
                    Budget::Evaluations { evaluations, .. } => ("evaluations", evaluations),
                    Budget::Open => ("open", 0),
                };
                Some(SearchHeader {
                    evaluator: evaluators.get(*source).cloned().unwrap_or_default(),
                    unit: unit.to_owned(),
                    budget,
                    params: *params,
                    root: *root,
                    choice: *choice,
                    reuse: *reuse,
                })
            }
        };
        let engine = match &setup.kind {
            PlayerKind::External(pool) => {
                let spec = pool.spec();
                let seconds = spec.move_time.as_secs_f64();
                Some(EngineHeader { command: spec.to_string(), seconds })
            }
            PlayerKind::Random | PlayerKind::Search { .. } => None,
        };
        Self { name: setup.name.clone(), network, search, engine }
    }
}

/// One line, newline included.
///
/// # Errors
/// If a number in it is not finite.
pub fn line(value: &impl Serialize) -> Result<String> {
    let mut text = serde_json::to_string(value).context("a line of a match file")?;
    text.push('\n');
    Ok(text)
}

/// The bytes of a finished match.
///
/// # Errors
/// If a number in it is not finite.
pub fn write_match(header: &MatchHeader, games: &[PlayedGame]) -> Result<Vec<u8>> {
    let mut text = line(header)?;
    for game in games {
        text.push_str(&line(game)?);
    }
    Ok(text.into_bytes())
}

/// Reads a finished match.
///
/// # Errors
/// If it is no match file, of another format, or not whole.
pub fn read_match(text: &str) -> Result<(MatchHeader, Vec<PlayedGame>)> {
    let (first, rest) = text.split_once('\n').context("an empty file is no match file")?;
    let no_header = "the first line is no header of a match";
    // What it is before what is in it: the fields differ from format to format.
    let Kind { kind, format } = serde_json::from_str(first).context(no_header)?;
    if kind != KIND || format != FORMAT {
        bail!("this is a {kind} of format {format}; this program reads matches of format {FORMAT}");
    }
    let header: MatchHeader = serde_json::from_str(first).context(no_header)?;
    let read = |line| serde_json::from_str(line).context("a line is no game of a match");
    let games = rest.lines().map(read).collect::<Result<Vec<PlayedGame>>>()?;
    let in_order = games.iter().enumerate().all(|(index, game)| game.number == index as u64);
    ensure!(
        in_order && games.len() as u64 == header.games,
        "the file is not whole: it has {} games of {}; copy it again",
        games.len(),
        header.games
    );
    Ok((header, games))
}
