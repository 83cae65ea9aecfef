//! What can be wrong with a network file.

use thiserror::Error;

/// Why a network or checkpoint is refused, and what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkError {
    /// The bytes are something else altogether.
    #[error(
        "this is not a DagZero {kind} file ({reason}); give the path of a {kind} that a run published"
    )]
    NotOurs {
        /// `network` or `checkpoint`.
        kind: String,
        /// What was found.
        reason: String,
    },
    /// A later or earlier format.
    #[error(
        "the {kind} has format {found}, this program reads formats up to {known}; \
         use the program version that wrote it, or train again"
    )]
    OtherFormat {
        /// `network` or `checkpoint`.
        kind: String,
        /// The file's format.
        found: u64,
        /// The newest that is read.
        known: u32,
    },
    /// Fewer bytes than the file's own header announces.
    #[error(
        "the {kind} is cut off: {found} bytes of {expected}; copy it again or use an earlier one"
    )]
    Truncated {
        /// `network` or `checkpoint`.
        kind: String,
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// The content does not have the hash that the header states.
    #[error(
        "the {kind} is damaged: its content does not match its own hash; copy it again or use an earlier one"
    )]
    HashMismatch {
        /// `network` or `checkpoint`.
        kind: String,
    },
    /// The header cannot be understood.
    #[error(
        "the {kind}'s header cannot be read ({reason}); it was written by another program version"
    )]
    BadHeader {
        /// `network` or `checkpoint`.
        kind: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The tensors are not those of the specification.
    #[error(
        "the {kind}'s tensors do not fit its own specification ({reason}); it was not written by DagZero"
    )]
    BadTensors {
        /// `network` or `checkpoint`.
        kind: String,
        /// Which tensor, and how.
        reason: String,
    },
    /// A specification that no network can have.
    #[error("impossible network: {}", faults.join("; "))]
    BadSpec {
        /// Every fault.
        faults: Vec<String>,
    },
    /// The network plays another game.
    #[error(
        "the network is for '{network}', not for '{wanted}'; use a network of a run of that game"
    )]
    OtherGame {
        /// What the network plays.
        network: String,
        /// What was asked for.
        wanted: String,
    },
    /// The network sees another encoding.
    #[error(
        "the network was trained on the encoding '{network}', this program encodes the game as '{wanted}'; \
         train again or use the program version that trained it"
    )]
    OtherEncoding {
        /// What the network sees.
        network: String,
        /// What was asked for.
        wanted: String,
    },
    /// The network lacks a head that a search asks for.
    #[error(
        "search.policy_optimism needs a network that was trained with heads.optimistic_policy_weight above 0; \
         set it to 0"
    )]
    NoOptimisticPolicy,
    /// The network has another shape than the configuration asks for.
    #[error("the {kind} is of another network: {difference}; start a new run for another network")]
    OtherSpec {
        /// `network` or `checkpoint`.
        kind: String,
        /// What differs.
        difference: String,
    },
}
