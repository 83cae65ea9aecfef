//! Stem and blocks of a network in training.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use dz_infer::EncodedBatch;
use dz_network_file::NetworkSpec;
use rayon::prelude::*;

use super::convolution::Convolver;
use super::filters::Kernels;
use super::pooling::Pooling;
use super::tape::Tape;
use crate::simd::{LANE, Vectors};
use crate::stem::Stem;
use crate::winograd::{Spread, Tiling};

/// Values by the names of a network in training: those of a network file with `gamma` and `beta` of
/// batch norm in place of each convolution's `bias`.
pub type Parameters<'a> = BTreeMap<String, &'a [f32]>;

/// Trains stem and blocks on the processor, by our kernels: everything of a network before its
/// heads. The heads are left to the caller, who has the derivatives of the losses.
#[derive(Debug)]
pub struct Trunk {
    pub(super) spec: NetworkSpec,
    pub(super) convolver: Convolver,
    /// Memory that no shard uses now.
    free: Mutex<Vec<Tape>>,
}

/// A step's parameters, made ready for all its shards.
#[derive(Debug)]
pub struct Packed {
    pub(super) stem: Stem,
    pub(super) globals: Vec<f32>,
    pub(super) stem_norm: [Vec<f32>; 2],
    pub(super) blocks: Vec<PackedBlock>,
}

#[derive(Debug)]
pub(super) struct PackedBlock {
    pub(super) kernels: [Kernels; 2],
    /// Gamma and beta of each convolution.
    pub(super) norms: [[Vec<f32>; 2]; 2],
    pub(super) pooling: Option<Pooling>,
}

impl Trunk {
    /// For networks of residual blocks, with or without global pooling. `None` for bottlenecks or
    /// squeeze-excitation, which have no kernels here.
    pub fn new(spec: &NetworkSpec) -> Option<Self> {
        Self::with_vectors(spec, Vectors::available()[0])
    }

    /// The same on every kind of vectors that this processor has, the best first, each with its
    /// name: for tests.
    pub fn each(spec: &NetworkSpec) -> Vec<(String, Self)> {
        let kinds = Vectors::available().into_iter();
        kinds.filter_map(|v| Some((v.to_string(), Self::with_vectors(spec, v)?))).collect()
    }

    fn with_vectors(spec: &NetworkSpec, vectors: Vectors) -> Option<Self> {
        let known = spec.bottleneck_blocks == 0 && spec.squeezed_channels().is_none();
        known.then(|| {
            let tiling = Tiling::new(spec.height, spec.width);
            let spread = Spread::new(tiling, spec.channels.div_ceil(LANE));
            let convolver = Convolver::new(vectors, spread);
            Self { spec: spec.clone(), convolver, free: Mutex::default() }
        })
    }

    /// Whether a parameter of that name is of stem or blocks.
    pub fn owns(name: &str) -> bool {
        name.starts_with("stem.") || name.starts_with("blocks.")
    }

    /// Makes a step's parameters ready.
    ///
    /// # Panics
    /// If one is missing.
    pub fn pack(&self, parameters: &Parameters<'_>) -> Packed {
        let values =
            |name: &str| parameters.get(name).expect("the layout names every tensor").to_vec();
        let norm = |conv: &str| ["gamma", "beta"].map(|part| values(&format!("{conv}.{part}")));
        let vectors = self.convolver.vectors;
        let tiling = &self.convolver.spread.tiling;
        let channels = self.spec.channels;
        let pooled = self.spec.pooled_channels();
        let block = |i: usize| {
            let residual = self.spec.residuals(i).swap_remove(0);
            let name = |part: &str| format!("{}.{part}", residual.name);
            let kernels = |part: &str| {
                let weight = &parameters[&name(&format!("{part}.weight"))];
                Kernels::new(vectors, tiling, weight, channels)
            };
            let pool = |part: &str| values(&name(&format!("pool.{part}")));
            PackedBlock {
                kernels: ["conv1", "conv2"].map(kernels),
                norms: ["conv1", "conv2"].map(|part| norm(&name(part))),
                pooling: residual
                    .pooling
                    .then(|| Pooling::new(pooled, channels, pool("weight"), pool("bias"))),
            }
        };
        let globals = parameters.get("stem.globals.weight").map_or(Vec::new(), |w| w.to_vec());
        let weight = parameters["stem.conv.weight"];
        let no_bias = vec![0.0; channels];
        Packed {
            stem: Stem::of(&self.spec, weight, &no_bias, &[]),
            globals,
            stem_norm: norm("stem.conv"),
            blocks: (0..self.spec.blocks).into_par_iter().map(block).collect(),
        }
    }

    /// Runs rows of a batch forward: the tower's outputs, `[B * H * W, C]`, and what the way back
    /// needs.
    pub fn forward(
        &self,
        packed: &Packed,
        batch: &EncodedBatch,
        rows: Range<usize>,
    ) -> (Vec<f32>, Tape) {
        let mut tape = self.tape(rows);
        self.run_forward(packed, batch, &mut tape);
        let boards = tape.rows.len();
        let channels = self.spec.channels;
        let last = tape.stream.last().expect("there is a stream behind the stem");
        (self.convolver.grid.unpad(boards, last, channels), tape)
    }

    /// From the gradient of the tower's outputs, `[B * H * W, C]`, to those of all parameters of
    /// stem and blocks, by name.
    pub fn back(
        &self,
        packed: &Packed,
        batch: &EncodedBatch,
        mut tape: Tape,
        gradient: &[f32],
    ) -> BTreeMap<String, Vec<f32>> {
        let boards = tape.rows.len();
        let channels = self.spec.channels;
        self.convolver.grid.pad(boards, gradient, channels, &mut tape.work.outer);
        let gradients = self.run_back(packed, batch, &mut tape);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(tape);
        gradients
    }

    /// Memory for these rows, used before if there is some of this size.
    fn tape(&self, rows: Range<usize>) -> Tape {
        // Nothing can be left half done in a list of memory, so a panic elsewhere does not matter.
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let known = free.iter().position(|tape| tape.rows.len() == rows.len());
        let kept = known.map(|i| free.swap_remove(i));
        drop(free);
        let fresh = || {
            let NetworkSpec { blocks, channels, .. } = self.spec;
            Tape::new(&self.convolver, rows.len(), blocks, channels)
        };
        let tape = kept.unwrap_or_else(fresh);
        Tape { rows, ..tape }
    }
}
