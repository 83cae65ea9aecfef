//! The asking side of GTP 2.

use std::time::{Duration, Instant};

use dz_game::Player;

use crate::{EngineError, EngineSpec, Reply, Rules, process::LineProcess};

/// An engine that speaks GTP.
#[derive(Debug)]
pub(crate) struct GtpEngine {
    process: LineProcess,
    /// For an answer to anything but a move.
    patience: Duration,
    move_time: Duration,
    timed: bool,
}

impl GtpEngine {
    pub(crate) fn start(spec: &EngineSpec) -> Result<Self, EngineError> {
        let process = LineProcess::start(&spec.command)?;
        let (patience, move_time) = (spec.grace.start, spec.move_time);
        let mut engine = Self { process, patience, move_time, timed: false };
        engine.expect("name")?;
        engine.patience = spec.grace.answer;
        for line in &spec.setup {
            engine.expect(line)?;
        }
        engine.timed = engine.ask("known_command time_settings")?.is_ok_and(|said| said == "true");
        Ok(engine)
    }

    /// A new game.
    pub(crate) fn begin(&mut self, rules: &Rules) -> Result<(), EngineError> {
        if let Some(size) = rules.size {
            self.expect(&format!("boardsize {size}"))?;
        }
        self.expect("clear_board")?;
        if let Some(komi) = &rules.komi {
            self.expect(&format!("komi {komi}"))?;
        }
        if self.timed {
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
        let within = self.move_time + self.patience;
        let said = self.within(&line, within)?;
        let said = said.map_err(|answer| EngineError::Refused { asked: line, answer })?;
        let resigned = said.eq_ignore_ascii_case("resign");
        Ok(if resigned { Reply::Resign } else { Reply::Move(said) })
    }

    /// What it says of the game's end: `B+3.5`. `None` if it does not count this game.
    pub(crate) fn final_score(&mut self) -> Result<Option<String>, EngineError> {
        Ok(self.ask("final_score")?.ok())
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.process.is_quiet()
    }

    fn expect(&mut self, line: &str) -> Result<String, EngineError> {
        let said = self.ask(line)?;
        said.map_err(|answer| EngineError::Refused { asked: line.to_owned(), answer })
    }

    fn ask(&mut self, line: &str) -> Result<Result<String, String>, EngineError> {
        self.within(line, self.patience)
    }

    /// Asks, and takes the answer without its sign: `Err` if that is `?`. What stands before the
    /// sign is no answer.
    fn within(
        &mut self,
        line: &str,
        within: Duration,
    ) -> Result<Result<String, String>, EngineError> {
        self.process.say(line);
        let begun = Instant::now();
        let mut answer: Option<(bool, String)> = None;
        loop {
            let heard = self.process.hear(line, begun, within)?;
            match &mut answer {
                None => {
                    let good = heard.starts_with('=');
                    if good || heard.starts_with('?') {
                        answer = Some((good, heard[1..].trim().to_owned()));
                    }
                }
                Some((good, text)) if heard.trim().is_empty() => {
                    let text = text.trim().to_owned();
                    return Ok(if *good { Ok(text) } else { Err(text) });
                }
                Some((_, text)) => {
                    // An answer without end would fill the memory.
                    if text.len() < 1 << 16 {
                        text.push('\n');
                        text.push_str(&heard);
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
