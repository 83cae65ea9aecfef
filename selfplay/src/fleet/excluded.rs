//! Workers whose units are not taken any more, since one of them was wrong. The mailbox keeps their
//! names, so that every later plan and every other home knows them.

use std::collections::BTreeSet;

use dz_fleet::{ObjectHash, UnitName};
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

/// Reports whose units are refused, and how that ends.
pub(super) fn text(workers: &BTreeSet<String>) -> String {
    let shown: Vec<String> =
        workers.iter().map(|worker| format!("{worker} ({})", path(worker))).collect();
    format!(
        "units of workers that handed in a wrong one are not taken until their objects are removed from the \
         mailbox: {}",
        shown.join(", ")
    )
}

/// Reports a unit with a game that came out differently here.
pub(super) fn alarm(worker: &str, game: u64) -> String {
    format!(
        "ALARM: {worker} handed in a unit whose game {game} is not what it comes to here. Its units are \
         not taken any more; look at that machine's memory, driver and version. Once it is right, remove \
         {} from the mailbox",
        path(worker)
    )
}

/// Reports a unit that came with two contents.
pub(super) fn contradiction(name: &UnitName) -> String {
    format!("unit {} of plan {} was handed in with two contents", name.unit, name.plan)
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
}
