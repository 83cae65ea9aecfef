//! One stay at a plan: units are claimed one after another, played, and handed in.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dz_fleet::{Claim, Offer, Pick, Plan, UnitName, UnitNote, choose, claim_path};
use dz_search::SearchCounts;
use dz_shard::{GameRecord, ShardHeader};
use dz_stage::Stop;
use dz_store::{Mailbox, MailboxError};

use super::metrics::Counters;
use super::plan::read_board;
use super::unit::write_unit;
use crate::{CycleTally, ShardSink};

/// Claims that a worker tries to make before it looks at the board again.
const TRIES: usize = 4;
/// How old a board may be, of a folder and of a bucket.
const FRESH_FOLDER: Duration = Duration::from_millis(200);
const FRESH_BUCKET: Duration = Duration::from_secs(2);
/// Pause before a unit is handed in again to a mailbox that fails.
const AGAIN: Duration = Duration::from_secs(2);

/// Deletes an object. One that cannot be deleted now goes stale, or the home sweeps it later.
fn try_delete(mailbox: &Mailbox, path: &str) {
    if let Err(error) = mailbox.delete(path) {
        tracing::debug!("{error}");
    }
}

/// Claims of a worker whose units are not handed in yet.
#[derive(Clone, Default)]
pub(super) struct OpenClaims(Arc<Mutex<BTreeSet<(u64, Pick)>>>);

impl OpenClaims {
    pub(super) fn insert(&self, plan: u64, pick: Pick) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((plan, pick));
    }

    /// Removes the claims of a unit and returns them.
    fn take(&self, plan: u64, unit: u32) -> Vec<Pick> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_unit = |(of, pick): &(u64, Pick)| (*of, pick.unit) == (plan, unit);
        open.extract_if(.., of_unit).map(|(_, pick)| pick).collect()
    }

    /// Gives all of them up, so that others see the units at once.
    pub(super) fn release(&self, mailbox: &Mailbox) {
        let open = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (plan, pick) in open {
            try_delete(mailbox, &claim_path(plan, pick.unit, pick.attempt));
        }
    }
}

/// Who a worker is, for its claims and notes.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) worker: String,
    /// A word that no other worker has.
    pub(super) word: u64,
}

/// Which units a worker plays.
pub(super) enum Choice {
    /// What the board shows, claimed.
    Board,
    /// These, without claims.
    Given(std::ops::Range<u32>),
}

/// A worker at a plan.
#[derive(Clone, Copy)]
pub(super) struct Stay<'a> {
    pub(super) mailbox: &'a Mailbox,
    pub(super) plan: &'a Plan,
    pub(super) identity: &'a Identity,
    pub(super) open: &'a OpenClaims,
    pub(super) counters: &'a Counters,
}

/// Claims units.
pub(super) struct Picker<'a> {
    pub(super) stay: Stay<'a>,
    pub(super) evaluator: &'a str,
    pub(super) choice: Choice,
    /// Claims that were made or refused since the plan came.
    pub(super) tried: &'a mut BTreeSet<Pick>,
    pub(super) offer: Option<Offer>,
    pub(super) looked: Instant,
    /// Draws so far.
    pub(super) draws: &'a mut u64,
    pub(super) stop: &'a Stop,
    /// Why the last claim failed, if it did.
    pub(super) trouble: Option<String>,
}

