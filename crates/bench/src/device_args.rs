//! Command-line options of the benches of devices.

use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use dz_burn_net::{DeviceChoice, EvaluatorOptions, Precision, first_start_note, pick_device};
use dz_network_file::NetworkSpec;

use crate::game_load::GameLoad;

/// What `bench device`, `bench games` and `bench soak` measure. Where an option is not for all of
/// them, it says for which.
#[derive(Clone, Debug, clap::Args)]
pub struct DeviceArgs {
    /// The device: auto, cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: String,
    /// Rows, columns, blocks and channels of the network, with `+pooling` for global pooling and
    /// heads for any board; rows and columns of `games` are those of the game
    #[arg(long, value_name = "SIZE", default_value = "9x9b6c96")]
    pub(crate) network: String,
    /// Positions of a batch
    #[arg(long, value_name = "N", default_value = "1024")]
    pub(crate) batch: usize,
    /// For `device`: f32, f16 or bf16 while playing, several of them, or none
    #[arg(long, value_name = "FORMATS", default_value = "f16")]
    pub(crate) precision: Formats,
    /// For `device`: f32 or bf16 while learning, both, or none
    #[arg(long, value_name = "FORMATS", default_value = "f32")]
    pub(crate) learning: Formats,
    /// For `device`: queues of a card that batches take in turn while playing
    #[arg(long, value_name = "N", default_value = "2",
        value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) lanes: u8,
    /// For `device`: convolve by Burn's operations on a card, not by our kernels
    #[arg(long)]
    pub(crate) burn_convolution: bool,
    /// For `device`, `games`: go layer by layer on a card, not by the kernel for whole towers
    #[arg(long)]
    pub(crate) layers: bool,
    /// For `games`: playouts of every move
    #[arg(long, value_name = "N", default_value = "32",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) playouts: u32,
    /// For `games`: groups of games that take turns with the device, a batch each
    #[arg(long, value_name = "N", default_value = "3",
        value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) groups: u16,
    /// For `soak`: networks that take each other's place
    #[arg(long, value_name = "N", default_value = "2000")]
    pub(crate) swaps: u64,
    /// For `soak`: training steps
    #[arg(long, value_name = "N", default_value = "20000")]
    pub(crate) steps: u64,
    /// For `device`, `games`: seconds that each figure may take, after all compilation
    #[arg(long, value_name = "S", default_value = "5")]
    pub(crate) seconds: f64,
}

/// Formats to measure, between commas.
#[derive(Clone, Debug)]
pub(crate) struct Formats(pub(crate) Vec<Precision>);

impl FromStr for Formats {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = text.split(',').filter(|_| text != "none");
        words.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

/// `9x9b6c96`, or `9x9b6c96+pooling` with global pooling in every second block and heads for any
/// board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) blocks: usize,
    pub(crate) channels: usize,
    /// As `network.global_pooling` and `network.any_size` of a configuration.
    pub(crate) pooling: bool,
}

impl DeviceArgs {
    /// The device, after a word about a first start on it.
    pub(crate) fn choice(&self) -> anyhow::Result<DeviceChoice> {
        let choice = pick_device(&self.device)?;
        if let Some(note) = first_start_note(&[choice]) {
            eprintln!("{note}");
        }
        Ok(choice)
    }

    pub(crate) fn size(&self) -> anyhow::Result<Size> {
        let text = &self.network;
        text.parse().map_err(|()| {
            anyhow::anyhow!("'{text}' is no size; write 9x9b6c96 or 9x9b6c96+pooling")
        })
    }

    pub(crate) fn game_load(&self) -> GameLoad {
        let Self { playouts, batch, groups, .. } = *self;
        GameLoad { playouts, batch, groups, time: self.time() }
    }

    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// How a device plays in batches of the size asked for.
    pub(crate) fn options(&self, choice: DeviceChoice, precision: Precision) -> EvaluatorOptions {
        let options = EvaluatorOptions { precision, ..EvaluatorOptions::for_device(choice) };
        match choice {
            // Chunks of its own, which fit the cache.
            DeviceChoice::Cpu => options,
            DeviceChoice::Cuda(_) => EvaluatorOptions {
                chunk_max: self.batch,
                chunk_min: self.batch,
                lanes: self.lanes.into(),
                cuda_kernels: !self.burn_convolution,
                tower: options.tower && !self.layers,
                ..options
            },
        }
    }

    /// As on a command line.
    #[cfg(test)]
    pub(crate) fn of(words: &[&str]) -> Self {
        use clap::{Args, Command, FromArgMatches};

        let command = Self::augment_args(Command::new("bench").no_binary_name(true));
        Self::from_arg_matches(&command.get_matches_from(words)).unwrap()
    }
}

impl Size {
    /// A network with the heads of the presets, 16 planes, and a move for each point and one more.
    pub(crate) fn spec(self) -> anyhow::Result<NetworkSpec> {
        let Self { height, width, blocks, channels, pooling } = self;
        let spec = NetworkSpec {
            global_pooling: pooling,
            any_size: pooling,
            ..NetworkSpec::plain([16, height, width], height * width + 1, blocks, channels)
        };
        spec.validate().context("no such network")?;
        Ok(spec)
    }
}

impl FromStr for Size {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (size, pooling) = match text.strip_suffix("+pooling") {
            Some(size) => (size, true),
            None => (text, false),
        };
        let numbers = size.split(['x', 'b', 'c']).map(|number| number.parse().map_err(|_| ()));
        let numbers: Vec<usize> = numbers.collect::<Result<_, _>>()?;
        let [height, width, blocks, channels] = numbers[..] else { return Err(()) };
        Ok(Self { height, width, blocks, channels, pooling })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_nonsense_is_refused() {
        let spec = |text: &str| DeviceArgs::of(&["--network", text]).size()?.spec();
        let read = spec("6x7b4c32").unwrap();
        assert_eq!((read.height, read.width, read.blocks, read.channels), (6, 7, 4, 32));
        let pooled = spec("6x7b4c32+pooling").unwrap();
        assert!(pooled.global_pooling && pooled.any_size && !read.global_pooling);
        for text in ["6x7", "b4c32", "6x7b4c32+", "6x7b4c32c1", "6x7b4c", "0x7b4c32"] {
            assert!(spec(text).is_err(), "{text}");
        }
    }

    #[test]
    fn formats_are_read_and_none_is_none() {
        let read = |text: &str| text.parse::<Formats>().map(|formats| formats.0);
        assert_eq!(read("f16,bf16"), Ok(vec![Precision::F16, Precision::Bf16]));
        assert_eq!(read("none"), Ok(Vec::new()));
        assert!(read("f16,none").is_err() && read("").is_err());
    }
}
