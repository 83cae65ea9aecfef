//! What can go wrong with networks on devices.

use dz_network_file::NetworkError;
use thiserror::Error;

/// Why a device, a batch, a training step or a file was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetError {
    /// Not a device's name.
    #[error("'{name}' is no device; write auto, cpu, cuda or cuda:N")]
    UnknownDevice {
        /// What was asked for.
        name: String,
    },
    /// The program was built without CUDA.
    #[error(
        "'{name}' was asked for, but this program was built without CUDA; \
         build it with `--features cuda`, or use device = \"cpu\""
    )]
    CudaNotBuilt {
        /// What was asked for.
        name: String,
    },
    /// There is no such card.
    #[error(
        "'{name}' was asked for, but {found} CUDA devices were found (looked for the NVIDIA driver's \
         libcuda and asked it for its devices); check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use \
         device = \"cpu\""
    )]
    NoSuchCard {
        /// What was asked for.
        name: String,
        /// How many cards there are.
        found: usize,
    },
    /// A batch whose parts do not fit each other or the network.
    #[error("the batch does not fit the network: {what}")]
    BadBatch {
        /// What is wrong.
        what: String,
    },
    /// The loss or the gradient is no longer a number.
    #[error(
        "training diverged at step {step}: policy loss {policy_loss}, value loss {value_loss}, gradient \
         norm {gradient_norm}; the weights are those before the step. Lower the learning rate or the \
         gradient's clip norm and go on from the last checkpoint"
    )]
    Diverged {
        /// The step that failed, from 1.
        step: u64,
        /// Its policy loss.
        policy_loss: f32,
        /// Its value loss.
        value_loss: f32,
        /// Its gradient's norm.
        gradient_norm: f32,
    },
    /// The network and the game do not fit.
    #[error(transparent)]
    Evaluator(#[from] dz_infer::EvaluatorError),
    /// A setting that makes no sense.
    #[error("{key} = {value} is out of range; allowed: {allowed}")]
    BadOption {
        /// Which setting.
        key: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The device or Burn failed.
    #[error("{device} failed: {message}")]
    Device {
        /// Which device.
        device: String,
        /// What it said.
        message: String,
    },
    /// A device answers a network that was just loaded otherwise than another engine does.
    #[error(
        "{device} evaluates this network wrongly: a logit is off by {difference}, where {tolerance} may come from \
         rounding; nothing was played with it. If it is off by infinity, the network gives no \
         numbers: go back to an earlier one. Otherwise run `dagzero doctor`: the device or its driver is at fault"
    )]
    Canary {
        /// Which device.
        device: String,
        /// The largest difference of a logit; infinite if one is no number.
        difference: f64,
        /// What it may be at most.
        tolerance: f64,
    },
    /// A network or checkpoint is refused.
    #[error(transparent)]
    File(#[from] NetworkError),
}
