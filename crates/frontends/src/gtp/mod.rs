//! GTP 2: the Go Text Protocol (G. Farnebäck, specification draft 2, 2002), for every game on
//! points, with the extensions that analysing front ends use.

mod analysis;
mod board;
mod extras;
mod genmove;
mod handicap;
mod load;
mod path;
mod syntax;
mod table;

use std::fmt;

use dz_game::Player;

use crate::{
    Activity, Clock, LINE_BYTES_MAX, Limits, Maker, Protocol, Resignation, Session,
    clock::{SideClock, TimeSettings},
};
use analysis::Analysis;
use genmove::Genmove;
use syntax::{Request, answer};

/// The engine's side of GTP.
pub struct Gtp {
    maker: Maker,
    clock: Box<dyn Clock>,
    session: Box<dyn Session>,
    limits: Limits,
    resignation: Resignation,
    /// Both players' clocks, if there are any.
    clocks: Option<[SideClock; 2]>,
    /// Own moves in a row that each player's search found hopeless.
    hopeless: [u32; 2],
    job: Option<Job>,
    ended: bool,
    /// Whether it thinks in the opponent's time.
    ponders: bool,
    files: Files,
    /// All that follows the command that is obeyed, for commands that name files.
    rest: String,
}

/// Reads a file that a front end names.
pub type Files = Box<dyn FnMut(&str) -> std::io::Result<Vec<u8>>>;

/// What takes longer than a line.
enum Job {
    Genmove(Genmove),
    Analysis(Analysis),
    /// Thinking in the opponent's time, until the next line.
    Ponder,
}

/// What a command comes to.
enum Reply {
    /// This text, and it is done.
    Text(String),
    /// This text, with the answer's first line open: more will come.
    Later(Job),
}

type Answered = Result<Reply, String>;

/// A command that has nothing to say.
#[allow(clippy::unnecessary_wraps, reason = "what a command returns")]
fn done() -> Answered {
    Ok(Reply::Text(String::new()))
}

#[allow(clippy::unnecessary_wraps, reason = "what a command returns")]
fn text(text: impl Into<String>) -> Answered {
    Ok(Reply::Text(text.into()))
}

impl fmt::Debug for Gtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = self.session.spec().to_string();
        f.debug_struct("Gtp").field("game", &game).finish_non_exhaustive()
    }
}

impl Gtp {
    /// An engine at the start of `session`'s game; `maker` makes another one where a front end asks
    /// for other parameters.
    pub fn new(
        session: Box<dyn Session>,
        maker: Maker,
        clock: Box<dyn Clock>,
        limits: Limits,
        resignation: Resignation,
    ) -> Self {
        Self {
            maker,
            clock,
            session,
            limits,
            resignation,
            clocks: None,
            hopeless: [0; 2],
            job: None,
            ended: false,
            ponders: false,
            files: Box::new(|_| Err(std::io::Error::other("this engine reads no files"))),
            rest: String::new(),
        }
    }

    /// Lets front ends name files, for `loadsgf`.
    #[must_use]
    pub fn with_files(self, files: Files) -> Self {
        Self { files, ..self }
    }

    /// A new game on the board as it is.
    fn clear(&mut self) {
        // The start has no notation that could be wrong.
        let begun = self.session.begin_game(None);
        debug_assert!(begun.is_ok(), "{begun:?}");
        self.hopeless = [0; 2];
        if let Some(clocks) = &mut self.clocks {
            *clocks = clocks.map(SideClock::anew);
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

    fn obey(&mut self, request: &Request) -> String {
        self.rest.clone_from(&request.rest);
        let found = table::find(&request.name).filter(|command| command.scope.holds(self));
        let answered = match found {
            Some(command) => (command.run)(self, &request.arguments),
            None => Err("unknown command".to_owned()),
        };
        match answered {
            Ok(Reply::Text(text)) => answer(request.id.as_deref(), Ok(&text)),
            Ok(Reply::Later(job)) => self.take_up(job, request.id.clone()),
            Err(error) => answer(request.id.as_deref(), Err(&error)),
        }
    }

    fn take_up(&mut self, mut job: Job, id: Option<String>) -> String {
        let opened = match &mut job {
            Job::Analysis(_) | Job::Ponder => true,
            Job::Genmove(genmove) => {
                genmove.id.clone_from(&id);
                genmove.told.is_some()
            }
        };
        self.job = Some(job);
        // A move alone is answered at once, when it is found.
        if opened { format!("={}\n", id.unwrap_or_default()) } else { String::new() }
    }
}

impl Protocol for Gtp {
    fn line(&mut self, line: &[u8]) -> String {
        // Whatever comes ends an analysis, an empty line too.
        let mut text = self.end_analysis();
        if matches!(self.job, Some(Job::Ponder)) {
            self.job = None;
        }
        if let Some(request) = syntax::parse(line) {
            // The end of a line that was too long may be missing.
            text += &if line.len() < LINE_BYTES_MAX {
                self.obey(&request)
            } else {
                let why = format!("the line is longer than {LINE_BYTES_MAX} bytes");
                answer(request.id.as_deref(), Err(&why))
            };
        }
        text
    }

    fn interrupt(&mut self, line: &[u8]) -> bool {
        let Some(Job::Genmove(genmove)) = &mut self.job else { return false };
        let ends = syntax::is_interrupt(line);
        if ends {
            genmove.deadline = Some(std::time::Duration::ZERO);
        }
        ends
    }

    fn step(&mut self) -> String {
        match self.job.take() {
            Some(Job::Genmove(genmove)) => self.go_on(genmove),
            Some(Job::Analysis(analysis)) => self.go_on_analysing(analysis),
            Some(Job::Ponder) => {
                self.go_on_pondering();
                String::new()
            }
            None => String::new(),
        }
    }

    fn close(&mut self) -> String {
        if matches!(self.job, Some(Job::Ponder)) {
            self.job = None;
        }
        self.end_analysis()
    }

    fn activity(&self) -> Activity {
        match &self.job {
            _ if self.ended => Activity::Ended,
            None => Activity::Idle,
            Some(Job::Genmove(_)) => Activity::Thinking,
            Some(Job::Analysis(analysis)) if analysis.rests => Activity::Idle,
            Some(Job::Analysis(_) | Job::Ponder) => Activity::Open,
        }
    }
}
