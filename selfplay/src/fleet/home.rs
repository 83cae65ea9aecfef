//! The home of a run with workers: takes units from the mail, plays too, publishes whole shards.

use std::collections::BTreeMap;
use std::sync::mpsc::RecvTimeoutError;

use anyhow::bail;
use dz_fleet::{
    Desk, ObjectHash, Plan, PlanObject, UnitKind, UnitName, UnitOrder, UnitSet, network_path,
    past_path,
};
use dz_game::Game;
use dz_infer::Sources;
use dz_search::SearchCounts;
use dz_shard::{GameRecord, ShardHeader};
use dz_stage::StageContext;
use dz_store::{Mailbox, Stage};

use super::excluded;
use super::lease::HomeLease;
use super::mail::{Check, Mail, Route, WAIT};
use super::orders::{Brought, Delivered, Handle, Order};
use super::past_file::write_past;
use super::plan::{Object, Post, insist, own_mailbox, random_word, wanted_plan};
use super::shelf::{Held, Shelf};
use super::unit::{PlayedUnit, UnitCheck, unit_plan, write_unit};
use crate::collector::Collector;
use crate::{CyclePlan, CycleTally, ShardSink, play_shards};

/// In asynchronous mode so many open units are shown at least: few shards are begun when another
/// champion comes.
const WINDOW_MIN: usize = 16;

/// Plays the missing shards of the collector's plan together with the workers at `address`, until
/// all are there, somebody asks to stop, or there is another champion. Returns the counts of games
/// played here, with the costs of the workers' searches.
///
/// # Errors
/// What the mailbox refuses for good, and what evaluators, store and ledger report.
pub(crate) fn play_with_workers<G: Game>(
    game: &G,
    missing: &[u64],
    sources: &mut Sources<G>,
    collector: Collector<'_>,
    address: &str,
    version: &str,
) -> anyhow::Result<CycleTally> {
    let plan = collector.plan;
    let context = &*collector.context;
    let events = context.events.clone();
    let note = move |text: String| events.note(Stage::Selfplay, text);
    let mailbox = own_mailbox(&context.run, address, &context.stop, &note)?;
    let (run, config) = (&context.run, &context.config);
    let epoch = HomeLease::of_stage(run, config, &mailbox, &context.stop, &note)?;
    let header = collector.header.clone();
    let (cycle, generation) = (collector.cycle, collector.generation);
    let past = write_past(&plan.games, &header)?;
    let wanted = Plan {
        past: past.as_deref().map(ObjectHash::of),
        ..wanted_plan(context, cycle, generation, &header, plan, version)
    };
    let fleet_plan = publish(context, &mailbox, &wanted, past.as_deref())?;
    let units_per_shard = fleet_plan.units_per_shard();
    let units_of = |shard: u64| {
        let first = shard as u32 * units_per_shard;
        first..(first + units_per_shard).min(fleet_plan.units())
    };
    let missing = UnitSet::of(missing.iter().flat_map(|&shard| units_of(shard)));
    let is_ordered = context.config.lead_cycles() > 0;
    let order = if is_ordered { UnitOrder::FirstOnes(WINDOW_MIN) } else { UnitOrder::Any };
    let excluded = excluded::read(&mailbox)?;
    if !excluded.is_empty() {
        note(excluded::text(&excluded));
    }
    let handle = Handle::new(Desk::new(fleet_plan.number, missing, order), excluded);
    let check = check_of(game, &fleet_plan, &header, plan);
    let route = Route { root: mailbox.clone(), mailbox: mailbox.clone(), part: "", epoch };
    let mail = Mail::start(route, handle.clone(), check)?;
    let mut home = Home {
        unit_plan: unit_plan(plan, fleet_plan.unit_games),
        collector,
        handle,
        mail,
        shelf: Shelf::new(&fleet_plan),
        fleet_plan,
        audits: BTreeMap::new(),
        of_workers: SearchCounts::default(),
        tally: CycleTally::default(),
        audit_random: random_word(),
        failure: None,
    };
    let ended = home.run(game, sources);
    let stopped = home.collector.context.stop.requested();
    if ended.is_ok() && stopped {
        home.hand_in(&mailbox, note)?;
    }
    let is_over = ended.is_ok() && home.is_done();
    let total = home.total(&CycleTally::default());
    home.mail.end(is_over);
    ended.map(|()| total)
}

