//! Choosing a device by looking, never by trying: an operation on a missing card would panic.

use std::panic;

use burn::tensor::Device;
use dz_network_file::NetworkSpec;

use crate::cuda;
use crate::device::card::{card_count, multiplies_halves};
use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::options::EvaluatorOptions;
use crate::model::board_ops::ComputeOptions;
use crate::model::convolution::ConvMethod;
use crate::precision::Precision;

/// The environment variable that has all convolutions worked out by Burn's operations.
pub(crate) const BURN_CONVOLUTION: &str = "DAGZERO_BURN_CONVOLUTION";

/// Most of a device's message that is handed on.
const MESSAGE_CHARS_MAX: usize = 2000;

/// Finds the device of a name: `auto` (the first card, or else the processor), `cpu`, `cuda` (the
/// first card) or `cuda:N`.
///
/// # Errors
/// [`NetError::CudaNotBuilt`] or [`NetError::NoSuchCard`] if a card was asked for and there is
/// none.
pub fn pick_device(name: &str) -> Result<DeviceChoice, NetError> {
    let index = match name {
        "cpu" => return Ok(DeviceChoice::Cpu),
        "auto" => {
            return Ok(if card_count() > 0 { DeviceChoice::Cuda(0) } else { DeviceChoice::Cpu });
        }
        "cuda" => 0,
        _ => name
            .strip_prefix("cuda:")
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| NetError::UnknownDevice { name: name.to_owned() })?,
    };
    if cfg!(not(feature = "cuda")) {
        return Err(NetError::CudaNotBuilt { name: name.to_owned() });
    }
    let found = card_count();
    if index < found {
        Ok(DeviceChoice::Cuda(index))
    } else {
        Err(NetError::NoSuchCard { name: name.to_owned(), found })
    }
}

/// Finds the devices of a list, which share work; see [`pick_device`] for their names.
///
/// # Errors
/// As [`pick_device`]; [`NetError::BadOption`] for a list that is empty, names a device twice, or
/// has the processor beside cards, which round otherwise.
pub fn pick_devices(names: &[impl ToString]) -> Result<Vec<DeviceChoice>, NetError> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let choices = names.iter().map(|name| pick_device(name)).collect::<Result<Vec<_>, _>>()?;
    let twice = (1..choices.len()).any(|i| choices[..i].contains(&choices[i]));
    let mixed = choices.len() > 1 && choices.contains(&DeviceChoice::Cpu);
    if choices.is_empty() || twice || mixed {
        let key = "devices";
        let value = format!("[{}]", names.join(", "));
        return Err(NetError::BadOption { key, value, allowed: "different GPUs, or one device" });
    }
    Ok(choices)
}

impl DeviceChoice {
    /// Burn's handle.
    pub(crate) fn open(self) -> Device {
        match self {
            Self::Cpu => Device::flex(),
            #[cfg(feature = "cuda")]
            Self::Cuda(index) => Device::cuda(index),
            #[cfg(not(feature = "cuda"))]
            Self::Cuda(_) => unreachable!("pick_device gives no GPU in a build without CUDA"),
        }
    }

    /// Backend, instruction set and precision: what the bits of an evaluation depend on.
    pub(crate) fn arithmetic(self, precision: Precision) -> String {
        let engine = match self {
            Self::Cpu => format!("flex-{}", instruction_set()),
            Self::Cuda(_) => "cuda".to_owned(),
        };
        format!("{engine}-{precision}")
    }

    /// How far a right logit of size 1 may be from the exact one after a few layers: products in 32
    /// bits on the processor, with factors of 10 bits on a card (TF32 and 16-bit floats alike), of
    /// 7 bits in bf16.
    pub(crate) fn logit_tolerance(self, precision: Precision) -> f64 {
        match (self, precision) {
            (Self::Cpu, Precision::F32) => 1e-4,
            (_, Precision::F32 | Precision::F16) => 0.02,
            (_, Precision::Bf16) => 0.15,
        }
    }

    /// What products take their factors in while a network learns, where nobody asks for another:
    /// halves of the kind that needs no scaled losses where matrix units want halves.
    pub const fn learning_precision(self) -> Precision {
        match self {
            Self::Cpu => Precision::F32,
            Self::Cuda(_) => Precision::Bf16,
        }
    }

    /// Whether a network's 3x3 convolutions are worked out by one of our kernels while it plays
    /// there. Not if the environment variable `DAGZERO_BURN_CONVOLUTION` is set.
    pub fn plays_by_cuda_kernels(self, spec: &NetworkSpec) -> bool {
        let options = EvaluatorOptions::for_device(self);
        self.options_to_play(spec, options).convolve == ConvMethod::CudaKernel
    }

    /// How a network is worked out there while it plays.
    pub(crate) fn options_to_play(
        self,
        spec: &NetworkSpec,
        options: EvaluatorOptions,
    ) -> ComputeOptions {
        let compute = self.compute_options(false);
        let wanted = options.cuda_kernels && options.precision != Precision::F32;
        if wanted && self.fits_cuda_kernels(spec) {
            return ComputeOptions { convolve: ConvMethod::CudaKernel, by_point: true, ..compute };
        }
        compute
    }

