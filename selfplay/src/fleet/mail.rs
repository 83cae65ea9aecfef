//! The home's mail: a thread that lists, fetches and checks units from workers, shows them the
//! remaining units, and removes published ones. It appends nothing to the run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use dz_fleet::{
    BOARD, Board, NOTE_BYTES_MAX, UNIT_BYTES_MAX, UnitName, UnitNote, claim_of, claim_path,
    claims_folder, inbox_folder, plan_number, unit_name,
};
use dz_store::{Listed, Mailbox, MailboxError};

use super::excluded;
use super::lease::check_epoch;
use super::orders::{Brought, Delivered, Handle, NAMELESS, Order};
use super::plan::read_board;

/// How long a home waits for the mail at once where it does not play.
pub(super) const WAIT: Duration = Duration::from_millis(50);
/// Units that wait for the home at most.
const WAITING_MAX: usize = 64;
/// Where files go that are no good, for people to look at.
const REFUSED: &str = "refused";

/// Workers' boards are at most this many intervals between boards old.
const BOARD_AGE_MAX: u32 = 3;

/// How often the home lists the mailbox and shows a board.
#[derive(Clone, Copy, Debug)]
struct Rhythm {
    list: Duration,
    board: Duration,
}

impl Rhythm {
    /// Asking a folder costs nothing; requests to a bucket cost money.
    const fn of(mailbox: &Mailbox) -> Self {
        let (list_ms, board_ms) = if mailbox.is_folder() { (100, 200) } else { (2_000, 5_000) };
        Self { list: Duration::from_millis(list_ms), board: Duration::from_millis(board_ms) }
    }
}

/// Checks a unit's bytes, and reads what is in them.
pub(super) type Check<C> = Box<dyn Fn(u32, &[u8]) -> Result<C, String> + Send>;

/// What the mail of a plan goes through.
pub(super) struct Route {
    /// The run's mailbox: who is home, and who is excluded.
    pub(super) root: Mailbox,
    /// The mailbox of the plan, or the part of it: board, plans, claims and inbox.
    pub(super) mailbox: Mailbox,
    /// Where that part is in the run's mailbox, for messages: empty, or a folder and a slash.
    pub(super) part: &'static str,
    /// The epoch of this home.
    pub(super) epoch: u64,
}

/// The thread, as the home sees it. It brings units with a content of type `C`.
pub(super) struct Mail<C> {
    /// What it brings.
    pub(super) brought: Receiver<Brought<C>>,
    orders: std::sync::mpsc::Sender<Order>,
    thread: Option<JoinHandle<()>>,
}

impl<C: Send + 'static> Mail<C> {
    /// Starts carrying the mail of the plan that `handle` looks after.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(route: Route, handle: Handle, check: Check<C>) -> anyhow::Result<Self> {
        let (bring, brought) = sync_channel(WAITING_MAX);
        let (orders, taken) = std::sync::mpsc::channel();
        let plan = handle.lock().desk.plan();
        let carrier = Carrier {
            rhythm: Rhythm::of(&route.mailbox),
            root: route.root,
            mailbox: route.mailbox,
            part: route.part,
            epoch: route.epoch,
            plan,
            handle,
            check,
            bring,
            seen: BTreeSet::new(),
            taken: BTreeMap::new(),
            shown: None,
            is_in_trouble: false,
        };
        let thread = thread::Builder::new()
            .name("mail".to_owned())
            .spawn(move || carrier.carry(&taken))
            .context("no thread for the mail")?;
        Ok(Self { brought, orders, thread: Some(thread) })
    }

    /// Ends the thread, and waits for it.
    pub(super) fn end(mut self, is_over: bool) {
        self.stop(is_over);
    }
}

impl<C> Mail<C> {
    /// Gives an order. Where the thread has ended there is nobody to obey.
    pub(super) fn order(&self, order: Order) {
        let _ = self.orders.send(order);
    }

    fn stop(&mut self, is_over: bool) {
        self.order(Order::End { is_over });
        if let Some(thread) = self.thread.take() {
            // It may wait for room to bring something.
            while !thread.is_finished() {
                let _ = self.brought.recv_timeout(Duration::from_millis(10));
            }
            let _ = thread.join();
        }
    }
}

impl<C> Drop for Mail<C> {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.stop(false);
        }
    }
}

/// The thread's own.
struct Carrier<C> {
    root: Mailbox,
    mailbox: Mailbox,
    part: &'static str,
    rhythm: Rhythm,
    epoch: u64,
    plan: u64,
    handle: Handle,
    check: Check<C>,
    bring: SyncSender<Brought<C>>,
    /// Objects of the inbox that need no second look.
    seen: BTreeSet<String>,
    /// The file that was taken for a unit.
    taken: BTreeMap<u32, UnitName>,
    /// When the board was last shown.
    shown: Option<Instant>,
    /// Whether the mailbox failed last time.
    is_in_trouble: bool,
}

