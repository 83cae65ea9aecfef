//! `dagzero run` and `dagzero init`: a run from its configuration file.

use std::{io::Write, path::PathBuf};

use anyhow::ensure;
use dz_stage::ProgramsWord;

use crate::{
    Exit,
    drive::{self, Programs},
    exit::UsageError,
};

/// Run the whole loop of a preset or a configuration file, or go on with it
///
/// Plays, shuffles, trains and gates, cycle after cycle, in data/<file stem> unless --dir says
/// otherwise. The same command resumes a run that was stopped or killed, and prints the verdict of
/// one that is finished. Ctrl-C once finishes what is in flight, twice stops at once; nothing
/// published is lost either way.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero run connect4-quick\n  \
    dagzero run connect4-smoke --dir /tmp/smoke --set run.seed=7\n  \
    dagzero run my-game.toml")]
pub(crate) struct Args {
    /// A preset (`dagzero presets` lists them) or a configuration file; configs/README.md explains
    /// every key
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Directory of the run
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Override a key: section.key=value, value as in TOML; may be given again and again
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Whether to start the programs that the run's anchors name. Those in a CONFIG of yours are
    /// started; those of a run that somebody else made are shown and asked for at a terminal, and
    /// left out elsewhere
    #[arg(long, value_name = "WORD", value_enum)]
    programs: Option<ProgramsWord>,
}

impl Args {
    fn dir(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(|| drive::default_dir(&self.config))
    }

    fn programs(&self) -> Programs {
        Programs::of_file(self.programs, &self.config, &self.dir(), &self.set)
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let loaded = drive::load_config(&args.config, &args.set)?;
    let expected = drive::expected_of(&args.config, &loaded.config);
    let dir = args.dir();
    let programs = args.programs();
    drive::drive(&dir, loaded.config, expected.as_deref(), &programs, false, out)
}

/// Make the run's directory without starting it, to drive the stages by hand
#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    run: Args,
}

pub(crate) fn init(args: &InitArgs, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let loaded = drive::load_config(&args.run.config, &args.run.set)?;
    let expected = drive::expected_of(&args.run.config, &loaded.config);
    let programs = args.run.programs();
    let prepared = drive::prepare(&args.run.dir(), loaded.config, expected.as_deref())?;
    // Stages that are started by hand ask nobody.
    programs.settle(&prepared.run, prepared.ledger.state(), &prepared.config)?;
    writeln!(out, "{}", prepared.run.root().display())?;
    Ok(Exit::Done)
}

/// Go on with a run that was stopped or killed, on this machine or on another
///
/// Uses the configuration that the run keeps. An edited config.toml in the run's directory counts
/// as --set does: keys that may change are entered in the run's ledger before anything is played by
/// them, others are refused.
///
/// A run with a mailbox can go on after its machine is lost: name the mailbox, and a new directory
/// with --dir. What the old machine did in its last seconds is done again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero resume data/connect4-quick --set run.cycles=20\n  \
    dagzero resume s3://bucket/connect4 --dir data/connect4")]
pub(crate) struct ResumeArgs {
    /// The run's directory, or the mailbox of a run
    #[arg(value_name = "RUN")]
    run: String,
    /// Directory for the run of a mailbox. A run that is there already continues unchanged
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Take the run over from a home that seems to be alive: it ends
    #[arg(long)]
    take_over: bool,
    /// Override a key: section.key=value
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Whether to start the programs that the run's anchors name. Without it, those that you have
    /// let this run start on this machine before are started; others are shown and asked for at a
    /// terminal, and left out of the ratings elsewhere
    #[arg(long, value_name = "WORD", value_enum)]
    programs: Option<ProgramsWord>,
}

pub(crate) fn resume(args: &ResumeArgs, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let mut set = args.set.clone();
    let dir = if drive::is_mailbox(&args.run) {
        // The former home may have mounted the mailbox at another path.
        set.insert(0, format!("workers.mailbox={}", args.run));
        drive::restored(&args.run, args.dir.as_deref(), args.take_over, out)?
    } else {
        let of_mailbox = || UsageError("--dir is for the run of a mailbox".to_owned());
        ensure!(args.dir.is_none(), of_mailbox());
        PathBuf::from(&args.run)
    };
    let run = dz_store::Run::open(&dir)?;
    // As the file stands: whoever edited it wants that entered.
    let path = run.root().join(dz_store::layout::CONFIG);
    let programs = Programs::of_run(args.programs, &args.set);
    let config = drive::load_config(&path, &set)?.config;
    drive::drive(&dir, config, None, &programs, args.take_over, out)
}
