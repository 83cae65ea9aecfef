//! Evaluating positions with a network file.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use burn::tensor::{Device, FloatDType, StreamId, Tensor};
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_network_file::{NetworkFile, NetworkSpec};
use rayon::prelude::*;
use serde::Serialize;

use crate::board::Boards;
use crate::convolve::Convolve;
use crate::place::tower_of;
use crate::planes::{self, Inputs, Unpack};
use crate::tower::{Logits, Tensors, Tower, download};
use crate::{DeviceChoice, NetError};

/// How batches are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluatorOptions {
    /// Positions that run at a time, at most and at least; 1 or more, the largest the smallest
    /// times a power of two. Kernels are compiled for each size, so batches are cut into chunks of
    /// these sizes: the largest while more are left, then the smallest that takes the rest, padded
    /// with blank positions. On the processor, chunks run on as many threads as there are.
    pub chunk_max: usize,
    /// The smallest size.
    pub chunk_min: usize,
    /// What the network computes in.
    pub precision: Precision,
    /// Where bit-packed planes become numbers: on the device, to which 32 times fewer bytes then
    /// go, or before they are sent.
    pub unpack_on_device: bool,
    /// Queues of a card that batches take in turn. A queue does one thing after the other, so with
    /// a single one the answers of a batch are read when all that was submitted after it is done,
    /// too. 0 answers a batch before `submit` returns, its chunks on as many threads as there are:
    /// for the processor.
    pub lanes: usize,
    /// Whether a card's 3x3 convolutions take a kernel of our own, where the network fits it, or
    /// Burn's operations. Needs 16 bits.
    pub on_chip: bool,
}

/// The first lane's number; those from 0 on are given to threads as they come.
const LANE_FIRST: u64 = 64;

/// Floating-point format of a network's weights and activations while it plays. Logits come back in
/// 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32 bits; cards may round the factors of products to 10 bits (TF32).
    F32,
    /// 16 bits, 10 of them behind the point, up to 65,504: the more exact half precision.
    F16,
    /// 16 bits, 7 of them behind the point, as large as 32 bits.
    Bf16,
}

impl Precision {
    pub(crate) fn dtype(self) -> FloatDType {
        match self {
            Self::F32 => FloatDType::F32,
            Self::F16 => FloatDType::F16,
            Self::Bf16 => FloatDType::BF16,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        })
    }
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::F32, Self::F16, Self::Bf16];
        let found = all.into_iter().find(|precision| precision.to_string() == text);
        found.ok_or_else(|| "write f32, f16 or bf16".to_owned())
    }
}

impl EvaluatorOptions {
    /// What is fast on a device: on the processor small chunks of one size, which are shared out
    /// evenly and stay in the cache; on a card few launches, in half precision.
    pub const fn for_device(choice: DeviceChoice) -> Self {
        match choice {
            DeviceChoice::Cpu => Self::fixed(16),
            DeviceChoice::Cuda(_) => Self {
                chunk_max: 4096,
                chunk_min: 64,
                precision: Precision::F16,
                unpack_on_device: choice.unpacks(),
                lanes: 2,
                on_chip: true,
            },
        }
    }

    /// Chunks of one size, in 32 bits, unpacked before they are sent.
    pub const fn fixed(chunk: usize) -> Self {
        let precision = Precision::F32;
        Self {
            chunk_max: chunk,
            chunk_min: chunk,
            precision,
            unpack_on_device: false,
            lanes: 0,
            on_chip: false,
        }
    }

    fn check(self) -> Result<(), NetError> {
        let refuse = |key, value: usize, allowed| {
            Err(NetError::BadOption { key, value: value.to_string(), allowed })
        };
        if self.chunk_min == 0 {
            return refuse("chunk_min", 0, "1 or more");
        }
        let factor = self.chunk_max / self.chunk_min;
        if factor * self.chunk_min != self.chunk_max || !factor.is_power_of_two() {
            return refuse("chunk_max", self.chunk_max, "chunk_min times a power of two");
        }
        Ok(())
    }

    /// The size of the next chunk when `left` positions are left.
    fn chunk(self, left: usize) -> usize {
        let mut chunk = self.chunk_min;
        while chunk < left && chunk < self.chunk_max {
            chunk *= 2;
        }
        chunk
    }

    /// First position and size of each chunk of a batch.
    fn chunks(self, len: usize) -> Vec<(usize, usize)> {
        let mut chunks = Vec::new();
        let mut first = 0;
        while first < len {
            let chunk = self.chunk(len - first);
            chunks.push((first, chunk));
            first += chunk;
        }
        chunks
    }

