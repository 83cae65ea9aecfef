//! `dagzero fork`: another run on the games of one that is there.

use std::{io::Write, path::PathBuf};

use anyhow::ensure;
use dz_store::{Ledger, Run};

use crate::{Exit, drive, exit::UsageError};

/// Begin another run with the games of a run, under another configuration: a larger network,
/// another recipe
///
/// The new run's first cycle has every game that RUN still has; its network, of whatever size the
/// configuration now says, learns from their window first and then plays on. RUN is not changed,
/// and may be running. Start the new run with `dagzero resume NEW`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: a small network begins, a larger one goes on with what it played\n  \
    dagzero run configs/connect4-quick.toml --dir data/small\n  \
    dagzero fork data/small data/large --set network.blocks=6 --set network.channels=64 --set run.cycles=20\n  \
    dagzero resume data/large"
)]
pub(crate) struct Args {
    /// The run whose games are taken
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Directory of the new run, which must not exist
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Override a key of RUN's configuration: section.key=value, value as in TOML; may be given
    /// again and again
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let Args { run, new, set } = args;
    let from = Run::open(run)?;
    let state = Ledger::open(&from)?.state().clone();
    let config = drive::config_with(&from, &state, set)?.with_policies_in(from.root());
    let exists = || UsageError(format!("{} exists already; name another directory", new.display()));
    ensure!(!new.exists(), exists());
    let games = drive::make_whole(new, "forking", |unfinished| {
        let mut prepared = drive::prepare(unfinished, config.clone(), None)?;
        let (ledger, config) = (&mut prepared.ledger, &prepared.config);
        dz_selfplay::import_games(&from, &state, &prepared.run, ledger, config)
    })?;
    writeln!(
        out,
        "{} has {} games and {} positions of {}; start it with: dagzero resume {}",
        new.display(),
        games.games,
        games.positions,
        run.display(),
        new.display()
    )?;
    Ok(Exit::Done)
}
