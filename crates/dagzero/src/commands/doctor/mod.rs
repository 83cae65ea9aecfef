//! `dagzero doctor`: what this machine computes with, and whether it does so rightly; with a run,
//! whether that learns.

mod probe;
mod run;
mod store;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use dz_burn_net::{
    CanaryReport, CardFacts, DeviceChoice, DeviceFacts, LearningReport, NetError, canary,
    canary_spec, difference_from_processor, first_start_note, kernel_folder, learning_canary,
    network_on, pick_device,
};
use dz_cpu_net::{random_network, random_positions};
use serde::Serialize;

use super::write_line;
use crate::Exit;

/// Look at what this machine computes with, or whether a run learns, and learns the right thing
///
/// With RUN: asks its champion about positions (does it see turned boards alike, do its values have
/// the right sign?), and looks at games, losses, gate and ratings for silent problems. Alarms come
/// first. Each finding names its threshold and what to do. Exits 1 if there is an alarm.
///
/// With --store: tries whether a folder or bucket serves as the mailbox of a run and its workers.
/// Eight writers create fifty objects at once, which are then listed, read, replaced and deleted.
/// Exits 1 if it does not, or if two writers can create one object.
///
/// Without RUN: names the driver, the cards and the compiler that kernels need. Runs a fixed
/// network on fixed positions on the device, compares the answers with those of a plain
/// implementation, and measures the speed for a second. On a card it also learns for some steps and
/// compares the losses with the processor's. Prints in one sentence what to do if something is
/// missing. Exits 1 if the answers are wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero doctor\n  \
    dagzero doctor --device cuda:1 --json\n  \
    dagzero doctor data/connect4-quick\n  \
    dagzero doctor --store /mnt/shared/connect4")]
