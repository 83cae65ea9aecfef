//! Where games lie: shards and match files, as the ledger names them.

use std::path::PathBuf;

use dz_game::{AnyGame, GameError};
use dz_store::{Ledger, MatchPurpose, Run};
use serde::{Deserialize, Serialize};

/// The kinds of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    #[default]
    Selfplay,
    Gate,
    Rating,
    Final,
}

/// One file with games.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    /// Its path in the run.
    pub(crate) file: String,
    pub(crate) cycle: u32,
    pub(crate) kind: Kind,
    /// Who played, for people.
    pub(crate) who: [String; 2],
    /// The generation that played, of self-play.
    pub(crate) generation: Option<u32>,
    /// The game, where it is on another board than the run's own.
    pub(crate) board: Option<String>,
}

/// The files with games that a run has.
#[derive(Debug)]
pub(crate) struct Contents {
    /// The run.
    pub(crate) run: Run,
    /// The game with its parameters.
    pub(crate) game: String,
    /// By cycle; in a cycle self-play first.
    pub(crate) places: Vec<Place>,
}

impl Contents {
    /// The rules of the games of a file.
    ///
    /// # Errors
    /// A line for people, where there is no such game.
    pub(crate) fn rules(&self, place: &Place) -> Result<AnyGame, String> {
        let spec = self.board(place).parse();
        spec.and_then(|spec| AnyGame::of(&spec)).map_err(|error: GameError| error.to_string())
    }

    /// The board of the games of a file: the game with every parameter.
    pub(crate) fn board<'a>(&'a self, place: &'a Place) -> &'a str {
        place.board.as_deref().unwrap_or(&self.game)
    }

    /// The file at `path`, which the ledger names.
    pub(crate) fn place(&self, file: &str) -> Result<&Place, String> {
        let found = self.places.iter().find(|place| place.file == file);
        found.ok_or_else(|| format!("{} is no file with games of this run", dz_text::line(file)))
    }
}

/// What the ledger of the run at `path` names, as far as it is kept.
///
/// # Errors
/// A line for people.
pub(crate) fn contents(path: &PathBuf) -> Result<Contents, String> {
    let run = Run::open(path).map_err(|error| error.to_string())?;
    let ledger = Ledger::open(&run).map_err(|error| error.to_string())?;
    let state = ledger.state();
    let game = state.started.as_ref().map(|info| info.game.clone()).unwrap_or_default();
    let mut places = Vec::new();
    for (cycle, shard) in run.shards_kept(state) {
        let on = shard.board.as_ref().map(|board| format!(" on {board}")).unwrap_or_default();
        let who = format!("generation {}{on}", shard.generation);
        places.push(Place {
            file: shard.object.path.clone(),
            cycle,
            kind: Kind::Selfplay,
            who: [who.clone(), who],
            generation: Some(shard.generation),
            board: shard.board.clone(),
        });
    }
    for (&cycle, state) in &state.cycles {
        for played in &state.matches {
            let kind = match played.purpose {
                MatchPurpose::Gate => Kind::Gate,
                MatchPurpose::Rating => Kind::Rating,
                MatchPurpose::Final => Kind::Final,
            };
            places.push(Place {
                file: played.games.path.clone(),
                cycle,
                kind,
                who: [played.a.to_string(), played.b.to_string()],
                generation: None,
                board: None,
            });
        }
    }
    places.sort_by_key(|place| place.cycle);
    Ok(Contents { run, game, places })
}
