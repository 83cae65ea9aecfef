//! The client side of GTP 2.

use std::time::{Duration, Instant};

use dz_game::Player;

use crate::{EngineError, EngineSpec, Reply, Rules, process::LineProcess};

/// An engine that speaks GTP.
#[derive(Debug)]
pub(crate) struct GtpEngine {
    process: LineProcess,
    /// Time for an answer to any command but `genmove`.
    answer_time: Duration,
    move_time: Duration,
    has_time_settings: bool,
}

impl GtpEngine {
    pub(crate) fn start(spec: &EngineSpec) -> Result<Self, EngineError> {
        let process = LineProcess::start(&spec.command)?;
        let mut engine = Self {
            process,
            answer_time: spec.grace.start,
            move_time: spec.move_time,
            has_time_settings: false,
        };
        engine.expect("name")?;
        engine.answer_time = spec.grace.answer;
        for line in &spec.setup {
            engine.expect(line)?;
        }
        engine.has_time_settings =
            engine.ask("known_command time_settings")?.is_ok_and(|answer| answer == "true");
        Ok(engine)
    }

    /// Begins a new game.
    pub(crate) fn begin(&mut self, rules: &Rules) -> Result<(), EngineError> {
        if let Some(size) = rules.size {
            self.expect(&format!("boardsize {size}"))?;
        }
        self.expect("clear_board")?;
        if let Some(komi) = &rules.komi {
            self.expect(&format!("komi {komi}"))?;
        }
        if self.has_time_settings {
            // Byo-yomi of one move a period, in whole seconds, which is all that GTP has.
            let seconds = self.move_time.as_secs_f64().ceil().max(1.0);
            self.expect(&format!("time_settings 0 {seconds} 1"))?;
        }
        Ok(())
    }

    pub(crate) fn play(&mut self, player: Player, mv: &str) -> Result<(), EngineError> {
        self.expect(&format!("play {} {mv}", letter(player))).map(drop)
    }

    pub(crate) fn genmove(&mut self, player: Player) -> Result<Reply, EngineError> {
        let line = format!("genmove {}", letter(player));
        let within = self.move_time + self.answer_time;
        let answer = self.ask_within(&line, within)?;
        let answer = answer.map_err(|answer| EngineError::Refused { asked: line, answer })?;
        let resigned = answer.eq_ignore_ascii_case("resign");
        Ok(if resigned { Reply::Resign } else { Reply::Move(answer) })
    }

    /// Returns the engine's score of the finished game: `B+3.5`. `None` if it refuses to score it.
    pub(crate) fn final_score(&mut self) -> Result<Option<String>, EngineError> {
        Ok(self.ask("final_score")?.ok())
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.process.is_quiet()
    }

    fn expect(&mut self, line: &str) -> Result<String, EngineError> {
        let answer = self.ask(line)?;
        answer.map_err(|answer| EngineError::Refused { asked: line.to_owned(), answer })
    }

    fn ask(&mut self, line: &str) -> Result<Result<String, String>, EngineError> {
        self.ask_within(line, self.answer_time)
    }

    /// Sends `line` and returns the answer without its sign, as `Err` if the sign is `?`. Lines
    /// before the sign are skipped.
    fn ask_within(
        &mut self,
        line: &str,
        within: Duration,
    ) -> Result<Result<String, String>, EngineError> {
        self.process.send(line);
        let begun = Instant::now();
        let mut answer: Option<(bool, String)> = None;
        loop {
            let read = self.process.receive(line, begun, within)?;
            match &mut answer {
                None => {
                    let good = read.starts_with('=');
                    if good || read.starts_with('?') {
                        answer = Some((good, read[1..].trim().to_owned()));
                    }
                }
                Some((good, text)) if read.trim().is_empty() => {
                    let text = text.trim().to_owned();
                    return Ok(if *good { Ok(text) } else { Err(text) });
                }
                Some((_, text)) => {
                    // The limit keeps an endless answer from filling the memory.
                    if text.len() < 1 << 16 {
                        text.push('\n');
                        text.push_str(&read);
                    }
                }
            }
        }
    }
}

fn letter(player: Player) -> char {
    match player {
        Player::First => 'b',
        Player::Second => 'w',
    }
}
