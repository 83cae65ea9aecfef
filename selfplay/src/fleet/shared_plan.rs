//! A plan of matches that is being played by the home and its workers.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::ops::Range;
use std::sync::mpsc::RecvTimeoutError;

use dz_fleet::{EvaluatorRule, MatchesPlan, Segment, UnitName};
use dz_play::{BoxError, PlayedGame, RemoteEvent};
use dz_store::MailboxError;

use super::audit::is_drawn;
use super::excluded;
use super::mail::{Mail, WAIT};
use super::match_context::MatchContext;
use super::orders::{Brought, Delivered, Handle, Order};
use super::segment::PlayedSegment;

/// Games by unit, and by number.
pub(super) type GamesByUnit = BTreeMap<u32, BTreeMap<u64, PlayedGame>>;

/// A plan of matches that is being played.
pub(super) struct SharedPlan {
    pub(super) context: MatchContext,
    pub(super) plan: MatchesPlan,
    /// The index of each of the plan's matches among the matches that are played here.
    pub(super) indices: Vec<usize>,
    pub(super) handle: Handle,
    pub(super) mail: Mail<PlayedSegment>,
    /// Units of workers whose games were handed on.
    pub(super) taken: BTreeMap<u32, Delivered<PlayedSegment>>,
    /// Units that are played again before they count.
    pub(super) audits: BTreeMap<u32, Delivered<PlayedSegment>>,
    /// Games that were played here, by unit.
    pub(super) here: GamesByUnit,
    /// Events that the next poll returns.
    pub(super) events: Vec<RemoteEvent>,
    /// Chooses the units that are audited.
    pub(super) audit_random: u64,
}

/// Whether all games of a unit were played here.
pub(super) fn is_whole(plan: &MatchesPlan, here: &GamesByUnit, unit: u32) -> bool {
    let games = here.get(&unit).map_or(0, BTreeMap::len) as u64;
    plan.segment(unit).is_some_and(|segment| games == segment.games.end - segment.games.start)
}

impl SharedPlan {
    /// The games of a unit, with the index of their match.
    fn games_of(&self, unit: u32) -> Option<(usize, Range<u64>)> {
        let Segment { match_index, games } = self.plan.segment(unit)?;
        Some((self.indices[match_index], games))
    }

    /// The units of a match.
    fn units_of(&self, index: usize) -> Range<u32> {
        let place = self.indices.iter().position(|&of| of == index);
        place.map_or(0..0, |place| self.plan.units_of(place))
    }

    pub(super) fn next(&mut self) -> Option<(usize, Range<u64>)> {
        let now = self.handle.now();
        let home_plays = self.context.config.workers.home_plays;
        let unit = {
            let mut shared = self.handle.lock();
            let audit = shared.audits.pop_front();
            audit.or_else(|| home_plays.then(|| shared.desk.take(now)).flatten())
        };
        self.games_of(unit?)
    }

    pub(super) fn played(&mut self, index: usize, game: &PlayedGame) {
        let Some(place) = self.indices.iter().position(|&of| of == index) else { return };
        let unit = self.plan.unit_of(place, game.number);
        self.here.entry(unit).or_default().insert(game.number, game.clone());
        if !is_whole(&self.plan, &self.here, unit) {
            return;
        }
        if let Some(delivered) = self.audits.remove(&unit) {
            self.compare(delivered);
        } else {
            let now = self.handle.now();
            self.handle.lock().desk.see_unit(now, unit);
        }
    }

    pub(super) fn set_over(&mut self, index: usize, is_over: bool) {
        let units = self.units_of(index);
        if is_over {
            self.audits.retain(|unit, _| !units.contains(unit));
            let mut shared = self.handle.lock();
            shared.audits.retain(|unit| !units.contains(unit));
            shared.desk.drop_units(|unit| units.contains(&unit));
            return;
        }
        for unit in units {
            let is_here = is_whole(&self.plan, &self.here, unit)
                || self.taken.contains_key(&unit)
                || self.audits.contains_key(&unit);
            if !is_here {
                self.handle.lock().desk.lose_unit(unit);
                // A file that came while the match was over is in the inbox already.
                self.mail.order(Order::LookAgain(unit));
            }
        }
    }

