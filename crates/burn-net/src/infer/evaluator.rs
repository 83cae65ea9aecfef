//! Evaluating positions with a network file.

use std::collections::BTreeMap;

use burn::tensor::{Device, FloatDType, StreamId, Tensor};
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_network_file::{Head, NetworkFile, NetworkSpec};
use rayon::prelude::*;

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::options::EvaluatorOptions;
use crate::infer::weights::tower_of;
use crate::model::board_ops::BoardOps;
use crate::model::convolution::ConvMethod;
use crate::model::outputs::Logits;
use crate::model::planes;
use crate::model::planes::{Inputs, Unpack};
use crate::model::tower::Tower;
use crate::tensors::download;

/// The first lane's number; those from 0 on are given to threads as they come.
const LANE_FIRST: u64 = 64;

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
    spec: NetworkSpec,
    /// The network on each lane, so that no lane waits for another one.
    towers: Vec<Tower>,
    /// By size of chunk.
    boards: BTreeMap<usize, BoardOps>,
    choice: DeviceChoice,
    device: Device,
    options: EvaluatorOptions,
    unpack: Unpack,
    in_flight: BTreeMap<Ticket, Pending>,
    next: u64,
}

/// A batch that was submitted.
#[derive(Debug)]
enum Pending {
    Done(NetworkOutputs),
    /// The lane that works on them, chunks, and the number of positions.
    OnDevice(usize, Vec<Logits>, usize),
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
        options.check()?;
        let spec = file.header.spec.clone();
        file.check()?;
        let device = choice.open();
        let compute = choice.options_to_play(&spec, options);
        let precision = options.precision;
        let (towers, boards) = choice.guard(|| {
            let boards = |chunk| BoardOps::new(&spec, chunk, compute, precision, &device);
            let boards = options.sizes().map(|chunk| (chunk, boards(chunk))).collect();
            let tower = || tower_of(file, precision, compute, &device);
            let towers = match options.lanes {
                0 => vec![tower()],
                lanes => (0..lanes).map(|lane| on_lane(lane, tower)).collect(),
            };
            (towers, boards)
        })?;
        let content = file.content_id();
        let arithmetic = choice.arithmetic(precision);
        let convolve = if compute.convolve == ConvMethod::CudaKernel { "-on-chip" } else { "" };
        let id = format!("{content}-{arithmetic}{convolve}-c{}", options.chunk_max);
        let unpack = Unpack::of(options.unpack_on_device, compute.convolve);
        let in_flight = BTreeMap::new();
        let next = 0;
        Ok(Self { id, spec, towers, boards, choice, device, options, unpack, in_flight, next })
    }

    /// Outputs of a chunk, in 32 bits.
    fn run(&self, tower: &Tower, batch: &EncodedBatch, (first, chunk): (usize, usize)) -> Logits {
        let dtype = self.options.precision.dtype();
        let inputs = Inputs::of(batch, first..first + chunk, self.unpack, dtype, &self.device);
        let logits = tower.forward(&self.boards[&chunk], inputs);
        let whole = |logits: Tensor<2>| logits.cast(FloatDType::F32);
        let columns = logits.columns.into_iter().map(whole).collect();
        Logits { policy: whole(logits.policy), wdl: whole(logits.wdl), columns }
    }

    /// On a lane: chunks are under way when this returns.
    fn send(&self, lane: usize, batch: &EncodedBatch) -> Result<Vec<Logits>, NetError> {
        let chunks = self.options.chunks(batch.len).into_iter();
        let sent = self.choice.guard(|| {
            on_lane(lane, || {
                let logits =
                    chunks.map(|chunk| self.run(&self.towers[lane], batch, chunk)).collect();
                // Burn submits work in blocks of many tasks. The rest in the last block would wait
                // for the next batch.
                self.device.flush().map(|()| logits)
            })
        })?;
        sent.map_err(|error| self.choice.failed(&error.to_string()))
    }

    /// On the processor: chunks in parallel, outputs in order.
    fn run_here(&self, batch: &EncodedBatch) -> NetworkOutputs {
        let chunks: Vec<NetworkOutputs> = self
            .options
            .chunks(batch.len)
            .into_par_iter()
            .map(|chunk| {
                let logits = self.run(&self.towers[0], batch, chunk);
                read(&self.spec, logits)
            })
            .collect();
        self.join(chunks, batch.len)
    }

    /// Puts chunks together and drops the padding.
    fn join(&self, chunks: impl IntoIterator<Item = NetworkOutputs>, len: usize) -> NetworkOutputs {
        let mut outputs = NetworkOutputs::default();
        for chunk in chunks {
            outputs.policy_logits.extend(chunk.policy_logits);
            outputs.wdl_logits.extend(chunk.wdl_logits);
            outputs.margins.extend(chunk.margins);
            outputs.error_logits.extend(chunk.error_logits);
        }
        outputs.policy_logits.truncate(len * self.spec.policy_len);
        outputs.wdl_logits.truncate(len * 3);
        outputs.margins.truncate(len);
        outputs.error_logits.truncate(len);
        outputs
    }

    fn failed(&self, error: &NetError) -> EvaluatorError {
        EvaluatorError::Device { device: self.choice.to_string(), message: error.to_string() }
    }
}

