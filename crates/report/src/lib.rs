//! A run's ledger as one self-contained HTML page, a Markdown table and lines for a terminal.
//!
//! [`Report::from_ledger`] folds the records of a run; everything shown is derived from them, so a
//! report can be written again at any time, from a finished run or a running one. The page has no
//! script and fetches nothing: figures are inline SVG, colours follow the reader's light or dark
//! scheme.

mod chart;
mod count;
mod facts;
mod figures;
mod fold;
mod html;
mod palette;
mod scale;
mod sections;
mod table;
mod text;
mod ticks;
mod verdict;

pub use facts::{CycleFacts, GateFacts, PlayerFacts, Report, RunContext, RunFacts, VerdictFacts};

use thiserror::Error;

/// Why no page could be made.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A figure could not be drawn.
    #[error(
        "drawing the figure \"{figure}\" failed: {reason}; please report this, with the run's ledger"
    )]
    Figure {
        /// Title of the figure.
        figure: String,
        /// What the drawing library says.
        reason: String,
    },
    /// The embedded data could not be written.
    #[error("writing the embedded data failed")]
    Data(#[from] serde_json::Error),
}
