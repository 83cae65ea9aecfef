//! Stem and blocks by our kernels, between Burn's tensors.

use std::ops::Range;

use burn::tensor::{Device, Gradients, Tensor, TensorData};
use dz_cpu_net::{Packed, Tape, Trunk};
use dz_infer::EncodedBatch;

use crate::tensors::{Tensors, download, upload};
use crate::train::layout::Layout;

/// The kernels with a step's weights.
pub(crate) type Ready<'a> = (&'a Trunk, &'a Packed);

/// A step's weights, `[N]`, as the kernels take them.
pub(crate) fn pack(trunk: &Trunk, layout: &Layout, weights: &Tensor<1>) -> Packed {
    let weights = layout.name_pieces(&download(weights.clone()));
    trunk.pack(&weights.iter().map(|(name, t)| (name.clone(), &t.data[..])).collect())
}

/// What our kernels made of a shard, on their way between stem and heads.
pub(crate) struct Forward<'a> {
    ready: Ready<'a>,
    tape: Tape,
    /// The blocks' outputs, `[B * H * W, C]`, whose gradient Burn works out.
    pub(crate) outputs: Tensor<2>,
}

impl<'a> Forward<'a> {
    pub(crate) fn new(
        ready: Ready<'a>,
        planes: &EncodedBatch,
        rows: Range<usize>,
        training: &Device,
    ) -> Self {
        let (trunk, packed) = ready;
        let (outputs, tape) = trunk.forward(packed, planes, rows);
        let channels = tape.channels();
        let shape = [outputs.len() / channels, channels];
        let outputs = TensorData::new(outputs, shape);
        let outputs = Tensor::<2>::from_data(outputs, training).require_grad();
        Self { ready, tape, outputs }
    }

    /// Takes the outputs' gradient back; adds gradients and statistics of stem and blocks to those
    /// of the heads.
    pub(crate) fn back(
        self,
        planes: &EncodedBatch,
        found: &mut Gradients,
        gradients: &mut Tensors,
        statistics: &mut Tensors,
    ) {
        let Self { ready: (trunk, packed), tape, outputs } = self;
        let gradient = outputs.grad_remove(found).expect("policy and value look at the outputs");
        let device = gradient.device();
        let flat = |(name, numbers): (String, Vec<f32>)| (name, upload(numbers, &device));
        statistics.extend(tape.statistics().into_iter().map(flat));
        let back = trunk.back(packed, planes, tape, &download(gradient));
        gradients.extend(back.into_iter().map(flat));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use dz_cpu_net::random_positions;
    use dz_network_file::{NetworkSpec, PerHead};

    use super::*;
    use crate::device::choice::DeviceChoice;
    use crate::precision::Precision;
    use crate::train::learner::{TrainBatch, ValueLoss};
    use crate::train::step::{BatchPasses, Part, Pass};

    fn batch(spec: &NetworkSpec, rows: usize) -> TrainBatch {
        let policy = |i: usize| (0..spec.policy_len).map(move |a| f32::from(u8::from(a == i % 3)));
        TrainBatch {
            planes: random_positions(spec, rows, 5),
            policy: (0..rows).flat_map(policy).collect(),
            wdl: (0..rows)
                .flat_map(|i| [0, 1, 2].map(|k| f32::from(u8::from(k == i % 3))))
                .collect(),
            policy_weights: vec![1.0; rows],
            value_weights: (0..rows).map(|i| (i % 2) as f32).collect(),
            heads: PerHead::default(),
        }
    }

    fn pass(spec: &NetworkSpec, trunk: Option<Trunk>, rows: usize) -> (Layout, Pass) {
        let layout = Layout::of_parameters(spec);
        let choice = DeviceChoice::Cpu;
        let passes = BatchPasses {
            devices: vec![(choice, choice.open())],
            precision: Precision::F32,
            convolve: choice.compute_options(true).convolve,
            value_loss: ValueLoss::CrossEntropy,
            value_weight: 1.5,
            head_weights: PerHead::default(),
            layout: layout.clone(),
            spec: spec.clone(),
            trunk,
            boards: Mutex::default(),
        };
        let weights = upload(layout.initial(3), passes.home());
        let batch = &batch(spec, rows);
        let pass = passes.learn(&[Part { passes: &passes, batch }], &weights);
        (layout, pass)
    }

    fn pieces(layout: &Layout, flat: &Tensor<1>) -> BTreeMap<String, Vec<f32>> {
        let pieces = layout.name_pieces(&download(flat.clone()));
        pieces.into_iter().map(|(name, tensor)| (name, tensor.data)).collect()
    }

    /// Losses, gradients and statistics of our kernels are those of Burn, up to rounding.
    #[test]
    fn kernels_and_burn_agree() {
        let plain = NetworkSpec::plain([3, 6, 7], 7, 2, 24);
        let pooling = NetworkSpec {
            globals: 2,
            global_pooling: true,
            ..NetworkSpec::plain([4, 5, 5], 26, 2, 16)
        };
        for (spec, rows) in [(plain, 70), (pooling, 30)] {
            let ours = Trunk::new(&spec);
            assert!(ours.is_some(), "{spec:?}");
            let (layout, ours) = pass(&spec, ours, rows);
            let (_, theirs) = pass(&spec, None, rows);
            let close = |name: &str, ours: &[f32], theirs: &[f32]| {
                assert_eq!(ours.len(), theirs.len(), "{name}");
                let size = theirs.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
                let distance = ours.iter().zip(theirs).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
                assert!(distance.sqrt() < 1e-3 * size, "{name}: {} of {size}", distance.sqrt());
            };
            let losses = |pass: &Pass| [pass.losses.policy_loss, pass.losses.value_loss];
            close("losses", &losses(&ours), &losses(&theirs));
            let found = pieces(&layout, &ours.gradient.flat);
            for (name, theirs) in pieces(&layout, &theirs.gradient.flat) {
                close(&name, &found[&name], &theirs);
            }
            let layout = Layout::of_statistics(&spec);
            let found = pieces(&layout, &ours.gradient.statistics);
            for (name, theirs) in pieces(&layout, &theirs.gradient.statistics) {
                close(&name, &found[&name], &theirs);
            }
        }
    }
}
