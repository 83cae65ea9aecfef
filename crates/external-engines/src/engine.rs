//! An engine that runs, whatever it speaks.

use dz_game::{Game, Player};

use crate::{
    EngineError, EngineSpec, ProtocolKind, gtp::GtpEngine, messages::size_of, uci::UciEngine,
};

/// What an engine must know of the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Rows and columns, where the game has a size.
    pub size: Option<u16>,
    /// Go's komi.
    pub komi: Option<String>,
}

impl Rules {
    /// The rules of a game.
    pub fn of<G: Game>(game: &G) -> Self {
        let spec = game.spec();
        Self { size: size_of(game), komi: spec.parameter("komi").map(ToOwned::to_owned) }
    }
}

/// What an engine answers when it is to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A move, in the protocol's words; nobody has checked it.
    Move(String),
    /// It gives the game up.
    Resign,
}

/// An engine that runs, in a game.
#[derive(Debug)]
pub struct Engine {
    speaker: Speaker,
}

#[derive(Debug)]
enum Speaker {
    Gtp(GtpEngine),
    Uci(UciEngine),
}

impl Engine {
    /// Starts an engine and waits until it says that it is there.
    ///
    /// # Errors
    /// If there is no such program, or it does not answer as its protocol says.
    pub fn start(spec: &EngineSpec) -> Result<Self, EngineError> {
        let speaker = match spec.protocol {
            ProtocolKind::Gtp => Speaker::Gtp(GtpEngine::start(spec)?),
            ProtocolKind::Uci => Speaker::Uci(UciEngine::start(spec)?),
        };
        Ok(Self { speaker })
    }

    /// Begins a game.
    ///
    /// # Errors
    /// If it does not play by these rules, or does not answer.
    pub fn begin(&mut self, rules: &Rules) -> Result<(), EngineError> {
        match &mut self.speaker {
            Speaker::Gtp(engine) => engine.begin(rules),
            Speaker::Uci(engine) => engine.begin(),
        }
    }

    /// Tells a move, also one of its own in UCI, where an answer is not yet played.
    ///
    /// # Errors
    /// If it finds the move illegal, or does not answer.
    pub fn play(&mut self, player: Player, mv: &str) -> Result<(), EngineError> {
        match &mut self.speaker {
            Speaker::Gtp(engine) => engine.play(player, mv),
            Speaker::Uci(engine) => {
                engine.play(mv);
                Ok(())
            }
        }
    }

    /// Asks for `player`'s move; [`Engine::plays_its_own_moves`] says whether it is played by that.
    ///
    /// # Errors
    /// If it has ended, is late, or answers with something else.
    pub fn genmove(&mut self, player: Player) -> Result<Reply, EngineError> {
        match &mut self.speaker {
            Speaker::Gtp(engine) => engine.genmove(player),
            Speaker::Uci(engine) => engine.go(),
        }
    }

    /// In GTP an answer is played at once, in UCI it is told like any other.
    pub fn plays_its_own_moves(&self) -> bool {
        matches!(self.speaker, Speaker::Gtp(_))
    }

    /// What it says of the end of a game: `B+3.5`, `W+`, `0`. `None` if it does not say.
    ///
    /// # Errors
    /// If it has ended or is late.
    pub fn final_score(&mut self) -> Result<Option<String>, EngineError> {
        match &mut self.speaker {
            Speaker::Gtp(engine) => engine.final_score(),
            Speaker::Uci(_) => Ok(None),
        }
    }

    /// Whether it runs and waits.
    pub(crate) fn is_quiet(&self) -> bool {
        match &self.speaker {
            Speaker::Gtp(engine) => engine.is_quiet(),
            Speaker::Uci(engine) => engine.is_quiet(),
        }
    }
}
