//! A network on a device, and how batches run through it.

use std::collections::BTreeMap;

use burn::tensor::{Device, FloatDType, StreamId, Tensor, TensorData, Transaction};
use dz_infer::{EncodedBatch, NetworkOutputs};
use dz_network_file::{Head, NetworkFile, NetworkSpec};
use rayon::prelude::*;

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::options::{ChunkSizes, EvaluatorOptions};
use crate::infer::weights::tower_of;
use crate::model::board_ops::{BoardOps, ComputeOptions};
use crate::model::convolution::ConvMethod;
use crate::model::outputs::Logits;
use crate::model::planes::{Inputs, Unpack};
use crate::model::tower::Tower;

/// The first lane's number; those from 0 on are given to threads as they come.
const LANE_FIRST: u64 = 64;

/// A network on each lane of a device.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) spec: NetworkSpec,
    pub(super) choice: DeviceChoice,
    pub(super) options: EvaluatorOptions,
    /// The sizes of chunks.
    pub(super) sizes: ChunkSizes,
    /// The network on each lane, so that no lane waits for another one.
    towers: Vec<Tower>,
    /// By size of chunk, where there are few sizes.
    boards: BTreeMap<usize, BoardOps>,
    compute: ComputeOptions,
    device: Device,
    unpack: Unpack,
}

/// A batch that a device works on: the outputs of its chunks, and the number of its positions.
#[derive(Debug)]
pub(super) struct Sent {
    chunks: Vec<Logits>,
    len: usize,
}

impl Runner {
    /// Puts a network on a device; see [`crate::BurnEvaluator::load`].
    pub(super) fn load(
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
        // Our kernels take any number of rows. Burn's convolutions have tables for each size.
        let has_kernels = compute.convolve == ConvMethod::CudaKernel;
        let sizes = if has_kernels { ChunkSizes::Multiples } else { ChunkSizes::Doubled };
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
        let unpack = Unpack::of(options.unpack_on_device, compute.convolve);
        Ok(Self { spec, choice, options, sizes, towers, boards, compute, device, unpack })
    }

    /// Whether our kernels compute convolutions.
    pub(super) fn has_kernels(&self) -> bool {
        self.compute.convolve == ConvMethod::CudaKernel
    }

    /// Sends a batch on a lane: its chunks are under way when this returns.
    pub(super) fn send(&self, lane: usize, batch: &EncodedBatch) -> Result<Sent, NetError> {
        let chunks = self.options.chunks(self.sizes, batch.len).into_iter();
        let sent = self.choice.guard(|| {
            on_lane(lane, || {
                let chunks =
                    chunks.map(|chunk| self.run(&self.towers[lane], batch, chunk)).collect();
                // Burn submits work in blocks of many tasks. The rest in the last block would wait
                // for the next batch.
                self.device.flush().map(|()| Sent { chunks, len: batch.len })
            })
        })?;
        sent.map_err(|error| self.choice.failed(&error.to_string()))
    }

    /// On the processor: chunks in parallel, outputs in order.
    pub(super) fn run_here(&self, batch: &EncodedBatch) -> NetworkOutputs {
        let chunks: Vec<NetworkOutputs> = self
            .options
            .chunks(self.sizes, batch.len)
            .into_par_iter()
            .map(|(first, chunk)| {
                let logits = self.run(&self.towers[0], batch, (first, chunk));
                let len = chunk.min(batch.len - first);
                Sent { chunks: vec![logits], len }.read(&self.spec)
            })
            .collect();
        let mut outputs = NetworkOutputs::default();
        for chunk in chunks {
            outputs.policy_logits.extend(chunk.policy_logits);
            outputs.wdl_logits.extend(chunk.wdl_logits);
            outputs.margins.extend(chunk.margins);
            outputs.error_logits.extend(chunk.error_logits);
        }
        outputs
    }

    /// Outputs of a chunk, in 32 bits.
    fn run(&self, tower: &Tower, batch: &EncodedBatch, (first, chunk): (usize, usize)) -> Logits {
        let precision = self.options.precision;
        let rows = first..first + chunk;
        let inputs = Inputs::of(batch, rows, self.unpack, precision.dtype(), &self.device);
        let made;
        let boards = if let Some(boards) = self.boards.get(&chunk) {
            boards
        } else {
            made = BoardOps::new(&self.spec, chunk, self.compute, precision, &self.device);
            &made
        };
        let logits = tower.forward(boards, inputs);
        let whole = |logits: Tensor<2>| logits.cast(FloatDType::F32);
        let columns = logits.columns.into_iter().map(whole).collect();
        Logits { policy: whole(logits.policy), wdl: whole(logits.wdl), columns }
    }
}

impl Sent {
    /// Fetches the outputs of all chunks by a single read, and drops the padding. Blocks until the
    /// device has computed them.
    pub(super) fn read(self, spec: &NetworkSpec) -> NetworkOutputs {
        let mut outputs = NetworkOutputs::default();
        if self.chunks.is_empty() {
            return outputs;
        }
        let tensors = self
            .chunks
            .into_iter()
            .flat_map(|Logits { policy, wdl, columns }| [policy, wdl].into_iter().chain(columns));
        let read = tensors.fold(Transaction::default(), Transaction::register);
        let tensors = read.execute();
        let columns: Vec<Head> = spec.value_columns().collect();
        for chunk in tensors.chunks(2 + columns.len()) {
            append(&mut outputs.policy_logits, &chunk[0]);
            append(&mut outputs.wdl_logits, &chunk[1]);
            for (head, column) in columns.iter().zip(&chunk[2..]) {
                match head {
                    Head::Margin => append(&mut outputs.margins, column),
                    _ => append(&mut outputs.error_logits, column),
                }
            }
        }
        outputs.policy_logits.truncate(self.len * spec.policy_len);
        outputs.wdl_logits.truncate(self.len * 3);
        outputs.margins.truncate(self.len);
        outputs.error_logits.truncate(self.len);
        outputs
    }
}

fn append(numbers: &mut Vec<f32>, tensor: &TensorData) {
    numbers.extend_from_slice(tensor.as_slice().expect("tensors here are 32-bit floats"));
}

/// Runs `work` with the stream of a lane as the current one, whatever the thread.
pub(crate) fn on_lane<T>(lane: usize, work: impl FnOnce() -> T) -> T {
    StreamId { value: LANE_FIRST + lane as u64 }.executes(work)
}
