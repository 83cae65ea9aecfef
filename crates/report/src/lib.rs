//! A run's ledger as one self-contained HTML page, a Markdown table and lines for a terminal.
//!
//! [`Report::read`] reads a run's directory: the ledger ([`Report::from_ledger`]), shards, match
//! files and metrics. So a report can be written again at any time, from a finished run or a
//! running one. [`Report::missing`] lists what a run lacks. The page has no script and fetches
//! nothing: figures are inline SVG, and colours follow the reader's light or dark scheme.

mod alarms;
mod board;
mod bottleneck;
mod chart;
mod compare;
mod configuration;
pub mod count;
mod csv;
mod curve;
mod elo;
mod expected;
mod expected_points;
mod facts;
mod figures;
mod final_match;
mod fold;
mod gaps;
mod gates;
mod health;
mod health_cache;
mod html;
mod live;
mod measures;
mod names;
mod pairings;
mod palette;
mod played;
mod players;
mod read;
mod report;
mod scale;
mod sections;
mod stage_games;
mod steps;
mod svg;
mod table;
mod tensorboard;
mod text;
mod ticks;
mod trace;
mod tree;
mod truth;
mod verdict;
mod watch;

pub use alarms::{
    AlarmChange, AlarmLine, Finding, Moment, Probed, Rules, Scatter, Severity, ValueSign, changes,
    in_force,
};
pub use board::BoardGrid;
pub use csv::CsvFile;
pub use curve::{CurvePoint, LATER_OPPONENTS_MIN, Marker, MarkerKind};
pub use expected_points::{Expected, ExpectedPoint};
pub use facts::{CycleFacts, GateFacts, Model, Played, PlayerFacts, RunFacts};
pub use final_match::FinalFacts;
pub use html::page_style;
pub use live::{Figure, FigureAxis, FigureCurve, LivePage, NamedLevel, NamedMark, SpentByCycle};
pub use measures::{
    GateTrace, Health, Measures, OpeningNode, RatingShare, Sample, SampleView, StepPoint, TurnFacts,
};
pub use names::{ending, short_names};
pub use pairings::Pairing;
pub use report::{Compared, Report, RunContext};
pub use svg::SvgFile;
pub use watch::{Dashboard, Live, watch};

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
        /// The drawing library's message.
        reason: String,
    },
    /// The run's files could not be listed.
    #[error(transparent)]
    Store(#[from] dz_store::StoreError),
    /// The terminal does not answer.
    #[error("the terminal does not answer: {0}")]
    Terminal(#[from] std::io::Error),
    /// The embedded data could not be written.
    #[error("writing the embedded data failed")]
    Data(#[from] serde_json::Error),
}
