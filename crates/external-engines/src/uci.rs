//! The asking side of UCI.

use std::time::{Duration, Instant};

use crate::{EngineError, EngineSpec, Reply, process::LineProcess};

/// An engine that speaks UCI.
#[derive(Debug)]
pub(crate) struct UciEngine {
    process: LineProcess,
    patience: Duration,
    move_time: Duration,
    /// What a move is asked with.
    go: String,
    moves: Vec<String>,
}

impl UciEngine {
    pub(crate) fn start(spec: &EngineSpec) -> Result<Self, EngineError> {
        let process = LineProcess::start(&spec.command)?;
        let own = spec.setup.iter().find(|line| is_go(line)).cloned();
        let milliseconds = spec.move_time.as_millis();
        let mut engine = Self {
            process,
            patience: spec.grace.start,
            move_time: spec.move_time,
            go: own.unwrap_or_else(|| format!("go movetime {milliseconds}")),
            moves: Vec::new(),
        };
        engine.until("uci", "uciok")?;
        for line in spec.setup.iter().filter(|line| !is_go(line)) {
            engine.process.say(line);
        }
        engine.until("isready", "readyok")?;
        engine.patience = spec.grace.answer;
        Ok(engine)
    }

    /// A new game.
    pub(crate) fn begin(&mut self) -> Result<(), EngineError> {
        self.moves.clear();
        self.process.say("ucinewgame");
        self.until("isready", "readyok").map(drop)
    }

    pub(crate) fn play(&mut self, mv: &str) {
        self.moves.push(mv.to_owned());
    }

    /// Its move, which is not played by that.
    pub(crate) fn go(&mut self) -> Result<Reply, EngineError> {
        let moves = if self.moves.is_empty() { "" } else { " moves " };
        self.process.say(&format!("position startpos{moves}{}", self.moves.join(" ")));
        let line = self.go.clone();
        let said = self.within(&line, "bestmove", self.move_time + self.patience)?;
        match said.split_whitespace().nth(1) {
            Some(mv) => Ok(Reply::Move(mv.to_owned())),
            None => Err(EngineError::Refused { asked: line, answer: said }),
        }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.process.is_quiet()
    }

    fn until(&mut self, line: &str, word: &str) -> Result<String, EngineError> {
        self.within(line, word, self.patience)
    }

    /// Says `line` and waits for a line that begins with `word`.
    fn within(&mut self, line: &str, word: &str, within: Duration) -> Result<String, EngineError> {
        self.process.say(line);
        let begun = Instant::now();
        loop {
            let heard = self.process.hear(line, begun, within)?;
            if heard.split_whitespace().next() == Some(word) {
                return Ok(heard);
            }
        }
    }
}

fn is_go(line: &str) -> bool {
    line.split_whitespace().next() == Some("go")
}
