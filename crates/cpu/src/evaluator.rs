//! The evaluator of network files.

use std::collections::BTreeMap;
use std::fmt;

use dz_game::PlaneShape;
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_network::{NetworkError, NetworkFile, NetworkSpec};
use rayon::prelude::*;

use crate::simd::Vectors;
use crate::tower::Tower;

/// A network on the processor.
///
/// A position's outputs have the same bits whatever the batch, its place in it and the number of threads,
/// and on all processors whose multiplication and addition are fused. A batch is worked on where it is
/// submitted, cut into pieces for rayon's threads, which share nothing but the weights.
pub struct CpuEvaluator {
    id: String,
    spec: NetworkSpec,
    tower: Tower,
    finished: BTreeMap<Ticket, NetworkOutputs>,
    next: u64,
}

impl CpuEvaluator {
    /// Packs a network for the best vectors of this processor.
    ///
    /// # Errors
    /// If the file's tensors are not those of its specification.
    pub fn load(file: &NetworkFile) -> Result<Self, NetworkError> {
        Self::with_vectors(file, Vectors::available()[0])
    }

    /// The same network on every kind of vectors that this processor has, the best first, each with its
    /// name: for tests and benches.
    ///
    /// # Errors
    /// As [`CpuEvaluator::load`].
    pub fn load_each(file: &NetworkFile) -> Result<Vec<(String, Self)>, NetworkError> {
        let name = |vectors: &Vectors| vectors.to_string();
        let kinds = Vectors::available().into_iter();
        kinds.map(|vectors| Ok((name(&vectors), Self::with_vectors(file, vectors)?))).collect()
    }

    fn with_vectors(file: &NetworkFile, vectors: Vectors) -> Result<Self, NetworkError> {
        file.check()?;
        let id = format!("{}-cpu-winograd-{}-f32", file.content_id(), vectors.rounding());
        let spec = file.header.spec.clone();
        let tower = Tower::new(vectors, file);
        Ok(Self { id, spec, tower, finished: BTreeMap::new(), next: 0 })
    }

    fn check(&self, batch: &EncodedBatch) -> Result<(), EvaluatorError> {
        let NetworkSpec { channels_in: channels, height, width, globals, .. } = self.spec;
        let wanted = PlaneShape { channels, height, width, globals };
        let fits = batch.shape == wanted
            && batch.bits.len() == batch.len * wanted.packed_bytes()
            && batch.globals.len() == batch.len * wanted.globals;
        if fits {
            return Ok(());
        }
        let found = (batch.shape, batch.len, batch.bits.len(), batch.globals.len());
        Err(EvaluatorError::Device {
            device: "cpu".to_owned(),
            message: format!("the batch does not fit the network: {found:?} for {wanted:?}"),
        })
    }

    /// Outputs of a batch that fits.
    fn run(&self, batch: &EncodedBatch) -> NetworkOutputs {
        let policy_len = self.spec.policy_len;
        let mut policy_logits = vec![0.0; batch.len * policy_len];
        let mut wdl_logits = vec![0.0; batch.len * 3];
        let share = batch.len.div_ceil(rayon::current_num_threads()).max(1);
        let chunk = self.tower.chunk().min(share);
        policy_logits
            .par_chunks_mut(chunk * policy_len)
            .zip(wdl_logits.par_chunks_mut(chunk * 3))
            .enumerate()
            .for_each_init(
                || self.tower.scratch(chunk),
                |scratch, (i, outputs)| {
                    let boards = outputs.1.len() / 3;
                    self.tower.run(batch, i * chunk, boards, scratch, outputs);
                },
            );
        NetworkOutputs { policy_logits, wdl_logits }
    }
}

impl NetworkEvaluator for CpuEvaluator {
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
        self.check(&batch)?;
        let ticket = Ticket(self.next);
        self.next += 1;
        self.finished.insert(ticket, self.run(&batch));
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        self.finished.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))
    }
}

impl fmt::Debug for CpuEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuEvaluator").field("id", &self.id).finish_non_exhaustive()
    }
}
