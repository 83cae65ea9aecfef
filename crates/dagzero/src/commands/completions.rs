//! `dagzero completions` and `dagzero man`: completion scripts and manual pages.

use std::{fs, io::Write, path::PathBuf};

use anyhow::Context;
use clap_complete::Shell;

use crate::Exit;

/// Print a script that completes commands and options in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero completions bash > ~/.local/share/bash-completion/completions/dagzero\n  \
    dagzero completions zsh > ~/.zfunc/_dagzero\n  \
    dagzero completions fish > ~/.config/fish/completions/dagzero.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(
    args: &Args,
    mut command: clap::Command,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "dagzero", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Done)
}

/// Write manual pages, one for each command
///
/// Pages of the same names are replaced.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  dagzero man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder for the pages
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(crate) fn man(
    args: &ManArgs,
    command: clap::Command,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    let dir = args.dir.display();
    fs::create_dir_all(&args.dir).with_context(|| format!("cannot make the folder {dir}"))?;
    clap_mangen::generate_to(command.disable_help_subcommand(true), &args.dir)
        .with_context(|| format!("cannot write manual pages to {dir}"))?;
    writeln!(out, "{}", args.dir.join("dagzero.1").display())?;
    Ok(Exit::Done)
}
