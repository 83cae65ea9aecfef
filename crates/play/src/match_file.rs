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

use dz_search::{Budget, MoveChoice, RootSetup, SearchParams};
use serde::{Deserialize, Serialize};

use crate::{MatchPlayer, PlayedGame, PlayerEvaluator, PlayerKind};

/// The format that this program writes and reads. Headers of format 1 held only some of a search's
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
    /// Ids of evaluators of other machines that played some of the games in place of the players'
    /// own. Games of other evaluators are taken only where `workers.evaluators` is `any`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_evaluators: Vec<String>,
}

/// How every header begins.
#[derive(Deserialize)]
struct Kind {
    kind: String,
    format: u32,
}

/// A match that was played to its end, or was stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedMatch {
    /// What was to be played.
    pub header: MatchHeader,
    /// Finished games, by number.
    pub games: Vec<PlayedGame>,
}

impl PlayedMatch {
    /// Whether all games were played.
    pub fn is_whole(&self) -> bool {
        self.games.len() as u64 == self.header.games
    }
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
    /// Protocol, command line and the lines sent first, as `dagzero match` takes them.
    pub command: String,
    /// Seconds that it gets to think about a move.
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
    /// The header of a player. `evaluator` is the id of its source, if it searches.
    pub fn of(player: &MatchPlayer, evaluator: &str) -> Self {
        let mut header =
            Self { name: player.name.clone(), network: None, search: None, engine: None };
        match &player.kind {
            PlayerKind::Random => {}
            PlayerKind::Search(search) => {
                if let PlayerEvaluator::Network { hash, .. } = &search.evaluator {
                    header.network = Some(hash.clone());
                }
                let (unit, budget) = match search.budget {
                    Budget::Playouts(playouts) => ("playouts", playouts),
                    Budget::Visits(visits) => ("visits", visits),
                    Budget::Evaluations { evaluations, .. } => ("evaluations", evaluations),
                    Budget::Open => ("open", 0),
                };
                header.search = Some(SearchHeader {
                    evaluator: evaluator.to_owned(),
                    unit: unit.to_owned(),
                    budget,
                    params: search.params,
                    root: search.root,
                    choice: search.choice,
                    reuse: search.reuse,
                });
            }
            PlayerKind::Engine(pool) => {
                let spec = pool.spec();
                let seconds = spec.move_time.as_secs_f64();
                header.engine = Some(EngineHeader { command: spec.to_string(), seconds });
            }
        }
        header
    }
}

/// Why a match file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MatchFileError {
    /// It has no line.
    #[error("an empty file is no match file")]
    Empty,
    /// It does not begin with a header.
    #[error("the first line is no header of a match")]
    Header(#[source] serde_json::Error),
    /// It is of another kind or format.
    #[error("this is a {kind} of format {format}; this program reads matches of format {FORMAT}")]
    Format {
        /// What it is.
        kind: String,
        /// Its format.
        format: u32,
    },
    /// A line after the header is no game.
    #[error("a line is no game of a match")]
    Game(#[source] serde_json::Error),
    /// Games are missing or out of order.
    #[error("the file is not whole: it has {games} games of {wanted}; copy it again")]
    Torn {
        /// Games that it has.
        games: usize,
        /// Games that its header promises.
        wanted: u64,
    },
    /// A number is not finite.
    #[error("a line of a match file")]
    Write(#[source] serde_json::Error),
}

/// One line, newline included.
///
/// # Errors
/// If a number in it is not finite.
pub fn match_line(value: &impl Serialize) -> Result<String, MatchFileError> {
    let mut text = serde_json::to_string(value).map_err(MatchFileError::Write)?;
    text.push('\n');
    Ok(text)
}

/// The bytes of a finished match.
///
/// # Errors
/// If a number in it is not finite.
pub fn write_match(header: &MatchHeader, games: &[PlayedGame]) -> Result<Vec<u8>, MatchFileError> {
    let mut text = match_line(header)?;
    for game in games {
        text.push_str(&match_line(game)?);
    }
    Ok(text.into_bytes())
}

/// Reads a finished match.
///
/// # Errors
/// If it is no match file, of another format, or not whole.
pub fn read_match(text: &str) -> Result<PlayedMatch, MatchFileError> {
    let (first, rest) = text.split_once('\n').ok_or(MatchFileError::Empty)?;
    // The format is read before the rest, because the fields differ from format to format.
    let Kind { kind, format } = serde_json::from_str(first).map_err(MatchFileError::Header)?;
    if kind != KIND || format != FORMAT {
        return Err(MatchFileError::Format { kind, format });
    }
    let header: MatchHeader = serde_json::from_str(first).map_err(MatchFileError::Header)?;
    let games = rest.lines().map(serde_json::from_str).collect::<Result<Vec<PlayedGame>, _>>();
    let games = games.map_err(MatchFileError::Game)?;
    let in_order = games.iter().enumerate().all(|(index, game)| game.number == index as u64);
    if !in_order || games.len() as u64 != header.games {
        return Err(MatchFileError::Torn { games: games.len(), wanted: header.games });
    }
    Ok(PlayedMatch { header, games })
}
