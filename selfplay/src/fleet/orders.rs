//! State shared by the home's two threads: one plays and publishes, the other carries the mail.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dz_fleet::{Desk, UnitName, UnitNote};
use dz_store::MailboxError;

/// A unit from the inbox that passed all checks, and what is in it.
pub(super) struct Delivered<C> {
    pub(super) name: UnitName,
    pub(super) content: C,
    /// Who played it and what it cost, according to the worker.
    pub(super) note: Option<UnitNote>,
}

/// Stands for the worker of a unit without a note.
pub(super) const NAMELESS: &str = "a worker without a name";

impl<C> Delivered<C> {
    /// Who played it.
    pub(super) fn worker(&self) -> &str {
        self.note.as_ref().map_or(NAMELESS, |note| &note.worker)
    }
}

/// From the mail to the home.
pub(super) enum Brought<C> {
    /// A unit.
    Unit(Box<Delivered<C>>),
    /// Another file of a unit that was brought before: one of the two is wrong.
    Contradiction(UnitName),
    /// Something for people.
    Note(String),
    /// Another home took over; the mail ends.
    TakenOver(MailboxError),
}

/// From the home to the mail.
pub(super) enum Order {
    /// These units are published: their objects may go.
    Published(Vec<UnitName>),
    /// This unit is no good, for this reason: its file is put aside.
    Refused(UnitName, String),
    /// This unit is wanted again: what the inbox holds for it is looked at anew.
    LookAgain(u32),
    /// No unit of this worker is taken any more, by no later home either.
    Exclude(String),
    /// The home ends. Where the plan is over, all that belongs to it goes.
    End {
        /// Whether the plan is over.
        is_over: bool,
    },
}

/// What both threads see.
pub(super) struct Shared {
    pub(super) desk: Desk,
    /// Units to play again, to be compared.
    pub(super) audits: VecDeque<u32>,
    /// Workers whose units are not taken any more.
    pub(super) excluded: BTreeSet<String>,
}

/// A handle of [`Shared`], and the moment that times count from.
#[derive(Clone)]
pub(super) struct Handle {
    shared: Arc<Mutex<Shared>>,
    begun: Instant,
}

impl Handle {
    /// `excluded` are the workers whose units are not taken.
    pub(super) fn new(desk: Desk, excluded: BTreeSet<String>) -> Self {
        let shared = Arc::new(Mutex::new(Shared { desk, audits: VecDeque::new(), excluded }));
        Self { shared, begun: Instant::now() }
    }

    /// Locks what both threads share.
    pub(super) fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Time since the plan began here.
    pub(super) fn now(&self) -> Duration {
        self.begun.elapsed()
    }
}
