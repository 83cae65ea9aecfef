//! A worker: plays for a run that it knows by its mailbox alone.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use dz_config::RunConfig;
use dz_fleet::{
    Backoff, Board, EvaluatorRule, FleetError, ObjectHash, PLAN_BYTES_MAX, Pick, Plan, past_path,
    plan_path, start_delay,
};
use dz_game::{Game, GameSpec, with_game};
use dz_infer::Sources;
use dz_search::SearchCounts;
use dz_shard::ShardHeader;
use dz_stage::Stop;
use dz_store::{Mailbox, MailboxError, host};

use super::cache;
use super::metrics::{Counters, serve};
use super::options::{WorkerEnd, WorkerOptions, WorkerRefused, accept};
use super::past_file::{PAST_BYTES_MAX, read_past};
use super::plan::{random_word, read_board};
use super::session::{Choice, Deliverer, Identity, OpenClaims, Picker, Stay};
use super::unit::{games_of, shared_header};
use super::waiting::{SLICE, Waiting};
use crate::sources::sources_of;
use crate::{CyclePlan, Past, play_shards};

/// Shortest and longest pause of a worker with nothing to play, with a folder and with a bucket.
const PAUSES_FOLDER: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(2)];
const PAUSES_BUCKET: [Duration; 2] = [Duration::from_secs(5), Duration::from_mins(1)];

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
        mailbox,
        counters,
        open: OpenClaims::default(),
        waiting,
        backoff: Backoff::new(first, last),
        draws: 0,
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
    end
}

/// A name that no other worker has.
fn identity() -> Identity {
    let word = random_word();
    let worker = format!("{}-{}-{:08x}", host(), std::process::id(), word as u32);
    Identity { worker, word }
}

struct Worker<'a> {
    options: &'a WorkerOptions,
    identity: Identity,
    mailbox: Mailbox,
    counters: Arc<Counters>,
    open: OpenClaims,
    waiting: Waiting<'a>,
    backoff: Backoff,
    draws: u64,
    /// The highest epoch of a home that was seen.
    epoch: u64,
    print: &'a dyn Fn(&str),
}

/// What the mailbox has for a worker.
enum Look {
    /// This plan, and the board that shows it.
    Plan(Box<Plan>, Board),
    /// Nothing now, for this reason.
    Nothing(&'static str),
    /// The run is over.
    Finished,
}

impl Worker<'_> {
    /// After a stop was asked for, units may take `grace` to end. Then their claims are released,
    /// and the process ends with 75.
    fn release_after_grace(&self) {
        let (stop, grace) = (self.waiting.stop.clone(), self.options.grace);
        let (open, mailbox) = (self.open.clone(), self.mailbox.clone());
        let watch = move || {
            while !stop.requested() {
                thread::sleep(SLICE);
            }
            thread::sleep(grace);
            open.release(&mailbox);
            std::process::exit(i32::from(dz_stage::exit::TRY_AGAIN));
        };
        // Without the thread, a second signal still ends the process.
        if let Err(error) = thread::Builder::new().name("grace".to_owned()).spawn(watch) {
            tracing::warn!("no thread watches the grace: {error}");
        }
    }

    fn work(&mut self) -> anyhow::Result<WorkerEnd> {
        let plan = match self.next_plan()? {
            Ok((plan, _)) => plan,
            Err(end) => return Ok(end),
        };
        let config = accept(&plan, &self.options.version)?;
        let spec: GameSpec = config.run.game.parse()?;
        with_game!(&spec, |game| self.work_at(&game, &config.run.game))?
    }

