//! Where a restored run came from.

use serde::{Deserialize, Serialize};

use crate::{Run, Stage, StoreError, layout};

/// What a restored run keeps of where it came from.
#[derive(Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The epoch of the home that wrote the mirror.
    pub(super) epoch: u64,
}

impl Origin {
    /// Its file in the run.
    pub(crate) fn path() -> String {
        format!("{}/restored.json", layout::work_path(Stage::Driver))
    }

    /// Of the run, if it was restored.
    pub(super) fn of(run: &Run) -> Option<Self> {
        let bytes = run.read(&Self::path()).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps it in the run.
    ///
    /// # Errors
    /// What the disk reports.
    pub(super) fn write(&self, run: &Run) -> Result<(), StoreError> {
        run.replace(&Self::path(), &serde_json::to_vec(self).expect("a number writes"))
    }
}
