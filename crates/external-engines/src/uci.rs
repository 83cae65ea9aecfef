//! The client side of UCI.

use std::time::{Duration, Instant};

use crate::{EngineError, EngineSpec, Reply, process::LineProcess};

/// An engine that speaks UCI.
#[derive(Debug)]
pub(crate) struct UciEngine {
    process: LineProcess,
    answer_time: Duration,
    move_time: Duration,
    /// The line that asks for a move.
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
            answer_time: spec.grace.start,
            move_time: spec.move_time,
            go: own.unwrap_or_else(|| format!("go movetime {milliseconds}")),
            moves: Vec::new(),
        };
        engine.ask("uci", "uciok")?;
        for line in spec.setup.iter().filter(|line| !is_go(line)) {
            engine.process.send(line);
        }
        engine.ask("isready", "readyok")?;
        engine.answer_time = spec.grace.answer;
        Ok(engine)
    }

    /// Begins a new game.
    pub(crate) fn begin(&mut self) -> Result<(), EngineError> {
        self.moves.clear();
        self.process.send("ucinewgame");
        self.ask("isready", "readyok").map(drop)
    }

    pub(crate) fn play(&mut self, mv: &str) {
        self.moves.push(mv.to_owned());
    }

    /// Returns the engine's move. The engine does not play it.
    pub(crate) fn go(&mut self) -> Result<Reply, EngineError> {
        let moves = if self.moves.is_empty() { "" } else { " moves " };
        self.process.send(&format!("position startpos{moves}{}", self.moves.join(" ")));
        let line = self.go.clone();
        let answer = self.ask_within(&line, "bestmove", self.move_time + self.answer_time)?;
        match answer.split_whitespace().nth(1) {
            Some(mv) => Ok(Reply::Move(mv.to_owned())),
            None => Err(EngineError::Refused { asked: line, answer }),
        }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.process.is_quiet()
    }

    fn ask(&mut self, line: &str, word: &str) -> Result<String, EngineError> {
        self.ask_within(line, word, self.answer_time)
    }

    /// Sends `line` and waits for a line that begins with `word`.
    fn ask_within(
        &mut self,
        line: &str,
        word: &str,
        within: Duration,
    ) -> Result<String, EngineError> {
        self.process.send(line);
        let begun = Instant::now();
        loop {
            let read = self.process.receive(line, begun, within)?;
            if read.split_whitespace().next() == Some(word) {
                return Ok(read);
            }
        }
    }
}

fn is_go(line: &str) -> bool {
    line.split_whitespace().next() == Some("go")
}
