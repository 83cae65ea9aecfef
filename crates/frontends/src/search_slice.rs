//! Searching in short slices, between which lines are read.

use std::time::Duration;

use dz_infer::EvaluatorError;

use crate::{Clock, Session};

/// Length of a slice, which is the longest that a line waits.
const SLICE: Duration = Duration::from_millis(20);

/// Playouts between two readings of the clock, unless a batch is larger.
const PLAYOUTS_PER_LOOK: u32 = 4;

/// How a slice of a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SliceEnd {
    /// The search has nothing left to do.
    Finished,
    /// The deadline has passed, or would pass during the next playouts.
    OutOfTime,
    /// The search can go on.
    Unfinished,
}

/// Searches for a slice of time, with at least one batch, so that a player without time has
/// evaluated the position. A batch of a large network may take longer than the clock's margin.
/// Therefore no batch is begun that would end too late if it took as long as the previous one.
pub(crate) fn search_slice(
    session: &mut dyn Session,
    clock: &dyn Clock,
    deadline: Option<Duration>,
) -> Result<SliceEnd, EvaluatorError> {
    let mut before = clock.now();
    let until = before + SLICE;
    loop {
        if session.search(PLAYOUTS_PER_LOOK)? {
            return Ok(SliceEnd::Finished);
        }
        let now = clock.now();
        let next = now + now.saturating_sub(before);
        if deadline.is_some_and(|deadline| next >= deadline) {
            return Ok(SliceEnd::OutOfTime);
        }
        before = now;
        if now >= until {
            return Ok(SliceEnd::Unfinished);
        }
    }
}
