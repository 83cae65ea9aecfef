//! A player that is another program: asked in its protocol, checked by our rules.

use std::sync::Arc;

use dz_external_engines::{Engine, EngineError, EnginePool, Reply, Rules};
use dz_game::{Game, Move, Outcome, Player};
use serde::{Deserialize, Serialize};

/// A game that a player lost otherwise than by the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forfeit {
    /// Who lost.
    pub loser: Player,
    /// By what.
    pub cause: Cause,
    /// In words.
    pub what: String,
}

/// What loses a game beside the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// It resigned.
    Resigned,
    /// A move that the rules forbid, or that is none.
    Illegal,
    /// No answer in time.
    Time,
    /// The program ended, or could not be started again.
    Crash,
    /// It would not go on: it refused a legal move or a command.
    Refused,
}

impl Cause {
    /// In one or two words, for tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Resigned => "resigned",
            Self::Illegal => "illegal move",
            Self::Time => "lost on time",
            Self::Crash => "crashed",
            Self::Refused => "refused to go on",
        }
    }
}

/// Another program as a player of one game.
#[derive(Debug)]
pub(crate) struct EngineInGame {
    pool: Arc<EnginePool>,
    rules: Rules,
    /// The running engine, which knows the game's first `sent` moves. `None` before the first
    /// question and after a failure.
    engine: Option<Engine>,
    /// All moves.
    moves: Vec<NotedMove>,
    sent: usize,
}

/// A move of the game so far.
#[derive(Clone, Debug)]
struct NotedMove {
    player: Player,
    /// In the protocol's words.
    text: String,
    /// Whether it is a pass that is the only legal move.
    is_forced_pass: bool,
}

impl EngineInGame {
    pub(crate) fn new<G: Game>(game: &G, pool: &Arc<EnginePool>) -> Self {
        Self {
            pool: Arc::clone(pool),
            rules: Rules::of(game),
            engine: None,
            moves: Vec::new(),
            sent: 0,
        }
    }

    /// Notes a move that is played in `state`. The engine gets it with the next question.
    pub(crate) fn note<G: Game>(
        &mut self,
        game: &G,
        state: &G::State,
        history: &G::History,
        player: Player,
        mv: Move,
    ) {
        let text = game.protocol_move(state, mv);
        let is_forced_pass = text.eq_ignore_ascii_case("pass") && {
            let mut legal = Vec::new();
            game.legal_moves(state, history, &mut legal);
            legal == [mv]
        };
        self.moves.push(NotedMove { player, text, is_forced_pass });
    }

    /// The engine's move, one of `legal`. What it fails in loses it the game, and the engine is not
    /// asked again.
    pub(crate) fn choose<G: Game>(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        legal: &[Move],
    ) -> Result<Move, Forfeit> {
        let lost = |cause, what| Forfeit { loser: player, cause, what };
        let reply = match self.ask(|engine| engine.genmove(player)) {
            Ok(reply) => reply,
            Err(error) => {
                self.engine = None;
                return Err(lost(cause_of(&error), error.to_string()));
            }
        };
        let text = match reply {
            Reply::Resign => return Err(lost(Cause::Resigned, "resigned".to_owned())),
            Reply::Move(text) => text,
        };
        let found = game.parse_protocol_move(state, &text).ok();
        let Some(mv) = found.filter(|mv| legal.binary_search(mv).is_ok()) else {
            self.engine = None;
            let ply = self.moves.len() + 1;
            return Err(lost(Cause::Illegal, format!("{text:?} is no legal move at ply {ply}")));
        };
        if self.engine.as_ref().is_some_and(Engine::plays_its_own_moves) {
            // It stands after its move, which is noted next.
            self.sent += 1;
        }
        Ok(mv)
    }

    /// Ends the game, which is over by the rules, and returns the engine's result if that differs.
    /// The engine goes back to its pool if it still works.
    pub(crate) fn end(&mut self, outcome: Option<Outcome>) -> Option<String> {
        let mut dispute = None;
        if let (Some(outcome), true) = (outcome, self.engine.is_some()) {
            match self.ask(Engine::final_score) {
                Ok(None) => {}
                Ok(Some(said)) => dispute = self.differs(outcome, &said),
                Err(error) => {
                    self.engine = None;
                    dispute = Some(error.to_string());
                }
            }
        }
        if let Some(engine) = self.engine.take() {
            self.pool.put(engine);
        }
        dispute
    }

    /// Asks the engine, after starting it and sending the moves that it lacks.
    fn ask<T>(
        &mut self,
        question: impl FnOnce(&mut Engine) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if self.engine.is_none() {
            let mut engine = self.pool.take()?;
            engine.begin(&self.rules)?;
            self.engine = Some(engine);
            self.sent = 0;
        }
        let Some(engine) = &mut self.engine else {
            unreachable!("an engine was started");
        };
        while let Some(NotedMove { player, text, is_forced_pass }) = self.moves.get(self.sent) {
            match engine.play(*player, text) {
                // Some programs for Othello pass by themselves where the rules force it, and refuse
                // a pass that is sent. An engine with another position refuses the next move.
                Err(EngineError::Refused { .. }) if *is_forced_pass => {}
                played => played?,
            }
            self.sent += 1;
        }
        question(engine)
    }

