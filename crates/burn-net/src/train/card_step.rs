//! Steps of `AdamW` on a single GPU, recorded once as a CUDA graph and replayed.
//!
//! A step has about two hundred kernel launches. For small batches, launching them takes the host
//! longer than the GPU takes to run them. A CUDA graph is a single launch. The host copies the rows
//! to fixed buffers, starts the graph, and prepares the next batch while losses are copied back.

use std::ops::Range;

use burn::tensor::{Int, Tensor, TensorData};
use dz_infer::EncodedBatch;
use dz_network_file::NetworkSpec;
use tracing::warn;

use crate::cuda;
use crate::cuda::adam_step::{AdamStep, StepTensors};
use crate::cuda::{Reading, Recording};
use crate::model::planes::Inputs;
use crate::tensors::upload;
use crate::train::learner::TrainBatch;
use crate::train::losses::{HeadPart, LOSSES_BEFORE_HEADS, TargetTensors, Targets};
use crate::train::state::State;
use crate::train::step::{BatchPasses, Front, ShardInputs};

/// Each piece of the input buffer starts at a multiple of this many floats, because some of Burn's
/// kernels use vector loads.
const ALIGNMENT: usize = 64;

/// Steps of one batch size.
#[derive(Debug)]
pub(crate) struct CardStep {
    rows: usize,
    /// The input buffer: optimizer settings, globals, targets and shares, see [`StepInputs`].
    floats: Tensor<1>,
    pieces: Vec<Range<usize>>,
    /// The input buffer of bit-packed planes, 32 bits in a word.
    words: Tensor<1, Int>,
    /// The output buffer: losses, then the gradient norm.
    numbers: Tensor<1>,
    /// The CUDA graph of a step, or why there is none.
    recording: Result<Recording, String>,
}

/// The contents of the input buffers of a step, on the host.
struct StepInputs {
    floats: Vec<f32>,
    /// Where in `floats` the settings, globals, policy, wdl, policy shares and value shares are,
    /// and then targets and shares of each head.
    pieces: Vec<Range<usize>>,
    words: Vec<i32>,
}

impl CardStep {
    /// Returns `Ok` if steps are replayed, else the reason why not.
    pub(crate) fn is_recorded(&self) -> Result<(), &str> {
        self.recording.as_ref().map(|_| ()).map_err(String::as_str)
    }

    /// Whether this is for batches of `rows` rows.
    pub(crate) fn is_of(&self, rows: usize) -> bool {
        self.rows == rows
    }

    /// Allocates the buffers and records the CUDA graph, without changing the weights. If recording
    /// fails, it logs a warning, and steps are launched kernel by kernel.
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
        // After a failed recording, CubeCL refuses to read the buffers that it would have written.
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

    /// Allocates the buffers. The inputs are NaN, so that steps change no weights while the graph
    /// is being recorded.
    fn unrecorded(
        passes: &BatchPasses,
        batch: &TrainBatch,
        recording: Result<Recording, String>,
    ) -> Self {
        let device = passes.home();
        let StepInputs { floats, pieces, words } =
            StepInputs::new(&passes.spec, batch, AdamStep::NONE);
        let length = words.len();
        Self {
            rows: batch.planes.len,
            floats: upload(vec![f32::NAN; floats.len()], device),
            pieces,
            words: Tensor::from_data(TensorData::new(words, [length]), device),
            numbers: Tensor::zeros([LOSSES_BEFORE_HEADS + passes.spec.heads.len() + 1], device),
            recording,
        }
    }

    /// Queues a step of a batch of `rows` rows.
    pub(crate) fn make(
        &self,
        passes: &BatchPasses,
        state: &State,
        weight_decay: &Tensor<1>,
        batch: &TrainBatch,
        step: AdamStep,
    ) -> Result<(), String> {
        let StepInputs { floats, words, .. } = StepInputs::new(&passes.spec, batch, step);
        cuda::write(&self.floats, floats);
        cuda::write_words(&self.words, words);
        if let Ok(recording) = &self.recording {
            return recording.replay();
        }
        self.work(passes, state, weight_decay);
        Ok(())
    }

    /// Queues the copy of the last step's losses and gradient norm to the host.
    pub(crate) fn read_numbers(&self) -> Reading {
        cuda::read_later(&self.numbers)
    }

    /// Queues all kernels of a step.
    fn work(&self, passes: &BatchPasses, state: &State, weight_decay: &Tensor<1>) {
        let on = &passes.devices[0];
        let spec = &passes.spec;
        let rows = self.rows;
        let dtype = passes.precision.dtype();
        // In the order of `StepInputs::new`.
        let mut pieces = self.pieces.iter();
        let mut next = || pieces.next().expect("there is a piece for each input").clone();
        let view = |piece: Range<usize>| cuda::view(&self.floats, piece.start, piece.end);
        let settings = view(next());
        let globals = next();
        let globals = (!globals.is_empty())
            .then(|| view(globals).autodiff().reshape([rows, spec.globals]).cast(dtype));
        let mut target = || view(next()).autodiff();
        let targets = TargetTensors {
            policy: target(),
            wdl: target(),
            policy_shares: target(),
            value_shares: target(),
            heads: spec.heads.iter().map(|_| [target(), target()]).collect(),
        };
        let shape = dz_cpu_net::plane_shape(spec);
        let planes = cuda::unpack_words(&self.words, shape, rows, dtype).autodiff();
        let front = Front::Tower(Box::new(Inputs { planes, globals }));
        let shard = ShardInputs { rows: 0..rows, front, targets };
        let gradient = passes.backward(shard, &state.parameters, on);
        let norm = passes.norm(gradient.flat.clone());
        cuda::join_into(&self.numbers, &[gradient.losses, norm]);
        let step = StepTensors { settings, numbers: self.numbers.clone() };
        state.step_in_place(gradient.flat, gradient.statistics, weight_decay, &step);
    }
}

impl StepInputs {
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
        Self { floats, pieces: places, words: cuda::words(bits, *shape, rows.len()) }
    }
}
