//! A person at the board: lines in, text out.

mod picture;
mod pointer;
mod show;

use std::fmt::Write;

use dz_game::{GameError, Player, Status};
use dz_infer::EvaluatorError;
use dz_text::Look;

use crate::{Session, review::names};
pub use pointer::{Choice, Direction, Mark, MarkKind, Pointer};

/// The highest level.
pub const LEVEL_MAX: u32 = 14;

/// Moves of a hint.
const HINTS: usize = 3;

/// A game between a person and the session's player, as a state machine over lines of text.
pub struct Person {
    session: Box<dyn Session>,
    /// Who the person plays; `None` plays both sides.
    side: Option<Player>,
    /// Playouts a move.
    playouts: u32,
    bar: bool,
    look: Look,
    /// The first player's expected score, by the last search.
    score: Option<f64>,
    ended: bool,
}

impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Person").field("playouts", &self.playouts).finish_non_exhaustive()
    }
}

/// What a person is shown after a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Whole lines.
    pub text: String,
    /// Whether the board is to be shown after the text.
    pub board: bool,
}

/// Returns the playouts of a level. Each level doubles them; level 0 has one, so that the network
/// plays without a search.
pub fn playouts_of(level: u32) -> u32 {
    1 << level.min(LEVEL_MAX)
}

const HELP: &str = "\
Write a move as the board names it, or one of these:
  hint          what the program would play here
  undo          take your last move back, and the answer to it
  bar           show or hide who is ahead
  level N       how hard it thinks, 0 to 14; each level doubles the playouts
  side          change sides; `side both` lets you play both
  moves         the legal moves
  board         the board again
  record        the moves so far
  new           begin again
  quit          leave
";

impl Person {
    /// Makes a game at its start. The person plays `person`, or both sides if that is `None`; the
    /// program searches `playouts` a move.
    pub fn new(session: Box<dyn Session>, person: Option<Player>, playouts: u32) -> Self {
        let look = Look::default();
        Self { session, side: person, playouts, bar: true, look, score: None, ended: false }
    }

    /// The same for a terminal that shows more than plain text.
    #[must_use]
    pub fn with_look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// What the person's terminal shows.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Whether the person has left.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Returns the text before the first line. The program moves if it is first.
    ///
    /// # Errors
    /// What evaluators report, here and in [`Person::line`].
    pub fn greet(&mut self) -> Result<String, EvaluatorError> {
        let Response { text, .. } = self.begin()?;
        Ok(text + &self.show())
    }

    /// As [`Person::greet`], for callers that show the board themselves.
    ///
    /// # Errors
    /// What evaluators report.
    pub fn begin(&mut self) -> Result<Response, EvaluatorError> {
        let text = format!(
            "{}, against {}. Write help for the commands.\n",
            self.session.spec(),
            self.session.player()
        );
        let response = self.turn()?;
        Ok(Response { text: text + &response.text, ..response })
    }

    /// Returns the game and its player.
    pub fn session(&self) -> &dyn Session {
        &*self.session
    }

    /// Takes a line and returns the text to show. A word that is a legal move is always a move.
    ///
    /// # Errors
    /// What evaluators report.
    pub fn line(&mut self, line: &str) -> Result<String, EvaluatorError> {
        let Response { text, board } = self.respond(line)?;
        Ok(if board { text + &self.show() } else { text })
    }

    /// As [`Person::line`], for callers that show the board themselves.
    ///
    /// # Errors
    /// What evaluators report.
    pub fn respond(&mut self, line: &str) -> Result<Response, EvaluatorError> {
        let line = line.trim();
        if line.is_empty() {
            return Ok(Response::default());
        }
        if let Some(response) = self.play(line)? {
            return Ok(response);
        }
        let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let text = match (word.to_ascii_lowercase().as_str(), argument.trim()) {
            ("help" | "?", _) => HELP.to_owned(),
            ("hint", _) => self.hint()?,
            ("undo", _) => return self.undo(),
            ("bar", _) => {
                self.bar = !self.bar;
                if self.bar { self.bar_line() } else { "the bar is hidden\n".to_owned() }
            }
            ("level", number) => self.set_level(number),
            ("side", who) => {
                let mover = self.mover().unwrap_or(Player::First);
                let other = self.side.map_or(mover, Player::opponent);
                self.side = (who != "both").then_some(other);
                return self.turn();
            }
            ("moves", _) => self.legal_names().join(" ") + "\n",
            ("board", _) => return Ok(Response { text: String::new(), board: true }),
            ("record", _) => self.record(),
            ("new", _) => {
                // The start has no notation that could be wrong.
                let begun = self.session.begin_game(None);
                debug_assert!(begun.is_ok(), "{begun:?}");
                self.score = None;
                return self.turn();
            }
            ("quit" | "exit" | "q", _) => {
                self.ended = true;
                String::new()
            }
            _ => self.not_understood(line),
        };
        Ok(Response { text, board: false })
    }

