//! Who is the home of a run: the holder of the highest epoch in its mailbox.
//!
//! A home creates the object of its epoch, and writes it again every 15 s while it lives. The run's
//! directory keeps a copy of that object. By the copy the stages of a run, and the run after a
//! restart, know the epoch for their own.

use std::time::Duration;

use dz_config::RunConfig;
use dz_fleet::{HOMES, home_epoch, home_path};
use dz_stage::Stop;
use dz_store::{Created, Mailbox, MailboxError, Run, Stage, host, layout};

use super::plan::{insist, own_mailbox, random_word};

/// A home that was seen more recently than this is taken to be alive. It is seen every
/// [`HomeLease::RENEWED_EVERY`].
const ALIVE: Duration = Duration::from_mins(1);
/// Longest epoch object that is read, in bytes.
const HOME_BYTES_MAX: u64 = 1 << 12;

/// The right to be the home of a run, until another process takes it over.
#[derive(Clone, Debug)]
pub struct HomeLease {
    mailbox: Mailbox,
    epoch: u64,
    /// What the epoch's object holds.
    content: Vec<u8>,
}

/// The newest epoch in a mailbox.
struct Newest {
    epoch: u64,
    content: Vec<u8>,
}

impl HomeLease {
    /// How often a home renews its lease.
    pub const RENEWED_EVERY: Duration = Duration::from_secs(15);

    /// Makes this process the home of a run: homes of lower epochs end when they see it, and
    /// workers obey the highest. `takes_over` decides whether a home that seems to be alive is to
    /// end. None where the run has no mailbox. Waits for a mailbox that is away.
    ///
    /// # Errors
    /// [`MailboxError::HomeAlive`], and what the mailbox or the run's directory report.
    pub fn begin(
        run: &Run,
        config: &RunConfig,
        takes_over: bool,
        stop: &Stop,
        mut note: impl FnMut(String),
    ) -> anyhow::Result<Option<Self>> {
        let Some(address) = config.mailbox() else { return Ok(None) };
        let mailbox = own_mailbox(run, address, stop, &mut note)?;
        let newest = insist(stop, &mut note, || newest(&mailbox))?;
        let is_other = |newest: &&Newest| own_content(run).as_ref() != Some(&newest.content);
        if let Some(other) = newest.as_ref().filter(is_other)
            && !takes_over
        {
            insist(stop, &mut note, || age(&mailbox, other.epoch))?
                .filter(|age| *age < ALIVE)
                .map_or(Ok(()), |age| Err(alive(other, age)))?;
        }
        let content = format!(
            "{{\"home\":\"{}, process {}\",\"nonce\":\"{:016x}\"}}\n",
            host(),
            std::process::id(),
            random_word()
        );
        // First, so that a kill leaves no epoch that the run does not know for its own.
        run.replace(&own_path(), content.as_bytes())?;
        let mut lease = Self { mailbox, epoch: 0, content: content.into_bytes() };
        lease.epoch = newest.map_or(1, |newest| newest.epoch + 1);
        let path = || home_path(lease.epoch);
        match insist(stop, &mut note, || lease.mailbox.create(&path(), &lease.content))? {
            Created::Ours => {}
            Created::Theirs(_) => return Err(lease.taken_over().into()),
        }
        let old = insist(stop, &mut note, || lease.mailbox.list(HOMES))?;
        for old in old.iter().filter(|old| old.path < path()) {
            insist(stop, &mut note, || lease.mailbox.delete(&old.path))?;
        }
        Ok(Some(lease))
    }

    /// The lease that the run's driver holds, for a stage. Where no driver ever ran, the stage was
    /// started by hand, and begins one.
    ///
    /// # Errors
    /// [`MailboxError::TakenOver`], and as [`Self::begin`].
    pub(crate) fn of_stage(
        run: &Run,
        config: &RunConfig,
        mailbox: &Mailbox,
        stop: &Stop,
        mut note: impl FnMut(String),
    ) -> anyhow::Result<u64> {
        let Some(own) = own_content(run) else {
            let lease = Self::begin(run, config, false, stop, note)?;
            return Ok(lease.map_or(0, |lease| lease.epoch));
        };
        let newest = insist(stop, &mut note, || newest(mailbox))?;
        let held = newest.filter(|newest| newest.content == own);
        let address = mailbox.address().to_owned();
        Ok(held.ok_or(MailboxError::TakenOver { address })?.epoch)
    }

    /// The mailbox.
    pub const fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// The epoch.
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Fails if another home took over.
    ///
    /// # Errors
    /// [`MailboxError::TakenOver`], or what the store reports.
    pub fn check(&self) -> Result<(), MailboxError> {
        check_epoch(&self.mailbox, self.epoch)
    }

    /// Shows that this home is alive.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn renew(&self) -> Result<(), MailboxError> {
        self.check()?;
        self.mailbox.replace(&home_path(self.epoch), &self.content)
    }

    fn taken_over(&self) -> MailboxError {
        MailboxError::TakenOver { address: self.mailbox.address().to_owned() }
    }
}

/// Refuses to take a run over from a home that seems to be alive.
///
/// # Errors
/// [`MailboxError::HomeAlive`], and what the mailbox reports.
pub fn check_home_is_gone(mailbox: &Mailbox) -> anyhow::Result<()> {
    let Some(other) = newest(mailbox)? else { return Ok(()) };
    match age(mailbox, other.epoch)? {
        Some(age) if age < ALIVE => Err(alive(&other, age).into()),
        _ => Ok(()),
    }
}

/// Ends the home of `epoch` if there is a later one.
///
/// # Errors
/// [`MailboxError::TakenOver`], or what the store reports.
pub(super) fn check_epoch(mailbox: &Mailbox, epoch: u64) -> Result<(), MailboxError> {
    let listed = mailbox.list(HOMES)?;
    if listed.iter().filter_map(|found| home_epoch(&found.path)).any(|other| other > epoch) {
        return Err(MailboxError::TakenOver { address: mailbox.address().to_owned() });
    }
    Ok(())
}

/// Where the run keeps what its home's epoch holds.
fn own_path() -> String {
    format!("{}/home.json", layout::work_path(Stage::Driver))
}

fn own_content(run: &Run) -> Option<Vec<u8>> {
    run.read(&own_path()).ok().map(|bytes| bytes.to_vec())
}

fn newest(mailbox: &Mailbox) -> Result<Option<Newest>, MailboxError> {
    let listed = mailbox.list(HOMES)?;
    let Some(epoch) = listed.iter().filter_map(|found| home_epoch(&found.path)).max() else {
        return Ok(None);
    };
    let content = mailbox.get(&home_path(epoch), HOME_BYTES_MAX)?;
    Ok(Some(Newest { epoch, content: content.map(|bytes| bytes.to_vec()).unwrap_or_default() }))
}

fn age(mailbox: &Mailbox, epoch: u64) -> Result<Option<Duration>, MailboxError> {
    mailbox.age(&home_path(epoch))
}

fn alive(other: &Newest, age: Duration) -> MailboxError {
    #[derive(serde::Deserialize)]
    struct Named {
        home: String,
    }
    let named = serde_json::from_slice::<Named>(&other.content);
    let home = named.map_or_else(|_| "its name is unknown".to_owned(), |named| named.home);
    MailboxError::HomeAlive { seconds: age.as_secs(), home }
}
