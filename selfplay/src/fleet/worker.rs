//! A worker: plays for a run that it knows by its mailbox alone.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use dz_config::{DeviceChoice, RunConfig};
use dz_fleet::{
    Backoff, Board, EvaluatorRule, FleetError, ObjectHash, PLAN_BYTES_MAX, Pick, Plan, past_path,
    plan_path,
};
use dz_game::{Game, GameSpec, with_game};
use dz_infer::Sources;
use dz_search::SearchCounts;
use dz_shard::ShardHeader;
use dz_stage::Stop;
use dz_store::{Mailbox, MailboxError, host};

use super::cache;
use super::metrics::{Counters, serve};
use super::past_file::{PAST_BYTES_MAX, read_past};
use super::plan::{read_board, resign_of};
use super::session::{Choice, Deliverer, Identity, OpenClaims, Picker};
use super::unit::unit_plan;
use crate::stage::sources_of;
use crate::{CyclePlan, Past, ShardPublisher, cycle_plan, play_shards};

/// How long a wait goes on without a look at whether to stop.
const SLICE: Duration = Duration::from_millis(50);
/// The shortest and the longest pause of a worker with nothing to play: of a folder, of a bucket.
const PAUSES_FOLDER: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(2)];
const PAUSES_BUCKET: [Duration; 2] = [Duration::from_secs(5), Duration::from_mins(1)];

/// What a worker is told.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Address of the mailbox.
    pub mailbox: String,
    /// Version of this program; it must be the home's.
    pub version: String,
    /// Folder of networks; the user's cache by default.
    pub cache: Option<PathBuf>,
    /// Whether to end when the newest plan has nothing left to begin.
    pub once: bool,
    /// Units of the newest plan to play, without claims.
    pub units: Option<Range<u32>>,
    /// How long units that were begun may take after a stop was asked for.
    pub grace: Duration,
    /// How long to wait for something to play.
    pub patience: Duration,
    /// What to compute on, in place of the home's device.
    pub device: Option<DeviceChoice>,
    /// Where to show metrics.
    pub metrics: Option<SocketAddr>,
}

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerEnd {
    /// The run is finished, or what was asked for is done.
    Finished,
    /// The same command may be started again; why it ended, for people.
    TryAgain(String),
}

/// Why a worker plays nothing for this run. Nothing was handed in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerRefused {
    /// Another version might play other games.
    #[error(
        "the home runs dagzero {theirs} and this is {ours}: another version may play other games. Install {theirs} here, \
         or end the run's other program and start it with this one"
    )]
    Version {
        /// This program's.
        ours: String,
        /// The home's.
        theirs: String,
    },
    /// This program makes another configuration of the same text.
    #[error(
        "this program reads the run's configuration otherwise than its home ({what}): install the version of dagzero that the \
         home runs"
    )]
    Configuration {
        /// What differs.
        what: String,
    },
    /// Other bits.
    #[error(
        "the run takes games of the evaluator {theirs} alone, and here is {ours}: choose another --device or machine, or set \
         workers.evaluators = \"any\" at home, which gives up equal bytes"
    )]
    Evaluator {
        /// This machine's.
        ours: String,
        /// The home's.
        theirs: String,
    },
    /// Something in the mailbox is of a later program, or damaged.
    #[error("{0}")]
    Mailbox(FleetError),
}

/// Plays for the run at `options.mailbox` until it is finished, somebody asks to stop, or patience
/// is over.
///
/// # Errors
/// [`WorkerRefused`], [`MailboxError`] of an address that cannot be opened, or what the device
/// reports.
pub fn work(
    options: &WorkerOptions,
    stop: &Stop,
    tell: &dyn Fn(&str),
) -> anyhow::Result<WorkerEnd> {
    let counters = Arc::new(Counters::default());
    if let Some(address) = options.metrics {
        let bound = serve(address, Arc::clone(&counters))?;
        tell(&format!("metrics at http://{bound}/metrics"));
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
        tell,
    };
    worker.release_after_grace();
    let end = worker.work();
    worker.open.release(&worker.mailbox);
    end
}

/// A name that no other worker has.
fn identity() -> Identity {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let word = RandomState::new().build_hasher().finish();
    let worker = format!("{}-{}-{:08x}", host(), std::process::id(), word as u32);
    Identity { worker, word }
}

/// Waits, as long as there is patience.
struct Waiting<'a> {
    patience: Duration,
    stop: &'a Stop,
    since: Instant,
}