    /// Whether our kernels can work out a network's 3x3 convolutions and their gradients while it
    /// learns there. Not if the environment variable `DAGZERO_BURN_CONVOLUTION` is set.
    pub(crate) fn fits_cuda_kernels_to_learn(
        self,
        spec: &NetworkSpec,
        precision: Precision,
    ) -> bool {
        precision == Precision::Bf16 && self.fits_cuda_kernels(spec)
    }

    fn fits_cuda_kernels(self, spec: &NetworkSpec) -> bool {
        let Self::Cuda(index) = self else { return false };
        let is_wanted = std::env::var_os(BURN_CONVOLUTION).is_none();
        is_wanted && cuda::conv::fits::fits(spec) && multiplies_halves(index)
    }

    /// How a network is worked out there, with gradients or without.
    pub(crate) fn compute_options(self, with_gradients: bool) -> ComputeOptions {
        let convolve = match self {
            Self::Cuda(_) if cfg!(feature = "autotune") => ConvMethod::Conv2d,
            Self::Cuda(_) if with_gradients => ConvMethod::OneHot,
            Self::Cpu | Self::Cuda(_) => ConvMethod::Gather,
        };
        let sum_boards_first = with_gradients && self != Self::Cpu;
        ComputeOptions { convolve, sum_boards_first, by_point: false }
    }

    /// Whether bit-packed planes are sent as they are, 32 times fewer bytes, and become numbers
    /// there.
    pub(crate) const fn unpacks(self) -> bool {
        matches!(self, Self::Cuda(_))
    }

    /// Most rows that a training step runs through the network together. On the processor a batch
    /// is cut into shards of this size, which fit the cache and run on several threads; batch norm
    /// then takes its statistics from a shard.
    pub(crate) fn shard_rows_max(self) -> usize {
        match self {
            Self::Cpu => 64,
            Self::Cuda(_) => usize::MAX,
        }
    }

    /// Runs `work` on this device; Burn's panics become errors.
    pub(crate) fn guard<T>(self, work: impl FnOnce() -> T) -> Result<T, NetError> {
        panic::catch_unwind(panic::AssertUnwindSafe(work)).map_err(|payload| {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let message = text.or_else(|| payload.downcast_ref::<&str>().copied());
            self.failed(message.unwrap_or("a panic without a message"))
        })
    }

    /// Returns the error of a device that fails. If its message continues with the source of a
    /// kernel, only the part before that is kept.
    pub(crate) fn failed(self, message: &str) -> NetError {
        let text = message.split("[Source]").next().unwrap_or_default().trim_end();
        let message = text.chars().take(MESSAGE_CHARS_MAX).collect();
        NetError::Device { device: self.to_string(), message }
    }
}

/// The widest instructions that flex's matrix products use here: it chooses at run time among those
/// that it was compiled for.
fn instruction_set() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if cfg!(feature = "avx512") && is_x86_feature_detected!("avx512f") {
            "avx512"
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            "avx2"
        } else {
            "sse2"
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        "neon"
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        std::env::consts::ARCH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_is_always_there() {
        assert_eq!(pick_device("cpu").unwrap(), DeviceChoice::Cpu);
    }

    #[test]
    fn lists_name_each_device_once_and_the_processor_alone() {
        assert_eq!(pick_devices(&["cpu"]).unwrap(), [DeviceChoice::Cpu]);
        for list in [&[][..], &["cpu", "cpu"], &["auto", "cpu"]] {
            let error = pick_devices(list).unwrap_err();
            assert!(matches!(error, NetError::BadOption { .. }), "{list:?}: {error}");
        }
        assert!(matches!(pick_devices(&["cpu", "gpu"]), Err(NetError::UnknownDevice { .. })));
    }

    #[test]
    fn nonsense_is_named() {
        for name in ["gpu", "cuda:", "cuda:x", "", "CPU"] {
            let error = pick_device(name).unwrap_err();
            assert!(matches!(error, NetError::UnknownDevice { .. }), "{name}: {error}");
        }
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn without_the_feature_auto_is_the_processor_and_a_card_is_refused() {
        assert_eq!(pick_device("auto").unwrap(), DeviceChoice::Cpu);
        for name in ["cuda", "cuda:1"] {
            let error = pick_device(name).unwrap_err();
            assert!(matches!(error, NetError::CudaNotBuilt { .. }), "{error}");
            assert!(error.to_string().contains("--features cuda"), "{error}");
        }
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn a_card_beyond_the_last_is_refused_with_what_was_looked_for() {
        let error = pick_device("cuda:9999").unwrap_err();
        assert!(error.to_string().contains("libcuda"), "{error}");
    }

    #[test]
    fn a_kernel_that_does_not_compile_is_not_printed() {
        let message = format!("error: no such type\n[Source]\n{}", "float x;".repeat(9));
        let error = DeviceChoice::Cpu.failed(&message).to_string();
        assert!(error.ends_with("no such type"), "{error}");
        let long = DeviceChoice::Cpu.failed(&"é".repeat(MESSAGE_CHARS_MAX + 1)).to_string();
        assert!(long.chars().count() < MESSAGE_CHARS_MAX + 50);
    }

    #[test]
    fn panics_become_errors() {
        let error = DeviceChoice::Cpu.guard(|| assert_eq!(1, 7, "kernel")).unwrap_err();
        assert!(error.to_string().starts_with("cpu failed: "), "{error}");
        assert!(error.to_string().contains("kernel"), "{error}");
    }
}
