//! `[run]`: what the run is.

use dz_config_keys::{Limits, choice, real, schema::pattern, section, text_field, whole};
use std::fmt;
use std::str::FromStr;

section! {
    /// `[run]`: what the run is.
    pub struct RunSection = "run" {
        /// The game and its parameters, such as `connect4` or `connect4:width=7`.
        [Fixed, Limits::Any] game: String;
        /// Other boards of the same game that games are played on too, such as
        /// `["go:size=7,komi=9", "go:size=11,komi=7"]`. One network learns all of them, which asks
        /// for `network.any_size`. Each shard has one board, and a training batch has rows of all.
        /// The gate, ratings and the final match play on the board of `game`.
        [Results, Limits::Any] boards: Vec<String> = Vec::new();
        /// How often games are played on each of `boards`; the board of `game` counts 1. Empty is 1
        /// for each.
        [Results, real(0.001, 1000.0)] board_weights: Vec<f64> = Vec::new();
        /// The seed that every random stream of the run is derived from.
        [Fixed, whole(0, i64::MAX as u64)] seed: u64 = 1;
        /// Turns of the loop (self-play, shuffle, train, gate) until the run is finished. All that
        /// changes over a run, such as the learning rate, is laid out over them.
        [Results, whole(1, 1_000_000)] cycles: u32 = 12;
        /// Hours that the run is to be over within; 0 is no limit. Pauses do not count. With a
        /// limit, `cycles` is the maximum. The times of finished cycles determine how many fit, and
        /// the learning rate and all other schedules end there, so results depend on the machine's
        /// speed.
        [Results, real(0.0, 100_000.0)] hours_max: f64 = 0.0;
        /// Worker threads of each stage; 0 takes all cores.
        [Speed, whole(0, 4096)] threads: u32 = 0;
        /// How the stages share the time. `synchronous`: they take turns, and the same
        /// configuration and seed give the same bytes on the CPU. `asynchronous`: they work side by
        /// side for the whole run, and a new champion plays from the next shard on. If fewer than
        /// eight games for each of `selfplay.parallel_games` are left, it waits for the next cycle.
        /// On a GPU, games of the next cycle start once all games of the cycle have started, unless
        /// they need the games of the cycle (`selfplay.fork_share`, `reanalyse_share`, an adaptive
        /// `resign`). Nothing is lost in asynchronous mode either, but results
        /// depend on timing. `auto` is `asynchronous` where self-play and training have no device
        /// in common (`selfplay.devices`, `training.devices`), and `synchronous` elsewhere.
        [Results, Limits::Any] mode: RunMode = RunMode::Auto;
        /// Stages side by side: cycles that self-play may be ahead of the gate, which bounds how
        /// old the games are that training sees.
        [Results, whole(1, 1000)] lead_cycles_max: u32 = 1;
        /// What evaluates and trains networks. `auto` is a CUDA card where the build and the
        /// machine have one, and the CPU elsewhere. Another device rounds otherwise.
        [Results, Limits::Any] device: DeviceChoice = DeviceChoice::Auto;
    }
}

choice! {
    /// How the stages share the time.
    pub enum RunMode {
        /// Turns where they share a device.
        Auto = "auto",
        /// One after the other.
        Synchronous = "synchronous",
        /// Side by side.
        Asynchronous = "asynchronous",
    }
}

/// What a run asks to compute on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// A CUDA card where there is one, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// The CUDA card of this index, counted from 0.
    Cuda(u32),
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|index| index.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| "there is no such device".to_owned()),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Cpu => write!(f, "cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
        }
    }
}

text_field!(
    DeviceChoice,
    Self::Auto,
    ["auto", "cpu", "cuda"],
    r#""auto", "cpu", "cuda" or "cuda:N" (N from 0)"#,
    pattern("^(auto|cpu|cuda(:[0-9]+)?)$")
);