impl Waiting<'_> {
    /// Waits for `pause`, unless that is the end.
    fn wait(&mut self, pause: Duration, why: &str) -> Option<WorkerEnd> {
        let until = Instant::now() + pause;
        loop {
            if self.stop.requested() {
                return Some(WorkerEnd::TryAgain("asked to stop".to_owned()));
            }
            if self.since.elapsed() > self.patience {
                let seconds = self.patience.as_secs();
                let text = format!("nothing to play for {seconds} s ({why})");
                return Some(WorkerEnd::TryAgain(text));
            }
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return None;
            }
            thread::sleep(rest.min(SLICE));
        }
    }
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
    tell: &'a dyn Fn(&str),
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
        loop {
            match self.look_patiently()? {
                Err(end) => return Ok(end),
                Ok(Look::Plan(plan, _)) => {
                    let config = self.accept(&plan)?;
                    let spec: GameSpec = config.run.game.parse()?;
                    return with_game!(&spec, |game| self.work_at(&game, &config.run.game))?;
                }
                Ok(Look::Finished) => return Ok(WorkerEnd::Finished),
                Ok(Look::Nothing(why)) => {
                    if let Some(end) = self.pause(why) {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Plays plan after plan of one game.
    fn work_at<G: Game>(&mut self, game: &G, spec: &str) -> anyhow::Result<WorkerEnd> {
        let mut loaded: Option<Loaded<G>> = None;
        let mut tried: (u64, BTreeSet<Pick>) = (0, BTreeSet::new());
        let mut past: Option<Past> = None;
        loop {
            let (plan, board) = match self.look_patiently()? {
                Err(end) => return Ok(end),
                Ok(Look::Finished) => return Ok(WorkerEnd::Finished),
                Ok(Look::Nothing(why)) => match self.pause(why) {
                    Some(end) => return Ok(end),
                    None => continue,
                },
                Ok(Look::Plan(plan, board)) => (plan, board),
            };
            let config = self.accept(&plan)?;
            if config.run.game != spec {
                let what = format!("its game was {spec} and is {}", config.run.game);
                return Err(WorkerRefused::Configuration { what }.into());
            }
            if loaded.as_ref().is_none_or(|loaded| loaded.name != plan.network_name) {
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
            let units = self.play(game, &plan, &config, &games, board, loaded, &mut tried.1)?;
            if self.waiting.stop.requested() {
                return Ok(WorkerEnd::TryAgain("asked to stop".to_owned()));
            }
            if self.options.once || self.options.units.is_some() {
                return Ok(WorkerEnd::Finished);
            }
            if units > 0 {
                self.backoff.reset();
                self.waiting.since = Instant::now();
            } else if let Some(end) = self.pause("all units are being played") {
                return Ok(end);
            }
        }
    }

    /// What there is to do; a mailbox that fails is waited for.
    fn look_patiently(&mut self) -> anyhow::Result<Result<Look, WorkerEnd>> {
        loop {
            match self.look() {
                Ok(look) => return Ok(Ok(look)),
                Err(LookError::Refused(error)) => {
                    return Err(WorkerRefused::Mailbox(error).into());
                }
                Err(LookError::Mailbox(error)) if error.is_temporary() => {
                    tracing::warn!("{error}");
                    if let Some(end) = self.pause(&error.to_string()) {
                        return Ok(Err(end));
                    }
                }
                Err(LookError::Mailbox(error)) => return Err(error.into()),
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

    /// The configuration of a plan, if this program plays the same games.
    fn accept(&self, plan: &Plan) -> Result<RunConfig, WorkerRefused> {
        let ours = &self.options.version;
        if plan.version != *ours {
            let (ours, theirs) = (ours.clone(), plan.version.clone());
            return Err(WorkerRefused::Version { ours, theirs });
        }
        let config = RunConfig::from_text(&plan.config, &[])
            .map_err(|error| WorkerRefused::Configuration { what: error.to_string() })?;
        if config.results_hash() != plan.results_hash {
            let what = format!("hash {} here, {} there", config.results_hash(), plan.results_hash);
            return Err(WorkerRefused::Configuration { what });
        }
        Ok(config)
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
        (self.tell)(&format!(
            "plan {}: cycle {}, generation {}, {} units of {} games, by {evaluator}",
            plan.number,
            plan.cycle,
            plan.generation,
            plan.units(),
            plan.unit_games
        ));
        Ok(Some(Loaded { sources, name, evaluator }))
    }

    /// What the games of a plan take from earlier ones; none where it is not in the mailbox.
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

    /// Plays units of a plan until there is none to begin. Returns how many were handed in.
    fn play<G: Game>(
        &mut self,
        game: &G,
        plan: &Plan,
        config: &RunConfig,
        games: &CyclePlan,
        board: Board,
        loaded: &mut Loaded<G>,
        tried: &mut BTreeSet<Pick>,
    ) -> anyhow::Result<u64> {
        let shared = shared_header(plan, config, &loaded.evaluator)?;
        let mut picker = Picker {
            mailbox: &self.mailbox,
            plan,
            identity: &self.identity,
            evaluator: &loaded.evaluator,
            choice: self.options.units.clone().map_or(Choice::Board, Choice::Given),
            open: self.open.clone(),
            tried,
            offer: board.offer,
            looked: Instant::now(),
            draws: &mut self.draws,
            counters: Arc::clone(&self.counters),
            stop: self.waiting.stop.clone(),
        };
        let mut deliverer = Deliverer {
            mailbox: &self.mailbox,
            plan,
            shared: &shared,
            identity: &self.identity,
            open: self.open.clone(),
            counters: Arc::clone(&self.counters),
            patience: self.options.patience,
            spent: SearchCounts::default(),
            noted: SearchCounts::default(),
            units: 0,
        };
        let mut next = || picker.next().map(u64::from);
        play_shards(game, games, &mut next, &mut loaded.sources, &mut deliverer)?;
        Ok(deliverer.units)
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

/// A network that is ready to play.
struct Loaded<G: Game> {
    sources: Sources<G>,
    name: String,
    evaluator: String,
}

/// What the headers of a plan's units share.
fn shared_header(plan: &Plan, config: &RunConfig, evaluator: &str) -> anyhow::Result<ShardHeader> {
    let (evaluator, network) = (evaluator.to_owned(), plan.network_name.clone());
    let header = ShardPublisher::header(config, plan.generation, evaluator, network)?;
    Ok(ShardHeader { config_hash: plan.header_hash.clone(), ..header })
}

/// The games of a plan, by units.
fn games_of(plan: &Plan, config: &RunConfig, past: Past) -> CyclePlan {
    let first_shard = plan.first_game / plan.games_per_shard;
    let games = cycle_plan(config, plan.generation, first_shard, resign_of(plan), past);
    let games = CyclePlan { count: plan.games, games_per_shard: plan.games_per_shard, ..games };
    unit_plan(&games, plan.unit_games)
}