    fn set_level(&mut self, number: &str) -> String {
        if let Ok(level @ 0..=LEVEL_MAX) = number.parse::<u32>() {
            self.playouts = playouts_of(level);
            return format!("level {level}: {} playouts a move\n", self.playouts);
        }
        let now = self.playouts;
        format!("levels go from 0 to {LEVEL_MAX}; it is at {now} playouts a move\n")
    }

    fn mover(&self) -> Option<Player> {
        match self.session.status() {
            Status::ToMove(player) => Some(player),
            Status::Over(_) => None,
        }
    }

    /// Plays a move of the person and the answers to it; `None` if `text` is no legal move.
    fn play(&mut self, text: &str) -> Result<Option<Response>, EvaluatorError> {
        let Some(mover) = self.mover() else { return Ok(None) };
        let legal = self.session.legal();
        let mv = self.session.parse(text).ok().filter(|mv| legal.binary_search(mv).is_ok());
        let Some(mv) = mv else { return Ok(None) };
        if self.session.play(mover, mv).is_err() {
            return Ok(None);
        }
        Ok(Some(self.turn()?))
    }

    /// Lets the program move while it is its turn.
    fn turn(&mut self) -> Result<Response, EvaluatorError> {
        let mut text = String::new();
        while let Some(mover) = self.mover() {
            if self.side.is_none_or(|person| person == mover) {
                break;
            }
            self.think(mover)?;
            let Some(mv) = self.session.choose() else { break };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} plays {}", self.session.player(), self.session.format(mv));
            if self.session.play(mover, mv).is_err() {
                break;
            }
        }
        Ok(Response { text, board: true })
    }

    fn think(&mut self, mover: Player) -> Result<(), EvaluatorError> {
        if self.session.begin(mover, Some(self.playouts)).is_err() {
            return Ok(());
        }
        while !self.session.search(64)? {}
        let report = self.session.report();
        if report.visits > 0 {
            let score = f64::from(report.wdl.score());
            self.score = Some(if mover == Player::First { score } else { 1.0 - score });
        }
        Ok(())
    }

    fn hint(&mut self) -> Result<String, EvaluatorError> {
        let Some(mover) = self.mover() else { return Ok("the game is over\n".to_owned()) };
        self.think(mover)?;
        let report = self.session.report();
        let mut text = String::new();
        let seen = report.moves.iter().filter(|m| m.visits > 0 || report.visits <= 1);
        for found in seen.take(HINTS) {
            let line = names(&*self.session, &found.line);
            let score = found.wdl.unwrap_or(report.wdl).score();
            let name = self.session.format(found.mv);
            let _ = writeln!(text, "{name:<6} {:>3.0} %  {}", 100.0 * score, line.join(" "));
        }
        if text.is_empty() {
            text.push_str("this player searches nothing, so it has no hints\n");
        }
        Ok(text + &self.bar_line())
    }

    /// Takes moves back, the person's last one included.
    fn undo(&mut self) -> Result<Response, EvaluatorError> {
        let log = self.session.log();
        let own =
            log.iter().rposition(|(player, _)| self.side.is_none_or(|person| person == *player));
        let Some(keep) = own else {
            let text = "there is no move of yours to take back\n".to_owned();
            return Ok(Response { text, board: false });
        };
        for _ in keep..log.len() {
            self.session.undo();
        }
        self.score = None;
        self.turn()
    }

    fn record(&self) -> String {
        // Names may depend on the position, which is the last one here. Moves on points do not.
        let names = self.session.log().iter().map(|&(_, mv)| self.session.format(mv));
        names.collect::<Vec<_>>().join(" ") + "\n"
    }

    fn legal_names(&self) -> Vec<String> {
        self.session.legal().into_iter().map(|mv| self.session.format(mv)).collect()
    }

    fn not_understood(&self, line: &str) -> String {
        if let Err(error @ GameError::AmbiguousMove { .. }) = self.session.parse(line) {
            return format!("{error}\n");
        }
        let legal = self.legal_names();
        let example = legal.get(legal.len() / 2).map_or_else(
            || "the game is over".to_owned(),
            |name| format!("a move here is for example {name}"),
        );
        let shown: String = line.chars().filter(|c| !c.is_control()).take(40).collect();
        format!("{shown:?} is neither a legal move nor a command; {example}; write help\n")
    }
}
