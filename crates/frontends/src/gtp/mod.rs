//! GTP 2: the Go Text Protocol (G. Farnebäck, specification draft 2, 2002), for every game on
//! points, with the extensions that analysing front ends use.

mod analysis;
mod board;
mod extras;
mod genmove;
mod handicap;
mod job;
mod load;
mod obey;
mod options;
mod path;
mod saved;
mod syntax;
mod table;

use std::fmt;

use dz_game::Player;

use crate::{
    Clock, Limits, Resignation, Session, SessionMaker,
    clock::{SideClock, TimeSettings},
};
use job::Job;

/// The engine's side of GTP.
pub struct Gtp {
    session_maker: SessionMaker,
    clock: Box<dyn Clock>,
    session: Box<dyn Session>,
    limits: Limits,
    resignation: Resignation,
    /// Both players' clocks, if there are any.
    clocks: Option<[SideClock; 2]>,
    /// Own moves in a row that each player's search found hopeless.
    turns_below_resignation: [u32; 2],
    job: Option<Job>,
    ended: bool,
    /// Whether it thinks in the opponent's time.
    ponders: bool,
    files: Files,
    written: WrittenFiles,
    /// All that follows the command that is obeyed, for commands that name files.
    rest: String,
}

/// Reads a file that a front end names.
pub type Files = Box<dyn FnMut(&str) -> std::io::Result<Vec<u8>>>;

/// Writes a file that a front end names.
pub type WrittenFiles = Box<dyn FnMut(&str, &[u8]) -> std::io::Result<()>>;

impl fmt::Debug for Gtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = self.session.spec().to_string();
        f.debug_struct("Gtp").field("game", &game).finish_non_exhaustive()
    }
}

impl Gtp {
    /// An engine at the start of `session`'s game; `session_maker` makes another one where a front
    /// end asks for other parameters.
    pub fn new(
        session: Box<dyn Session>,
        session_maker: SessionMaker,
        clock: Box<dyn Clock>,
        limits: Limits,
        resignation: Resignation,
    ) -> Self {
        Self {
            session_maker,
            clock,
            session,
            limits,
            resignation,
            clocks: None,
            turns_below_resignation: [0; 2],
            job: None,
            ended: false,
            ponders: false,
            files: Box::new(|_| Err(std::io::Error::other("this engine reads no files"))),
            written: Box::new(|_, _| Err(std::io::Error::other("this engine writes no files"))),
            rest: String::new(),
        }
    }

    /// Lets front ends name files, for `loadsgf` and `dagzero-load_search`.
    #[must_use]
    pub fn with_files(self, files: Files) -> Self {
        Self { files, ..self }
    }

    /// Lets front ends name files to write, for `dagzero-save_search`.
    #[must_use]
    pub fn with_written_files(self, written: WrittenFiles) -> Self {
        Self { written, ..self }
    }

    /// A new game on the board as it is.
    fn clear(&mut self) {
        // The start has no notation that could be wrong.
        let begun = self.session.begin_game(None);
        debug_assert!(begun.is_ok(), "{begun:?}");
        self.turns_below_resignation = [0; 2];
        if let Some(clocks) = &mut self.clocks {
            *clocks = clocks.map(SideClock::reset);
        }
    }

    fn set_clocks(&mut self, settings: Option<TimeSettings>) {
        self.clocks = settings.map(|settings| [SideClock::new(settings); 2]);
    }

    /// The player who moves, or who would if the game were not over.
    fn mover(&self) -> Player {
        match self.session.status() {
            dz_game::Status::ToMove(player) => player,
            dz_game::Status::Over(_) => {
                self.session.log().last().map_or(Player::First, |(player, _)| player.opponent())
            }
        }
    }
}
