//! A fixed network on fixed positions, whose right answers are known: does a device compute?

use dz_cpu::{Reference, random_network, random_positions};
use dz_infer::NetworkEvaluator;
use dz_network::{NetworkFile, NetworkSpec};
use serde::Serialize;

use crate::{BurnEvaluator, DeviceChoice, EvaluatorOptions, NetError, network_on};

/// Positions that the canary evaluates: more than one chunk and not a multiple of one.
const POSITIONS: usize = 75;

/// What a device made of the canary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CanaryReport {
    /// Positions evaluated.
    pub positions: usize,
    /// Largest difference of a logit from the plain implementation's; infinite if one was not a number.
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

/// Runs the canary on the engine that plays on a device, against [`Reference`], which is written for clarity
/// and runs on the processor.
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
    let ticket = network.submit(batch)?;
    let found = network.wait(ticket)?;
    Ok(CanaryReport {
        positions: POSITIONS,
        logit_difference_max: wanted.difference_max(&found),
        tolerance,
    })
}

#[cfg(test)]
mod tests {
    use dz_infer::{EncodedBatch, EvaluatorError, NetworkOutputs, Ticket};

    use super::*;

    /// Answers with one logit changed.
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
            outputs.wdl_logits[3 * POSITIONS - 1] += self.1;
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
}
