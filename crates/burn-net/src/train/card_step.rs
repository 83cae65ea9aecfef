//! Steps of `AdamW` on one card, recorded once as a CUDA graph and replayed.
//!
//! A step is some two hundred launches, which take the host longer than the card where batches are
//! small. A graph is one launch: the host sends the rows, starts the graph, and has the numbers of
//! the step copied back while it prepares the next one.

use std::ops::Range;

use burn::tensor::{Int, Tensor, TensorData};
use dz_infer::EncodedBatch;
use dz_network_file::NetworkSpec;
use tracing::warn;

use crate::cuda;
use crate::cuda::adam_step::{AdamStep, SETTINGS, StepTensors};
use crate::cuda::{Reading, Recording};
use crate::model::planes::Inputs;
use crate::tensors::upload;
use crate::train::learner::TrainBatch;
use crate::train::losses::{HeadPart, TargetTensors, Targets};
use crate::train::optimizer::norm;
use crate::train::state::State;
use crate::train::step::{BatchPasses, Front, ShardInputs};

/// Pieces of a flat tensor begin at multiples of so many numbers, since some of Burn's kernels read
/// several at once.
const ALIGNMENT: usize = 64;

/// Where the settings of the optimizer lie among the pieces.
const SETTINGS_PIECE: usize = 0;

/// What comes before the heads: settings, globals, policy, wdl, and shares of both.
const PIECES_BEFORE_HEADS: usize = 6;

/// Steps of batches of one size.
#[derive(Debug)]
pub(crate) struct CardStep {
    rows: usize,
    /// What the host sends for a step, its pieces one after another.
    floats: Tensor<1>,
    pieces: Vec<Range<usize>>,
    /// Bit-packed planes, 32 bits in a number.
    words: Tensor<1, Int>,
    /// What the host reads of a step: losses, then the gradient's norm.
    numbers: Tensor<1>,
    /// The launches of a step, or why they are not recorded.
    recording: Result<Recording, String>,
}

/// What the host sends for a step.
struct Sent {
    floats: Vec<f32>,
    pieces: Vec<Range<usize>>,
    words: Vec<i32>,
}

impl CardStep {
    /// Whether steps are replayed, or else why they are not.
    pub(crate) fn is_recorded(&self) -> Result<(), &str> {
        self.recording.as_ref().map(|_| ()).map_err(String::as_str)
    }

    /// Whether steps of so many rows are those of a recording.
    pub(crate) fn is_of(&self, rows: usize) -> bool {
        self.rows == rows
    }

    /// Records steps of batches like this one, without making any. If that fails, tells why and
    /// goes on without a recording.
    pub(crate) fn new(
        passes: &BatchPasses,
        state: &mut State,
        weight_decay: &Tensor<1>,
        batch: &TrainBatch,
    ) -> Self {
        let off = Err("DAGZERO_CUDA_GRAPH is 0".to_owned());
        let mut steps = Self::unrecorded(passes, batch, off);
        if !cuda::records() {
            return steps;
        }
        // A recording that fails takes with it what it would have written.
        let before = state.download();
        match cuda::record(&steps.numbers, || steps.work(passes, state, weight_decay)) {
            Ok(recording) => steps.recording = Ok(recording),
            Err(reason) => {
                warn!("steps are not recorded as a CUDA graph, which is slower: {reason}");
                *state = State::upload(state.step, before, passes.home());
                steps = Self::unrecorded(passes, batch, Err(reason));
            }
        }
        steps
    }

    /// Steps whose inputs are no numbers, so that they change nothing.
    fn unrecorded(
        passes: &BatchPasses,
        batch: &TrainBatch,
        recording: Result<Recording, String>,
    ) -> Self {
        let device = passes.home();
        let Sent { floats, pieces, words } = Sent::new(&passes.spec, batch, AdamStep::NONE);
        let length = words.len();
        Self {
            rows: batch.planes.len,
            floats: upload(vec![f32::NAN; floats.len()], device),
            pieces,
            words: Tensor::from_data(TensorData::new(words, [length]), device),
            numbers: Tensor::zeros([3 + passes.spec.heads.len()], device),
            recording,
        }
    }

    /// Makes a step of a batch of as many rows.
    pub(crate) fn make(
        &self,
        passes: &BatchPasses,
        state: &State,
        weight_decay: &Tensor<1>,
        batch: &TrainBatch,
        step: AdamStep,
    ) -> Result<(), String> {
        let sent = Sent::new(&passes.spec, batch, step);
        cuda::write(&self.floats, sent.floats);
        cuda::write_words(&self.words, sent.words);
        if let Ok(recording) = &self.recording {
            return recording.replay();
        }
        self.work(passes, state, weight_decay);
        Ok(())
    }

    /// Has the numbers of the last step copied to the host, without waiting for them.
    pub(crate) fn read_numbers(&self) -> Reading {
        cuda::read_later(&self.numbers)
    }

    /// All that the card does for a step.
    fn work(&self, passes: &BatchPasses, state: &State, weight_decay: &Tensor<1>) {
        let on = &passes.devices[0];
        let choice = on.0;
        let spec = &passes.spec;
        let rows = self.rows;
        let dtype = passes.precision.dtype();
        let piece = |i: usize| {
            let Range { start, end } = self.pieces[i].clone();
            cuda::view(&self.floats, start, end)
        };
        let target = |i: usize| piece(i).autodiff();
        let shape = dz_cpu_net::plane_shape(spec);
        let planes = cuda::unpack_words(&self.words, shape, rows, dtype).autodiff();
        let globals =
            (spec.globals > 0).then(|| target(1).reshape([rows, spec.globals]).cast(dtype));
        let heads = (0..spec.heads.len()).map(|i| {
            let first = PIECES_BEFORE_HEADS + 2 * i;
            [target(first), target(first + 1)]
        });
        let targets = TargetTensors {
            policy: target(2),
            wdl: target(3),
            policy_shares: target(4),
            value_shares: target(5),
            heads: heads.collect(),
        };
        let front = Front::Tower(Box::new(Inputs { planes, globals }));
        let shard = ShardInputs { rows: 0..rows, front, targets };
        let gradient = passes.backward(shard, &state.parameters, on);
        let norm = norm(gradient.flat.clone(), choice);
        cuda::join_into(&self.numbers, &[gradient.losses, norm]);
        let settings = piece(SETTINGS_PIECE);
        let step = StepTensors { settings, numbers: self.numbers.clone() };
        state.step_in_place(gradient.flat, gradient.statistics, weight_decay, &step);
    }
}

impl Sent {
    fn new(spec: &NetworkSpec, batch: &TrainBatch, step: AdamStep) -> Self {
        let Targets { policy, wdl, policy_shares, value_shares, heads, rows } =
            Targets::split(batch, spec, 1).remove(0);
        let EncodedBatch { bits, globals, shape, .. } = &batch.planes;
        let settings = step.settings();
        let mut pieces: Vec<&[f32]> =
            vec![&settings, globals, &policy, &wdl, &policy_shares, &value_shares];
        for HeadPart { targets, shares } in &heads {
            pieces.extend([targets.as_slice(), shares]);
        }
        let mut floats = Vec::new();
        let mut places = Vec::new();
        for piece in pieces {
            floats.resize(floats.len().next_multiple_of(ALIGNMENT), 0.0);
            places.push(floats.len()..floats.len() + piece.len());
            floats.extend_from_slice(piece);
        }
        debug_assert_eq!(places[SETTINGS_PIECE].len(), SETTINGS);
        Self { floats, pieces: places, words: cuda::words(bits, *shape, rows.len()) }
    }
}
