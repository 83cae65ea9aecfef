//! Networks on positions whose right answers are known: does a device compute?

use dz_cpu_net::{CpuEvaluator, Reference, random_network, random_positions};
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_network_file::{NetworkFile, NetworkSpec};
use serde::Serialize;

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::check_loaded::answers;
use crate::infer::evaluator::BurnEvaluator;
use crate::infer::load::network_on;
use crate::infer::options::EvaluatorOptions;

/// Positions that the canary evaluates: more than one chunk and not a multiple of one.
const POSITIONS: usize = 75;

/// What a device made of the canary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CanaryReport {
    /// Positions evaluated.
    pub positions: usize,
    /// Largest difference of a logit from the plain implementation's; infinite if one was not a
    /// number.
    pub logit_difference_max: f64,
    /// What it may be at most.
    pub tolerance: f64,
}

impl CanaryReport {
    /// Whether the device computes rightly.
    pub fn passed(&self) -> bool {
        self.logit_difference_max <= self.tolerance
    }
}

/// Connect Four's board, every kind of layer, random weights that keep logits at the size of 1.
pub fn canary_spec() -> NetworkSpec {
    NetworkSpec {
        globals: 2,
        policy_channels: 8,
        value_hidden: 32,
        global_pooling: true,
        squeeze_ratio: 4,
        ..NetworkSpec::plain([3, 6, 7], 7, 3, 32)
    }
}

/// Runs the canary on the engine that plays on a device, against [`Reference`], which is written
/// for clarity and runs on the processor.
///
/// # Errors
/// [`NetError::Device`] if the device fails.
pub fn canary(choice: DeviceChoice) -> Result<CanaryReport, NetError> {
    let precision = EvaluatorOptions::for_device(choice).precision;
    ask(&mut *network_on(choice, &file())?, choice.logit_tolerance(precision))
}

/// Runs it on Burn, with any options.
///
/// # Errors
/// As [`canary`]; [`NetError::BadOption`] for sizes that make no sense.
pub fn burn_canary(
    choice: DeviceChoice,
    options: EvaluatorOptions,
) -> Result<CanaryReport, NetError> {
    let tolerance = choice.logit_tolerance(options.precision);
    ask(&mut BurnEvaluator::load(&file(), choice, options)?, tolerance)
}

fn file() -> NetworkFile {
    random_network(&canary_spec(), 1)
}

fn ask(network: &mut dyn NetworkEvaluator, tolerance: f64) -> Result<CanaryReport, NetError> {
    let batch = random_positions(&canary_spec(), POSITIONS, 2);
    let wanted = Reference(&file()).evaluate(&batch);
    let logit_difference_max = wanted.difference_max(&answers(network, batch)?);
    Ok(CanaryReport { positions: POSITIONS, logit_difference_max, tolerance })
}

/// Returns the largest difference between a logit of `found` and that of the engine that plays on
/// the processor, for a batch.
///
/// # Errors
/// If the engine does not know the network.
pub fn difference_from_processor(
    file: &NetworkFile,
    batch: EncodedBatch,
    found: &NetworkOutputs,
) -> Result<f64, NetError> {
    Ok(answers(&mut CpuEvaluator::load(file)?, batch)?.difference_max(found))
}

#[cfg(test)]
mod tests {
    use dz_cpu_net::random_network_of;
    use dz_game::games::TicTacToe;
    use dz_infer::{EvaluatorError, Ticket};

    use crate::network_evaluator;

    use super::*;
    use crate::infer::check_loaded::check_loaded;

    /// Answers with the last position's last logit changed.
    struct Wrong(Box<dyn NetworkEvaluator>, f32);

    impl NetworkEvaluator for Wrong {
        fn id(&self) -> &str {
            self.0.id()
        }
        fn encoding_id(&self) -> &str {
            self.0.encoding_id()
        }
        fn policy_len(&self) -> usize {
            self.0.policy_len()
        }
        fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
            self.0.submit(batch)
        }
        fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
            let mut outputs = self.0.wait(ticket)?;
            *outputs.wdl_logits.last_mut().expect("a position") += self.1;
            Ok(outputs)
        }
    }

    #[test]
    fn one_wrong_number_among_all_kills_the_canary() {
        for (change, passes) in [(0.0, true), (0.001, false), (f32::NAN, false)] {
            let network = network_on(DeviceChoice::Cpu, &file()).unwrap();
            let report = ask(&mut Wrong(network, change), 1e-4).unwrap();
            assert_eq!(report.passed(), passes, "{change}: {report:?}");
        }
    }

    #[test]
    fn a_network_that_is_answered_wrongly_is_not_loaded() {
        let file = random_network_of(&TicTacToe, 2, 16, 3);
        for (change, passes) in [(0.0, true), (0.5, false), (f32::INFINITY, false)] {
            let mut network = Wrong(network_on(DeviceChoice::Cpu, &file).unwrap(), change);
            let found = check_loaded(&TicTacToe, &file, &mut network, DeviceChoice::Cpu);
            assert_eq!(found.is_ok(), passes, "{change}: {found:?}");
        }
    }

    #[test]
    fn a_network_that_gives_no_numbers_is_not_loaded() {
        let mut file = random_network_of(&TicTacToe, 2, 16, 3);
        let bias = file.tensors.get_mut("value.output.bias").expect("the head's bias");
        bias.data[0] = f32::NAN;
        let error = network_evaluator(&TicTacToe, &file.to_bytes().unwrap(), DeviceChoice::Cpu);
        assert!(matches!(error, Err(NetError::Canary { .. })));
    }
}
