//! Thinking by the clock, piece by piece.

use std::time::Duration;

use dz_infer::EvaluatorError;

use crate::{Clock, Session};

/// How long a piece is: what a line may have to wait.
const MOMENT: Duration = Duration::from_millis(20);

/// Playouts between two looks at the clock, where as few are a batch.
const PLAYOUTS_PER_LOOK: u32 = 4;

/// How a piece of thinking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thought {
    /// Nothing is left to do.
    Decided,
    /// The deadline has come.
    Late,
    /// There is more to do.
    On,
}

/// Thinks for a moment, once at least, so that a player without time has looked at the position.
pub(crate) fn think(
    session: &mut dyn Session,
    clock: &dyn Clock,
    deadline: Option<Duration>,
) -> Result<Thought, EvaluatorError> {
    let until = clock.now() + MOMENT;
    loop {
        if session.search(PLAYOUTS_PER_LOOK)? {
            return Ok(Thought::Decided);
        }
        let now = clock.now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            return Ok(Thought::Late);
        }
        if now >= until {
            return Ok(Thought::On);
        }
    }
}
