//! Networks of a mailbox, kept on the worker's disk under their hashes: processes of one machine
//! share a folder, and a worker that starts again asks for nothing twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use dz_fleet::{ObjectHash, network_path};
use dz_store::{Mailbox, MailboxError};

/// Networks that stay; the least recently used goes first.
const KEPT: usize = 4;

/// The default folder of cached networks.
pub(super) fn default_folder() -> PathBuf {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("dagzero").join("networks")
}

/// The network's bytes, from the folder or else from the mailbox; none where the mailbox does not
/// have it (any more).
///
/// # Errors
/// [`MailboxError`]. A folder that takes nothing only costs the next start a download.
pub(super) fn network(
    folder: &Path,
    mailbox: &Mailbox,
    network: &ObjectHash,
) -> Result<Option<Vec<u8>>, MailboxError> {
    let path = folder.join(format!("{}.dzn", network.blake3));
    let is_it = |bytes: &[u8]| blake3::hash(bytes).to_hex().as_str() == network.blake3;
    let length = fs::metadata(&path).map(|meta| meta.len()).unwrap_or_default();
    if length == network.bytes
        && let Ok(bytes) = fs::read(&path)
        && is_it(&bytes)
    {
        // The least recently used one goes: this one is used now.
        let file = fs::File::options().append(true).open(&path);
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        return Ok(Some(bytes));
    }
    let found = mailbox.get(&network_path(&network.blake3), network.bytes)?;
    let Some(bytes) = found.filter(|bytes| is_it(bytes)) else { return Ok(None) };
    if let Err(error) = keep(folder, &path, &bytes) {
        tracing::warn!("{} keeps no network: {error}", folder.display());
    }
    Ok(Some(bytes.into()))
}

fn keep(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let partial = path.with_extension(format!("part{}", std::process::id()));
    fs::write(&partial, bytes)?;
    fs::rename(&partial, path)?;
    let mut kept: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let is_network = entry.path().extension().is_some_and(|ending| ending == "dzn");
            let modified = entry.metadata().ok()?.modified().ok()?;
            is_network.then(|| (modified, entry.path()))
        })
        .collect();
    kept.sort();
    let surplus = kept.len().saturating_sub(KEPT);
    for (_, old) in &kept[..surplus] {
        // Another process may have removed it.
        let _ = fs::remove_file(old);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_fetched_once_and_a_damaged_copy_again() {
        let folder = tempfile::tempdir().unwrap();
        let address = folder.path().join("mailbox").display().to_string();
        let mailbox = Mailbox::make(&address).unwrap();
        let bytes = b"a network".to_vec();
        let blake3 = blake3::hash(&bytes).to_hex().to_string();
        let object = ObjectHash { blake3: blake3.clone(), bytes: bytes.len() as u64 };
        let cache = folder.path().join("cache");
        assert_eq!(network(&cache, &mailbox, &object).unwrap(), None);
        mailbox.replace(&network_path(&blake3), &bytes).unwrap();
        assert_eq!(network(&cache, &mailbox, &object).unwrap(), Some(bytes.clone()));
        mailbox.delete(&network_path(&blake3)).unwrap();
        assert_eq!(network(&cache, &mailbox, &object).unwrap(), Some(bytes.clone()));
        fs::write(cache.join(format!("{blake3}.dzn")), b"a metwork").unwrap();
        assert_eq!(network(&cache, &mailbox, &object).unwrap(), None, "damaged, and gone");
        mailbox.replace(&network_path(&blake3), b"b network").unwrap();
        assert_eq!(network(&cache, &mailbox, &object).unwrap(), None, "another's bytes");
    }
}