    pub(super) fn poll(&mut self, waits: bool) -> Result<Vec<RemoteEvent>, BoxError> {
        if waits {
            match self.mail.brought.recv_timeout(WAIT) {
                Ok(brought) => self.take(brought)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(
                        "the thread that carries the mail has ended; please report this".into()
                    );
                }
            }
        }
        while let Ok(brought) = self.mail.brought.try_recv() {
            self.take(brought)?;
        }
        Ok(mem::take(&mut self.events))
    }

    fn take(&mut self, brought: Brought<PlayedSegment>) -> Result<(), MailboxError> {
        match brought {
            Brought::Unit(delivered) => self.take_unit(*delivered),
            Brought::Contradiction(name) => self.contradict(&name),
            Brought::TakenOver(error) => return Err(error),
            Brought::Note(text) => self.context.note(text),
        }
        Ok(())
    }

    fn take_unit(&mut self, delivered: Delivered<PlayedSegment>) {
        let unit = delivered.name.unit;
        let now = self.handle.now();
        if !self.handle.lock().desk.see_unit(now, unit) {
            // The home was faster, or the match is over.
            return;
        }
        let share = self.context.config.workers.audit_share;
        let is_comparable = delivered.content.other_evaluators.is_empty();
        if is_comparable && is_drawn(self.audit_random, unit, share) {
            self.audit(delivered);
            return;
        }
        if let Some((match_index, _)) = self.games_of(unit) {
            let PlayedSegment { games, other_evaluators } = delivered.content.clone();
            self.events.push(RemoteEvent::Played { match_index, games, other_evaluators });
            self.taken.insert(unit, delivered);
        }
    }

    /// Lets a unit be played here before it counts.
    fn audit(&mut self, delivered: Delivered<PlayedSegment>) {
        let unit = delivered.name.unit;
        self.audits.insert(unit, delivered);
        self.handle.lock().audits.push_back(unit);
    }

    /// Two workers handed in different files for one unit. Where all evaluators are the same, one
    /// of them is wrong: the home plays it to see which.
    fn contradict(&mut self, name: &UnitName) {
        if self.plan.evaluators != EvaluatorRule::Same {
            return;
        }
        let text = excluded::contradiction(name);
        let text = match self.taken.remove(&name.unit) {
            Some(delivered) => {
                self.take_back(name.unit);
                self.audit(delivered);
                text + "; it is played here, too"
            }
            None if self.audits.contains_key(&name.unit) => text + "; it is being played here, too",
            None => text + "; what was played here counts",
        };
        self.context.note(text);
    }

    fn take_back(&mut self, unit: u32) {
        if let Some((match_index, games)) = self.games_of(unit) {
            self.events.push(RemoteEvent::Withdrawn { match_index, games });
        }
    }

    /// Compares a unit with what it came to here.
    fn compare(&mut self, delivered: Delivered<PlayedSegment>) {
        let unit = delivered.name.unit;
        let own = self.here.get(&unit).into_iter().flat_map(BTreeMap::values);
        let differing = own.zip(&delivered.content.games).find(|(own, theirs)| own != theirs);
        let Some(number) = differing.map(|(own, _)| own.number) else { return };
        let worker = delivered.worker().to_owned();
        let text = excluded::alarm(&worker, number);
        tracing::error!("{text}");
        self.context.note(text);
        self.handle.lock().excluded.insert(worker.clone());
        self.mail.order(Order::Exclude(worker.clone()));
        let why = "played again it has other games".to_owned();
        self.mail.order(Order::Refused(delivered.name, why));
        self.put_aside(&worker);
    }

    /// Gives back what else a worker handed in.
    fn put_aside(&mut self, worker: &str) {
        let of_worker = self.taken.iter().filter(|(_, delivered)| delivered.worker() == worker);
        let units: BTreeSet<u32> = of_worker.map(|(&unit, _)| unit).collect();
        for unit in units {
            let Some(delivered) = self.taken.remove(&unit) else { continue };
            self.take_back(unit);
            if !is_whole(&self.plan, &self.here, unit) {
                self.handle.lock().desk.lose_unit(unit);
            }
            let why = format!("{worker} handed in a wrong unit");
            self.mail.order(Order::Refused(delivered.name, why));
        }
    }
}
