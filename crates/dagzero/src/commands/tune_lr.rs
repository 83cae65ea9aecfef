//! `dagzero tune-lr`: a learning rate for a run's games and network, and whether that network
//! learns at all.

use std::{io::Write, path::PathBuf};

use anyhow::ensure;
use dz_store::{Ledger, Run};
use dz_trainer::{Overfit, RangeTest, Trial};
use serde::Serialize;

use super::write_line;
use crate::{Exit, drive, exit::UsageError};

/// Find a learning rate for the games of a run, with its network or another one
///
/// Trains a fresh network on the rows of the run's newest cycle, which are not changed, at rates
/// that grow from step to step until the loss rises far above its least (Smith's range test), and
/// suggests a tenth of the rate at which it was least. Without a rise it suggests nothing. With
/// --overfit a fresh network learns one batch by heart instead, at the configured rate. A network
/// that cannot do that will not learn games either, and the command exits 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero tune-lr data/connect4-quick\n  \
    dagzero tune-lr data/connect4-quick --set training.optimizer=muon --set network.channels=64\n  \
    dagzero tune-lr data/connect4-quick --overfit")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Override a key of the run's configuration: section.key=value, value as in TOML; may be given
    /// again and again
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Steps, a batch each
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    steps: u32,
    /// The first learning rate
    #[arg(long, value_name = "RATE", default_value_t = 1e-5)]
    from: f64,
    /// The last one
    #[arg(long, value_name = "RATE", default_value_t = 1.0)]
    to: f64,
    /// Learn one batch by heart
    #[arg(long, conflicts_with_all = ["from", "to"])]
    overfit: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lines of the table for people.
const LINES: usize = 16;

#[derive(Debug, Serialize)]
struct Tuned<'a> {
    cycle: u32,
    configured: f64,
    #[serde(flatten)]
    test: &'a RangeTest,
}

#[derive(Debug, Serialize)]
struct Learnt {
    cycle: u32,
    learning_rate: f64,
    #[serde(flatten)]
    overfit: Overfit,
    passed: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    ensure!(
        args.from > 0.0 && args.from < args.to && args.to.is_finite(),
        UsageError("--from must be above 0 and below --to".to_owned())
    );
    let run = Run::open(&args.run)?;
    let ledger = Ledger::open(&run)?;
    let config = drive::config_with(&run, ledger.state(), &args.set)?;
    let trial = Trial::new(&run, ledger.state(), &config)?;
    let cycle = trial.cycle;
    let configured = config.training.learning_rate;
    if args.overfit {
        let overfit = trial.overfit(configured, args.steps)?;
        let passed = overfit.passed();
        let learnt = Learnt { cycle, learning_rate: configured, overfit, passed };
        if args.json {
            write_line(out, &learnt)?;
        } else {
            learnt.write_text(out)?;
        }
        return Ok(if passed { Exit::Done } else { Exit::Wrong });
    }
    let test = trial.range_test(args.from, args.to, args.steps)?;
    let tuned = Tuned { cycle, configured, test: &test };
    if args.json {
        write_line(out, &tuned)?;
    } else {
        tuned.write_text(out)?;
    }
    Ok(Exit::Done)
}

impl Tuned<'_> {
    fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let Self { cycle, configured, test } = self;
        let steps = &test.steps;
        writeln!(out, "rows of cycle {cycle}, a fresh network, {} steps\n", steps.len())?;
        writeln!(out, "learning rate   loss    smoothed")?;
        let every = steps.len().div_ceil(LINES).max(1);
        for step in steps.iter().step_by(every) {
            let rate = step.learning_rate;
            let loss = step.loss;
            let smoothed = step.smoothed;
            writeln!(out, "{rate:<16.1e}{loss:<8.3}{smoothed:.3}")?;
        }
        if let Some(rate) = test.diverged_at {
            writeln!(out, "{rate:<16.1e}diverged")?;
        }
        match test.suggested {
            Some(rate) => {
                let least = test.least;
                writeln!(
                    out,
                    "\nThe loss was least at {least:.1e}. A tenth of that is safe: training.learning_rate = {rate:.1e} \
                     (now {configured:.1e})"
                )?;
            }
            None if test.least <= steps.first().map_or(0.0, |step| step.learning_rate) => writeln!(
                out,
                "\nNo rate made the loss fall: try a smaller --from, more --steps, or --overfit"
            )?,
            None => writeln!(
                out,
                "\nThe loss was least at {:.1e} and was not seen to rise after that, so this test cannot find a safe rate: try \
                 a larger --to, or more --steps",
                test.least
            )?,
        }
        Ok(())
    }
}

impl Learnt {
    fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let Self { cycle, learning_rate, overfit, passed } = self;
        let Overfit { steps, excess_before, excess_after } = overfit;
        writeln!(
            out,
            "one batch of cycle {cycle}, a fresh network, {steps} steps at {learning_rate:.1e}: loss above the least possible \
             {excess_before:.3} before, {excess_after:.3} after"
        )?;
        let verdict = if *passed {
            "The network learnt it by heart: targets, gradients and optimizer work together."
        } else {
            "It did NOT learn it by heart. Try more --steps, or another rate (dagzero tune-lr RUN); if neither helps, the \
             network is too small or its targets contradict each other."
        };
        writeln!(out, "{verdict}")?;
        Ok(())
    }
}
