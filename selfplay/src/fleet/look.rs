//! A worker looks for something to play: segments of matches first, then self-play games.

use std::sync::atomic::Ordering;

use dz_fleet::{Board, FleetError, Offer, PLAN_BYTES_MAX, PlanObject, plan_path};
use dz_store::{Mailbox, MailboxError};

use super::options::{WorkerEnd, WorkerRefused};
use super::plan::read_board;
use super::task::{Look, Task};
use super::worker::Worker;

impl Worker<'_> {
    /// The plan to play next and the board that shows it, or how the worker ends before there is
    /// one. A mailbox that fails is waited for.
    pub(super) fn next_plan(&mut self) -> anyhow::Result<Result<(Task, Board), WorkerEnd>> {
        loop {
            let why = match self.look() {
                Ok(Look::Plan(task, board)) => return Ok(Ok((task, board))),
                Ok(Look::Finished) => return Ok(Err(WorkerEnd::Finished)),
                Ok(Look::Nothing(why)) => why.to_owned(),
                Ok(Look::NoHome) => match self.pause_before_home() {
                    Some(end) => return Ok(Err(end)),
                    None => continue,
                },
                Err(LookError::Refused(error)) => {
                    return Err(WorkerRefused::Mailbox(error).into());
                }
                Err(LookError::Mailbox(error)) if error.is_temporary() => {
                    tracing::warn!("{error}");
                    error.to_string()
                }
                Err(LookError::Mailbox(error)) => return Err(error.into()),
            };
            if let Some(end) = self.pause(&why) {
                return Ok(Err(end));
            }
        }
    }

    /// Looks at both boards. Matches come first: the run waits for them, and they are short.
    fn look(&mut self) -> Result<Look, LookError> {
        let boards = [read_board(&self.matches)?, read_board(&self.mailbox)?];
        let Some(epoch) = boards.iter().flatten().map(|board| board.epoch).max() else {
            return Ok(Look::NoHome);
        };
        if epoch < self.epoch {
            return Ok(Look::Nothing("the board is that of a home that was taken over"));
        }
        self.epoch = epoch;
        // A home that was restarted writes its boards one after the other.
        let [matches, games] = boards.map(|board| board.filter(|board| board.epoch == epoch));
        let missing =
            |board: &Option<Board>| board.as_ref().map_or(0, |b| u64::from(b.units_missing));
        self.counters.missing.store(missing(&matches) + missing(&games), Ordering::Relaxed);
        if games.as_ref().is_some_and(|board| board.finished) {
            return Ok(Look::Finished);
        }
        let skips_matches = std::mem::take(&mut self.skips_matches);
        let left_out = self.left_out;
        let has_units = |offer: &Offer| left_out != Some(offer.plan) && !offer.is_empty();
        if let Some(board) = matches.filter(|_| !skips_matches)
            && let Some(offer) = board.offer.as_ref().filter(|offer| has_units(offer))
            && let Some(plan) = read_plan(&self.matches, offer.plan)?
        {
            return Ok(Look::Plan(Task::Matches(Box::new(plan)), board));
        }
        let Some(board) = games else {
            return Ok(Look::Nothing("the home has only just begun"));
        };
        let Some(offer) = &board.offer else {
            return Ok(Look::Nothing("the home trains, or is away"));
        };
        match read_plan(&self.mailbox, offer.plan)? {
            Some(plan) => Ok(Look::Plan(Task::Games(Box::new(plan)), board)),
            None => Ok(Look::Nothing("its plan is not there")),
        }
    }
}

/// The plan with this number; none where it is not there.
fn read_plan<P: PlanObject>(mailbox: &Mailbox, number: u64) -> Result<Option<P>, LookError> {
    let path = plan_path(number);
    let found = mailbox.get(&path, PLAN_BYTES_MAX)?;
    found.map(|bytes| P::read(&path, &bytes).map_err(LookError::Refused)).transpose()
}

enum LookError {
    Mailbox(MailboxError),
    Refused(FleetError),
}

impl From<MailboxError> for LookError {
    fn from(error: MailboxError) -> Self {
        Self::Mailbox(error)
    }
}
