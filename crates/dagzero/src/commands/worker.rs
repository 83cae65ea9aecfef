//! `dagzero worker`: plays games for a run of another machine.

use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use dz_config::DeviceChoice;
use dz_selfplay::{WorkerEnd, WorkerOptions, work};
use dz_stage::{Stop, stderr_line};

use crate::Exit;

/// What the argument takes.
const MAILBOX: &str = "A folder that the run's machine sees, too, or s3://BUCKET/PREFIX, \
    gs://BUCKET/PREFIX, az://CONTAINER/PREFIX (a build with the feature cloud)";

/// Play games for the run that a mailbox belongs to, until it is finished
///
/// The run was started with --set workers.mailbox=MAILBOX, on any machine. Any number of workers
/// may play for it, and each may be killed at any time. SIGTERM lets a worker finish the units that
/// it began and end. Nothing is kept on this machine but networks.
///
/// Exit codes: 0, the run is finished; 75, start it again; 78, this program or machine may not play
/// for the run, and a message names the reason.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero run configs/connect4-quick.toml --set workers.mailbox=/mnt/shared/connect4\n  \
    dagzero worker /mnt/shared/connect4\n  \
    dagzero worker s3://bucket/connect4 --device cuda:0 --metrics 127.0.0.1:9100")]
pub(crate) struct Args {
    #[arg(value_name = "MAILBOX", help = MAILBOX)]
    mailbox: String,
    /// Keep networks in this folder; by default dagzero/networks in the user's cache
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// End when the newest plan has no unit left to begin
    #[arg(long)]
    once: bool,
    /// Play units A to B-1 of the newest plan, without claiming them, and end: for engines that
    /// share out the work themselves
    #[arg(long, value_name = "A..B", value_parser = units)]
    units: Option<Range<u32>>,
    /// Time that begun units may take after SIGTERM
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    grace: Duration,
    /// Exit with code 75 after this time without anything to play
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    patience: Duration,
    /// Compute on this, not on what the run names: auto, cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE")]
    device: Option<DeviceChoice>,
    /// Serve /metrics for Prometheus and /healthz at this address
    #[arg(long, value_name = "IP:PORT")]
    metrics: Option<SocketAddr>,
}

/// Units as a range of numbers.
fn units(text: &str) -> Result<Range<u32>, String> {
    let parsed = text.split_once("..").and_then(|(begin, end)| {
        let (begin, end): (u32, u32) = (begin.parse().ok()?, end.parse().ok()?);
        (begin < end).then_some(begin..end)
    });
    parsed.ok_or_else(|| "two numbers such as 0..16, the second above the first".to_owned())
}

/// A number of seconds from 0.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|seconds| *seconds >= 0.0);
    let time = number.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "a number of seconds from 0, such as 90".to_owned())
}

/// Works until the run is finished.
///
/// # Errors
/// What [`work`] reports.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    dz_stage::init_logging(false);
    let stop = Stop::of_stage()?;
    let options = WorkerOptions {
        mailbox: args.mailbox.clone(),
        version: env!("DAGZERO_VERSION").to_owned(),
        cache: args.cache.clone(),
        once: args.once,
        units: args.units.clone(),
        grace: args.grace,
        patience: args.patience,
        device: args.device,
        metrics: args.metrics,
    };
    match work(&options, &stop, &|line| stderr_line(line)) {
        Ok(WorkerEnd::Finished) => Ok(Exit::Done),
        Ok(WorkerEnd::TryAgain(why)) => {
            stderr_line(&format!("{why}; start this worker again to go on"));
            Ok(Exit::TryAgain)
        }
        Err(error) => Err(error),
    }
}
