//! Mailboxes: what machines that share no run share instead, a folder or a bucket.
//!
//! Nothing in here relies on exclusive creation, since several stores let two writers win. Objects
//! are named by their content, or replaced by one writer, or created and then read back
//! ([`Mailbox::create`]).

mod address;
mod error;
mod proof;
mod runtime;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as ObjectPath;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

pub use error::MailboxError;
pub use proof::{StoreProof, prove};
use runtime::Waiter;

use crate::clock;

/// Folder of objects that are written to learn a store's time.
const CLOCKS: &str = "clock";

/// A mailbox: named objects in a folder or a bucket. Cheap to clone; any number of threads may use
/// one.
///
/// ```
/// use dz_store::{Created, Mailbox};
///
/// let folder = tempfile::tempdir()?;
/// let mailbox = Mailbox::make(&folder.path().join("mailbox").display().to_string())?;
/// assert_eq!(mailbox.create("plan/1.json", b"first")?, Created::Ours);
/// let Created::Theirs(found) = mailbox.create("plan/1.json", b"second")? else { panic!() };
/// assert_eq!(&found[..], b"first");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mailbox {
    address: String,
    store: Arc<dyn ObjectStore>,
    prefix: ObjectPath,
    waiter: Waiter,
    folder: Option<PathBuf>,
}

/// What [`Mailbox::create`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    /// The object has our bytes.
    Ours,
    /// It has others.
    Theirs(Bytes),
}

/// One object of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path, with `/` between parts and none in front.
    pub path: String,
    /// Its length.
    pub bytes: u64,
}

impl Mailbox {
    /// Opens the mailbox at `address`: a folder that is there, or `s3://`, `gs://`, `az://` with
    /// bucket and prefix (feature `cloud`). Nothing is asked of a bucket yet.
    ///
    /// # Errors
    /// [`MailboxError::Address`], [`MailboxError::NoCloud`] or [`MailboxError::Missing`].
    pub fn open(address: &str) -> Result<Self, MailboxError> {
        Self::of(address, false)
    }

    /// As [`Self::open`]; a folder that is not there is made.
    ///
    /// # Errors
    /// As [`Self::open`], and [`MailboxError::Trouble`] where it cannot be made.
    pub fn make(address: &str) -> Result<Self, MailboxError> {
        Self::of(address, true)
    }

    fn of(address: &str, makes: bool) -> Result<Self, MailboxError> {
        let opened = address::open(address, makes)?;
        Ok(Self {
            address: address.to_owned(),
            store: opened.store,
            prefix: opened.prefix,
            waiter: opened.waiter,
            folder: opened.folder,
        })
    }

    /// The part of this mailbox in a folder of it, as a mailbox. Its address is this one's.
    ///
    /// # Errors
    /// [`MailboxError::Invalid`] of a name that is none.
    pub fn below(&self, folder: &str) -> Result<Self, MailboxError> {
        let prefix = self.location(folder)?;
        let path = self.folder.as_ref().map(|path| path.join(folder));
        Ok(Self { prefix, folder: path, ..self.clone() })
    }

    /// The address that it was opened by.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether it is a folder: asking it costs no requests.
    pub const fn is_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// Creates an object and reads it back. Returns [`Created::Ours`] if the object reads back with
    /// these bytes, whatever the store answered. A store may answer an error and still have stored
    /// them. A store that lets two writers win can return `Ours` to both. `content` must hold
    /// something that no other writer's has (a nonce), unless equal bytes are welcome.
    ///
    /// # Errors
    /// [`MailboxError::Trouble`] if nothing is there afterwards or it cannot be read.
    pub fn create(&self, path: &str, content: &[u8]) -> Result<Created, MailboxError> {
        let put = self.offer(path, content);
        // A longer object is another writer's, and this many bytes show that.
        let bytes_max = (content.len() as u64).max(1 << 20);
        match self.get(path, bytes_max)? {
            Some(found) if found[..] == *content => Ok(Created::Ours),
            Some(found) => Ok(Created::Theirs(found)),
            None => Err(put.err().unwrap_or_else(|| {
                self.trouble(path, "it is not there right after it was created")
            })),
        }
    }

    /// Creates an object if there is none; returns false if the store reports one. For hints only:
    /// a store may let several writers win, and may store an object although it answered with an
    /// error.
    ///
    /// # Errors
    /// [`MailboxError::Trouble`].
    pub fn offer(&self, path: &str, content: &[u8]) -> Result<bool, MailboxError> {
        match self.put(path, content, PutMode::Create)? {
            Ok(()) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            Err(error) => Err(self.failed(path, &error)),
        }
    }

    /// Puts an object, in the place of what is there.
    ///
    /// # Errors
    /// [`MailboxError::Trouble`].
    pub fn replace(&self, path: &str, content: &[u8]) -> Result<(), MailboxError> {
        self.put(path, content, PutMode::Overwrite)?.map_err(|error| self.failed(path, &error))
    }

    /// The object's bytes; none where there is no such object.
    ///
    /// # Errors
    /// [`MailboxError::TooLong`] before anything above `bytes_max` is read, and
    /// [`MailboxError::Trouble`].
    pub fn get(&self, path: &str, bytes_max: u64) -> Result<Option<Bytes>, MailboxError> {
        let location = self.location(path)?;
        self.check_kind(path)?;
        let too_long = |bytes| MailboxError::TooLong { path: path.to_owned(), bytes, bytes_max };
        let read = async {
            let found = match self.store.get(&location).await {
                Ok(found) => found,
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(self.failed(path, &error)),
            };
            if found.meta.size > bytes_max {
                return Err(too_long(found.meta.size));
            }
            match found.bytes().await {
                Ok(bytes) => Ok(Some(bytes)),
                Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(self.failed(path, &error)),
            }
        };
        let bytes = self.waiter.wait(read)?;
        match bytes {
            Some(bytes) if bytes.len() as u64 > bytes_max => Err(too_long(bytes.len() as u64)),
            bytes => Ok(bytes),
        }
    }