/// Publishes a plan with its champion's network and its games' past. Returns it with its number.
///
/// # Errors
/// What the mailbox refuses for good, or what the run's files report.
fn publish(
    context: &StageContext,
    mailbox: &Mailbox,
    wanted: &Plan,
    past: Option<&[u8]>,
) -> anyhow::Result<Plan> {
    let champion = context.ledger.state().champion.as_ref();
    let champion_bytes = || -> anyhow::Result<Vec<u8>> {
        match champion {
            Some(champion) => Ok(context.run.get(&champion.network)?.to_vec()),
            None => Ok(Vec::new()),
        }
    };
    let past_bytes = || -> anyhow::Result<Vec<u8>> { Ok(past.unwrap_or_default().to_vec()) };
    let network = wanted.network.as_ref();
    let networks: Vec<Object<'_>> = network
        .map(|object| Object {
            path: network_path(&object.blake3),
            bytes: object.bytes,
            content: &champion_bytes,
        })
        .into_iter()
        .collect();
    let past: Vec<Object<'_>> = wanted
        .past
        .as_ref()
        .map(|object| Object {
            path: past_path(&object.blake3),
            bytes: object.bytes,
            content: &past_bytes,
        })
        .into_iter()
        .collect();
    let note = |text: String| context.events.note(Stage::Selfplay, text);
    let post = Post { mailbox, stop: &context.stop, note: &note };
    post.publish(wanted, &[("networks", networks), ("past", past)])
}

/// What checks the units of a plan.
fn check_of<G: Game>(
    game: &G,
    fleet_plan: &Plan,
    header: &ShardHeader,
    plan: &CyclePlan,
) -> Check<PlayedUnit> {
    let check = UnitCheck {
        game: game.clone(),
        plan: fleet_plan.clone(),
        shared: header.clone(),
        games: (*plan.games).clone(),
    };
    Box::new(move |unit, bytes| {
        let (games, evaluator) = check.check(unit, bytes)?;
        Ok(PlayedUnit { games, evaluator })
    })
}

/// A plan that is being played.
pub(super) struct Home<'a> {
    pub(super) fleet_plan: Plan,
    pub(super) unit_plan: CyclePlan,
    pub(super) collector: Collector<'a>,
    pub(super) handle: Handle,
    pub(super) mail: Mail<PlayedUnit>,
    pub(super) shelf: Shelf,
    /// Units that are played again before they count.
    pub(super) audits: BTreeMap<u32, Delivered<PlayedUnit>>,
    /// What workers say that their searches did.
    pub(super) of_workers: SearchCounts,
    /// What was played here before the lockstep that runs now.
    pub(super) tally: CycleTally,
    /// Reports which units are audited.
    pub(super) audit_random: u64,
    /// What went wrong where no error can be returned.
    pub(super) failure: Option<anyhow::Error>,
}