impl Picker<'_> {
    /// The next unit to play, claimed; none where there is none now, or the worker is to stop.
    pub(super) fn next(&mut self) -> Option<u32> {
        if self.stop.requested() {
            return None;
        }
        if let Choice::Given(units) = &mut self.choice {
            return units.next().filter(|&unit| unit < self.stay.plan.units());
        }
        match self.claim() {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!("{error}");
                self.trouble = Some(error.to_string());
                None
            }
        }
    }

    fn claim(&mut self) -> Result<Option<u32>, MailboxError> {
        let Stay { mailbox, plan, identity, open, counters } = self.stay;
        for _ in 0..TRIES {
            self.look(false)?;
            let Some(offer) = &self.offer else { return Ok(None) };
            *self.draws += 1;
            let random = identity.word.wrapping_add(self.draws.wrapping_mul(0x9e37_79b9));
            let Some(pick) = choose(offer, self.tried, random) else {
                return Ok(None);
            };
            if let Some(before) = pick.attempt_before()
                && !mailbox.has(&claim_path(plan.number, pick.unit, before))?
            {
                self.tried.insert(pick);
                break;
            }
            let path = claim_path(plan.number, pick.unit, pick.attempt);
            let claim = Claim::of(&identity.worker, self.evaluator).to_bytes();
            let is_ours = mailbox.offer(&path, &claim)?;
            // Not before the store has answered. Otherwise, if every worker failed once at a claim
            // that nobody holds, nobody would try it again.
            self.tried.insert(pick);
            if is_ours {
                Counters::add(&counters.claimed, 1);
                open.insert(plan.number, pick);
                return Ok(Some(pick.unit));
            }
            Counters::add(&counters.refused, 1);
            if pick.attempt > 0 {
                // All who have nothing to play look at the same few units.
                break;
            }
        }
        self.look(true)?;
        Ok(None)
    }

    /// Reads the board, if what is known of it is old.
    fn look(&mut self, at_once: bool) -> Result<(), MailboxError> {
        let Stay { mailbox, plan, counters, .. } = self.stay;
        let fresh = if mailbox.is_folder() { FRESH_FOLDER } else { FRESH_BUCKET };
        if !at_once && self.looked.elapsed() < fresh {
            return Ok(());
        }
        self.looked = Instant::now();
        let board = read_board(mailbox)?;
        let missing = board.as_ref().map_or(0, |board| board.units_missing);
        counters.missing.store(missing.into(), Ordering::Relaxed);
        let offer = board.and_then(|board| board.offer);
        self.offer = offer.filter(|offer| offer.plan == plan.number);
        Ok(())
    }
}

/// Hands units in.
pub(super) struct Deliverer<'a> {
    pub(super) stay: Stay<'a>,
    pub(super) shared: &'a ShardHeader,
    pub(super) patience: Duration,
    /// What searches did until now, and what of it was noted.
    pub(super) spent: SearchCounts,
    pub(super) noted: SearchCounts,
    /// Units that were handed in.
    pub(super) units: u64,
}

impl Deliverer<'_> {
    /// What was spent since the last unit.
    fn note(&mut self) -> UnitNote {
        let (spent, noted) = (self.spent, self.noted);
        self.noted = spent;
        UnitNote {
            format: UnitNote::FORMAT,
            worker: self.stay.identity.worker.clone(),
            playouts: spent.playouts - noted.playouts,
            evaluations: spent.evaluations - noted.evaluations,
            cache_hits: spent.cache_hits - noted.cache_hits,
            transpositions: spent.transpositions - noted.transpositions,
        }
    }

    /// Whether the home shows another plan, or none. If the mailbox fails, the plan counts as
    /// going on.
    fn plan_is_over(&self) -> bool {
        let board = read_board(self.stay.mailbox).unwrap_or_else(|error| {
            tracing::debug!("{error}");
            None
        });
        board.is_some_and(|board| {
            board.offer.is_none_or(|offer| offer.plan != self.stay.plan.number)
        })
    }

    /// Deletes units that were handed in for a finished plan. The home changes its board first and
    /// sweeps then, so that each object is seen by one of the two.
    fn withdraw(&self, name: &UnitName, claims: &[Pick]) {
        let claims = claims.iter().map(|pick| claim_path(name.plan, pick.unit, pick.attempt));
        for path in [name.path(), name.note_path()].into_iter().chain(claims) {
            try_delete(self.stay.mailbox, &path);
        }
    }

    /// Puts an object, again and again as long as there is patience.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<(), MailboxError> {
        let begun = Instant::now();
        loop {
            match self.stay.mailbox.replace(path, bytes) {
                Err(error) if error.is_temporary() && begun.elapsed() < self.patience => {
                    tracing::warn!("{error}; trying again");
                    thread::sleep(AGAIN);
                }
                other => return other,
            }
        }
    }
}

impl ShardSink for Deliverer<'_> {
    fn shard(&mut self, unit: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        let Stay { plan, open, counters, .. } = self.stay;
        let unit = unit as u32;
        let count = games.len() as u64;
        let positions: u64 = games.iter().map(|game| game.plies.len() as u64).sum();
        let bytes = write_unit(plan, self.shared, unit, games)?;
        let name = UnitName::of(plan.number, unit, &bytes);
        let note = self.note();
        // The note first: the home looks for units.
        self.put(&name.note_path(), &note.to_bytes())?;
        self.put(&name.path(), &bytes)?;
        let claims = open.take(plan.number, unit);
        if self.plan_is_over() {
            self.withdraw(&name, &claims);
            return Ok(());
        }
        self.units += 1;
        Counters::add(&counters.units, 1);
        Counters::add(&counters.games, count);
        Counters::add(&counters.positions, positions);
        Ok(())
    }

    fn wants_more(&mut self, tally: &CycleTally) -> bool {
        self.spent = tally.search;
        true
    }
}
