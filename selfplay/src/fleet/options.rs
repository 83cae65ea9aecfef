//! The options of a worker, how it ends, and why it may be refused.

use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use dz_config::{DeviceChoice, RunConfig};
use dz_fleet::{FleetError, MatchesPlan, Plan};

/// The options of a worker.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Address of the mailbox.
    pub mailbox: String,
    /// Version of this program; it must be the home's.
    pub version: String,
    /// Folder of networks; the user's cache by default.
    pub cache: Option<PathBuf>,
    /// Whether to end when the newest plan has nothing left to begin.
    pub once: bool,
    /// Units of the newest plan to play, without claims.
    pub units: Option<Range<u32>>,
    /// How long units that were begun may take after a stop was asked for.
    pub grace: Duration,
    /// How long to wait for something to play.
    pub patience: Duration,
    /// What to compute on, in place of the home's device.
    pub device: Option<DeviceChoice>,
    /// Where to show metrics.
    pub metrics: Option<SocketAddr>,
}

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerEnd {
    /// The run is finished, or what was asked for is done.
    Finished,
    /// The same command may be started again; why it ended, for people.
    TryAgain(String),
}

/// Why a worker plays nothing for this run. Nothing was handed in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerRefused {
    /// Another version might play other games.
    #[error(
        "the home runs dagzero {theirs} and this is {ours}: another version may play other games. Install {theirs} here, \
         or restart the run with {ours}"
    )]
    Version {
        /// This program's.
        ours: String,
        /// The home's.
        theirs: String,
    },
    /// This program makes another configuration of the same text.
    #[error(
        "this program and the home read the run's configuration differently ({what}): install the version of dagzero that the \
         home runs"
    )]
    Configuration {
        /// What differs.
        what: String,
    },
    /// Other bits.
    #[error(
        "the run accepts games of the evaluator {theirs} only, and this machine has {ours}: choose another --device or machine, or set \
         workers.evaluators = \"any\" at home, which gives up equal bytes"
    )]
    Evaluator {
        /// This machine's.
        ours: String,
        /// The home's.
        theirs: String,
    },
    /// Something in the mailbox is of a later program, or damaged.
    #[error("{0}")]
    Mailbox(FleetError),
}

/// What fixes the program that plays a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made<'a> {
    /// Version of dagzero.
    pub(super) version: &'a str,
    /// The configuration, as TOML.
    pub(super) config: &'a str,
    /// Hash of its keys that decide results.
    pub(super) results_hash: &'a str,
}

impl<'a> From<&'a Plan> for Made<'a> {
    fn from(plan: &'a Plan) -> Self {
        let Plan { version, config, results_hash, .. } = plan;
        Self { version, config, results_hash }
    }
}

impl<'a> From<&'a MatchesPlan> for Made<'a> {
    fn from(plan: &'a MatchesPlan) -> Self {
        let MatchesPlan { version, config, results_hash, .. } = plan;
        Self { version, config, results_hash }
    }
}

/// The configuration of a plan, if a program of this version plays the same games.
///
/// # Errors
/// [`WorkerRefused`].
pub(super) fn accept<'a>(
    plan: impl Into<Made<'a>>,
    version: &str,
) -> Result<RunConfig, WorkerRefused> {
    let plan = plan.into();
    if plan.version != version {
        let (ours, theirs) = (version.to_owned(), plan.version.to_owned());
        return Err(WorkerRefused::Version { ours, theirs });
    }
    let config = RunConfig::from_text(plan.config, &[])
        .map_err(|error| WorkerRefused::Configuration { what: one_line(&error.to_string()) })?;
    if config.results_hash() != plan.results_hash {
        let what = format!("hash {} here, {} there", config.results_hash(), plan.results_hash);
        return Err(WorkerRefused::Configuration { what });
    }
    Ok(config)
}

/// The text without breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
