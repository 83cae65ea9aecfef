//! What a store does when several writers meet in it, found out by trying.

use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

use super::{Mailbox, MailboxError};

/// Longest object of the trial.
const BYTES_MAX: u64 = 1 << 10;

/// What a store did in the trial of [`prove`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
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
}

impl StoreProof {
    /// Whether it serves as a mailbox: written objects are read and listed at once.
    pub const fn is_consistent(&self) -> bool {
        self.unlisted == 0 && self.stale_reads == 0 && self.undeleted == 0 && self.no_winner == 0
    }

    /// Whether creation is exclusive, which distinguishes two homes of one run.
    pub const fn is_exclusive(&self) -> bool {
        self.one_winner == self.keys && self.not_a_winners == 0
    }
}

/// Tries a store: `writers` threads create each of `keys` keys at once, by turns through the
/// `addresses`, which are ways to one store (two mounts of one file system). Then all are listed,
/// read, replaced and deleted. `name` must be one that no other trial has; objects are below the
/// folder `doctor/`, and are removed again.
///
/// # Errors
/// What the store reports.
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
    let winners = race(&mailboxes, keys, &path)?;
    let first = &mailboxes[0];
    let last = &mailboxes[mailboxes.len() - 1];
    for (key, winners) in (0..keys).zip(&winners) {
        match winners.len() {
            0 => proof.no_winner += 1,
            1 => proof.one_winner += 1,
            _ => proof.several_winners += 1,
        }
        let found = last.get(&path(key), BYTES_MAX)?;
        let is_a_winners = found
            .is_some_and(|found| winners.iter().any(|&writer| found[..] == *text(writer, key)));
        proof.not_a_winners += u32::from(!is_a_winners);
    }
    let listed = |mailbox: &Mailbox| -> Result<Vec<String>, MailboxError> {
        Ok(mailbox.list(&folder)?.into_iter().map(|listed| listed.path).collect())
    };
    let found = listed(last)?;
    proof.unlisted = (0..keys).filter(|&key| !found.contains(&path(key))).count() as u32;
    for key in 0..keys {
        let content = text(writers, key);
        first.replace(&path(key), &content)?;
        let found = last.get(&path(key), BYTES_MAX)?;
        proof.stale_reads += u32::from(found.is_none_or(|found| found[..] != *content));
        first.delete(&path(key))?;
        proof.undeleted += u32::from(last.get(&path(key), BYTES_MAX)?.is_some());
    }
    proof.undeleted = proof.undeleted.max(listed(last)?.len() as u32);
    Ok(proof)
}

/// What a writer writes.
fn text(writer: u32, key: u32) -> Vec<u8> {
    format!("writer {writer} of key {key}\n").into_bytes()
}

/// Who won each key.
fn race(
    mailboxes: &[Mailbox],
    keys: u32,
    path: &(impl Fn(u32) -> String + Sync),
) -> Result<Vec<Vec<u32>>, MailboxError> {
    let start = Barrier::new(mailboxes.len());
    let winners = Mutex::new(vec![Vec::new(); keys as usize]);
    let failure = Mutex::new(None);
    thread::scope(|scope| {
        for (writer, mailbox) in (0..).zip(mailboxes) {
            let (start, winners, failure) = (&start, &winners, &failure);
            scope.spawn(move || {
                for key in 0..keys {
                    start.wait();
                    match mailbox.offer(&path(key), &text(writer, key)) {
                        Ok(true) => {
                            let mut all = winners.lock().unwrap_or_else(PoisonError::into_inner);
                            all[key as usize].push(writer);
                        }
                        Ok(false) => {}
                        // The others wait at the barrier, so it goes on to the end.
                        Err(error) => {
                            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        }
                    }
                }
            });
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(winners.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}
