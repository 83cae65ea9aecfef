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
    /// The deadline has come, or would while the next playouts are made.
    Late,
    /// There is more to do.
    On,
}

/// Thinks for a moment, once at least, so that a player without time has looked at the position. A
/// batch of a large network may take longer than all that a clock keeps back, so none is begun that
/// would end too late if it took as long as the one before.
pub(crate) fn think(
    session: &mut dyn Session,
    clock: &dyn Clock,
    deadline: Option<Duration>,
) -> Result<Thought, EvaluatorError> {
    let mut before = clock.now();
    let until = before + MOMENT;
    loop {
        if session.search(PLAYOUTS_PER_LOOK)? {
            return Ok(Thought::Decided);
        }
        let now = clock.now();
        let next = now + now.saturating_sub(before);
        if deadline.is_some_and(|deadline| next >= deadline) {
            return Ok(Thought::Late);
        }
        before = now;
        if now >= until {
            return Ok(Thought::On);
        }
    }
}