    /// Plays plan after plan of one game.
    fn work_at<G: Game>(&mut self, game: &G, spec: &str) -> anyhow::Result<WorkerEnd> {
        let mut loaded: Option<Loaded<G>> = None;
        let mut tried: (u64, BTreeSet<Pick>) = (0, BTreeSet::new());
        let mut past: Option<Past> = None;
        loop {
            let (plan, board) = match self.next_plan()? {
                Ok(found) => found,
                Err(end) => return Ok(end),
            };
            let config = accept(&plan, &self.options.version)?;
            if config.run.game != spec {
                let what = format!("its game was {spec} and is {}", config.run.game);
                return Err(WorkerRefused::Configuration { what }.into());
            }
            // The home may have moved to another device: loading anew refuses then.
            let fits = |loaded: &Loaded<G>| {
                let may_play =
                    plan.evaluators == EvaluatorRule::Any || loaded.evaluator == plan.evaluator;
                loaded.name == plan.network_name && may_play
            };
            if !loaded.as_ref().is_some_and(fits) {
                loaded = self.load(game, &plan, &config)?;
            }
            let Some(loaded) = &mut loaded else {
                match self.pause("its network is not there") {
                    Some(end) => return Ok(end),
                    None => continue,
                }
            };
            if tried.0 != plan.number {
                tried = (plan.number, BTreeSet::new());
                past = None;
            }
            if past.is_none() {
                past = self.past_of(&plan)?;
            }
            let Some(past) = &past else {
                match self.pause("the games before it are not there") {
                    Some(end) => return Ok(end),
                    None => continue,
                }
            };
            let games = games_of(&plan, &config, past.clone());
            let shared = shared_header(&plan, &config, &loaded.evaluator)?;
            let work = Work { plan: &plan, games, shared };
            let (units, trouble) = self.play(game, &work, board, loaded, &mut tried.1)?;
            if self.waiting.stop.requested() {
                return Ok(WorkerEnd::TryAgain("asked to stop".to_owned()));
            }
            if (self.options.once && trouble.is_none()) || self.options.units.is_some() {
                return Ok(WorkerEnd::Finished);
            }
            if units > 0 {
                self.backoff.reset();
                self.waiting.since = Instant::now();
            } else {
                let why = trouble.as_deref().unwrap_or("all units are being played");
                if let Some(end) = self.pause(why) {
                    return Ok(end);
                }
                // Some stores say that a claim is taken which then is not there.
                tried.1.clear();
            }
        }
    }

    /// The plan to play next and the board that shows it, or how the worker ends before there is
    /// one. A mailbox that fails is waited for.
    fn next_plan(&mut self) -> anyhow::Result<Result<(Box<Plan>, Board), WorkerEnd>> {
        loop {
            let why = match self.look() {
                Ok(Look::Plan(plan, board)) => return Ok(Ok((plan, board))),
                Ok(Look::Finished) => return Ok(Err(WorkerEnd::Finished)),
                Ok(Look::Nothing(why)) => why.to_owned(),
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

    fn look(&mut self) -> Result<Look, LookError> {
        let Some(board) = read_board(&self.mailbox)? else {
            return Ok(Look::Nothing("no home has begun"));
        };
        if board.epoch < self.epoch {
            return Ok(Look::Nothing("the board is that of a home that was taken over"));
        }
        self.epoch = board.epoch;
        self.counters.missing.store(board.units_missing.into(), Ordering::Relaxed);
        if board.finished {
            return Ok(Look::Finished);
        }
        let Some(offer) = &board.offer else {
            return Ok(Look::Nothing("the home trains, or is away"));
        };
        let path = plan_path(offer.plan);
        let Some(bytes) = self.mailbox.get(&path, PLAN_BYTES_MAX)? else {
            return Ok(Look::Nothing("its plan is not there"));
        };
        let plan = Plan::read(&path, &bytes).map_err(LookError::Refused)?;
        Ok(Look::Plan(Box::new(plan), board))
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

    /// Plays units of a plan until there is none to begin. Returns how many were handed in, and
    /// why the last claim failed, if it did.
    fn play<G: Game>(
        &mut self,
        game: &G,
        work: &Work<'_>,
        board: Board,
        loaded: &mut Loaded<G>,
        tried: &mut BTreeSet<Pick>,
    ) -> anyhow::Result<(u64, Option<String>)> {
        let stay = Stay {
            mailbox: &self.mailbox,
            plan: work.plan,
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
            draws: &mut self.draws,
            stop: self.waiting.stop,
            trouble: None,
        };
        let mut deliverer = Deliverer {
            stay,
            shared: &work.shared,
            patience: self.options.patience,
            spent: SearchCounts::default(),
            noted: SearchCounts::default(),
            units: 0,
        };
        let mut next = || picker.next().map(u64::from);
        play_shards(game, &work.games, &mut next, &mut loaded.sources, &mut deliverer)?;
        Ok((deliverer.units, picker.trouble))
    }

    fn pause(&mut self, why: &str) -> Option<WorkerEnd> {
        self.draws += 1;
        let pause = self.backoff.next(self.identity.word.wrapping_add(self.draws));
        self.waiting.wait(pause, why)
    }
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
