//! The plan of a cycle as an object, and back.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use dz_config::{RunConfig, WorkerEvaluators};
use dz_fleet::{
    BOARD, BOARD_BYTES_MAX, Board, EvaluatorRule, MATCHES, ObjectHash, PLAN_BYTES_MAX, Plan,
    PlanObject, ResignRule, plan_number, plan_path,
};
use dz_shard::ShardHeader;
use dz_stage::{StageContext, Stop};
use dz_store::{Created, Mailbox, MailboxError, Run};

use crate::{CyclePlan, ResignPlan};

/// Who the mailbox belongs to.
const OWNER: &str = "run.json";
/// Pause before a mailbox that failed is asked again.
const AGAIN: Duration = Duration::from_secs(5);

/// The plan of what `cycle_plan` plays; its number is not known yet.
pub(super) fn wanted_plan(
    context: &StageContext,
    cycle: u32,
    generation: u32,
    header: &ShardHeader,
    cycle_plan: &CyclePlan,
    version: &str,
) -> Plan {
    let config = &context.config;
    let champion = context.ledger.state().champion.as_ref();
    Plan {
        format: Plan::FORMAT,
        number: 0,
        version: version.to_owned(),
        config: config.to_toml(),
        results_hash: config.results_hash(),
        header_hash: header.config_hash.clone(),
        cycle,
        generation,
        network: champion.map(|champion| ObjectHash {
            blake3: champion.network.blake3.clone(),
            bytes: champion.network.bytes,
        }),
        network_name: header.networks[0].clone(),
        evaluator: header.evaluators[0].clone(),
        evaluators: evaluator_rule(config),
        first_game: cycle_plan.first_shard * cycle_plan.games_per_shard,
        games: cycle_plan.count,
        games_per_shard: cycle_plan.games_per_shard,
        unit_games: config.unit_games().into(),
        resign: cycle_plan.games.resign.map(|resign| ResignRule {
            value_min: resign.value_min,
            turns: resign.turns,
            play_on_share: resign.play_on_share,
        }),
        past: None,
    }
}

/// Which evaluators may play for a run.
pub(super) const fn evaluator_rule(config: &RunConfig) -> EvaluatorRule {
    match config.workers.evaluators {
        WorkerEvaluators::Same => EvaluatorRule::Same,
        WorkerEvaluators::Any => EvaluatorRule::Any,
    }
}

/// The resignation that a plan asks for.
pub(super) fn resign_of(plan: &Plan) -> Option<ResignPlan> {
    plan.resign.map(|rule| ResignPlan {
        value_min: rule.value_min,
        turns: rule.turns,
        play_on_share: rule.play_on_share,
    })
}

/// Does `work` on a mailbox until it succeeds, is refused for good, or somebody asks to stop: a
/// store that is away for a while does not end a run.
///
/// # Errors
/// What `work` reports last.
pub(super) fn insist<T>(
    stop: &Stop,
    mut note: impl FnMut(String),
    mut work: impl FnMut() -> Result<T, MailboxError>,
) -> Result<T, MailboxError> {
    let mut said = false;
    loop {
        match work() {
            Err(error) if error.is_temporary() && !stop.requested() => {
                if !std::mem::replace(&mut said, true) {
                    note(format!("{error}; trying again every {} s", AGAIN.as_secs()));
                }
                thread::sleep(AGAIN);
            }
            other => return other,
        }
    }
}

/// Opens the run's mailbox, and refuses one of another run.
///
/// # Errors
/// [`MailboxError`].
pub(super) fn own_mailbox(
    run: &Run,
    address: &str,
    stop: &Stop,
    note: impl FnMut(String),
) -> anyhow::Result<Mailbox> {
    let mailbox = Mailbox::make(address)?;
    // The first record is no other run's: it holds the time of its beginning.
    let first = run.read(&dz_store::layout::log_path(1)).context("the run has not begun")?;
    let owner = format!("{{\"run\":\"{}\"}}\n", blake3::hash(&first).to_hex());
    match insist(stop, note, || mailbox.create(OWNER, owner.as_bytes()))? {
        Created::Ours => Ok(mailbox),
        Created::Theirs(_) => Err(MailboxError::OtherRun { address: address.to_owned() }.into()),
    }
}