pub(crate) struct Args {
    /// A run to look at, instead of the machine
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    /// Ask this network file instead of the run's champion
    #[arg(long, value_name = "PATH", requires = "run")]
    network: Option<PathBuf>,
    /// The device to check, or to ask the champion on: auto (the first card, or else the
    /// processor), cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// A folder or a bucket (see `dagzero worker --help`) to try as a mailbox; twice for two ways
    /// to the same one, such as two mounts
    #[arg(long, value_name = "URL", conflicts_with_all = ["run", "device"])]
    store: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Positions of a batch of the speed test.
const BATCH: usize = 1024;
/// How long it runs, after a first batch that compiles the kernels.
const SPEED_TIME: Duration = Duration::from_secs(1);

#[derive(Debug, Serialize)]
struct Findings {
    version: &'static str,
    #[serde(flatten)]
    facts: DeviceFacts,
    /// Threads that the processor runs at once.
    threads: usize,
    device: String,
    /// Whether a card's convolutions are by one of our kernels.
    #[serde(rename = "convolves_on_chip")]
    plays_by_cuda_kernels: bool,
    canary: CanaryReport,
    canary_passed: bool,
    speed: Speed,
    /// Of a card. The processor's answers are the reference.
    learning: Option<LearningReport>,
    learning_passed: Option<bool>,
    advice: Option<String>,
}

#[derive(Debug, Serialize)]
struct Speed {
    network: &'static str,
    batch: usize,
    /// From nothing to the first answers: loading, compiling, tuning.
    first_batch_seconds: f64,
    positions_per_second: f64,
    /// Largest difference of a logit of the first batch from the engine's that plays on the
    /// processor.
    logit_difference_max: f64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    if !args.store.is_empty() {
        return store::run(&args.store, args.json, out);
    }
    if let Some(dir) = &args.run {
        return run::run(dir, args.network.as_deref(), &args.device, args.json, out);
    }
    let facts = DeviceFacts::look();
    let advice = facts.advice();
    let choice = pick_device(&args.device).map_err(|error| match &advice {
        // What is no device's name is not the machine's fault.
        Some(advice) if !matches!(error, NetError::UnknownDevice { .. }) => {
            anyhow::Error::from(error).context(advice.clone())
        }
        _ => error.into(),
    })?;
    if let Some(note) = first_start_note(&[choice]) {
        dz_stage::stderr_line(&note);
    }
    let canary = canary(choice)?;
    let speed = speed(choice)?;
    let learning = match choice {
        DeviceChoice::Cpu => None,
        DeviceChoice::Cuda(_) => Some(learning_canary(choice)?),
    };
    let findings = Findings {
        version: env!("CARGO_PKG_VERSION"),
        facts,
        threads: std::thread::available_parallelism().map_or(1, Into::into),
        device: choice.to_string(),
        plays_by_cuda_kernels: choice.plays_by_cuda_kernels(&canary_spec()),
        canary,
        canary_passed: canary.passed() && speed.logit_difference_max <= canary.tolerance,
        speed,
        learning,
        learning_passed: learning.map(|learning| learning.passed()),
        advice,
    };
    if args.json {
        write_line(out, &findings)?;
    } else {
        write_text(out, &findings)?;
    }
    Ok(if findings.is_right() { Exit::Done } else { Exit::Wrong })
}

impl Findings {
    fn is_right(&self) -> bool {
        self.canary_passed && self.learning_passed != Some(false)
    }
}

/// How fast the canary's network is on the engine that plays on this device.
fn speed(choice: DeviceChoice) -> anyhow::Result<Speed> {
    let file = random_network(&canary_spec(), 1);
    let batch = random_positions(&file.header.spec, BATCH, 2);
    let begin = Instant::now();
    let mut network = network_on(choice, &file)?;
    let mut evaluate = || {
        let ticket = network.submit(batch.clone())?;
        network.wait(ticket)
    };
    let found = evaluate()?;
    let first_batch_seconds = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let mut positions = 0;
    while begin.elapsed() < SPEED_TIME {
        evaluate()?;
        positions += BATCH;
    }
    let positions_per_second = positions as f64 / begin.elapsed().as_secs_f64();
    let logit_difference_max = difference_from_processor(&file, batch, &found)?;
    let network = "6x7 b3c32, pooling, squeeze-excitation";
    Ok(Speed {
        network,
        batch: BATCH,
        first_batch_seconds,
        positions_per_second,
        logit_difference_max,
    })
}

fn write_text(out: &mut dyn Write, findings: &Findings) -> anyhow::Result<()> {
    let Findings { facts, canary, speed, .. } = findings;
    let with = if facts.built_with_cuda { "with" } else { "without" };
    let mut line = |name: &str, text: &str| writeln!(out, "{name:<10}{text}");
    line("dagzero", &format!("{}, built {with} CUDA", findings.version))?;
    line("processor", &format!("{} threads", findings.threads))?;
    line("driver", facts.driver.as_deref().unwrap_or("no NVIDIA driver"))?;
    for card in &facts.cards {
        line("GPU", &card_text(card))?;
    }
    if let Some(works) = facts.compiler_works {
        line("compiler", if works { "NVRTC works" } else { "NVRTC does not work" })?;
        let headers = facts.headers.as_ref().map(|folder| folder.display().to_string());
        line("headers", headers.as_deref().unwrap_or("not found"))?;
        line("kernels", &format!("kept in {}", kernel_folder().display()))?;
    }
    if let Some(runs) = facts.mps_runs {
        let text = if runs {
            "running: stages share the GPU"
        } else {
            "not running: stages take turns on the GPU. `nvidia-cuda-mps-control -d` starts it. \
             Self-play during training was 1.2 times as fast with it"
        };
        line("MPS", text)?;
    }
    let how = if findings.plays_by_cuda_kernels { ", convolutions by our kernel" } else { "" };
    line("device", &format!("{}{how}", findings.device))?;
    let verdict = if findings.canary_passed { "right" } else { "WRONG" };
    let CanaryReport { positions, logit_difference_max, tolerance } = canary;
    let difference = logit_difference_max.max(speed.logit_difference_max);
    let positions = positions + speed.batch;
    line(
        "answers",
        &format!(
            "{verdict}: {positions} positions, largest difference of a logit {difference:.1e} \
             (at most {tolerance:.0e} is right)"
        ),
    )?;
    if let Some(learning) = findings.learning {
        line("learning", &learning_text(learning))?;
    }
    line(
        "speed",
        &format!(
            "{:.0} positions/s (network {}, batch {}); {:.1} s until the first answer",
            speed.positions_per_second, speed.network, speed.batch, speed.first_batch_seconds
        ),
    )?;
    if !findings.is_right() {
        let device = &findings.device;
        writeln!(out, "\nDo not train or play on {device}: it gives wrong answers.")?;
    }
    if let Some(advice) = &findings.advice {
        let device = &findings.device;
        let so = match device.as_str() {
            "cpu" => "No GPU is used".to_owned(),
            _ => format!("Before {device} is relied on"),
        };
        writeln!(out, "\n{so}: {advice}.")?;
    }
    Ok(())
}

fn learning_text(report: LearningReport) -> String {
    let LearningReport { precision, cuda_kernels, steps, difference_max, tolerance } = report;
    let by = if cuda_kernels { "our kernels" } else { "Burn's operations" };
    let verdict = if report.passed() { "right" } else { "WRONG" };
    let [difference, most] = [difference_max, tolerance].map(|share| 100.0 * share);
    format!(
        "{verdict}: {steps} steps in {precision} by {by}, losses and gradients {difference:.2} % off \
         the processor's (at most {most:.0} % is right)"
    )
}

fn card_text(card: &CardFacts) -> String {
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let (major, minor) = card.compute_capability;
    format!(
        "cuda:{} {}, compute capability {major}.{minor}, {:.0} of {:.0} GiB free",
        card.index,
        card.name,
        gib(card.memory_free_bytes),
        gib(card.memory_bytes)
    )
}
