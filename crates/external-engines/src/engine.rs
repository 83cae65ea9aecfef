//! A running engine of either protocol.

use dz_game::Player;

use crate::{EngineError, EngineSpec, ProtocolKind, Reply, Rules, gtp::GtpEngine, uci::UciEngine};

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    client: Client,
}

/// The side of the protocol that asks.
#[derive(Debug)]
enum Client {
    Gtp(GtpEngine),
    Uci(UciEngine),
}

impl Engine {
    /// Starts an engine and waits for its first answer.
    ///
    /// # Errors
    /// If the program cannot be started, or does not answer as its protocol requires.
    pub fn start(spec: &EngineSpec) -> Result<Self, EngineError> {
        let client = match spec.protocol {
            ProtocolKind::Gtp => Client::Gtp(GtpEngine::start(spec)?),
            ProtocolKind::Uci => Client::Uci(UciEngine::start(spec)?),
        };
        Ok(Self { client })
    }

    /// Begins a game.
    ///
    /// # Errors
    /// If it does not play by these rules, or does not answer.
    pub fn begin(&mut self, rules: &Rules) -> Result<(), EngineError> {
        match &mut self.client {
            Client::Gtp(engine) => engine.begin(rules),
            Client::Uci(engine) => engine.begin(),
        }
    }

    /// Sends a move that was played. In UCI this includes the engine's own moves, because an answer
    /// to `go` is not played yet ([`Engine::plays_its_own_moves`]).
    ///
    /// # Errors
    /// If it finds the move illegal, or does not answer.
    pub fn play(&mut self, player: Player, mv: &str) -> Result<(), EngineError> {
        match &mut self.client {
            Client::Gtp(engine) => engine.play(player, mv),
            Client::Uci(engine) => {
                engine.play(mv);
                Ok(())
            }
        }
    }

    /// Asks for `player`'s move.
    ///
    /// # Errors
    /// If it has ended, is late, or answers with something else.
    pub fn genmove(&mut self, player: Player) -> Result<Reply, EngineError> {
        match &mut self.client {
            Client::Gtp(engine) => engine.genmove(player),
            Client::Uci(engine) => engine.go(),
        }
    }

    /// Returns whether the engine plays the move that it answers: GTP's `genmove` does, UCI's `go`
    /// does not.
    pub fn plays_its_own_moves(&self) -> bool {
        matches!(self.client, Client::Gtp(_))
    }

    /// Returns the engine's score of the finished game: `B+3.5`, `W+`, `0`. `None` if the protocol
    /// or the engine has no score.
    ///
    /// # Errors
    /// If it has ended or is late.
    pub fn final_score(&mut self) -> Result<Option<String>, EngineError> {
        match &mut self.client {
            Client::Gtp(engine) => engine.final_score(),
            Client::Uci(_) => Ok(None),
        }
    }

    /// Returns whether the engine still runs and has sent nothing that nobody asked for.
    pub(crate) fn is_quiet(&self) -> bool {
        match &self.client {
            Client::Gtp(engine) => engine.is_quiet(),
            Client::Uci(engine) => engine.is_quiet(),
        }
    }
}
