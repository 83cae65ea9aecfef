//! One stay at a plan: units are claimed one after another, played, and handed in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dz_fleet::{
    Backoff, Chooser, Claim, Offer, Pick, Plan, UnitKind, UnitName, UnitNote, WorkerPace,
    claim_path,
};
use dz_search::SearchCounts;
use dz_shard::{GameRecord, ShardHeader};
use dz_stage::Stop;
use dz_store::{Mailbox, MailboxError};

use super::metrics::Counters;
use super::plan::read_board;
use super::unit::write_unit;
use crate::{CycleTally, ShardSink};

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

/// Claims of a worker whose units are not handed in yet, what it handed in, and what its units
/// take.
#[derive(Clone, Default)]
pub(super) struct OpenClaims(Arc<Mutex<Claims>>);

#[derive(Default)]
struct Claims {
    /// By plan and attempt, since when.
    open: BTreeMap<(u64, Pick), Instant>,
    /// Units that were handed in, of the latest plan.
    handed_in: (u64, BTreeSet<u32>),
    pace: WorkerPace,
}

impl Claims {
    /// The units of a plan that were handed in.
    fn handed_in(&mut self, plan: u64) -> &mut BTreeSet<u32> {
        if self.handed_in.0 != plan {
            self.handed_in = (plan, BTreeSet::new());
        }
        &mut self.handed_in.1
    }
}

impl OpenClaims {
    pub(super) fn insert(&self, plan: u64, pick: Pick) {
        self.claims().open.insert((plan, pick), Instant::now());
    }

    /// Removes the claims of a unit, which is handed in, and returns them.
    fn take(&self, plan: u64, unit: u32) -> Vec<Pick> {
        let mut claims = self.claims();
        let of_unit = |(of, pick): &(u64, Pick), _: &mut Instant| (*of, pick.unit) == (plan, unit);
        let taken: Vec<_> = claims.open.extract_if(.., of_unit).collect();
        for (_, since) in &taken {
            claims.pace.add(since.elapsed());
        }
        claims.handed_in(plan).insert(unit);
        taken.into_iter().map(|((_, pick), _)| pick).collect()
    }

    /// The attempt that this worker claims next. `tried` are its units since the plan came.
    fn choose(&self, tried: &BTreeSet<u32>, offer: &Offer, random: u64) -> Option<Pick> {
        let mut claims = self.claims();
        let pace = claims.pace;
        Chooser { tried, handed_in: claims.handed_in(offer.plan), pace }.choose(offer, random)
    }

    fn claims(&self) -> MutexGuard<'_, Claims> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives all of them up, so that others see the units at once.
    pub(super) fn release(&self, mailbox: &Mailbox) {
        let open = std::mem::take(&mut self.claims().open);
        for (plan, pick) in open.into_keys() {
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
    /// The mailbox of the plan, or the part of it.
    pub(super) mailbox: &'a Mailbox,
    /// The plan's number, and its units.
    pub(super) plan: u64,
    pub(super) units: u32,
    pub(super) identity: &'a Identity,
    pub(super) open: &'a OpenClaims,
    pub(super) counters: &'a Counters,
}

/// Claims units.
pub(super) struct Picker<'a> {
    pub(super) stay: Stay<'a>,
    pub(super) evaluator: &'a str,
    pub(super) choice: Choice,
    /// Units whose claims were made or refused since the plan came.
    pub(super) tried: &'a mut BTreeSet<u32>,
    pub(super) offer: Option<Offer>,
    pub(super) looked: Instant,
    /// The worker's pauses, which begin anew with a claim.
    pub(super) backoff: &'a mut Backoff,
    /// Draws so far.
    pub(super) samples: &'a mut u64,
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
            return units.next().filter(|&unit| unit < self.stay.units);
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
        let Stay { mailbox, plan, identity, open, counters, .. } = self.stay;
        for _ in 0..self.backoff.tries() {
            self.look(false)?;
            let Some(offer) = &self.offer else { return Ok(None) };
            *self.samples += 1;
            let random = identity.word.wrapping_add(self.samples.wrapping_mul(0x9e37_79b9));
            let Some(pick) = open.choose(self.tried, offer, random) else {
                return Ok(None);
            };
            if let Some(before) = pick.before
                && !mailbox.has(&claim_path(plan, pick.unit, before))?
            {
                self.tried.insert(pick.unit);
                break;
            }
            let path = claim_path(plan, pick.unit, pick.attempt);
            let claim = Claim::of(&identity.worker, self.evaluator).to_bytes();
            let is_ours = mailbox.offer(&path, &claim)?;
            // Not before the store has answered. Otherwise, if every worker failed once at a claim
            // that nobody holds, nobody would try it again.
            self.tried.insert(pick.unit);
            if is_ours {
                Counters::add(&counters.claimed, 1);
                open.insert(plan, pick);
                self.backoff.reset();
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
        self.offer = offer.filter(|offer| offer.plan == plan);
        Ok(())
    }
}

/// Games of a unit, and positions in them.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitSize {
    pub(super) games: u64,
    pub(super) positions: u64,
}

/// Hands units in.
pub(super) struct HandIn<'a> {
    pub(super) stay: Stay<'a>,
    pub(super) kind: UnitKind,
    pub(super) patience: Duration,
    /// Units that were handed in.
    pub(super) units: u64,
}