impl Home<'_> {
    fn run<G: Game>(&mut self, game: &G, sources: &mut Sources<G>) -> anyhow::Result<()> {
        let mut wants_more = true;
        let mut is_closed = false;
        loop {
            self.receive()?;
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.is_done() {
                return Ok(());
            }
            if self.collector.context.stop.requested() {
                return Ok(());
            }
            if !wants_more && !is_closed {
                is_closed = true;
                self.close();
                continue;
            }
            let tally = self.play(game, sources)?;
            self.tally.add_costs(&tally);
            let total = self.total(&CycleTally::default());
            wants_more &= self.collector.wants_more(&total);
        }
    }

    /// Plays units here until none is left to begin, or waits for the mail where there are none.
    fn play<G: Game>(&mut self, game: &G, sources: &mut Sources<G>) -> anyhow::Result<CycleTally> {
        let handle = self.handle.clone();
        let home_plays = self.collector.context.config.workers.home_plays;
        let take = move || {
            let now = handle.now();
            let mut shared = handle.lock();
            let audit = shared.audits.pop_front();
            audit.or_else(|| home_plays.then(|| shared.desk.take(now)).flatten())
        };
        let Some(first) = take() else {
            match self.mail.brought.recv_timeout(WAIT) {
                Ok(brought) => self.take(brought)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    bail!("the thread that carries the mail has ended; please report this")
                }
            }
            return Ok(CycleTally::default());
        };
        let mut first = Some(first);
        let mut next = move || first.take().or_else(&take).map(u64::from);
        let unit_plan = self.unit_plan.clone();
        play_shards(game, &unit_plan, &mut next, sources, self)
    }

    /// All that was played here and by workers, with `now` of the lockstep that runs.
    fn total(&self, now: &CycleTally) -> CycleTally {
        let (games, positions) = (self.shelf.games, self.shelf.positions);
        let mut total = CycleTally { games, positions, ..CycleTally::default() };
        total.add_costs(&self.tally);
        total.add_costs(now);
        total.search.add(&self.of_workers);
        total
    }

    fn is_done(&self) -> bool {
        self.audits.is_empty() && self.handle.lock().desk.missing().is_empty()
    }

    /// No more shards are begun.
    fn close(&mut self) {
        let begun = self.shelf.shards();
        let audited: Vec<u32> = self.audits.keys().map(|&unit| self.shelf.shard_of(unit)).collect();
        let is_begun = |shard: u32| begun.contains(&shard) || audited.contains(&shard);
        self.handle.lock().desk.close(self.fleet_plan.units_per_shard(), is_begun);
    }

    /// Takes all that the mail has brought.
    fn receive(&mut self) -> anyhow::Result<()> {
        while let Ok(brought) = self.mail.brought.try_recv() {
            self.take(brought)?;
        }
        Ok(())
    }

    fn take(&mut self, brought: Brought<PlayedUnit>) -> anyhow::Result<()> {
        match brought {
            Brought::Unit(delivered) => self.take_unit(*delivered),
            Brought::Contradiction(name) => {
                self.contradict(&name);
                Ok(())
            }
            Brought::TakenOver(error) => Err(error.into()),
            Brought::Note(text) => {
                self.collector.context.events.note(Stage::Selfplay, text);
                Ok(())
            }
        }
    }

    fn take_unit(&mut self, delivered: Delivered<PlayedUnit>) -> anyhow::Result<()> {
        let unit = delivered.name.unit;
        let now = self.handle.now();
        if !self.handle.lock().desk.see_unit(now, unit) {
            // The home was faster.
            return Ok(());
        }
        if let Some(note) = &delivered.note {
            self.of_workers.add(&SearchCounts {
                playouts: note.playouts,
                evaluations: note.evaluations,
                cache_hits: note.cache_hits,
                transpositions: note.transpositions,
                ..SearchCounts::default()
            });
        }
        if self.is_audited(&delivered) {
            self.handle.lock().audits.push_back(unit);
            self.audits.insert(unit, delivered);
            return Ok(());
        }
        self.accept(unit, delivered.into())
    }

    /// Takes a unit for good, and publishes its shard if that is whole: the bytes that it would
    /// have if one machine had played it.
    pub(super) fn accept(&mut self, unit: u32, held: Held) -> anyhow::Result<()> {
        let Some(whole) = self.shelf.put(unit, held) else { return Ok(()) };
        self.collector.header.evaluators = whole.evaluators;
        let published = self.collector.shard(whole.shard.into(), whole.games);
        self.collector.header.evaluators = vec![self.fleet_plan.evaluator.clone()];
        published?;
        if !whole.files.is_empty() {
            self.mail.order(Order::Published(whole.files));
        }
        Ok(())
    }

    /// Hands in the games played here for shards that are not whole, so that they are not lost.
    fn hand_in(&mut self, mailbox: &Mailbox, note: impl Fn(String)) -> anyhow::Result<()> {
        let shared = self.collector.header.clone();
        for (unit, held) in self.shelf.take_own() {
            let bytes = write_unit(&self.fleet_plan, &shared, unit, held.games)?;
            let name = UnitName::of(UnitKind::Games, self.fleet_plan.number, unit, &bytes);
            let stop = &self.collector.context.stop;
            insist(stop, &note, || mailbox.replace(&name.path(), &bytes))?;
        }
        Ok(())
    }
}

impl ShardSink for Home<'_> {
    /// A unit that was played here.
    fn shard(&mut self, unit: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        let unit = unit as u32;
        if let Some(delivered) = self.audits.remove(&unit) {
            return self.compare(delivered, games);
        }
        let now = self.handle.now();
        if !self.handle.lock().desk.see_unit(now, unit) {
            // A worker was faster.
            return Ok(());
        }
        let evaluator = self.fleet_plan.evaluator.clone();
        self.accept(unit, Held { games, evaluator, file: None })
    }

    fn wants_more(&mut self, tally: &CycleTally) -> bool {
        if let Err(error) = self.receive() {
            self.failure = Some(error);
        }
        let total = self.total(tally);
        self.collector.wants_more(&total) && self.failure.is_none()
    }
}