/// A word that nobody else knows.
pub(super) fn random_word() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// An object that a plan needs.
pub(super) struct Object<'a> {
    pub(super) path: String,
    /// Its length.
    pub(super) bytes: u64,
    /// Reads it; called only where the mailbox does not have it.
    pub(super) content: &'a dyn Fn() -> anyhow::Result<Vec<u8>>,
}

/// Where a home publishes its plans.
pub(super) struct Post<'a> {
    pub(super) mailbox: &'a Mailbox,
    pub(super) stop: &'a Stop,
    pub(super) note: &'a dyn Fn(String),
}

impl Post<'_> {
    fn insist<T>(&self, work: impl FnMut() -> Result<T, MailboxError>) -> Result<T, MailboxError> {
        insist(self.stop, self.note, work)
    }

    /// Publishes a plan and what it needs, by folders, under a new number unless the newest plan is
    /// the same. Returns it with its number.
    ///
    /// # Errors
    /// [`MailboxError`], or what the objects report.
    pub(super) fn publish<P: PlanObject>(
        &self,
        wanted: &P,
        objects: &[(&str, Vec<Object<'_>>)],
    ) -> anyhow::Result<P> {
        let listed = self.insist(|| self.mailbox.list("plan"))?;
        let numbers = listed.iter().filter_map(|found| plan_number(&found.path));
        let newest = numbers.max().unwrap_or(0);
        if newest > 0 {
            let path = plan_path(newest);
            let found = self.insist(|| self.mailbox.get(&path, PLAN_BYTES_MAX))?;
            let found = found.and_then(|bytes| P::read(&path, &bytes).ok());
            if let Some(found) = found.filter(|found| found.is_same(wanted)) {
                self.put_objects(objects)?;
                return Ok(found);
            }
        }
        self.put_objects(objects)?;
        let mut number = newest + 1;
        loop {
            let plan = wanted.numbered(number);
            let bytes = plan.to_bytes();
            match self.insist(|| self.mailbox.create(&plan_path(number), &bytes))? {
                Created::Ours => return Ok(plan),
                Created::Theirs(_) => number += 1,
            }
        }
    }

    /// Puts objects where workers find them, and removes those of earlier plans: a worker that
    /// still wants one looks at the board again.
    fn put_objects(&self, objects: &[(&str, Vec<Object<'_>>)]) -> anyhow::Result<()> {
        for (folder, wanted) in objects {
            let listed = self.insist(|| self.mailbox.list(folder))?;
            let is_wanted = |path: &str| wanted.iter().any(|object| object.path == path);
            for old in listed.iter().filter(|found| !is_wanted(&found.path)) {
                if let Err(error) = self.mailbox.delete(&old.path) {
                    tracing::debug!("{error}");
                }
            }
            for Object { path, bytes, content } in wanted {
                if listed.iter().any(|found| found.path == *path && found.bytes == *bytes) {
                    continue;
                }
                let content = content()?;
                self.insist(|| self.mailbox.replace(path, &content))?;
            }
        }
        Ok(())
    }
}

/// The newest board, if there is one that can be read.
///
/// # Errors
/// [`MailboxError`].
pub(super) fn read_board(mailbox: &Mailbox) -> Result<Option<Board>, MailboxError> {
    let bytes = mailbox.get(BOARD, BOARD_BYTES_MAX)?;
    Ok(bytes.and_then(|bytes| {
        let read = Board::read(&bytes);
        read.inspect_err(|error| tracing::warn!("{error}")).ok()
    }))
}

/// Publishes to the workers of a run that it is finished. Does nothing where it has none.
///
/// # Errors
/// [`MailboxError`].
pub fn finish_mailbox(run: &Run, config: &RunConfig, stop: &Stop) -> anyhow::Result<()> {
    let Some(address) = config.mailbox() else { return Ok(()) };
    let note = |text: String| tracing::warn!("{text}");
    let mailbox = own_mailbox(run, address, stop, note)?;
    let matches = mailbox.below(MATCHES)?;
    insist(stop, note, || {
        // Workers obey the highest epoch that they have seen on either board.
        let epoch_of = |of: &Mailbox| -> Result<u64, MailboxError> {
            Ok(read_board(of)?.map_or(0, |board| board.epoch))
        };
        let epoch = epoch_of(&mailbox)?.max(epoch_of(&matches)?);
        let board = Board { finished: true, ..Board::empty(epoch) };
        mailbox.replace(BOARD, &board.to_bytes())
    })?;
    Ok(())
}