impl HandIn<'_> {
    /// Hands a unit in, unless its plan is over.
    ///
    /// # Errors
    /// What the mailbox reports.
    pub(super) fn unit(
        &mut self,
        unit: u32,
        bytes: &[u8],
        note: &UnitNote,
        size: UnitSize,
    ) -> Result<(), MailboxError> {
        let Stay { plan, open, counters, .. } = self.stay;
        let name = UnitName::of(self.kind, plan, unit, bytes);
        // The note first: the home looks for units.
        self.put(&name.note_path(), &note.to_bytes())?;
        self.put(&name.path(), bytes)?;
        let claims = open.take(plan, unit);
        if self.plan_is_over() {
            self.withdraw(&name, &claims);
            return Ok(());
        }
        self.units += 1;
        Counters::add(&counters.units, 1);
        if self.kind == UnitKind::Match {
            Counters::add(&counters.match_units, 1);
        }
        Counters::add(&counters.games, size.games);
        Counters::add(&counters.positions, size.positions);
        Ok(())
    }

    /// Whether the home shows another plan, or none. If the mailbox fails, the plan counts as
    /// going on.
    fn plan_is_over(&self) -> bool {
        let board = read_board(self.stay.mailbox).unwrap_or_else(|error| {
            tracing::debug!("{error}");
            None
        });
        board.is_some_and(|board| board.offer.is_none_or(|offer| offer.plan != self.stay.plan))
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

/// Hands units of self-play games in.
pub(super) struct Deliverer<'a> {
    pub(super) hand_in: HandIn<'a>,
    pub(super) plan: &'a Plan,
    pub(super) shared: &'a ShardHeader,
    /// What searches did until now, and what of it was noted.
    pub(super) spent: SearchCounts,
    pub(super) noted: SearchCounts,
}

impl Deliverer<'_> {
    /// What was spent since the last unit.
    fn note(&mut self) -> UnitNote {
        let (spent, noted) = (self.spent, self.noted);
        self.noted = spent;
        UnitNote {
            format: UnitNote::FORMAT,
            worker: self.hand_in.stay.identity.worker.clone(),
            playouts: spent.playouts - noted.playouts,
            evaluations: spent.evaluations - noted.evaluations,
            cache_hits: spent.cache_hits - noted.cache_hits,
            transpositions: spent.transpositions - noted.transpositions,
        }
    }
}

impl ShardSink for Deliverer<'_> {
    fn shard(&mut self, unit: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        let unit = unit as u32;
        let size = UnitSize {
            games: games.len() as u64,
            positions: games.iter().map(|game| game.plies.len() as u64).sum(),
        };
        let bytes = write_unit(self.plan, self.shared, unit, games)?;
        let note = self.note();
        Ok(self.hand_in.unit(unit, &bytes, &note, size)?)
    }

    fn wants_more(&mut self, tally: &CycleTally) -> bool {
        self.spent = tally.search;
        true
    }
}
