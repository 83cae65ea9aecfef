//! The evaluator of network files.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use dz_game::PlaneShape;
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_network_file::{NetworkError, NetworkFile, NetworkSpec};
use rayon::prelude::*;

use crate::simd::Vectors;
use crate::tower::{Scratch, Tower};
use crate::winograd::TILE_MAX;

/// A network on the processor.
///
/// A position's outputs have the same bits whatever the batch, its place in it and the number of
/// threads, and on all processors whose multiplication and addition are fused. A batch is worked on
/// where it is submitted, cut into pieces for rayon's threads, which share nothing but the weights.
/// A handle does all of it on the thread that submits.
pub struct CpuEvaluator {
    id: String,
    network: Arc<Network>,
    /// Whether batches are shared out among threads.
    shares: bool,
    /// Working memory that no thread uses now.
    free: Mutex<Vec<Scratch>>,
    finished: BTreeMap<Ticket, NetworkOutputs>,
    next: u64,
}

/// The shape of encoded positions that a network takes.
pub fn plane_shape(spec: &NetworkSpec) -> PlaneShape {
    let NetworkSpec { channels_in: channels, height, width, globals, .. } = *spec;
    PlaneShape { channels, height, width, globals }
}

/// What handles share.
struct Network {
    spec: NetworkSpec,
    tower: Tower,
}

impl CpuEvaluator {
    /// Packs a network for the best vectors of this processor.
    ///
    /// # Errors
    /// If the file's tensors are not those of its specification.
    pub fn load(file: &NetworkFile) -> Result<Self, NetworkError> {
        Self::with_vectors(file, Vectors::available()[0])
    }

    /// The same network on every kind of vectors that this processor has, the best first, each with
    /// its name: for tests and benches.
    ///
    /// # Errors
    /// As [`CpuEvaluator::load`].
    pub fn load_each(file: &NetworkFile) -> Result<Vec<(String, Self)>, NetworkError> {
        let name = |vectors: &Vectors| vectors.to_string();
        let kinds = Vectors::available().into_iter();
        kinds.map(|vectors| Ok((name(&vectors), Self::with_vectors(file, vectors)?))).collect()
    }

    fn with_vectors(file: &NetworkFile, vectors: Vectors) -> Result<Self, NetworkError> {
        let file = &*file.on_own_board()?;
        // Everything that a result's bits depend on: the tiles, how products are rounded, the
        // precision.
        let content = file.content_id();
        let rounding = vectors.rounding();
        let id = format!("{content}-cpu-winograd{TILE_MAX}-{rounding}-f32");
        let spec = file.header.spec.clone();
        let tower = Tower::new(vectors, file);
        Ok(Self::over(id, Arc::new(Network { spec, tower }), true))
    }

    fn over(id: String, network: Arc<Network>, shares: bool) -> Self {
        let free = Mutex::default();
        let finished = BTreeMap::new();
        Self { id, network, shares, free, finished, next: 0 }
    }

    fn check(&self, batch: &EncodedBatch) -> Result<(), EvaluatorError> {
        batch.check(plane_shape(&self.network.spec)).map_err(|what| EvaluatorError::Device {
            device: "cpu".to_owned(),
            message: format!("the batch does not fit the network: {what}"),
        })
    }

    /// Positions of a piece of a batch, and pieces that a thread takes at least: pieces are equal,
    /// fit the cache, and are a multiple of the threads.
    fn pieces(&self, len: usize) -> (usize, usize) {
        let threads = if self.shares { rayon::current_num_threads() } else { 1 };
        let threads = threads.clamp(1, len.max(1));
        let pieces = len.div_ceil(self.network.tower.chunk()).next_multiple_of(threads);
        (len.div_ceil(pieces.max(1)).max(1), if self.shares { 1 } else { usize::MAX })
    }

    /// Outputs of a batch that fits.
    fn run(&self, batch: &EncodedBatch) -> NetworkOutputs {
        let Network { spec, tower } = &*self.network;
        let policy_len = spec.policy_len;
        let mut policy_logits = vec![0.0; batch.len * policy_len];
        let value_len = tower.columns().count();
        let mut values = vec![0.0; batch.len * value_len];
        let (chunk, pieces_min) = self.pieces(batch.len);
        policy_logits
            .par_chunks_mut(chunk * policy_len)
            .zip(values.par_chunks_mut(chunk * value_len))
            .enumerate()
            .with_min_len(pieces_min)
            .for_each_init(
                || Borrowed::new(&self.free, || tower.scratch(tower.chunk())),
                |scratch, (i, outputs)| {
                    let boards = outputs.1.len() / value_len;
                    tower.run(batch, i * chunk, boards, scratch.get(), outputs);
                },
            );
        NetworkOutputs::of_rows(policy_logits, values, tower.columns())
    }
}

impl NetworkEvaluator for CpuEvaluator {
    fn id(&self) -> &str {
        &self.id
    }

    fn encoding_id(&self) -> &str {
        &self.network.spec.encoding
    }

    fn policy_len(&self) -> usize {
        self.network.spec.policy_len
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        self.check(&batch)?;
        let ticket = Ticket(self.next);
        self.next += 1;
        self.finished.insert(ticket, self.run(&batch));
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        self.finished.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))
    }

    fn has_margins(&self) -> bool {
        self.network.tower.columns().margin
    }

    fn has_errors(&self) -> bool {
        self.network.tower.columns().error
    }

    /// On the thread that asks, a piece after another.
    fn ownership(&mut self, batch: &EncodedBatch) -> Result<Option<Vec<f32>>, EvaluatorError> {
        self.check(batch)?;
        let Network { spec, tower } = &*self.network;
        if !tower.owns() {
            return Ok(None);
        }
        let chunk = tower.chunk();
        let mut scratch = Borrowed::new(&self.free, || tower.scratch(chunk));
        let mut logits = Vec::with_capacity(batch.len * spec.area() * 3);
        for first in (0..batch.len).step_by(chunk) {
            let boards = chunk.min(batch.len - first);
            tower.own(batch, first, boards, scratch.get(), &mut logits);
        }
        Ok(Some(logits))
    }

    fn handle(&self) -> Option<Box<dyn NetworkEvaluator>> {
        Some(Box::new(Self::over(self.id.clone(), Arc::clone(&self.network), false)))
    }
}

/// Working memory that goes back when its thread is done with a batch.
struct Borrowed<'a> {
    free: &'a Mutex<Vec<Scratch>>,
    scratch: Scratch,
}

impl<'a> Borrowed<'a> {
    fn new(free: &'a Mutex<Vec<Scratch>>, fresh: impl FnOnce() -> Scratch) -> Self {
        // Nothing can be left half done in a list of memory, so a panic elsewhere does not matter.
        let kept = free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self { free, scratch: kept.unwrap_or_else(fresh) }
    }

    fn get(&mut self) -> &mut Scratch {
        &mut self.scratch
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let scratch = std::mem::take(&mut self.scratch);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}

impl fmt::Debug for CpuEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuEvaluator").field("id", &self.id).finish_non_exhaustive()
    }
}
