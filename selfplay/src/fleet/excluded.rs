//! Workers whose units are not taken any more, since one of them was wrong. The mailbox keeps their
//! names, so that every later plan and every other home knows them.

use std::collections::BTreeSet;

use dz_fleet::ObjectHash;
use dz_store::{Listed, Mailbox, MailboxError};

/// Folder of one object for each of them.
const FOLDER: &str = "excluded";

/// Longest name that is read, in bytes.
const NAME_BYTES_MAX: u64 = 4 << 10;

/// The object that excludes a worker. A name may hold anything, so its hash names the object.
pub(super) fn path(worker: &str) -> String {
    format!("{FOLDER}/{}", ObjectHash::of(worker.as_bytes()).blake3)
}

/// The workers that are excluded.
///
/// # Errors
/// What the mailbox reports.
pub(super) fn read(mailbox: &Mailbox) -> Result<BTreeSet<String>, MailboxError> {
    let mut workers = BTreeSet::new();
    for Listed { path, .. } in mailbox.list(FOLDER)? {
        let found = mailbox.get(&path, NAME_BYTES_MAX)?;
        workers.extend(found.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    }
    Ok(workers)
}

/// Excludes a worker.
///
/// # Errors
/// What the mailbox reports.
pub(super) fn add(mailbox: &Mailbox, worker: &str) -> Result<(), MailboxError> {
    mailbox.replace(&path(worker), worker.as_bytes())
}

/// Whether a unit is played again before it counts, by a random number that workers do not know.
pub(super) fn is_drawn(secret: u64, unit: u32, share: f64) -> bool {
    dz_game::hash_unit(dz_game::mix64(secret ^ u64::from(unit))) < share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mailbox_remembers_who_is_excluded() {
        let folder = tempfile::tempdir().unwrap();
        let address = folder.path().display().to_string();
        let mailbox = Mailbox::make(&address).unwrap();
        assert_eq!(read(&mailbox).unwrap(), BTreeSet::new());
        let strange = "../a name\nof two lines";
        for worker in ["node-3", strange, "node-3"] {
            add(&mailbox, worker).unwrap();
        }
        let later = Mailbox::open(&address).unwrap();
        assert_eq!(read(&later).unwrap(), ["node-3", strange].map(str::to_owned).into());
        later.delete(&path("node-3")).unwrap();
        assert_eq!(read(&later).unwrap(), [strange.to_owned()].into());
    }

    /// A worker whose units are all wrong is caught within 150 of them in 95 % of cases.
    #[test]
    fn a_share_of_a_fiftieth_catches_a_worker_within_150_units() {
        let secrets = (0..4_000_u64).map(dz_game::mix64);
        let caught = secrets.filter(|&secret| (0..150).any(|unit| is_drawn(secret, unit, 0.02)));
        let share = caught.count() as f64 / 4_000.0;
        // 1 - 0.98^150 = 0.952, with a standard deviation of 0.0034.
        assert!((0.94..0.965).contains(&share), "{share}");
        assert!((0..1_000).all(|unit| is_drawn(7, unit, 1.0) && !is_drawn(7, unit, 0.0)));
    }
}