    /// Whether there is such an object.
    ///
    /// # Errors
    /// [`MailboxError::Trouble`].
    pub fn has(&self, path: &str) -> Result<bool, MailboxError> {
        Ok(self.written_ms(path)?.is_some())
    }

    /// How long ago an object was written, by the store's clock; none where there is no such
    /// object. Writes a small object beside it to learn the store's time.
    ///
    /// # Errors
    /// [`MailboxError::Trouble`].
    pub fn age(&self, path: &str) -> Result<Option<Duration>, MailboxError> {
        let Some(written_ms) = self.written_ms(path)? else { return Ok(None) };
        let probe = format!("{CLOCKS}/{}", clock::nonce());
        self.replace(&probe, b"now\n")?;
        let now_ms = self.written_ms(&probe)?;
        self.delete(&probe)?;
        let now_ms = now_ms.ok_or_else(|| self.trouble(&probe, "it is gone at once"))?;
        let age_ms = now_ms.saturating_sub(written_ms).max(0);
        Ok(Some(Duration::from_millis(age_ms.unsigned_abs())))
    }

    /// When an object was written, by the store's clock, in milliseconds since 1970.
    fn written_ms(&self, path: &str) -> Result<Option<i64>, MailboxError> {
        let location = self.location(path)?;
        match self.waiter.wait(self.store.head(&location)) {
            Ok(found) => Ok(Some(found.last_modified.timestamp_millis())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed(path, &error)),
        }
    }

    /// All objects below the folder `folder`, by path.
    ///
    /// # Errors
    /// [`MailboxError::Trouble`].
    pub fn list(&self, folder: &str) -> Result<Vec<Listed>, MailboxError> {
        let location = self.location(folder)?;
        let all = self.store.list(Some(&location)).try_collect::<Vec<_>>();
        let found = self.waiter.wait(all).map_err(|error| self.failed(folder, &error))?;
        let own = self.prefix.as_ref();
        let mut listed: Vec<Listed> = found
            .into_iter()
            .filter_map(|meta| {
                let path = meta.location.as_ref().strip_prefix(own)?.trim_start_matches('/');
                Some(Listed { path: path.to_owned(), bytes: meta.size })
            })
            .collect();
        listed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listed)
    }

    /// Deletes an object; success where there is none.
    ///
    /// # Errors
    /// [`MailboxError::Trouble`].
    pub fn delete(&self, path: &str) -> Result<(), MailboxError> {
        let location = self.location(path)?;
        match self.waiter.wait(self.store.delete(&location)) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed(path, &error)),
        }
    }

    /// Deletes objects, many of them with one request where the store can; success for those that
    /// are not there.
    ///
    /// # Errors
    /// The first [`MailboxError::Trouble`]; the others are tried, too.
    pub fn delete_all(&self, paths: &[String]) -> Result<(), MailboxError> {
        let locations = paths.iter().map(|path| self.location(path)).collect::<Result<Vec<_>, _>>();
        let locations = stream::iter(locations?.into_iter().map(Ok)).boxed();
        let ends: Vec<_> = self.waiter.wait(self.store.delete_stream(locations).collect());
        let failed = ends.into_iter().find_map(|end| match end {
            Ok(_) | Err(Error::NotFound { .. }) => None,
            Err(error) => Some(error),
        });
        let first = || paths.first().map_or("", String::as_str);
        failed.map_or(Ok(()), |error| Err(self.failed(first(), &error)))
    }

    fn put(
        &self,
        path: &str,
        content: &[u8],
        mode: PutMode,
    ) -> Result<Result<(), Error>, MailboxError> {
        let location = self.location(path)?;
        let payload = PutPayload::from(Bytes::copy_from_slice(content));
        let options = PutOptions { mode, ..PutOptions::default() };
        Ok(self.waiter.wait(self.store.put_opts(&location, payload, options)).map(drop))
    }

    /// A path of the mailbox as one of the store.
    fn location(&self, path: &str) -> Result<ObjectPath, MailboxError> {
        let invalid = || MailboxError::Invalid { path: path.to_owned() };
        let parsed = ObjectPath::parse(path).map_err(|_| invalid())?;
        if path.is_empty() || parsed.as_ref() != path || path.contains('#') {
            return Err(invalid());
        }
        if self.prefix.as_ref().is_empty() {
            return Ok(parsed);
        }
        ObjectPath::parse(format!("{}/{path}", self.prefix)).map_err(|_| invalid())
    }

    /// Refuses everything in a folder that is not a regular file: opening a pipe would wait for
    /// ever.
    fn check_kind(&self, path: &str) -> Result<(), MailboxError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        match folder.join(path).symlink_metadata() {
            Ok(meta) if !meta.is_file() => Err(MailboxError::NotAFile { path: path.to_owned() }),
            _ => Ok(()),
        }
    }

    fn failed(&self, path: &str, error: &Error) -> MailboxError {
        // One line: some stores answer whole pages.
        let text = error.to_string();
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.trouble(path, &line.chars().take(300).collect::<String>())
    }

    fn trouble(&self, path: &str, what: &str) -> MailboxError {
        MailboxError::Trouble {
            address: self.address.clone(),
            path: path.to_owned(),
            what: what.to_owned(),
        }
    }
}
