//! UCI: the Universal Chess Interface (R. Huber and S. Meyer-Kahlen, 2006).

mod fen;
mod go;
mod info;
mod position;

use std::{fmt, time::Duration};

use dz_game::{Move, Player, Status};

use crate::{
    Activity, Clock, LINE_BYTES_MAX, Limits, Protocol, Session,
    search_slice::{SliceEnd, search_slice},
};
use go::Go;
use info::Options;
use position::SentPosition;

/// Time between two reports of a search.
const INFO_INTERVAL: Duration = Duration::from_millis(500);

/// The engine's side of UCI.
pub struct Uci {
    session: Box<dyn Session>,
    clock: Box<dyn Clock>,
    limits: Limits,
    options: Options,
    sent: SentPosition,
    /// The last `position` was refused: there is no position to answer for.
    refused: bool,
    /// A variant of chess that the front end has asked for, which is not played here.
    variant: Option<String>,
    job: Option<Job>,
    ended: bool,
}

/// A search in progress.
#[derive(Clone, Debug)]
struct Job {
    started: Duration,
    deadline: Option<Duration>,
    /// The time it may take once the move that it ponders on is played.
    allowed: Option<Duration>,
    /// The search is answered only on the front end's command: infinite and pondering searches.
    waits: bool,
    decided: bool,
    /// The answer, if there is nothing to search.
    answer: Option<FixedAnswer>,
    next_info: Duration,
    /// Who moves.
    player: Player,
    /// Neither playouts nor time end it.
    endless: bool,
    /// The moves to which the search is restricted; all if empty.
    among: Vec<Move>,
}

