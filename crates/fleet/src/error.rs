//! What can be wrong with what others put into a mailbox.

/// An object in a mailbox that does not fit its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// A plan, a board or a note does not read as one.
    #[error(
        "{path} in the mailbox is damaged: {what}. Delete it and restart the run at home, which writes it again"
    )]
    Damaged {
        /// The object.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// An object of a later version of the program.
    #[error(
        "{path} in the mailbox has format {found}, and this program knows format {known}: use the version of dagzero \
         that the home runs"
    )]
    Format {
        /// The object.
        path: String,
        /// Its format.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
}
