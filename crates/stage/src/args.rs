//! The arguments that all stages share.

use std::path::PathBuf;

use clap::Args;

use crate::programs::ProgramsWord;

/// Arguments of a stage process.
#[derive(Clone, Debug, Args)]
pub struct StageArgs {
    /// Directory of the run, as `dagzero run` made it
    #[arg(long, value_name = "DIR")]
    pub run: PathBuf,

    /// Do one turn, then exit; exits with 75 at once if it is another stage's turn
    #[arg(long)]
    pub once: bool,

    /// Whether the gatekeeper starts the programs that the run's anchors name; without it those
    /// that this user has let the run start before
    #[arg(long, value_name = "WORD", value_enum)]
    pub programs: Option<ProgramsWord>,

    /// Write events as JSON lines to standard output, for the driver
    #[arg(long, hide = true)]
    pub events: bool,
}
