//! Whether a network that was just loaded is evaluated rightly.

use dz_cpu_net::CpuEvaluator;
use dz_game::Game;
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs, contract, encode_leaves};
use dz_network_file::NetworkFile;

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::evaluator::BurnEvaluator;
use crate::infer::options::EvaluatorOptions;

/// Positions of the game that each network answers twice when it is loaded, on the processor; a
/// card answers as many as it takes at a time at least.
const POSITIONS_AT_LOAD: usize = 3;

/// Tolerance for a loaded network's logits, relative to the canary's, for each unit of the largest
/// logit. Trained activations are larger than the canary's, and errors of a broken kernel are as
/// large as the logits themselves.
const SLACK_AT_LOAD: f64 = 10.0;

/// Asks a network that was just put on a device about some positions of its game, and another
/// engine on the processor about the same ones: Burn where our kernels play, and these where a card
/// does.
///
/// # Errors
/// [`NetError::Canary`] if they do not agree, or if a logit is not finite. Also the errors of
/// either engine.
pub(crate) fn check_loaded<G: Game>(
    game: &G,
    file: &NetworkFile,
    network: &mut dyn NetworkEvaluator,
    device: DeviceChoice,
) -> Result<(), NetError> {
    let positions = match device {
        DeviceChoice::Cpu => POSITIONS_AT_LOAD,
        DeviceChoice::Cuda(_) => EvaluatorOptions::for_device(device).chunk_min,
    };
    let leaves = contract::random_leaves(game, positions, 1);
    let batch = encode_leaves(&game.encoding(), &leaves);
    let wanted = if device == DeviceChoice::Cpu {
        let options = EvaluatorOptions::fixed(POSITIONS_AT_LOAD);
        answers(&mut BurnEvaluator::load(file, DeviceChoice::Cpu, options)?, batch.clone())?
    } else {
        answers(&mut CpuEvaluator::load(file)?, batch.clone())?
    };
    let logits = wanted.policy_logits.iter().chain(&wanted.wdl_logits);
    let size = logits.fold(1.0, |most: f64, logit| most.max(f64::from(logit.abs())));
    let precision = EvaluatorOptions::for_device(device).precision;
    let tolerance = SLACK_AT_LOAD * size * device.logit_tolerance(precision);
    let difference = wanted.difference_max(&answers(network, batch)?);
    if difference <= tolerance {
        return Ok(());
    }
    Err(NetError::Canary { device: device.to_string(), difference, tolerance })
}

pub(super) fn answers(
    network: &mut dyn NetworkEvaluator,
    batch: EncodedBatch,
) -> Result<NetworkOutputs, NetError> {
    let ticket = network.submit(batch)?;
    Ok(network.wait(ticket)?)
}
