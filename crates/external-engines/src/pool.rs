//! Engines between games.

use std::sync::{Mutex, PoisonError};

use crate::{Engine, EngineError, EngineSpec};

/// Engines of one kind: those that are idle wait here for their next game, and what has failed is
/// replaced by a fresh one.
#[derive(Debug)]
pub struct Stable {
    spec: EngineSpec,
    idle: Mutex<Vec<Engine>>,
}

impl PartialEq for Stable {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl Stable {
    /// No engine runs yet.
    pub fn new(spec: EngineSpec) -> Self {
        Self { spec, idle: Mutex::new(Vec::new()) }
    }

    /// How its engines are started.
    pub fn spec(&self) -> &EngineSpec {
        &self.spec
    }

    /// An engine that waits, or a fresh one.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn take(&self) -> Result<Engine, EngineError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle.filter(Engine::is_quiet) {
            Some(engine) => Ok(engine),
            None => Engine::start(&self.spec),
        }
    }

    /// Takes an engine back that is well.
    pub fn put(&self, engine: Engine) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(engine);
    }
}
