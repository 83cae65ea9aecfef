//! What can go wrong with a mailbox, and what to do about it.

/// Failures of a mailbox. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum MailboxError {
    /// The address names something that this program cannot open.
    #[error(
        "{address} is no mailbox: {what}. A mailbox is a folder, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX"
    )]
    Address {
        /// The address as given.
        address: String,
        /// What is wrong with it.
        what: String,
    },
    /// An object store, and the program was built without them.
    #[error(
        "{address} is an object store, and this program was built without the feature `cloud`: use a folder, \
         or build with `cargo build --release --features cloud`"
    )]
    NoCloud {
        /// The address as given.
        address: String,
    },
    /// The folder is not there.
    #[error("the mailbox {address} is not there: start the run that makes it, or name another")]
    Missing {
        /// The address as given.
        address: String,
    },
    /// The mailbox serves another run.
    #[error("the mailbox {address} belongs to another run: name a mailbox of this run's own")]
    OtherRun {
        /// The address as given.
        address: String,
    },
    /// Another home serves the mailbox's run.
    #[error(
        "another home has taken over the mailbox {address}, so this run ends. Keep one of the two run directories. To keep this one, \
         stop the other home and start this one again"
    )]
    TakenOver {
        /// The address as given.
        address: String,
    },
    /// Another home of the run may be alive.
    #[error(
        "another home of this run was alive {seconds} s ago ({home}). If it is gone, start again a minute after it was last \
         seen, or with `dagzero resume --take-over`, which ends it where it still runs"
    )]
    HomeAlive {
        /// How long ago.
        seconds: u64,
        /// The other home, as it names itself.
        home: String,
    },
    /// An object is longer than one of its kind can be.
    #[error(
        "{path} in the mailbox has {bytes} bytes, and none of its kind has more than {bytes_max}: delete it"
    )]
    TooLong {
        /// The object.
        path: String,
        /// Its length.
        bytes: u64,
        /// The most that is read.
        bytes_max: u64,
    },
    /// An object in a folder is no regular file.
    #[error("{path} in the mailbox is no regular file: remove it")]
    NotAFile {
        /// The object.
        path: String,
    },
    /// The store did not do what it was asked for; later it may.
    #[error(
        "the mailbox {address} fails at {path} ({what}): check the store and its keys, then start again"
    )]
    Trouble {
        /// The mailbox.
        address: String,
        /// The object or folder.
        path: String,
        /// What the store said.
        what: String,
    },
    /// A program's mistake: a path that no object can have.
    #[error(
        "'{path}' cannot name an object of a mailbox; this is a fault of the program, please report it"
    )]
    Invalid {
        /// The path.
        path: String,
    },
}

impl MailboxError {
    /// Whether the same command may succeed later without anybody changing its arguments.
    pub const fn is_temporary(&self) -> bool {
        matches!(self, Self::Trouble { .. } | Self::Missing { .. })
    }
}
