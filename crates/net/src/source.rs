//! From a network file's bytes to an evaluator of positions.

use std::borrow::Cow;

use dz_cpu::CpuEvaluator;
use dz_game::{Encoding, Game};
use dz_infer::{Encoded, Evaluator, InTurns, NetworkEvaluator};
use dz_network::{Board, NetworkError, NetworkFile};
use tracing::warn;

use crate::canary::check_loaded;
use crate::{BurnEvaluator, DeviceChoice, EvaluatorOptions, NetError};

/// Reads a network file, checks that it fits the game, puts it on a device (on the processor with
/// kernels of our own, on a card with Burn), and checks that it is computed rightly there.
///
/// # Errors
/// [`NetError::File`] if the bytes are no network or one of another game or encoding; [`NetError::Canary`] if
/// the device answers some positions otherwise than another engine does; what [`BurnEvaluator::load`] reports.
pub fn network_evaluator<G: Game>(
    game: &G,
    bytes: &[u8],
    device: DeviceChoice,
) -> Result<Box<dyn Evaluator<G>>, NetError> {
    let file = NetworkFile::from_bytes(bytes)?;
    let file = &*on_board_of(game, &file)?;
    if device == DeviceChoice::Cpu {
        let mut network = CpuEvaluator::load(file)?;
        check_loaded(game, file, &mut network, device)?;
        return Ok(Box::new(Encoded::<G, _>::new(game, network)?));
    }
    Ok(Box::new(Encoded::<G, _>::new(game, on_card(game, file, device)?)?))
}

/// By convolutions of our own where they can be; by Burn's if these are not answered, or not rightly.
fn on_card<G: Game>(
    game: &G,
    file: &NetworkFile,
    device: DeviceChoice,
) -> Result<BurnEvaluator, NetError> {
    let load = |options| {
        let mut network = BurnEvaluator::load(file, device, options)?;
        check_loaded(game, file, &mut network, device).map(|()| network)
    };
    let options = EvaluatorOptions::for_device(device);
    let error = match load(options) {
        Err(error @ (NetError::Canary { .. } | NetError::Device { .. })) => error,
        loaded => return loaded,
    };
    let network = load(EvaluatorOptions { on_chip: false, ..options })?;
    warn!(
        "convolutions of our own do not work on {device}, so Burn's are used, which are slower: {error}"
    );
    Ok(network)
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

/// The same on several devices of one kind, whose turn comes one after another, batch by batch.
///
/// # Errors
/// As [`network_evaluator`]; [`NetError::Evaluator`] if there are no devices, or if they give different evaluations.
pub fn network_evaluator_on<G: Game>(
    game: &G,
    bytes: &[u8],
    devices: &[DeviceChoice],
) -> Result<Box<dyn Evaluator<G>>, NetError> {
    if let [device] = devices {
        return network_evaluator(game, bytes, *device);
    }
    let evaluators = devices.iter().map(|device| network_evaluator(game, bytes, *device));
    Ok(Box::new(InTurns::new(evaluators.collect::<Result<_, _>>()?)?))
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
