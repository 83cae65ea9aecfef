//! A worker: plays for a run that it knows by its mailbox alone.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use dz_config::RunConfig;
use dz_fleet::{
    Backoff, Board, EvaluatorRule, FleetError, MATCHES, ObjectHash, Plan, PlanObject, UnitKind,
    home_delay, past_path, start_delay,
};
use dz_game::{Game, GameSpec, with_game};
use dz_infer::Sources;
use dz_search::SearchCounts;
use dz_shard::ShardHeader;
use dz_stage::Stop;
use dz_store::{Mailbox, host};

use super::cache;
use super::metrics::{Counters, serve};
use super::options::{WorkerEnd, WorkerOptions, WorkerRefused};
use super::past_file::{PAST_BYTES_MAX, read_past};
use super::plan::random_word;
use super::ready_matches::ReadyMatches;
use super::session::{Choice, Deliverer, HandIn, Identity, OpenClaims, Picker, Stay};
use super::task::{Played, Task};
use super::unit::{games_of, shared_header};
use super::waiting::{SLICE, Waiting};
use crate::sources::sources_of;
use crate::{CyclePlan, Past, play_shards};

/// Shortest and longest pause of a worker with nothing to play, with a folder and with a bucket.
const PAUSES_FOLDER: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(2)];
const PAUSES_BUCKET: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(40)];

/// Plays for the run at `options.mailbox` until it is finished, somebody asks to stop, or patience
/// is over.
///
/// # Errors
/// [`WorkerRefused`], [`MailboxError`] of an address that cannot be opened, or what the device
/// reports.
pub fn work(
    options: &WorkerOptions,
    stop: &Stop,
    print: &dyn Fn(&str),
) -> anyhow::Result<WorkerEnd> {
    let counters = Arc::new(Counters::default());
    if let Some(address) = options.metrics {
        let bound = serve(address, Arc::clone(&counters))?;
        print(&format!("metrics at http://{bound}/metrics"));
    }
    let mut waiting = Waiting { patience: options.patience, stop, since: Instant::now() };
    let mailbox = loop {
        match Mailbox::open(&options.mailbox) {
            Ok(mailbox) => break mailbox,
            Err(error) if error.is_temporary() => {
                if let Some(end) = waiting.wait(PAUSES_FOLDER[1], &error.to_string()) {
                    return Ok(end);
                }
            }
            Err(error) => return Err(error.into()),
        }
    };
    let [first, last] = if mailbox.is_folder() { PAUSES_FOLDER } else { PAUSES_BUCKET };
    let mut worker = Worker {
        options,
        identity: identity(),
        matches: mailbox.below(MATCHES)?,
        mailbox,
        counters,
        open: OpenClaims::default(),
        open_matches: OpenClaims::default(),
        skips_matches: false,
        left_out: None,
        waiting,
        backoff: Backoff::new(first, last),
        samples: 0,
        epoch: 0,
        print,
    };
    worker.release_after_grace();
    if !worker.mailbox.is_folder()
        && let Some(end) = worker.waiting.wait(start_delay(worker.identity.word), "it begins")
    {
        return Ok(end);
    }
    let end = worker.work();
    worker.open.release(&worker.mailbox);
    worker.open_matches.release(&worker.matches);
    end
}

/// A name that no other worker has.
fn identity() -> Identity {
    let word = random_word();
    let worker = format!("{}-{}-{:08x}", host(), std::process::id(), word as u32);
    Identity { worker, word }
}

pub(super) struct Worker<'a> {
    pub(super) options: &'a WorkerOptions,
    pub(super) identity: Identity,
    pub(super) mailbox: Mailbox,
    /// The part of the mailbox that matches go through.
    pub(super) matches: Mailbox,
    pub(super) counters: Arc<Counters>,
    open: OpenClaims,
    pub(super) open_matches: OpenClaims,
    /// Whether matches are left out at the next look: there was nothing to begin.
    pub(super) skips_matches: bool,
    /// The plan of matches that this worker cannot play.
    pub(super) left_out: Option<u64>,
    pub(super) waiting: Waiting<'a>,
    pub(super) backoff: Backoff,
    pub(super) samples: u64,
    /// The highest epoch of a home that was seen.
    pub(super) epoch: u64,
    pub(super) print: &'a dyn Fn(&str),
}

/// What is kept of the last plan of self-play games.
struct Kept<G: Game> {
    loaded: Option<Loaded<G>>,
    /// What the games take from earlier ones, and the plan's number.
    past: Option<(u64, Past)>,
}

