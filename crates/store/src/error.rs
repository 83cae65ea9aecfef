//! What can go wrong with a run's files, and what to do about it.

use std::error::Error;
use std::io;

use crate::remedy::{self, Remedy};

/// Errors of link(2) where there are no hard links, by Linux's numbers.
const EPERM: i32 = 1;
const EMLINK: i32 = 31;
const ENOSYS: i32 = 38;
const EOPNOTSUPP: i32 = 95;

/// Shorthand for this crate's results.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Every failure of this crate. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file that should be there is not.
    #[error("{path} is missing: {advice}")]
    NotFound {
        /// The file.
        path: String,
        /// What to do.
        advice: String,
    },
    /// A directory holds no run.
    #[error(
        "{path} is no run, it has no config.toml: start one with `dagzero run CONFIG`, or name the directory of one that exists"
    )]
    NoRun {
        /// The directory.
        path: String,
    },
    /// A published object would change.
    #[error(
        "{path} is already published with other content; published files never change. \
         If another process writes this run, stop one of the two; otherwise move the file aside and start again"
    )]
    Conflict {
        /// The file.
        path: String,
    },
    /// A file is not what was published.
    #[error("{path} is damaged: {what}. {advice}")]
    Corrupt {
        /// The file.
        path: String,
        /// What is wrong with it.
        what: String,
        /// What to do.
        advice: String,
    },
    /// The directory or file may not be written, or not be read.
    #[error("no access to {path} ({source}): {}", remedy::advice(source))]
    ReadOnly {
        /// The file.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The disk or the quota is full.
    #[error(
        "no space left for {path} ({source}): {}; a command that has ended may then be started \
         again, and nothing that was published is lost",
        remedy::advice(source)
    )]
    NoSpace {
        /// The file.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// Another process holds the lock.
    #[error(
        "this run is in use: {holder} holds {path}. Wait for it to end or stop it{}, then start again",
        stop_text(*process_id)
    )]
    InUse {
        /// The lock file.
        path: String,
        /// Who holds it, since when.
        holder: String,
        /// The holder's process id; 0 where it is not known.
        process_id: u32,
    },
    /// Another process has taken the stage over.
    #[error(
        "another {stage} took this run over (claim {newest}, ours is {ours}): this process must end; \
         nothing it published is lost"
    )]
    Fenced {
        /// The stage.
        stage: crate::Stage,
        /// Epoch of this process.
        ours: u64,
        /// Epoch of the newest claim.
        newest: u64,
    },
    /// Something at a path of the run was not made by the run.
    #[error(
        "{path} {what}: nothing is written or removed there. Put the run's own file or folder in its place; only the \
         run's whole directory may lie behind a link"
    )]
    NotOurs {
        /// The path.
        path: String,
        /// What lies there.
        what: String,
    },
    /// A new run was to be made in a directory that has something of its own where the run's files
    /// go.
    #[error(
        "{dir} is no run, and {found} in it belongs to something else: choose another directory, or move \
         {found} away. Nothing was changed"
    )]
    Occupied {
        /// The directory.
        dir: String,
        /// What is there, inside it.
        found: String,
    },
    /// A program's mistake: an entry that cannot be stored, a path outside the run.
    #[error("{what}; this is a fault of the program, please report it")]
    Invalid {
        /// What is wrong.
        what: String,
    },
    /// The file system makes no hard links, by which files are published.
    #[error(
        "the file system of {path} makes no hard links ({source}): a run needs them, so choose a directory on another file \
         system with --dir (ext4, XFS and btrfs have them, FAT and many network shares have not)"
    )]
    NoHardLinks {
        /// The file.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// Anything else that the operating system refuses.
    #[error("{path}: {source}; {}", remedy::advice(source))]
    Io {
        /// The file.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

/// How a process is stopped; empty if the process is not known, since 0 is no process to kill.
fn stop_text(process_id: u32) -> String {
    if process_id == 0 { String::new() } else { format!(" (kill {process_id})") }
}

impl StoreError {
    /// Sorts an operating system's error by what a person can do about it.
    pub fn io(path: impl Into<String>, source: io::Error) -> Self {
        // Whoever writes through a staged file has an error of ours in hand already.
        let source = match source.downcast::<Self>() {
            Ok(inner) => return inner,
            Err(source) => source,
        };
        let path = path.into();
        match Remedy::of(&source) {
            Remedy::Missing => Self::missing(path),
            Remedy::Space => Self::NoSpace { path, source },
            Remedy::Permission => Self::ReadOnly { path, source },
            Remedy::Again | Remedy::Place | Remedy::Look => Self::Io { path, source },
        }
    }

    /// As [`Self::io`], of an error that making a hard link gave. Linux reports the lack of hard
    /// links as EPERM, which elsewhere is a matter of permissions.
    pub(crate) fn link(path: impl Into<String>, source: io::Error) -> Self {
        match source.raw_os_error() {
            Some(EPERM | EMLINK | ENOSYS | EOPNOTSUPP) => {
                Self::NoHardLinks { path: path.into(), source }
            }
            _ => Self::io(path, source),
        }
    }

    /// The error of this crate that is `cause`, or that writing through a [`crate::Staged`] put
    /// inside it.
    pub fn of_cause<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        let inner = || cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref();
        cause.downcast_ref().or_else(inner)
    }

    /// Whether the same command may succeed later without anybody changing anything in the run.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::NoSpace { .. } | Self::InUse { .. } => true,
            Self::Io { source, .. } => Remedy::of(source).is_temporary(),
            _ => false,
        }
    }

    /// Whether the place of a run cannot hold one: another directory is to be named.
    pub fn is_place(&self) -> bool {
        match self {
            Self::NoHardLinks { .. } => true,
            Self::Io { source, .. } => Remedy::of(source) == Remedy::Place,
            _ => false,
        }
    }

    /// Something at `path` that is not the run's; `what` continues a sentence that begins with the
    /// path.
    pub fn not_ours(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self::NotOurs { path: path.into(), what: what.into() }
    }

    pub(crate) fn missing(path: impl Into<String>) -> Self {
        Self::NotFound {
            path: path.into(),
            advice: "restore it from a copy of the run, or start a new run in another directory"
                .to_owned(),
        }
    }

    pub(crate) fn damaged(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Corrupt {
            path: path.into(),
            what: what.into(),
            advice: "Restore it from a copy of the run; published files are never changed by \
                     DagZero, so suspect the disk or another program"
                .to_owned(),
        }
    }

    /// Finds the operating system's error inside `object_store`'s.
    pub(crate) fn object(path: &str, error: &object_store::Error) -> Self {
        if matches!(error, object_store::Error::NotFound { .. }) {
            return Self::missing(path);
        }
        let mut cause: Option<&(dyn Error + 'static)> = Some(error);
        while let Some(inner) = cause {
            if let Some(found) = inner.downcast_ref::<io::Error>() {
                let source = found.raw_os_error().map_or_else(
                    || io::Error::other(found.to_string()),
                    io::Error::from_raw_os_error,
                );
                return Self::io(path, source);
            }
            cause = inner.source();
        }
        Self::Io { path: path.to_owned(), source: io::Error::other(error.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENOSPC: i32 = 28;
    const EDQUOT: i32 = 122;
    const EROFS: i32 = 30;
    const EACCES: i32 = 13;
    const EIO: i32 = 5;

    fn mapped(code: i32) -> StoreError {
        // As object_store wraps it: its own error around a private one around the system's.
        #[derive(Debug, thiserror::Error)]
        #[error("unable to copy data")]
        struct Wrapped(#[source] io::Error);
        let error = object_store::Error::Generic {
            store: "LocalFileSystem",
            source: Box::new(Wrapped(io::Error::from_raw_os_error(code))),
        };
        StoreError::object("shards/x", &error)
    }

    #[test]
    fn system_errors_are_sorted_by_remedy() {
        assert!(matches!(mapped(ENOSPC), StoreError::NoSpace { .. }));
        assert!(matches!(mapped(EDQUOT), StoreError::NoSpace { .. }));
        assert!(matches!(mapped(EROFS), StoreError::ReadOnly { .. }));
        assert!(matches!(mapped(EACCES), StoreError::ReadOnly { .. }));
        assert!(matches!(mapped(EIO), StoreError::Io { .. }));
        let text = mapped(ENOSPC).to_string();
        assert!(text.contains("free some space") && text.contains("shards/x"), "{text}");
        assert!(mapped(EROFS).to_string().contains("--dir"));
    }

    #[test]
    fn a_place_that_cannot_hold_a_run_is_distinguished_from_a_disk_in_trouble() {
        let of = |number| StoreError::io("r", io::Error::from_raw_os_error(number));
        for number in [20, 36, 37, ENOSYS, EOPNOTSUPP] {
            let error = of(number);
            assert!(error.is_place() && !error.is_temporary(), "{error}");
            assert!(error.to_string().contains("--dir"), "{error}");
        }
        assert!(of(EIO).is_temporary() && !of(EIO).is_place());
        let linked = StoreError::link("shards/x", io::Error::from_raw_os_error(EPERM));
        assert!(linked.is_place() && linked.to_string().contains("no hard links"), "{linked}");
        let refused = StoreError::link("shards/x", io::Error::from_raw_os_error(EACCES));
        assert!(refused.to_string().contains("permission"), "{refused}");
    }

    #[test]
    fn what_was_said_once_is_not_said_again() {
        let once = StoreError::io("rows/x", io::Error::from_raw_os_error(EIO));
        let text = once.to_string();
        let through = io::Error::other(once);
        let found = StoreError::of_cause(&through).map(ToString::to_string);
        assert_eq!(found.as_deref(), Some(text.as_str()));
        assert_eq!(StoreError::io("rows/x", through).to_string(), text);
    }
}
