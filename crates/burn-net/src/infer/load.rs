//! From a network file's bytes to an evaluator of positions.

use std::borrow::Cow;

use dz_cpu_net::CpuEvaluator;
use dz_game::{Encoding, Game};
use dz_infer::{Encoded, Evaluator, EvaluatorError, InTurns, NetworkEvaluator};
use dz_network_file::{Board, NetworkError, NetworkFile};
use tracing::warn;

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::check_loaded::check_loaded;
use crate::infer::evaluator::BurnEvaluator;
use crate::infer::options::EvaluatorOptions;

/// Reads a network file, checks that it fits the game, puts it on a device (on the processor with
/// kernels of our own, on a card with Burn and one of ours), and checks that it is computed rightly
/// there.
///
/// # Errors
/// [`NetError::File`] if the bytes are no network or one of another game or encoding;
/// [`NetError::Canary`] if the device answers some positions otherwise than another engine does;
/// what [`BurnEvaluator::load`] reports.
pub fn network_evaluator<G: Game>(
    game: &G,
    bytes: &[u8],
    device: DeviceChoice,
) -> Result<Box<dyn Evaluator<G>>, NetError> {
    network_evaluator_on(game, bytes, &[device])
}

/// The same on several devices of one kind, whose turn comes one after another, batch by batch.
///
/// # Errors
/// As [`network_evaluator`]; [`NetError::Evaluator`] if there are no devices, or if they give
/// different evaluations.
pub fn network_evaluator_on<G: Game>(
    game: &G,
    bytes: &[u8],
    devices: &[DeviceChoice],
) -> Result<Box<dyn Evaluator<G>>, NetError> {
    let file = NetworkFile::from_bytes(bytes)?;
    let file = &*on_board_of(game, &file)?;
    let load = |cuda_kernels| -> Result<Vec<_>, NetError> {
        devices.iter().map(|device| load(game, file, *device, cuda_kernels)).collect()
    };
    // On all cards or on none, so that all give the same evaluations.
    let cuda_kernels = devices.iter().all(|device| device.plays_by_cuda_kernels(&file.header.spec));
    let mut evaluators = match load(cuda_kernels) {
        Err(first) if cuda_kernels && is_of_device(&first) => {
            // A card that is broken altogether says so at the first attempt.
            let Ok(evaluators) = load(false) else { return Err(first) };
            let what = reason(&first);
            warn!(
                "convolutions of our own do not work, so Burn's are used, which are slower: {what}"
            );
            evaluators
        }
        loaded => loaded?,
    };
    match evaluators.len() {
        1 => Ok(evaluators.remove(0)),
        _ => Ok(Box::new(InTurns::new(evaluators)?)),
    }
}

fn load<G: Game>(
    game: &G,
    file: &NetworkFile,
    device: DeviceChoice,
    cuda_kernels: bool,
) -> Result<Box<dyn Evaluator<G>>, NetError> {
    if device == DeviceChoice::Cpu {
        let mut network = CpuEvaluator::load(file)?;
        check_loaded(game, file, &mut network, device)?;
        return Ok(Box::new(Encoded::<G>::new(game, network)?));
    }
    let options = EvaluatorOptions { cuda_kernels, ..EvaluatorOptions::for_device(device) };
    let mut network = BurnEvaluator::load(file, device, options)?;
    check_loaded(game, file, &mut network, device)?;
    Ok(Box::new(Encoded::<G>::new(game, network)?))
}

/// Whether what went wrong is how a device computes.
const fn is_of_device(error: &NetError) -> bool {
    matches!(
        error,
        NetError::Canary { .. }
            | NetError::Device { .. }
            | NetError::Evaluator(EvaluatorError::Device { .. })
    )
}

/// What to tell of an attempt after which another one went well.
fn reason(error: &NetError) -> String {
    match error {
        NetError::Canary { device, difference, .. } => {
            format!("on {device} a logit was off by {difference:.1e}")
        }
        other => other.to_string(),
    }
}

/// The network as it plays on the game's board.
fn on_board_of<'a, G: Game>(
    game: &G,
    file: &'a NetworkFile,
) -> Result<Cow<'a, NetworkFile>, NetworkError> {
    let encoding = game.encoding();
    let planes = encoding.planes();
    file.on_board(&Board {
        game: &game.spec().to_string(),
        encoding: &encoding.id(),
        height: planes.height,
        width: planes.width,
        policy_len: encoding.policy_len(),
    })
}

/// A network on the engine that plays on a device, below the rules of any game.
///
/// # Errors
/// What [`BurnEvaluator::load`] reports.
pub fn network_on(
    device: DeviceChoice,
    file: &NetworkFile,
) -> Result<Box<dyn NetworkEvaluator>, NetError> {
    if device == DeviceChoice::Cpu {
        return Ok(Box::new(CpuEvaluator::load(file)?));
    }
    Ok(Box::new(BurnEvaluator::load(file, device, EvaluatorOptions::for_device(device))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_does_wrong_is_tried_without_our_kernel() {
        let device = "cuda:0".to_owned();
        let message = "no such instruction".to_owned();
        let canary = NetError::Canary { device: device.clone(), difference: 3.0, tolerance: 0.1 };
        assert_eq!(reason(&canary), "on cuda:0 a logit was off by 3.0e0");
        let failed = EvaluatorError::Device { device, message };
        let failed = NetError::Evaluator(failed);
        assert!(reason(&failed).contains("no such instruction"));
        assert!(is_of_device(&canary) && is_of_device(&failed));
        let other = NetError::BadOption { key: "lanes", value: "x".to_owned(), allowed: "1" };
        assert!(!is_of_device(&other));
    }
}