impl<C> Carrier<C> {
    fn carry(mut self, orders: &Receiver<Order>) {
        loop {
            let round = self.round();
            if let Err(error @ MailboxError::TakenOver { .. }) = round {
                let _ = self.bring.send(Brought::TakenOver(error));
                return;
            }
            self.report_trouble(round);
            let next = Instant::now() + self.rhythm.list;
            loop {
                let rest = next.saturating_duration_since(Instant::now());
                match orders.recv_timeout(rest) {
                    Ok(Order::End { is_over }) => {
                        if is_over {
                            let cleared = self.clear();
                            self.report_trouble(cleared);
                        }
                        return;
                    }
                    Ok(order) => {
                        let done = self.obey(&order);
                        self.report_trouble(done);
                    }
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        }
    }

    /// Looks at everything once.
    fn round(&mut self) -> Result<(), MailboxError> {
        self.fetch()?;
        let claims = self.mailbox.list(&claims_folder(self.plan))?;
        let claims = claims.iter().filter_map(|found| claim_of(self.plan, &found.path));
        let now = self.handle.now();
        let settled = {
            let mut shared = self.handle.lock();
            shared.desk.see_claims(now, claims);
            shared.desk.settled_claims(now, BOARD_AGE_MAX * self.rhythm.board)
        };
        let settled: Vec<String> = settled
            .into_iter()
            .map(|(unit, attempt)| claim_path(self.plan, unit, attempt))
            .collect();
        if !settled.is_empty() {
            self.mailbox.delete_all(&settled)?;
        }
        if self.shown.is_none_or(|shown| shown.elapsed() >= self.rhythm.board) {
            check_epoch(&self.root, self.epoch)?;
            self.show()?;
            self.shown = Some(Instant::now());
        }
        Ok(())
    }

    /// Fetches what is new in the inbox.
    fn fetch(&mut self) -> Result<(), MailboxError> {
        for Listed { path, .. } in self.mailbox.list(&inbox_folder(self.plan))? {
            if self.seen.contains(&path) {
                continue;
            }
            let Some(name) = unit_name(self.plan, &path) else {
                if Path::new(&path).extension().is_none_or(|ending| ending != "json") {
                    self.note(format!(
                        "{}{path} in the mailbox is no unit; it is left alone",
                        self.part
                    ));
                }
                self.seen.insert(path);
                continue;
            };
            self.take(name)?;
        }
        Ok(())
    }

    /// Takes one unit, if it is wanted.
    fn take(&mut self, name: UnitName) -> Result<(), MailboxError> {
        let path = name.path();
        if self.taken.get(&name.unit).is_some_and(|taken| *taken != name) {
            self.seen.insert(path);
            let _ = self.bring.send(Brought::Contradiction(name));
            return Ok(());
        }
        if !self.handle.lock().desk.missing().contains(name.unit) {
            self.seen.insert(path);
            return Ok(());
        }
        let found = match self.mailbox.get(&path, UNIT_BYTES_MAX) {
            Err(error @ (MailboxError::TooLong { .. } | MailboxError::NotAFile { .. })) => {
                // It would fail in every round, and nothing after it would be fetched.
                self.note(format!("{error}; it is left alone"));
                self.seen.insert(path);
                return Ok(());
            }
            other => other?,
        };
        let Some(bytes) = found else { return Ok(()) };
        if UnitName::of(name.kind, self.plan, name.unit, &bytes) != name {
            return self.refuse(&name, "its bytes have another hash than its name");
        }
        let note = self.note_of(&name)?;
        let worker = note.as_ref().map_or(NAMELESS, |note| &note.worker);
        if self.handle.lock().excluded.contains(worker) {
            return self.refuse(&name, &format!("{worker} handed in a wrong unit before"));
        }
        match (self.check)(name.unit, &bytes) {
            Ok(content) => {
                self.seen.insert(path);
                self.taken.insert(name.unit, name.clone());
                let delivered = Delivered { name, content, note };
                let _ = self.bring.send(Brought::Unit(Box::new(delivered)));
                Ok(())
            }
            Err(what) => self.refuse(&name, &what),
        }
    }

    /// The worker's note about a unit. An unreadable note counts as none.
    fn note_of(&self, name: &UnitName) -> Result<Option<UnitNote>, MailboxError> {
        let path = name.note_path();
        let bytes = match self.mailbox.get(&path, NOTE_BYTES_MAX) {
            Err(MailboxError::TooLong { .. } | MailboxError::NotAFile { .. }) => None,
            other => other?,
        };
        Ok(bytes.and_then(|bytes| UnitNote::read(&path, &bytes).ok()))
    }

    /// Puts a bad file aside, and reports that.
    fn refuse(&mut self, name: &UnitName, what: &str) -> Result<(), MailboxError> {
        self.seen.insert(name.path());
        let file = name.path().replacen("inbox", REFUSED, 1);
        self.note(format!(
            "unit {} of plan {} is refused: {what}. It is kept as {}{file} in the mailbox and played again",
            name.unit, name.plan, self.part
        ));
        if let Ok(Some(bytes)) = self.mailbox.get(&name.path(), UNIT_BYTES_MAX) {
            self.mailbox.replace(&file, &bytes)?;
        }
        self.mailbox.delete(&name.path())?;
        // The right bytes may come under a name that was looked at before.
        self.look_again(name.unit);
        self.release(&BTreeSet::from([name.unit]))
    }

    /// Forgets which objects of a unit were looked at.
    fn look_again(&mut self, unit: u32) {
        self.seen.retain(|path| unit_name(self.plan, path).is_none_or(|seen| seen.unit != unit));
    }

    /// Deletes the claims of these units.
    fn release(&self, units: &BTreeSet<u32>) -> Result<(), MailboxError> {
        let of_units = self.claims_of(units)?;
        self.mailbox.delete_all(&of_units)
    }

    /// The paths of these units' claims.
    fn claims_of(&self, units: &BTreeSet<u32>) -> Result<Vec<String>, MailboxError> {
        let listed = self.mailbox.list(&claims_folder(self.plan))?;
        let is_of = |path: &String| {
            claim_of(self.plan, path).is_some_and(|(unit, _)| units.contains(&unit))
        };
        Ok(listed.into_iter().map(|found| found.path).filter(is_of).collect())
    }

    fn obey(&mut self, order: &Order) -> Result<(), MailboxError> {
        match order {
            Order::Published(names) => {
                let mut done = self.claims_of(&names.iter().map(|name| name.unit).collect())?;
                done.extend(names.iter().flat_map(|name| [name.path(), name.note_path()]));
                self.mailbox.delete_all(&done)
            }
            Order::Refused(name, why) => {
                self.taken.remove(&name.unit);
                self.refuse(name, why)
            }
            Order::LookAgain(unit) => {
                self.taken.remove(unit);
                self.look_again(*unit);
                Ok(())
            }
            Order::Exclude(worker) => excluded::add(&self.root, worker),
            Order::End { .. } => Ok(()),
        }
    }

    /// Shows the board, unless it is there already. A home that was taken over may have written
    /// last, so it is read.
    fn show(&self) -> Result<(), MailboxError> {
        let now = self.handle.now();
        let board = {
            let shared = self.handle.lock();
            Board {
                offer: Some(shared.desk.offer(now)),
                units_missing: shared.desk.missing().len(),
                ..Board::empty(self.epoch)
            }
        };
        if read_board(&self.mailbox)?.as_ref() == Some(&board) {
            return Ok(());
        }
        self.mailbox.replace(BOARD, &board.to_bytes())
    }

    /// Removes everything of this plan and earlier ones, except refused units.
    fn clear(&mut self) -> Result<(), MailboxError> {
        self.mailbox.replace(BOARD, &Board::empty(self.epoch).to_bytes())?;
        let number = |path: &str| -> Option<u64> { path.split('/').nth(1)?.parse().ok() };
        let mut over = Vec::new();
        for folder in ["inbox", "claims"] {
            let paths = self.mailbox.list(folder)?.into_iter().map(|found| found.path);
            over.extend(paths.filter(|path| number(path).is_some_and(|plan| plan <= self.plan)));
        }
        // The newest plan stays: the next takes its number from it.
        let plans = self.mailbox.list("plan")?.into_iter().map(|found| found.path);
        over.extend(plans.filter(|path| plan_number(path).is_some_and(|plan| plan < self.plan)));
        self.mailbox.delete_all(&over)
    }

    fn note(&self, text: String) {
        let _ = self.bring.send(Brought::Note(text));
    }

    /// Reports once that the mailbox fails, and once that it works again.
    fn report_trouble(&mut self, result: Result<(), MailboxError>) {
        match result {
            Ok(()) => {
                if std::mem::replace(&mut self.is_in_trouble, false) {
                    self.note("the mailbox works again".to_owned());
                }
            }
            Err(error) => {
                tracing::debug!("{error}");
                if !std::mem::replace(&mut self.is_in_trouble, true) {
                    self.note(format!("{error}; the home goes on without it meanwhile"));
                }
            }
        }
    }
}