impl NetworkEvaluator for BurnEvaluator {
    fn id(&self) -> &str {
        &self.id
    }

    fn encoding_id(&self) -> &str {
        &self.spec.encoding
    }

    fn policy_len(&self) -> usize {
        self.spec.policy_len
    }

    fn has_margins(&self) -> bool {
        self.spec.heads.contains(&Head::Margin)
    }

    fn has_errors(&self) -> bool {
        self.spec.heads.contains(&Head::ShortTermError)
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        planes::check(&batch, &self.spec).map_err(|e| self.failed(&e))?;
        let pending = match self.options.lanes {
            0 => self.choice.guard(|| Pending::Done(self.run_here(&batch))),
            lanes => {
                let lane = (self.next % lanes as u64) as usize;
                let sent = self.send(lane, &batch);
                sent.map(|logits| Pending::OnDevice(lane, logits, batch.len))
            }
        };
        let pending = pending.map_err(|e| self.failed(&e))?;
        let ticket = Ticket(self.next);
        self.next += 1;
        self.in_flight.insert(ticket, pending);
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        match self.in_flight.remove(&ticket) {
            None => Err(EvaluatorError::UnknownTicket(ticket)),
            Some(Pending::Done(outputs)) => Ok(outputs),
            Some(Pending::OnDevice(lane, chunks, len)) => {
                let read = chunks.into_iter().map(|logits| read(&self.spec, logits));
                let outputs = self.choice.guard(|| on_lane(lane, || self.join(read, len)));
                outputs.map_err(|e| self.failed(&e))
            }
        }
    }
}

/// Fetches a chunk's outputs.
fn read(spec: &NetworkSpec, logits: Logits) -> NetworkOutputs {
    let mut outputs = NetworkOutputs {
        policy_logits: download(logits.policy),
        wdl_logits: download(logits.wdl),
        ..NetworkOutputs::default()
    };
    for (head, column) in spec.value_columns().zip(logits.columns) {
        match head {
            Head::Margin => outputs.margins = download(column),
            _ => outputs.error_logits = download(column),
        }
    }
    outputs
}

/// Runs `work` with the stream of a lane as the current one, whatever the thread.
pub(crate) fn on_lane<T>(lane: usize, work: impl FnOnce() -> T) -> T {
    StreamId { value: LANE_FIRST + lane as u64 }.executes(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_cut_into_few_sizes_and_every_position_is_in_one_chunk() {
        let options =
            EvaluatorOptions { chunk_max: 32, chunk_min: 4, ..EvaluatorOptions::fixed(4) };
        assert_eq!(options.sizes().collect::<Vec<_>>(), [4, 8, 16, 32]);
        assert_eq!(options.chunks(0), []);
        assert_eq!(options.chunks(3), [(0, 4)]);
        assert_eq!(options.chunks(9), [(0, 16)]);
        assert_eq!(options.chunks(69), [(0, 32), (32, 32), (64, 8)]);
        assert_eq!(EvaluatorOptions::fixed(5).chunks(11), [(0, 5), (5, 5), (10, 5)]);
    }

    #[test]
    fn sizes_that_do_not_double_are_refused() {
        for (chunk_max, chunk_min) in [(4, 0), (12, 4), (4, 8), (9, 4)] {
            let options = EvaluatorOptions { chunk_max, chunk_min, ..EvaluatorOptions::fixed(4) };
            assert!(options.check().is_err(), "{chunk_max} {chunk_min}");
        }
    }
}