impl Worker<'_> {
    /// After a stop was asked for, units may take `grace` to end. Then their claims are released,
    /// and the process ends with 75.
    fn release_after_grace(&self) {
        let (stop, grace) = (self.waiting.stop.clone(), self.options.grace);
        let claims = [
            (self.open.clone(), self.mailbox.clone()),
            (self.open_matches.clone(), self.matches.clone()),
        ];
        let watch = move || {
            while !stop.requested() {
                thread::sleep(SLICE);
            }
            thread::sleep(grace);
            for (open, mailbox) in &claims {
                open.release(mailbox);
            }
            std::process::exit(i32::from(dz_stage::exit::TRY_AGAIN));
        };
        // Without the thread, a second signal still ends the process.
        if let Err(error) = thread::Builder::new().name("grace".to_owned()).spawn(watch) {
            tracing::warn!("no thread watches the grace: {error}");
        }
    }

    fn work(&mut self) -> anyhow::Result<WorkerEnd> {
        let task = match self.next_plan()? {
            Ok((task, _)) => task,
            Err(end) => return Ok(end),
        };
        let config = task.accept(&self.options.version)?;
        let spec: GameSpec = config.run.game.parse()?;
        with_game!(&spec, |game| self.work_at(&game, &config.run.game))?
    }

    /// Plays plan after plan of one game.
    fn work_at<G: Game>(&mut self, game: &G, spec: &str) -> anyhow::Result<WorkerEnd> {
        let mut kept: Kept<G> = Kept { loaded: None, past: None };
        let mut ready: Option<ReadyMatches<G>> = None;
        let mut tried = ((UnitKind::Games, 0), BTreeSet::new());
        loop {
            let (task, board) = match self.next_plan()? {
                Ok(found) => found,
                Err(end) => return Ok(end),
            };
            let config = task.accept(&self.options.version)?;
            if config.run.game != spec {
                let what = format!("its game was {spec} and is {}", config.run.game);
                return Err(WorkerRefused::Configuration { what }.into());
            }
            if tried.0 != task.key() {
                tried = (task.key(), BTreeSet::new());
            }
            let picks = &mut tried.1;
            let played = match &task {
                Task::Games(plan) => {
                    self.play_games(game, plan, board, &config, &mut kept, picks)?
                }
                Task::Matches(plan) => {
                    self.play_segments(game, plan, board, &config, &mut ready, picks)?
                }
            };
            let (units, trouble) = match played {
                Played::Units(units, trouble) => (units, trouble),
                Played::Missing(what) => {
                    self.skips_matches = matches!(task, Task::Matches(_));
                    match self.pause(what) {
                        Some(end) => return Ok(end),
                        None => continue,
                    }
                }
            };
            if self.waiting.stop.requested() {
                return Ok(WorkerEnd::TryAgain("asked to stop".to_owned()));
            }
            if (self.options.once && trouble.is_none()) || self.options.units.is_some() {
                return Ok(WorkerEnd::Finished);
            }
            if units > 0 {
                self.waiting.since = Instant::now();
            } else {
                self.skips_matches = matches!(task, Task::Matches(_));
                let why = trouble.as_deref().unwrap_or("all units are being played");
                if let Some(end) = self.pause(why) {
                    return Ok(end);
                }
                // Some stores say that a claim is taken which then is not there.
                tried.1.clear();
            }
        }
    }

    /// Plays units of a plan of self-play games until there is none to begin.
    fn play_games<G: Game>(
        &mut self,
        game: &G,
        plan: &Plan,
        board: Board,
        config: &RunConfig,
        kept: &mut Kept<G>,
        tried: &mut BTreeSet<u32>,
    ) -> anyhow::Result<Played> {
        // The home may have moved to another device: loading it again refuses then.
        let fits = |loaded: &Loaded<G>| {
            let may_play =
                plan.evaluators == EvaluatorRule::Any || loaded.evaluator == plan.evaluator;
            loaded.name == plan.network_name && may_play
        };
        if !kept.loaded.as_ref().is_some_and(fits) {
            kept.loaded = self.load(game, plan, config)?;
        }
        let Some(loaded) = &mut kept.loaded else {
            return Ok(Played::Missing("its network is not there"));
        };
        if kept.past.as_ref().is_none_or(|(number, _)| *number != plan.number) {
            kept.past = self.past_of(plan)?.map(|past| (plan.number, past));
        }
        let Some((_, past)) = &kept.past else {
            return Ok(Played::Missing("the games before it are not there"));
        };
        let games = games_of(plan, config, past.clone());
        let shared = shared_header(plan, config, &loaded.evaluator)?;
        let work = Work { plan, games, shared };
        self.play(game, &work, board, loaded, tried)
    }

    /// Loads what plays; none where the network is not in the mailbox any more.
    fn load<G: Game>(
        &self,
        game: &G,
        plan: &Plan,
        config: &RunConfig,
    ) -> anyhow::Result<Option<Loaded<G>>> {
        let mut config = config.clone();
        if let Some(device) = self.options.device {
            config.run.device = device;
            config.selfplay.devices = Vec::new();
        }
        let folder = self.options.cache.clone().unwrap_or_else(cache::default_folder);
        let bytes = match &plan.network {
            None => None,
            Some(network) => match cache::network(&folder, &self.mailbox, network)? {
                None => return Ok(None),
                found => found,
            },
        };
        let network = bytes.as_deref().map(|bytes| (bytes, plan.network_name.as_str()));
        let (sources, name) = sources_of(game, &config, network)?;
        let evaluator = sources.ids()[0].clone();
        if plan.evaluators == EvaluatorRule::Same && evaluator != plan.evaluator {
            let (ours, theirs) = (evaluator, plan.evaluator.clone());
            return Err(WorkerRefused::Evaluator { ours, theirs }.into());
        }
        if name != plan.network_name {
            let what = format!("{name} plays here, and {} there", plan.network_name);
            return Err(WorkerRefused::Configuration { what }.into());
        }
        (self.print)(&format!(
            "plan {}: cycle {}, generation {}, {} units of {} games, by {evaluator}",
            plan.number,
            plan.cycle,
            plan.generation,
            plan.units(),
            plan.unit_games
        ));
        Ok(Some(Loaded { sources, name, evaluator }))
    }

    /// The earlier games that a plan needs; `None` if they are not in the mailbox.
    fn past_of(&self, plan: &Plan) -> anyhow::Result<Option<Past>> {
        let Some(object) = &plan.past else { return Ok(Some(Past::default())) };
        let path = past_path(&object.blake3);
        let found = self.mailbox.get(&path, object.bytes.min(PAST_BYTES_MAX))?;
        let Some(bytes) = found.filter(|bytes| ObjectHash::of(bytes) == *object) else {
            return Ok(None);
        };
        let past = read_past(&bytes);
        let damaged = |error: anyhow::Error| FleetError::Damaged { path, what: error.to_string() };
        Ok(Some(past.map_err(damaged).map_err(WorkerRefused::Mailbox)?))
    }

    /// Plays units of a plan until there is none to begin.
    fn play<G: Game>(
        &mut self,
        game: &G,
        work: &Work<'_>,
        board: Board,
        loaded: &mut Loaded<G>,
        tried: &mut BTreeSet<u32>,
    ) -> anyhow::Result<Played> {
        let stay = Stay {
            mailbox: &self.mailbox,
            plan: work.plan.number,
            units: work.plan.units(),
            identity: &self.identity,
            open: &self.open,
            counters: &self.counters,
        };
        let mut picker = Picker {
            stay,
            evaluator: &loaded.evaluator,
            choice: self.options.units.clone().map_or(Choice::Board, Choice::Given),
            tried,
            offer: board.offer,
            looked: Instant::now(),
            backoff: &mut self.backoff,
            samples: &mut self.samples,
            stop: self.waiting.stop,
            trouble: None,
        };
        let patience = self.options.patience;
        let mut deliverer = Deliverer {
            hand_in: HandIn { stay, kind: UnitKind::Games, patience, units: 0 },
            plan: work.plan,
            shared: &work.shared,
            spent: SearchCounts::default(),
            noted: SearchCounts::default(),
        };
        let mut next = || picker.next().map(u64::from);
        play_shards(game, &work.games, &mut next, &mut loaded.sources, &mut deliverer)?;
        Ok(Played::Units(deliverer.hand_in.units, picker.trouble))
    }

    /// Waits a while, longer each time.
    pub(super) fn pause(&mut self, why: &str) -> Option<WorkerEnd> {
        let random = self.next_random();
        let pause = self.backoff.next(random);
        self.waiting.wait(pause, why)
    }

    /// Waits a while for a home to begin.
    pub(super) fn pause_before_home(&mut self) -> Option<WorkerEnd> {
        let why = "no home has begun";
        if self.mailbox.is_folder() {
            return self.pause(why);
        }
        let pause = home_delay(self.next_random());
        self.waiting.wait(pause, why)
    }

    fn next_random(&mut self) -> u64 {
        self.samples += 1;
        self.identity.word.wrapping_add(self.samples)
    }
}

/// A plan as a worker plays it.
struct Work<'a> {
    plan: &'a Plan,
    games: CyclePlan,
    /// What the headers of its units share.
    shared: ShardHeader,
}

/// A network that is ready to play.
struct Loaded<G: Game> {
    sources: Sources<G>,
    name: String,
    evaluator: String,
}