impl fmt::Debug for Uci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uci").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Uci {
    /// An engine at the start of `session`'s game, which is chess.
    pub fn new(session: Box<dyn Session>, clock: Box<dyn Clock>, limits: Limits) -> Self {
        Self {
            session,
            clock,
            limits,
            options: Options { multi_pv: 1, wdl: false },
            sent: SentPosition::default(),
            refused: false,
            variant: None,
            job: None,
            ended: false,
        }
    }

    fn obey(&mut self, words: &[&str]) -> String {
        let Some((&command, arguments)) = words.split_first() else { return String::new() };
        match command {
            "uci" => self.introduce(),
            "isready" => "readyok\n".to_owned(),
            "setoption" => self.set_option(arguments),
            "ucinewgame" => {
                let said = self.stop();
                (self.sent, self.refused) = (SentPosition::default(), false);
                said + &note(self.session.begin_game(None).err().map(|error| error.to_string()))
            }
            "position" => {
                let said = self.stop();
                let placed = position::set_position(&mut *self.session, &mut self.sent, arguments);
                self.refused = placed.is_err();
                said + &note(placed.unwrap_or_else(|why| Some(format!("{why}; {REFUSED}"))))
            }
            "go" => self.stop() + &self.go(&Go::read(arguments)),
            "stop" => self.stop(),
            "ponderhit" => self.ponder_hit(),
            "quit" => {
                self.ended = true;
                String::new()
            }
            _ => String::new(),
        }
    }

    fn introduce(&self) -> String {
        let most = u32::MAX;
        let playouts = self.limits.playouts.unwrap_or(0);
        format!(
            "id name DagZero {} {}\nid author the DagZero project\n\
             option name Playouts type spin default {playouts} min 0 max {most}\n\
             option name MultiPV type spin default 1 min 1 max 500\n\
             option name UCI_ShowWDL type check default false\n\
             option name Ponder type check default false\nuciok\n",
            env!("CARGO_PKG_VERSION"),
            self.session.player()
        )
    }

    /// `name N value V`; names may have any case. Playouts 0 is no limit.
    fn set_option(&mut self, arguments: &[&str]) -> String {
        let text = arguments.join(" ");
        let Some(text) = text.strip_prefix("name ") else { return unknown_option(&text) };
        let (name, value) = text.split_once(" value ").unwrap_or((text, ""));
        let number = value.trim().parse::<u32>();
        match (name.trim().to_ascii_lowercase().as_str(), number) {
            ("playouts", Ok(0)) => self.limits.playouts = None,
            ("playouts", Ok(playouts)) => self.limits.playouts = Some(playouts),
            ("multipv", Ok(lines @ 1..=500)) => self.options.multi_pv = lines as usize,
            ("uci_showwdl", _) => self.options.wdl = value.trim().eq_ignore_ascii_case("true"),
            ("uci_variant", _) => {
                let name = value.trim().to_ascii_lowercase();
                let own = ["", "chess", "standard", "normal"].contains(&name.as_str());
                self.variant = (!own).then_some(name);
                return note(self.variant.as_deref().map(not_played));
            }
            ("uci_chess960", _) => {
                let on = value.trim().eq_ignore_ascii_case("true");
                self.variant = on.then(|| "chess960".to_owned());
                return note(self.variant.as_deref().map(not_played));
            }
            // Every search comes with whether to ponder.
            ("ponder", _) => {}
            _ => return unknown_option(text),
        }
        String::new()
    }

    fn go(&mut self, go: &Go) -> String {
        let said = note(go.ignored.clone());
        if let Some(variant) = &self.variant {
            return said + &note(Some(not_played(variant))) + &self.answer(go, None);
        }
        if self.refused {
            return said + &note(Some(REFUSED.to_owned())) + &self.answer(go, None);
        }
        let Status::ToMove(player) = position::position_to_search(&mut *self.session) else {
            // Mate and stalemate leave no move, dead material leaves moves that are all alike.
            let left = self.session.moves_after_draw().map(|(_, moves)| moves).unwrap_or_default();
            let asked = |mv: &&Move| go.among.contains(&self.session.format(**mv));
            let best = left.iter().find(asked).or(left.first()).copied();
            return said + &self.answer(go, best);
        };
        let (among, illegal) = self.among(&go.among);
        let said = said + &note(illegal);
        let started = self.clock.now();
        let legal = self.session.legal().len();
        let share = go.time(player).map(|time| time.for_a_move(legal));
        let exact = go.move_time.map(|time| time.saturating_sub(info::OVERHEAD));
        let allowed = [share, exact, self.limits.time].into_iter().flatten().min();
        let timed = share.is_some() || exact.is_some();
        // What the front end asks for goes before what the engine was started with: an analysis
        // without end has none.
        let own = self.limits.playouts_of_a_move(timed || go.waits());
        let playouts = go.nodes.or(own.filter(|_| !go.infinite));
        // Without a choice there is nothing to think about, unless it is asked for.
        let forced = legal == 1 && timed && !go.waits();
        let playouts = if forced { Some(1) } else { playouts };
        if let Err(error) = self.session.begin_among(player, playouts, &among) {
            return said + &note(Some(error.to_string())) + &self.answer(go, None);
        }
        let deadline = allowed.filter(|_| !go.waits()).map(|time| started.saturating_add(time));
        self.job = Some(Job {
            started,
            deadline,
            allowed,
            waits: go.waits(),
            decided: false,
            answer: None,
            next_info: started + INFO_INTERVAL,
            player,
            endless: playouts.is_none() && allowed.is_none(),
            among,
        });
        said
    }

    /// Answers a search that has nothing to search: at once, or when the front end ends it.
    fn answer(&mut self, go: &Go, best: Option<Move>) -> String {
        let started = self.clock.now();
        self.job = Some(Job {
            started,
            deadline: None,
            allowed: None,
            waits: go.waits(),
            decided: true,
            answer: Some(FixedAnswer(best)),
            next_info: started,
            player: Player::First,
            endless: false,
            among: Vec::new(),
        });
        if go.waits() { String::new() } else { self.stop() }
    }

    /// Returns the legal ones of these moves, and a note about the others.
    fn among(&self, texts: &[String]) -> (Vec<Move>, Option<String>) {
        let legal = self.session.legal();
        let find = |text: &String| self.session.parse(text).ok().filter(|mv| legal.contains(mv));
        let unknown = texts.iter().find(|text| find(text).is_none());
        let said = unknown.map(|text| format!("searchmoves: {text} is no legal move, left out"));
        (texts.iter().filter_map(find).collect(), said)
    }

    /// The move that was pondered on is played: the clock runs from now on.
    fn ponder_hit(&mut self) -> String {
        let now = self.clock.now();
        let Some(job) = &mut self.job else { return String::new() };
        job.waits = false;
        job.deadline = job.allowed.map(|time| now.saturating_add(time));
        if job.decided {
            return self.stop();
        }
        if job.endless {
            // Pondered without a clock: what would have been searched without pondering is
            // searched.
            let most = Some(self.limits.default_playouts);
            let begun = self.session.begin_among(job.player, most, &job.among);
            return note(begun.err().map(|error| error.to_string()));
        }
        String::new()
    }

    /// Ends the search and answers it.
    fn stop(&mut self) -> String {
        let Some(job) = self.job.take() else { return String::new() };
        if let Some(FixedAnswer(best)) = job.answer {
            return best.map_or_else(none, |mv| {
                let name = self.session.format(mv);
                format!("info depth 1 score cp 0 pv {name}\nbestmove {name}\n")
            });
        }
        let mut said = String::new();
        if self.session.report().visits == 0 {
            // The search was stopped before it began, but an answer needs one evaluation.
            let evaluated = self.session.search(1);
            said += &note(evaluated.err().map(|error| error.to_string()));
        }
        said += &self.info(&job);
        let best = self.session.choose().or_else(|| self.session.legal().first().copied());
        let Some(best) = best else { return said + &none() };
        let report = self.session.report();
        let line = report.moves.iter().find(|m| m.mv == best).map(|m| &m.line[..]);
        let reply = line.and_then(|line| line.get(1)).map(|&mv| self.session.format(mv));
        let ponder = reply.map_or(String::new(), |reply| format!(" ponder {reply}"));
        said + &format!("bestmove {}{ponder}\n", self.session.format(best))
    }

    fn info(&self, job: &Job) -> String {
        let time = self.clock.now().saturating_sub(job.started);
        info::lines(&*self.session, self.options, time)
    }
}

