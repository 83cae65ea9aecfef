//! Evaluating positions with a network file.

use std::collections::BTreeMap;

use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_network_file::{Head, NetworkFile};

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::options::EvaluatorOptions;
use crate::infer::read_back::ReadBack;
use crate::infer::runner::Runner;
use crate::model::planes;

/// A network on a device.
///
/// For cards. On the processor [`crate::network_evaluator`] takes [`dz_cpu_net::CpuEvaluator`],
/// which is several times as fast. This evaluator runs there too: tests compare both, and `dagzero
/// bench device --device cpu` measures it.
///
/// On the processor a position's outputs have the same bits whatever the batch, its place in it and
/// the number of threads: every chunk has the same shape, and no operation of the network mixes its
/// rows.
#[derive(Debug)]
pub struct BurnEvaluator {
    id: String,
    runner: Runner,
    /// One a lane.
    readers: Vec<ReadBack>,
    in_flight: BTreeMap<Ticket, Pending>,
    next: u64,
}

/// A batch that was submitted.
#[derive(Debug)]
enum Pending {
    Done(NetworkOutputs),
    /// On this lane.
    OnDevice(usize),
}

impl BurnEvaluator {
    /// Puts a network on a device.
    ///
    /// # Errors
    /// [`NetError::File`] if the file's tensors are not those of its specification,
    /// [`NetError::BadOption`] for an empty chunk, [`NetError::Device`] if the device fails.
    pub fn load(
        file: &NetworkFile,
        choice: DeviceChoice,
        options: EvaluatorOptions,
    ) -> Result<Self, NetError> {
        let runner = Runner::load(file, choice, options)?;
        let readers = (0..options.lanes)
            .map(|lane| ReadBack::start(choice, lane, file.header.spec.clone()))
            .collect::<Result<_, _>>()?;
        let content = file.content_id();
        let arithmetic = choice.arithmetic(options.precision);
        let convolve = if runner.has_kernels() { "-on-chip" } else { "" };
        let id = format!("{content}-{arithmetic}{convolve}-c{}", options.chunk_max);
        Ok(Self { id, runner, readers, in_flight: BTreeMap::new(), next: 0 })
    }

    /// Starts on a batch.
    fn start(&self, ticket: Ticket, batch: &EncodedBatch) -> Result<Pending, NetError> {
        let Runner { spec, choice, options, .. } = &self.runner;
        planes::check(batch, spec)?;
        if options.lanes == 0 {
            return choice.guard(|| Pending::Done(self.runner.run_here(batch)));
        }
        let lane = (ticket.0 % options.lanes as u64) as usize;
        let sent = self.runner.send(lane, batch)?;
        self.readers[lane].begin(ticket, sent)?;
        Ok(Pending::OnDevice(lane))
    }

    fn failed(&self, error: &NetError) -> EvaluatorError {
        let device = self.runner.choice.to_string();
        EvaluatorError::Device { device, message: error.to_string() }
    }
}

impl NetworkEvaluator for BurnEvaluator {
    fn id(&self) -> &str {
        &self.id
    }

    fn encoding_id(&self) -> &str {
        &self.runner.spec.encoding
    }

    fn policy_len(&self) -> usize {
        self.runner.spec.policy_len
    }

    fn has_margins(&self) -> bool {
        self.runner.spec.heads.contains(&Head::Margin)
    }

    fn has_errors(&self) -> bool {
        self.runner.spec.heads.contains(&Head::ShortTermError)
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let ticket = Ticket(self.next);
        let pending = self.start(ticket, &batch).map_err(|error| self.failed(&error))?;
        self.next += 1;
        self.in_flight.insert(ticket, pending);
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        match self.in_flight.remove(&ticket) {
            None => Err(EvaluatorError::UnknownTicket(ticket)),
            Some(Pending::Done(outputs)) => Ok(outputs),
            Some(Pending::OnDevice(lane)) => {
                let outputs = self.readers[lane].wait(ticket);
                outputs.map_err(|error| self.failed(&error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dz_cpu_net::{CpuEvaluator, random_network, random_positions};

    use super::*;
    use crate::infer::canary::canary_spec;
    use crate::infer::options::ChunkSizes;

    /// A network with every kind of layer on two lanes of the processor, in chunks of 4 to 32.
    fn on_lanes() -> (NetworkFile, BurnEvaluator) {
        let sizes = EvaluatorOptions { chunk_max: 32, chunk_min: 4, ..EvaluatorOptions::fixed(4) };
        let options = EvaluatorOptions { lanes: 2, ..sizes };
        let file = random_network(&canary_spec(), 1);
        let evaluator = BurnEvaluator::load(&file, DeviceChoice::Cpu, options).unwrap();
        (file, evaluator)
    }

    #[test]
    fn answers_are_read_before_they_are_waited_for() {
        let (_, mut evaluator) = on_lanes();
        let ticket = evaluator.submit(random_positions(&canary_spec(), 3, 5)).unwrap();
        assert!(evaluator.readers[0].has_answer_within(Duration::from_mins(1)));
        assert_eq!(evaluator.wait(ticket).unwrap().wdl_logits.len(), 9);
    }

    /// Chunks of doubled sizes, as Burn's operations take them, and of multiples of the smallest,
    /// as our kernels do. Batches are waited for in another order than they were submitted.
    #[test]
    fn batches_of_any_length_are_answered_on_lanes_in_any_order() {
        let (file, mut evaluator) = on_lanes();
        let mut processor = CpuEvaluator::load(&file).unwrap();
        for sizes in [ChunkSizes::Doubled, ChunkSizes::Multiples] {
            evaluator.runner.sizes = sizes;
            let batches = [0, 1, 9, 69, 12].map(|len| random_positions(&canary_spec(), len, 7));
            let tickets = batches.each_ref().map(|b| evaluator.submit(b.clone()).unwrap());
            for at in [3, 0, 4, 1, 2] {
                let wanted = processor.submit(batches[at].clone()).unwrap();
                let wanted = processor.wait(wanted).unwrap();
                let found = evaluator.wait(tickets[at]).unwrap();
                assert_eq!(found.wdl_logits.len(), 3 * batches[at].len);
                assert!(wanted.difference_max(&found) < 1e-4, "{sizes:?} {at}");
            }
        }
    }
}
