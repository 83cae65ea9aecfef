//! Evaluating positions with a network file.

use std::collections::BTreeMap;

use burn::tensor::Device;
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_network::{NetworkFile, NetworkSpec};
use rayon::prelude::*;

use crate::board::Boards;
use crate::planes::{self, Inputs};
use crate::tower::{Logits, Tensors, Tower, download, upload};
use crate::{DeviceChoice, NetError};

/// How batches are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluatorOptions {
    /// Positions that run at a time, at least 1. Batches are cut into chunks of exactly this size, the
    /// last one padded with blank positions; on the processor, chunks run on as many threads as there are.
    pub chunk: usize,
}

impl EvaluatorOptions {
    /// What is fast on a device: on the processor small chunks, which are shared out evenly and stay in
    /// the cache; on a card few launches.
    pub const fn for_device(choice: DeviceChoice) -> Self {
        match choice {
            DeviceChoice::Cpu => Self { chunk: 16 },
            DeviceChoice::Cuda(_) => Self { chunk: 512 },
        }
    }
}

/// A network on a device.
///
/// For cards. On the processor [`crate::network_evaluator`] takes [`dz_cpu::CpuEvaluator`], several times as fast; that
/// this runs there too is what tests compare both by, and what `examples/network_speed.rs` measures.
///
/// On the processor a position's outputs have the same bits whatever the batch, its place in it and the
/// number of threads: every chunk has the same shape, and no operation of the network mixes its rows.
#[derive(Debug)]
pub struct BurnEvaluator {
    id: String,
    spec: NetworkSpec,
    tower: Tower,
    boards: Boards,
    choice: DeviceChoice,
    device: Device,
    chunk: usize,
    in_flight: BTreeMap<Ticket, Pending>,
    next: u64,
}

/// A batch that was submitted.
#[derive(Debug)]
enum Pending {
    Done(NetworkOutputs),
    /// Chunks that a card is working on, and the number of positions.
    OnDevice(Vec<Chunk>, usize),
}

#[derive(Debug)]
struct Chunk {
    policy: burn::tensor::Tensor<2>,
    wdl: burn::tensor::Tensor<2>,
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
        if options.chunk == 0 {
            let value = options.chunk.to_string();
            return Err(NetError::BadOption { key: "chunk", value, allowed: "1 or more" });
        }
        let spec = file.header.spec.clone();
        file.check()?;
        let device = choice.open();
        let (tower, boards) = choice.guard(|| {
            let boards = Boards::new(&spec, options.chunk, choice.gathers(), &device);
            (tower_of(file, &device), boards)
        })?;
        let id = format!("{}-{}-c{}", file.content_id(), choice.arithmetic(), options.chunk);
        let (in_flight, next) = (BTreeMap::new(), 0);
        let chunk = options.chunk;
        Ok(Self { id, spec, tower, boards, choice, device, chunk, in_flight, next })
    }

    fn run(&self, batch: &EncodedBatch, first: usize) -> Logits {
        let inputs = Inputs::unpack(batch, first, self.chunk, &self.device);
        self.tower.forward(&self.boards, inputs, &mut Tensors::new())
    }

    /// On the processor: chunks in parallel, outputs in order.
    fn run_here(&self, batch: &EncodedBatch) -> NetworkOutputs {
        let chunks: Vec<(Vec<f32>, Vec<f32>)> = (0..batch.len.div_ceil(self.chunk))
            .into_par_iter()
            .map(|i| {
                let logits = self.run(batch, i * self.chunk);
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
        let pending = self.choice.guard(|| match self.choice {
            DeviceChoice::Cpu => Pending::Done(self.run_here(&batch)),
            DeviceChoice::Cuda(_) => {
                let starts = (0..batch.len).step_by(self.chunk);
                let chunks = starts.map(|first| self.run(&batch, first));
                let chunks = chunks.map(|Logits { policy, wdl }| Chunk { policy, wdl }).collect();
                Pending::OnDevice(chunks, batch.len)
            }
        });
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
            Some(Pending::OnDevice(chunks, len)) => {
                let read = || chunks.into_iter().map(|c| (download(c.policy), download(c.wdl)));
                self.choice.guard(|| self.join(read(), len)).map_err(|e| self.failed(&e))
            }
        }
    }
}

/// A file's network on a device.
pub(crate) fn tower_of(file: &NetworkFile, device: &Device) -> Tower {
    let upload = |tensor: &dz_network::TensorData| upload(tensor.data.clone(), device);
    let tensors = file.tensors.iter().map(|(name, t)| (name.clone(), upload(t))).collect();
    Tower::new(&file.header.spec, &tensors)
}