/// The move that is answered without a search, if there is one.
#[derive(Clone, Debug)]
struct FixedAnswer(Option<Move>);

/// The answer to a position that was refused, and to commands after it.
const REFUSED: &str = "no move is answered before the next position that can be read";

/// The answer where there is no move.
fn none() -> String {
    "bestmove (none)\n".to_owned()
}

/// Returns an `info string` line for an error or a note, if there is one.
fn note(error: Option<String>) -> String {
    error.map_or(String::new(), |error| format!("info string {}\n", shown(&error)))
}

/// Returns text of other programs in one line, short enough for front ends.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_MAX).collect();
    let more = if short.len() < text.len() { "..." } else { "" };
    dz_text::line(&(short + more)).into_owned()
}

fn is_nothing(c: char) -> bool {
    c.is_control() || c == '\u{feff}'
}

/// The most characters of a message.
const SHOWN_MAX: usize = 400;

fn unknown_option(text: &str) -> String {
    note(Some(format!("no such option or value: {text}")))
}

fn not_played(variant: &str) -> String {
    format!("{variant} is not played here; until UCI_Variant is chess no move is answered")
}

impl Protocol for Uci {
    fn line(&mut self, line: &[u8]) -> String {
        let text = String::from_utf8_lossy(line);
        // Control characters around a word, and a byte-order mark, mean nothing.
        let words = text.split_whitespace().map(|word| word.trim_matches(is_nothing));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        // Unknown words before a command are skipped, as the protocol demands.
        let known = words.iter().position(|word| COMMANDS.contains(word));
        match known.map(|at| &words[at..]) {
            // The end of a line that was too long may be missing.
            Some(words) if line.len() >= LINE_BYTES_MAX => {
                let position = words[0] == "position";
                self.refused |= position;
                let then = if position { format!("; {REFUSED}") } else { String::new() };
                note(Some(format!("{} is longer than {LINE_BYTES_MAX} bytes{then}", words[0])))
            }
            Some(words) => self.obey(words),
            None if words.is_empty() => String::new(),
            None => note(Some(format!("unknown command: {}", words.join(" ")))),
        }
    }

    fn step(&mut self) -> String {
        let Some(mut job) = self.job.take() else { return String::new() };
        let mut said = match search_slice(&mut *self.session, &*self.clock, job.deadline) {
            Ok(SliceEnd::Unfinished) => String::new(),
            Ok(SliceEnd::Finished | SliceEnd::OutOfTime) => {
                job.decided = true;
                String::new()
            }
            Err(error) => {
                job.decided = true;
                note(Some(error.to_string()))
            }
        };
        if job.decided && !job.waits {
            self.job = Some(job);
            return said + &self.stop();
        }
        let now = self.clock.now();
        if now >= job.next_info {
            job.next_info = now + INFO_INTERVAL;
            said += &self.info(&job);
        }
        self.job = Some(job);
        said
    }

    fn close(&mut self) -> String {
        match &self.job {
            Some(job) if job.waits => self.stop(),
            _ => String::new(),
        }
    }

    fn activity(&self) -> Activity {
        match &self.job {
            _ if self.ended => Activity::Ended,
            None => Activity::Idle,
            Some(job) if job.decided && job.waits => Activity::Idle,
            Some(_) => Activity::Interruptible,
        }
    }
}

const COMMANDS: [&str; 9] =
    ["uci", "isready", "setoption", "ucinewgame", "position", "go", "stop", "ponderhit", "quit"];
