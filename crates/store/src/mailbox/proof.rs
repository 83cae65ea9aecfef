//! What a store does when several writers meet in it, found out by trying.

use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

use super::{Mailbox, MailboxError};

/// Longest object of the trial.
const BYTES_MAX: u64 = 1 << 10;

/// Failed requests after which a trial ends: a store that does not answer would take hours.
const FAILURES_MAX: u32 = 20;

/// What a store did in the trial of [`prove`].
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct StoreProof {
    /// Writers.
    pub writers: u32,
    /// Keys that all writers tried to create at once.
    pub keys: u32,
    /// Keys that one writer won.
    pub one_winner: u32,
    /// Keys that several writers won.
    pub several_winners: u32,
    /// Keys that no writer won.
    pub no_winner: u32,
    /// Keys whose object was, right afterwards, not that of a writer who won.
    pub not_a_winners: u32,
    /// Keys that were missing in a listing right after they were created.
    pub unlisted: u32,
    /// Keys that read otherwise right after they were replaced.
    pub stale_reads: u32,
    /// Keys that were still read or listed after they were deleted.
    pub undeleted: u32,
    /// Requests that failed. After 20 of them the rest of the trial is left out.
    pub failed: u32,
    /// What the store reported at the first of them.
    pub first_failure: Option<String>,
}

impl StoreProof {
    /// Whether it serves as a mailbox: no request fails, and written objects are read and listed
    /// at once.
    pub const fn is_consistent(&self) -> bool {
        self.failed == 0
            && self.unlisted == 0
            && self.stale_reads == 0
            && self.undeleted == 0
            && self.no_winner == 0
    }

    /// Whether creation is exclusive, which distinguishes two homes of one run.
    pub const fn is_exclusive(&self) -> bool {
        self.one_winner == self.keys && self.not_a_winners == 0
    }
}

/// Tries a store: `writers` threads create each of `keys` keys at once, by turns through the
/// `addresses`, which are ways to one store (two mounts of one file system). Then all are listed,
/// read, replaced and deleted. `name` must be one that no other trial has; objects are below the
/// folder `doctor/`, and are removed again unless requests fail.
///
/// # Errors
/// What the store reports if it answers none of the writers.
pub fn prove(
    addresses: &[String],
    writers: u32,
    keys: u32,
    name: &str,
) -> Result<StoreProof, MailboxError> {
    // A client each, so that they share no connection.
    let mailboxes: Vec<Mailbox> = (0..writers as usize)
        .map(|writer| Mailbox::make(&addresses[writer % addresses.len()]))
        .collect::<Result<_, _>>()?;
    let folder = format!("doctor/{name}");
    let mut proof = StoreProof { writers, keys, ..StoreProof::default() };
    let path = |key: u32| format!("{folder}/{key:04}");
    let Race { winners, refused, mut failures } = race(&mailboxes, keys, &path);
    let answered = refused + winners.iter().map(Vec::len).sum::<usize>();
    if answered == 0
        && let Some(error) = failures.first
    {
        return Err(error);
    }
    let first = &mailboxes[0];
    let last = &mailboxes[mailboxes.len() - 1];
    for (key, winners) in (0..keys).zip(&winners) {
        match winners.len() {
            0 => proof.no_winner += 1,
            1 => proof.one_winner += 1,
            _ => proof.several_winners += 1,
        }
        let Some(found) = failures.of(|| last.get(&path(key), BYTES_MAX)) else { continue };
        let is_a_winners = found
            .is_some_and(|found| winners.iter().any(|&writer| found[..] == *text(writer, key)));
        proof.not_a_winners += u32::from(!is_a_winners);
    }
    if let Some(listed) = failures.of(|| last.list(&folder)) {
        let is_listed = |key: &u32| listed.iter().any(|listed| listed.path == path(*key));
        proof.unlisted = keys - (0..keys).filter(is_listed).count() as u32;
    }
    for key in 0..keys {
        let content = text(writers, key);
        let replaced = failures.of(|| first.replace(&path(key), &content));
        let found = replaced.and_then(|()| failures.of(|| last.get(&path(key), BYTES_MAX)));
        let is_stale = found.is_some_and(|found| found.is_none_or(|found| found[..] != *content));
        proof.stale_reads += u32::from(is_stale);
        let deleted = failures.of(|| first.delete(&path(key)));
        let found = deleted.and_then(|()| failures.of(|| last.get(&path(key), BYTES_MAX)));
        proof.undeleted += u32::from(found.flatten().is_some());
    }
    let left = failures.of(|| last.list(&folder)).map_or(0, |listed| listed.len() as u32);
    proof.undeleted = proof.undeleted.max(left);
    proof.failed = failures.count;
    proof.first_failure = failures.first.map(|error| error.to_string());
    Ok(proof)
}

/// What a writer writes.
fn text(writer: u32, key: u32) -> Vec<u8> {
    format!("writer {writer} of key {key}\n").into_bytes()
}

/// Requests that failed.
#[derive(Debug, Default)]
struct Failures {
    count: u32,
    first: Option<MailboxError>,
}

impl Failures {
    fn note(&mut self, error: MailboxError) {
        self.count += 1;
        self.first.get_or_insert(error);
    }

    /// Makes a request and returns its answer. Makes none after too many failures.
    fn of<T>(&mut self, request: impl FnOnce() -> Result<T, MailboxError>) -> Option<T> {
        if self.count >= FAILURES_MAX {
            return None;
        }
        request().map_err(|error| self.note(error)).ok()
    }
}

/// The outcome of writers that try to create the same keys.
#[derive(Debug, Default)]
struct Race {
    /// Who won each key.
    winners: Vec<Vec<u32>>,
    /// Attempts that came after another writer had won the key.
    refused: usize,
    failures: Failures,
}

fn race(mailboxes: &[Mailbox], keys: u32, path: &(impl Fn(u32) -> String + Sync)) -> Race {
    let start = Barrier::new(mailboxes.len());
    let race = Mutex::new(Race { winners: vec![Vec::new(); keys as usize], ..Race::default() });
    let locked = || race.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        for (writer, mailbox) in (0..).zip(mailboxes) {
            let (start, locked) = (&start, &locked);
            scope.spawn(move || {
                for key in 0..keys {
                    // The others wait here, so a writer goes on to the end whatever happens.
                    start.wait();
                    if locked().failures.count >= FAILURES_MAX {
                        continue;
                    }
                    match mailbox.offer(&path(key), &text(writer, key)) {
                        Ok(true) => locked().winners[key as usize].push(writer),
                        Ok(false) => locked().refused += 1,
                        Err(error) => locked().failures.note(error),
                    }
                }
            });
        }
    });
    race.into_inner().unwrap_or_else(PoisonError::into_inner)
}
