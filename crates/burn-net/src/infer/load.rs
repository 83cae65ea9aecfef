//! From a network file's bytes to a network on a device.

use std::borrow::Cow;

use dz_cpu_net::CpuEvaluator;
use dz_game::{Encoding, Game};
use dz_infer::{EvaluatorError, InTurns, NetworkEvaluator};
use dz_network_file::{Board, NetworkError, NetworkFile};
use tracing::warn;

use crate::cuda;
use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::check_loaded::check_loaded;
use crate::infer::evaluator::BurnEvaluator;
use crate::infer::options::EvaluatorOptions;
use crate::precision::Precision;

/// Reads a network file, checks that it fits the game, puts it on a device (on the processor with
/// our kernels, on a card with Burn and one of ours), and checks the answers there.
///
/// # Errors
/// [`NetError::File`] if the bytes are no network, or one of another game or encoding.
/// [`NetError::Canary`] if the device's answers differ from those of another engine. Also the
/// errors of [`BurnEvaluator::load`].
pub fn network_evaluator<G: Game>(
    game: &G,
    bytes: &[u8],
    device: DeviceChoice,
) -> Result<Box<dyn NetworkEvaluator>, NetError> {
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
) -> Result<Box<dyn NetworkEvaluator>, NetError> {
    optimistic_evaluator_on(game, bytes, devices, 0.0)
}

/// The same with a share of the network's optimistic policy in its policy, 0 to 1 (see
/// [`NetworkFile::with_optimism`]).
///
/// # Errors
/// As [`network_evaluator_on`]; [`NetworkError::NoOptimisticPolicy`] if the network has none and
/// `optimism` is above 0.
pub fn optimistic_evaluator_on<G: Game>(
    game: &G,
    bytes: &[u8],
    devices: &[DeviceChoice],
    optimism: f64,
) -> Result<Box<dyn NetworkEvaluator>, NetError> {
    let file = NetworkFile::from_bytes(bytes)?;
    let file = file.with_optimism(optimism)?;
    let file = &*on_board_of(game, &file)?;
    // On all cards in the same way, so that all give the same evaluations.
    let spec = &file.header.spec;
    let cuda_kernels = devices.iter().all(|device| device.plays_by_cuda_kernels(spec));
    let load = |way: Way| -> Result<Vec<_>, NetError> {
        devices.iter().map(|device| load(game, file, *device, way.options(*device))).collect()
    };
    let mut networks = load_in_turn(Way::from(cuda_kernels), load)?;
    match networks.len() {
        1 => Ok(networks.remove(0)),
        _ => Ok(Box::new(InTurns::new(networks)?)),
    }
}

/// How a card works a network out, the fastest way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The tower in one kernel, where that fits; else as the next.
    Tower,
    /// Layer by layer, convolutions by our kernels.
    Layers,
    /// Layer by layer, by Burn's operations. The processor's only way.
    Burn,
}

impl Way {
    const fn from(cuda_kernels: bool) -> Self {
        if cuda_kernels { Self::Tower } else { Self::Burn }
    }

    /// What is left when this way failed, and what is slower about it.
    const fn next(self) -> Option<(Self, &'static str)> {
        match self {
            Self::Tower => Some((
                Self::Layers,
                "our fastest kernels do not work, so networks play by the layer kernels",
            )),
            Self::Layers => {
                Some((Self::Burn, "our layer kernels do not work, so Burn's operations are used"))
            }
            Self::Burn => None,
        }
    }

    fn options(self, device: DeviceChoice) -> EvaluatorOptions {
        let usual = EvaluatorOptions::for_device(device);
        let cuda_kernels = usual.cuda_kernels && self != Self::Burn;
        EvaluatorOptions { cuda_kernels, tower: usual.tower && self == Self::Tower, ..usual }
    }
}

/// Loads in the first way that works. If none works, returns the first error: a card that is broken
/// altogether fails at the first way.
fn load_in_turn<T>(first: Way, load: impl Fn(Way) -> Result<T, NetError>) -> Result<T, NetError> {
    let mut way = first;
    let mut failures: Vec<(NetError, &str)> = Vec::new();
    loop {
        match (load(way), way.next()) {
            (Err(error), Some((next, what))) if is_of_device(&error) => {
                failures.push((error, what));
                way = next;
            }
            (Ok(loaded), _) => {
                for (error, what) in &failures {
                    warn!("{what}, which is slower: {}", reason(error));
                }
                return Ok(loaded);
            }
            (Err(error), _) if failures.is_empty() => return Err(error),
            (Err(_), _) => return Err(failures.swap_remove(0).0),
        }
    }
}

fn load<G: Game>(
    game: &G,
    file: &NetworkFile,
    device: DeviceChoice,
    options: EvaluatorOptions,
) -> Result<Box<dyn NetworkEvaluator>, NetError> {
    let mut network = network_with(device, file, options)?;
    check_loaded(game, file, &mut *network, device)?;
    Ok(network)
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

/// Describes a failed attempt that was followed by one that succeeded.
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
    network_with(device, file, EvaluatorOptions::for_device(device))
}

/// The same with other options, of which the processor takes no notice.
///
/// # Errors
/// What [`BurnEvaluator::load`] reports.
pub fn network_with(
    device: DeviceChoice,
    file: &NetworkFile,
    options: EvaluatorOptions,
) -> Result<Box<dyn NetworkEvaluator>, NetError> {
    if device == DeviceChoice::Cpu {
        return Ok(Box::new(CpuEvaluator::load(file)?));
    }
    let allows_tower = options.tower
        && options.cuda_kernels
        && options.precision == Precision::F16
        && device.plays_by_cuda_kernels(&file.header.spec);
    if let Some(tower) = allows_tower.then(|| cuda::tower(device, file)).transpose()?.flatten() {
        return Ok(tower);
    }
    Ok(Box::new(BurnEvaluator::load(file, device, options)?))
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

    #[test]
    fn each_way_is_tried_until_one_works_and_the_first_failure_is_reported() {
        let broken = |way: Way| NetError::Canary {
            device: format!("{way:?}"),
            difference: 1.0,
            tolerance: 0.1,
        };
        for works in [Way::Tower, Way::Layers, Way::Burn] {
            let load = |way: Way| if way == works { Ok(way) } else { Err(broken(way)) };
            assert_eq!(load_in_turn(Way::Tower, load).unwrap(), works);
        }
        let none = load_in_turn(Way::Tower, |way| Err::<(), _>(broken(way))).unwrap_err();
        assert!(none.to_string().contains("Tower"), "{none}");
        let file = |_| {
            Err::<(), _>(NetError::BadOption { key: "lanes", value: "x".to_owned(), allowed: "1" })
        };
        assert!(matches!(load_in_turn(Way::Tower, file), Err(NetError::BadOption { .. })));
    }
}