    /// Compares a GTP score, `B+3.5`, `W+Resign`, `0`, with the referee's.
    fn differs(&self, outcome: Outcome, said: &str) -> Option<String> {
        let komi = self.rules.komi.as_ref().and_then(|komi| komi.parse::<f64>().ok());
        let margin = outcome.margin.map(|margin| f64::from(margin) - komi.unwrap_or(0.0));
        let winner = match said.chars().next() {
            Some('B' | 'b') => Some(Player::First),
            Some('W' | 'w') => Some(Player::Second),
            Some('0') => None,
            // Words, such as "draw" in other games.
            _ => return None,
        };
        let points = said.get(2..).and_then(|points| points.parse::<f64>().ok());
        // Without komi, points are only reported: Othello programs give empty squares to the
        // winner, as tournaments do, and the rules here count discs.
        let points = points.filter(|_| komi.is_some());
        let same_points = match (margin, points) {
            (Some(margin), Some(points)) => (margin.abs() - points).abs() < 1e-6,
            _ => true,
        };
        if winner == outcome.winner && same_points {
            return None;
        }
        let letter = outcome.winner.map_or("0", |player| match player {
            Player::First => "B+",
            Player::Second => "W+",
        });
        let ours = margin.map_or(String::new(), |margin| margin.abs().to_string());
        Some(format!("counts {said} where the rules give {letter}{ours}"))
    }
}

fn cause_of(error: &EngineError) -> Cause {
    match error {
        EngineError::Late { .. } => Cause::Time,
        EngineError::Refused { .. } => Cause::Refused,
        EngineError::Command { .. } | EngineError::Start { .. } | EngineError::Ended { .. } => {
            Cause::Crash
        }
    }
}

#[cfg(test)]
mod tests {
    use dz_external_engines::EngineSpec;
    use dz_game::games::Othello;

    use super::*;

    /// A program that knows no passes, and answers a question for a move with the moves it heard.
    const PASSLESS: &str = r#"
heard=
while read -r command a b; do
  case $command in
    quit) exit 0 ;;
    known_command) printf '= false\n\n' ;;
    play) case $b in
      pass) printf '? syntax error\n\n' ;;
      *) heard="$heard$b "; printf '=\n\n' ;;
    esac ;;
    genmove) printf '= %s\n\n' "$heard" ;;
    *) printf '=\n\n' ;;
  esac
done
"#;

    fn passless() -> (tempfile::TempDir, Othello, EngineInGame) {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("engine.sh");
        std::fs::write(&script, PASSLESS).unwrap();
        let spec: EngineSpec = format!("gtp:sh {}", script.display()).parse().unwrap();
        let game = Othello::from_spec(&"othello:size=8".parse().unwrap()).unwrap();
        let engine = EngineInGame::new(&game, &Arc::new(EnginePool::new(spec)));
        (folder, game, engine)
    }

    /// A game in which the second player has no move at ply 48.
    const LINE: &str = "d3 c3 e6 d2 c2 d6 e2 f4 d7 c5 b3 d1 b4 d8 c6 a4 f6 a5 a3 f1 a6 c4 a2 f5 e7 b5 c7 b6 \
        g5 h6 a7 g6 f7 c8 e8 g8 b8 b7 e1 b2 a1 e3 f3 g4 b1 c1 f2 pass h3";

    #[test]
    fn programs_that_pass_by_themselves_get_no_forced_pass() {
        let (_folder, game, mut engine) = passless();
        let mut state = game.start();
        for (ply, word) in LINE.split_whitespace().enumerate() {
            let player = if ply % 2 == 0 { Player::First } else { Player::Second };
            let mv = game.parse_move(&state, word).unwrap();
            engine.note(&game, &state, &(), player, mv);
            game.play(&mut state, mv);
        }
        let said = engine.ask(|engine| engine.genmove(Player::Second)).unwrap();
        assert_eq!(said, Reply::Move(LINE.replace(" pass", "")));

        // Empty squares go to the winner in tournaments; the winner is what counts.
        let outcome = Outcome { winner: Some(Player::First), margin: Some(31) };
        let dispute = |said: &str| engine.differs(outcome, said);
        assert_eq!((dispute("B+32"), dispute("B+31")), (None, None));
        assert_eq!(dispute("W+2").as_deref(), Some("counts W+2 where the rules give B+31"));

        // A pass that the rules do not force is one that the program must know.
        let (_folder, _, mut engine) = passless();
        engine.moves = vec![NotedMove {
            player: Player::First,
            text: "pass".to_owned(),
            is_forced_pass: false,
        }];
        let error = engine.ask(|engine| engine.genmove(Player::Second)).unwrap_err();
        assert!(matches!(error, EngineError::Refused { .. }), "{error}");
    }
}
