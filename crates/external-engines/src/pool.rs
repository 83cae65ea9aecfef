//! Idle engines between games.

use std::sync::{Mutex, PoisonError};

use crate::{Engine, EngineError, EngineSpec};

/// The idle engines of one specification. An engine that has failed is not put back; the next
/// [`EnginePool::take`] starts a fresh one.
#[derive(Debug)]
pub struct EnginePool {
    spec: EngineSpec,
    idle: Mutex<Vec<Engine>>,
}

impl PartialEq for EnginePool {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl EnginePool {
    /// Makes an empty pool. No engine runs yet.
    pub fn new(spec: EngineSpec) -> Self {
        Self { spec, idle: Mutex::new(Vec::new()) }
    }

    /// Returns how the pool's engines are started.
    pub fn spec(&self) -> &EngineSpec {
        &self.spec
    }

    /// Returns an idle engine, or starts one.
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

    /// Puts back an engine that works.
    pub fn put(&self, engine: Engine) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(engine);
    }
}
