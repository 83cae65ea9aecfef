//! What can go wrong with a mirror.

use crate::{MailboxError, StoreError};

/// Failures of mirroring and restoring. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// Of the mailbox.
    #[error("{0}")]
    Mailbox(#[from] MailboxError),
    /// Of the run's directory.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Nothing was mirrored yet.
    #[error(
        "the mailbox {address} has no mirror of its run yet: a home makes one while it runs with workers.mirror = true"
    )]
    None {
        /// The mailbox.
        address: String,
    },
    /// Another home went on with the run.
    #[error(
        "the mirror in {address} has records that {dir} has not: another machine went on with this run. To go on from \
         there, give `dagzero resume {address} --dir` a new folder. To go on from {dir} and lose what the other machine did, \
         delete the folder mirror in the mailbox"
    )]
    Diverged {
        /// The mailbox.
        address: String,
        /// The run's directory.
        dir: String,
    },
    /// An object does not agree with the mirror's head.
    #[error(
        "{path} in the mailbox is damaged: {what}. The run cannot be restored from this mirror"
    )]
    Damaged {
        /// The object.
        path: String,
        /// What is wrong.
        what: String,
    },
}

impl MirrorError {
    /// Whether the same call may succeed later.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Mailbox(error) => error.is_temporary(),
            Self::Store(error) => error.is_temporary(),
            Self::None { .. } => true,
            Self::Diverged { .. } | Self::Damaged { .. } => false,
        }
    }

    pub(super) fn damaged(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), what: what.into() }
    }
}
