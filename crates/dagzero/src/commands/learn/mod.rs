//! `dagzero learn`: functions that searches without a network know moves by.

mod checks;
mod policy;
mod value;

use std::io::Write;

use crate::Exit;

/// Learn what searches without a network know of moves
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Value(value::ValueArgs),
    Policy(policy::PolicyArgs),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    match &args.what {
        What::Value(args) => value::run(args, out),
        What::Policy(args) => policy::run(args, out),
    }
}
