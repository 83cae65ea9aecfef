//! Registration of the cross-entropy with Burn.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, ExtensionType, Shape, backend_extension};
use burn::tensor::DType;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::prelude::{CubeCount, CubeDim};

use crate::cuda::conv::launch::{elements, empty};
use crate::cuda::entropy::kernel;
use crate::cuda::entropy::kernel::{ROWS, THREADS};
use crate::cuda::sums;

/// A loss and its gradient.
#[derive(Clone, Debug, ExtensionType)]
pub(super) struct Entropies<B: Backend> {
    /// `[1, 1]`
    pub(super) loss: FloatTensor<B>,
    /// Along the logits, `[R, A]`.
    pub(super) gradient: FloatTensor<B>,
}

/// What Burn does not have.
#[backend_extension(Cube, Autodiff)]
pub(super) trait CrossEntropy: Backend {
    /// See [`crate::cuda::entropy::cross_entropy`].
    fn cross_entropy(
        logits: FloatTensor<Self>,
        targets: FloatTensor<Self>,
        shares: FloatTensor<Self>,
        per: usize,
    ) -> Entropies<Self>;
}

impl CrossEntropy for CubeBackend {
    fn cross_entropy(
        logits: CubeTensor,
        targets: CubeTensor,
        shares: CubeTensor,
        per: usize,
    ) -> Entropies<Self> {
        let [logits, targets, shares] = [logits, targets, shares].map(into_contiguous);
        let rows = logits.meta.shape()[0];
        let columns = logits.meta.shape()[1];
        let there = [&logits, &targets, &shares];
        assert!(there.iter().all(|tensor| tensor.dtype == DType::F32), "32 bits are expected");
        let wanted = [rows * columns, rows * columns, rows / per];
        assert_eq!(there.map(elements), wanted, "{rows} rows, {per} share one share");
        assert!(rows > 0 && columns > 0 && rows.is_multiple_of(per), "{rows} rows by {per}");
        assert!(u32::try_from(rows * columns).is_ok(), "{rows} rows of {columns}");
        let groups = rows.div_ceil(ROWS);
        let gradient = empty(&logits, Shape::from(vec![rows, columns]), DType::F32);
        let parts = empty(&logits, Shape::from(vec![groups]), DType::F32);
        let loss = empty(&logits, Shape::from(vec![1, 1]), DType::F32);
        let client = logits.client.clone();
        let threads = CubeDim::new_1d(THREADS as u32);
        // SAFETY: the kernels read rows below `rows` of as many columns as the tensors were checked
        // to have, a share for each `per` of them, and a sum for each group; they write as many
        // numbers as the tensors were just made for.
        #[allow(unsafe_code)]
        unsafe {
            kernel::entropies::launch_unchecked(
                &client,
                CubeCount::Static(groups as u32, 1, 1),
                threads,
                logits.into_buffer_arg(),
                targets.into_buffer_arg(),
                shares.into_buffer_arg(),
                gradient.clone().into_buffer_arg(),
                parts.clone().into_buffer_arg(),
                rows,
                columns,
                per,
            );
            sums::add_up::launch_unchecked(
                &client,
                CubeCount::Static(1, 1, 1),
                threads,
                parts.into_buffer_arg(),
                loss.clone().into_buffer_arg(),
                groups,
                false,
            );
        }
        Entropies { loss, gradient }
    }
}

#[derive(Debug)]
struct EntropyBack;

impl<B: Backend> Backward<B, 1> for EntropyBack {
    type State = FloatTensor<B>;

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let counts = gradients.consume::<B>(&ops.node);
        let [node] = ops.parents;
        if let Some(node) = node {
            gradients.register::<B>(node.id, B::float_mul(ops.state, counts));
        }
    }
}

impl<B: CrossEntropy, C: CheckpointStrategy> CrossEntropy for Autodiff<B, C> {
    fn cross_entropy(
        logits: FloatTensor<Self>,
        targets: FloatTensor<Self>,
        shares: FloatTensor<Self>,
        per: usize,
    ) -> Entropies<Self> {
        let (logits, node) = logits.into_parts();
        let [targets, shares] = [targets, shares].map(FloatTensor::<Self>::into_primitive);
        let Entropies { loss, gradient } = B::cross_entropy(logits, targets, shares, per);
        let loss = match EntropyBack.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish(gradient.clone(), loss),
            OpsKind::UnTracked(prep) => prep.finish(loss),
        };
        Entropies { loss, gradient: FloatTensor::<Self>::new(gradient) }
    }
}
