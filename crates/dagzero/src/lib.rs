//! The front door: every command of `dagzero`, as a library that tests can call.
//!
//! Commands write JSON or tables, and nothing else, to the writer they are given. Notes for people
//! go to standard error.

mod commands;
mod drive;
mod exit;
mod help;
mod shown;

use std::io::{BufRead, Write};

use clap::{CommandFactory, Parser, Subcommand};

#[cfg(feature = "serve")]
use commands::serve;
use commands::{
    accuracy, analyze, bench, completions, doctor, engine, export, fork, import, inspect, learn,
    list, match_cmd, new, perft, plan, play, presets, rate, replay, report, rules, run, search,
    shard, stages, status, tune_lr, verify, watch, worker,
};
use dz_stage::{Stage, StageArgs};
pub use exit::Exit;
pub use help::command_line;

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "dagzero",
    version = env!("DAGZERO_VERSION"),
    about = "Trains game-playing networks from nothing but the rules.",
    after_help = "Standard output has what a command was asked for, with --json nothing but JSON.\n\
                  Progress bars, warnings and errors go to standard error.\n\
                  Exit codes:\n  \
                     0  done\n  \
                     1  a check found something wrong, or the work failed\n  \
                     2  wrong usage\n \
                    75  try again\n \
                    78  bad configuration\n\n\
                  `dagzero help COMMAND` explains a command, with examples.",
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Presets(presets::Args),
    New(new::Args),
    List(list::Args),
    Plan(plan::Args),
    Resume(run::ResumeArgs),
    Fork(fork::Args),
    Import(import::Args),
    Status(status::Args),
    Watch(watch::Args),
    Report(report::Args),
    #[cfg(feature = "serve")]
    Serve(serve::Args),
    Verify(verify::Args),
    Replay(replay::Args),
    Match(match_cmd::Args),
    Engine(engine::Args),
    Play(play::Args),
    Analyze(analyze::Args),
    Accuracy(accuracy::Args),
    Rate(rate::Args),
    Shard(shard::Args),
    Export(export::Args),
    Inspect(inspect::Args),
    Search(search::Args),
    Perft(perft::Args),
    Rules(rules::Args),
    Bench(bench::Args),
    Doctor(doctor::Args),
    TuneLr(tune_lr::Args),
    Learn(learn::Args),
    Worker(worker::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
    Init(run::InitArgs),
    /// Live as the self-play stage of a run
    Selfplay(StageArgs),
    /// Live as the shuffler of a run
    Shuffler(StageArgs),
    /// Live as the trainer of a run
    Trainer(StageArgs),
    /// Live as the gatekeeper of a run
    Gatekeeper(StageArgs),
}

impl Cli {
    /// Returns whether the command's result is files. Then an output that nobody reads any more is
    /// no failure: a run goes on when its terminal is gone.
    pub const fn outlives_its_output(&self) -> bool {
        matches!(self.command, Command::Run(_) | Command::Resume(_) | Command::Worker(_))
    }
}

/// Runs the command that `cli` names: it reads `input` where it reads standard input, and writes
/// its result to `out`.
///
/// # Errors
/// What went wrong, for people; [`Exit::of`] gives the exit code.
pub fn run(cli: Cli, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<Exit> {
    match cli.command {
        Command::Run(args) => run::run(&args, out),
        Command::Presets(args) => presets::run(&args, out),
        Command::New(args) => new::run(&args, out),
        Command::List(args) => list::run(&args, out),
        Command::Plan(args) => plan::run(&args, out),
        Command::Resume(args) => run::resume(&args, out),
        Command::Fork(args) => fork::run(&args, out),
        Command::Import(args) => import::run(&args, out),
        Command::Status(args) => status::run(&args, out),
        Command::Watch(args) => watch::run(&args, out),
        Command::Report(args) => report::run(&args, out),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args, out),
        Command::Verify(args) => verify::run(&args, out),
        Command::Replay(args) => replay::run(&args, out),
        Command::Match(args) => match_cmd::run(&args, out),
        Command::Engine(args) => engine::run(&args, out),
        Command::Play(args) => play::run(&args, input, out),
        Command::Analyze(args) => analyze::run(&args, out),
        Command::Accuracy(args) => accuracy::run(&args, out),
        Command::Rate(args) => rate::run(&args, out),
        Command::Shard(args) => shard::run(&args, out),
        Command::Export(args) => export::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
        Command::Doctor(args) => doctor::run(&args, out),
        Command::TuneLr(args) => tune_lr::run(&args, out),
        Command::Learn(args) => learn::run(&args, out),
        Command::Worker(args) => worker::run(&args),
        Command::Completions(args) => completions::run(&args, Cli::command(), out),
        Command::Man(args) => completions::man(&args, Cli::command(), out),
        Command::Init(args) => run::init(&args, out),
        Command::Selfplay(args) => stages::run(Stage::Selfplay, &args),
        Command::Shuffler(args) => stages::run(Stage::Shuffler, &args),
        Command::Trainer(args) => stages::run(Stage::Trainer, &args),
        Command::Gatekeeper(args) => stages::run(Stage::Gatekeeper, &args),
        Command::Inspect(args) => inspect::run(&args, input, out),
        Command::Search(args) => search::run(&args, out),
        Command::Perft(args) => perft::run(&args, out),
        Command::Rules(args) => rules::run(&args, out),
    }
}
