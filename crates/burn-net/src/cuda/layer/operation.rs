//! Registration of a layer with Burn: its outputs and its gradients.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, ExtensionType, backend_extension};

use crate::cuda::layer::layer_plan::LayerPlan;

/// What a layer makes.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct Forth<B: Backend> {
    /// `[rows, out]`
    pub(crate) output: FloatTensor<B>,
    /// What was convolved, `[rows, out]`.
    pub(crate) y: FloatTensor<B>,
    /// Of `y`, `[out]`.
    pub(crate) mean: FloatTensor<B>,
    /// Of `y`, `[out]`.
    pub(crate) variance: FloatTensor<B>,
    /// The weight, packed for the way back.
    pub(crate) packed: FloatTensor<B>,
}

/// What the gradients need of what was there.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct Kept<B: Backend> {
    #[extension_type]
    pub(crate) made: Forth<B>,
    pub(crate) x: FloatTensor<B>,
    pub(crate) gamma: FloatTensor<B>,
    pub(crate) beta: FloatTensor<B>,
}

/// The gradients of a layer's inputs.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct Back<B: Backend> {
    /// If it is wanted, or else nothing, `[1]`.
    pub(crate) x: FloatTensor<B>,
    pub(crate) weight: FloatTensor<B>,
    pub(crate) gamma: FloatTensor<B>,
    pub(crate) beta: FloatTensor<B>,
    /// If anything was, or else nothing, `[1]`.
    pub(crate) added: FloatTensor<B>,
}

/// What Burn does not have.
#[backend_extension(Cube, Autodiff)]
pub(crate) trait LearningLayer: Backend {
    /// Of `x [rows, in]`, `weight [out * in * side * side]`, `gamma` and `beta [out]`, and
    /// `added [rows, out]` if the layer adds.
    fn layer(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        added: FloatTensor<Self>,
        layer: LayerPlan,
    ) -> Forth<Self>;

    /// From the `gradient` of the output; that of `x` if it `wants_x`.
    fn layer_back(
        gradient: FloatTensor<Self>,
        #[extension_type] kept: Kept<Self>,
        layer: LayerPlan,
        wants_x: bool,
    ) -> Back<Self>;
}

impl LayerPlan {
    /// Factors of the weight, packed for the backward pass; one where there is none.
    pub(super) fn packed_back(&self) -> usize {
        self.back.map_or(1, |plan| plan.factors())
    }
}

#[derive(Debug)]
struct LayerBack;

impl<B: LearningLayer> Backward<B, 5> for LayerBack {
    type State = (Kept<B>, LayerPlan);

    fn backward(self, ops: Ops<Self::State, 5>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (kept, layer) = ops.state;
        let wants_x = ops.parents[0].is_some();
        let Back { x, weight, gamma, beta, added } = B::layer_back(gradient, kept, layer, wants_x);
        for (node, gradient) in ops.parents.into_iter().zip([x, weight, gamma, beta, added]) {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: LearningLayer, C: CheckpointStrategy> LearningLayer for Autodiff<B, C> {
    fn layer(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        added: FloatTensor<Self>,
        layer: LayerPlan,
    ) -> Forth<Self> {
        let [(x, node_x), (weight, node_weight), (gamma, node_gamma), (beta, node_beta)] =
            [x, weight, gamma, beta].map(FloatTensor::<Self>::into_parts);
        let (added, node_added) = added.into_parts();
        let nodes = [node_x, node_weight, node_gamma, node_beta, node_added];
        let made = B::layer(x.clone(), weight, gamma.clone(), beta.clone(), added, layer);
        let kept = Kept { made: made.clone(), x, gamma, beta };
        let Forth { output, y, mean, variance, packed } = made;
        let output = match LayerBack.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((kept, layer), output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        };
        let [y, mean, variance, packed] = [y, mean, variance, packed].map(FloatTensor::<Self>::new);
        Forth { output, y, mean, variance, packed }
    }

    fn layer_back(_: FloatTensor<Self>, _: Kept<Self>, _: LayerPlan, _: bool) -> Back<Self> {
        unreachable!("nobody asks for gradients of gradients")
    }
}