    /// All sizes, the smallest first.
    fn sizes(self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(self.chunk_min), move |chunk| {
            (*chunk < self.chunk_max).then_some(chunk * 2)
        })
    }
}

/// A network on a device.
///
/// For cards. On the processor [`crate::network_evaluator`] takes [`dz_cpu_net::CpuEvaluator`],
/// several times as fast; that this runs there too is what tests compare both by, and what
/// `dagzero bench device --device cpu` measures.
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
    boards: BTreeMap<usize, Boards>,
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
        let (ways, precision) = (choice.ways_to_play(&spec, options), options.precision);
        let (towers, boards) = choice.guard(|| {
            let boards = |chunk| Boards::new(&spec, chunk, ways, precision, &device);
            let boards = options.sizes().map(|chunk| (chunk, boards(chunk))).collect();
            let tower = || tower_of(file, precision, ways, &device);
            let towers = match options.lanes {
                0 => vec![tower()],
                lanes => (0..lanes).map(|lane| on_lane(lane, tower)).collect(),
            };
            (towers, boards)
        })?;
        let (content, arithmetic) = (file.content_id(), choice.arithmetic(precision));
        let convolve = if ways.convolve == Convolve::OnChip { "-on-chip" } else { "" };
        let id = format!("{content}-{arithmetic}{convolve}-c{}", options.chunk_max);
        let unpack = Unpack::of(options.unpack_on_device, ways.convolve);
        let (in_flight, next) = (BTreeMap::new(), 0);
        Ok(Self { id, spec, towers, boards, choice, device, options, unpack, in_flight, next })
    }

    /// Outputs of a chunk, in 32 bits.
    fn run(&self, tower: &Tower, batch: &EncodedBatch, (first, chunk): (usize, usize)) -> Logits {
        let dtype = self.options.precision.dtype();
        let inputs = Inputs::of(batch, first..first + chunk, self.unpack, dtype, &self.device);
        let logits = tower.forward(&self.boards[&chunk], inputs, &mut Tensors::new());
        let whole = |logits: Tensor<2>| logits.cast(FloatDType::F32);
        Logits { policy: whole(logits.policy), wdl: whole(logits.wdl) }
    }

    /// On a lane: chunks are under way when this returns.
    fn send(&self, lane: usize, batch: &EncodedBatch) -> Result<Vec<Logits>, NetError> {
        let chunks = self.options.chunks(batch.len).into_iter();
        let sent = self.choice.guard(|| {
            on_lane(lane, || {
                let logits =
                    chunks.map(|chunk| self.run(&self.towers[lane], batch, chunk)).collect();
                // Burn hands work over in blocks of many tasks; what is left of the last one would
                // wait for the next batch.
                self.device.flush().map(|()| logits)
            })
        })?;
        sent.map_err(|error| self.choice.failed(&error.to_string()))
    }

    /// On the processor: chunks in parallel, outputs in order.
    fn run_here(&self, batch: &EncodedBatch) -> NetworkOutputs {
        let chunks: Vec<(Vec<f32>, Vec<f32>)> = self
            .options
            .chunks(batch.len)
            .into_par_iter()
            .map(|chunk| {
                let logits = self.run(&self.towers[0], batch, chunk);
                (download(logits.policy), download(logits.wdl))
            })
            .collect();
        self.join(chunks, batch.len)
    }

    /// Puts chunks together and drops the padding.
    fn join(
        &self,
        chunks: impl IntoIterator<Item = (Vec<f32>, Vec<f32>)>,
        len: usize,
    ) -> NetworkOutputs {
        let mut outputs = NetworkOutputs::default();
        for (policy, wdl) in chunks {
            outputs.policy_logits.extend(policy);
            outputs.wdl_logits.extend(wdl);
        }
        outputs.policy_logits.truncate(len * self.spec.policy_len);
        outputs.wdl_logits.truncate(len * 3);
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
                let read = chunks.into_iter().map(|c| (download(c.policy), download(c.wdl)));
                let outputs = self.choice.guard(|| on_lane(lane, || self.join(read, len)));
                outputs.map_err(|e| self.failed(&e))
            }
        }
    }
}

/// What `work` gives a device to do goes to the queue of a lane, whatever thread this is.
fn on_lane<T>(lane: usize, work: impl FnOnce() -> T) -> T {
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
