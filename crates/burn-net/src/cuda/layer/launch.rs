//! A layer's kernels, one after another.

use burn::backend::cubecl::dtype_to_storage_type;
use burn::tensor::{DType, Shape};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::prelude::ElemType;

use crate::cuda::conv::launch::{
    ConvKernels, a_thread_each, elements, empty, product, product_and_moments, spread,
};
use crate::cuda::conv::rows_plan::{GROUPS_CHANGE, GROUPS_SUM, RowsPlan};
use crate::cuda::layer::layer_plan::LayerPlan;
use crate::cuda::layer::operation::{Back, Forth, Kept, LearningLayer};
use crate::cuda::layer::{change, sums, weights};

impl LearningLayer for CubeBackend {
    fn layer(
        x: CubeTensor,
        weight: CubeTensor,
        gamma: CubeTensor,
        beta: CubeTensor,
        added: CubeTensor,
        layer: LayerPlan,
    ) -> Forth<Self> {
        let [x, weight, gamma, beta, added] = [x, weight, gamma, beta, added].map(into_contiguous);
        check(&layer, [&x, &added], [&weight, &gamma, &beta]);
        let [forth, packed] = pack(&x, weight, &layer);
        let [y, moments] = product_and_moments(&x, &forth, layer.forth);
        let rows = Rows::of(&y);
        let [mean, variance] = rows.combine_moments(moments, layer.forth.plane_points());
        let output = rows.normalise(&y, [&mean, &variance, &gamma, &beta], added, &layer);
        Forth { output, y, mean, variance, packed }
    }

    fn layer_back(
        gradient: CubeTensor,
        kept: Kept<Self>,
        layer: LayerPlan,
        wants_x: bool,
    ) -> Back<Self> {
        let Kept { made: Forth { output, y, mean, variance, packed }, x, gamma, beta } = kept;
        let [gradient, x, gamma, beta] = [gradient, x, gamma, beta].map(into_contiguous);
        let is_like_y = |rows: &CubeTensor| rows.dtype == y.dtype && elements(rows) == elements(&y);
        assert!(is_like_y(&gradient) && is_like_y(&output), "{layer:?}");
        let columns = [&mean, &variance, &gamma, &beta];
        assert!(columns.iter().all(|column| column.dtype == DType::F32), "{layer:?}");
        assert!(
            columns.iter().all(|column| elements(column) == layer.weights.outputs),
            "{layer:?}"
        );
        let rows = Rows::of(&y);
        let there = [&gradient, &output, &y];
        let [of_beta, of_gamma] = rows.along(there, columns, &layer);
        let columns = [&mean, &variance, &gamma, &of_beta, &of_gamma];
        let [of_y, added] = rows.back(there, columns, &layer);
        let parts = <Self as ConvKernels>::weights(x, of_y.clone(), layer.weights);
        let weight = add_parts(parts, &layer);
        let x = match layer.back {
            Some(plan) if wants_x => product(&of_y, &packed, plan),
            _ => {
                assert!(!wants_x, "planes of positions have no gradient, all else fills tiles");
                empty(&of_y, Shape::from(vec![1]), of_y.dtype)
            }
        };
        Back { x, weight, gamma: of_gamma, beta: of_beta, added }
    }
}

/// Whether the tensors are those of the layer; the convolution checks `x` itself.
fn check(layer: &LayerPlan, [x, added]: [&CubeTensor; 2], weights: [&CubeTensor; 3]) {
    let rows = x.meta.shape()[0];
    let outputs = layer.weights.outputs;
    let wanted = [layer.weights.factors(), outputs, outputs];
    assert_eq!(weights.map(elements), wanted, "weights of {layer:?}");
    let formats = weights.iter().all(|tensor| tensor.dtype == DType::F32);
    assert!(formats && added.dtype == x.dtype, "formats of {layer:?}");
    assert!(!layer.adds || elements(added) == rows * outputs, "added to {layer:?}");
}

/// The weight in the format of `x`, packed for both ways.
fn pack(x: &CubeTensor, weight: CubeTensor, layer: &LayerPlan) -> [CubeTensor; 2] {
    let inputs = layer.weights.inputs;
    let outputs = layer.weights.outputs;
    let forth = empty(x, Shape::from(vec![layer.forth.factors()]), x.dtype);
    let back = empty(x, Shape::from(vec![layer.packed_back()]), x.dtype);
    let (count, dim) = a_thread_each(layer.forth.factors());
    // SAFETY: the kernel reads places of `[out, in, taps]`, as many as the weight was checked to
    // have, and writes as many as the plans have factors: either as many, since inputs fill tiles
    // if there is a way back.
    #[allow(unsafe_code)]
    unsafe {
        weights::pack_both::launch_unchecked(
            &x.client,
            count,
            dim,
            weight.into_buffer_arg(),
            forth.clone().into_buffer_arg(),
            back.clone().into_buffer_arg(),
            layer.forth.taps(),
            inputs,
            outputs,
            layer.back.is_some(),
            format(x),
        );
    }
    [forth, back]
}

fn add_parts(parts: CubeTensor, layer: &LayerPlan) -> CubeTensor {
    let out = empty(&parts, Shape::from(vec![layer.weights.factors()]), DType::F32);
    let (count, dim) = spread(layer.weights.factors().div_ceil(weights::NUMBERS));
    let client = parts.client.clone();
    let pieces = parts.meta.shape()[0];
    // SAFETY: the kernel reads `pieces` times as many numbers as the plan has factors, and writes
    // so many once.
    #[allow(unsafe_code)]
    unsafe {
        weights::add_parts::launch_unchecked(
            &client,
            count,
            dim,
            parts.into_buffer_arg(),
            out.clone().into_buffer_arg(),
            pieces,
            layer.forth.taps(),
            layer.weights.inputs,
            layer.weights.outputs,
        );
    }
    out
}

fn format(tensor: &CubeTensor) -> ElemType {
    dtype_to_storage_type(tensor.dtype)
}

/// Rows `[rows, C]` and how they are shared out.
#[derive(Clone, Copy)]
struct Rows {
    count: usize,
    channels: usize,
    plan: RowsPlan,
}

impl Rows {
    fn of(tensor: &CubeTensor) -> Self {
        let count = tensor.meta.shape()[0];
        let channels = tensor.meta.shape()[1];
        Self { count, channels, plan: RowsPlan::new(channels) }
    }

    /// Mean and variance, `[C]` each, from moments of parts of `part_rows` rows.
    fn combine_moments(self, parts: CubeTensor, part_rows: usize) -> [CubeTensor; 2] {
        let out = self.two_columns(&parts);
        let count = parts.meta.shape()[0];
        let client = parts.client.clone();
        let (groups, dim) = spread(self.plan.runs());
        // SAFETY: the kernel has a group for each run of channels, reads 2 * C numbers for each of
        // the parts, and writes C numbers to either place.
        #[allow(unsafe_code)]
        unsafe {
            sums::combine_moments::launch_unchecked(
                &client,
                groups,
                dim,
                parts.into_buffer_arg(),
                out[0].clone().into_buffer_arg(),
                out[1].clone().into_buffer_arg(),
                count,
                self.count,
                part_rows,
                self.plan,
            );
        }
        out
    }

    /// Two tensors `[C]` in 32 bits that are written next.
    fn two_columns(self, like: &CubeTensor) -> [CubeTensor; 2] {
        [(); 2].map(|()| empty(like, Shape::from(vec![self.channels]), DType::F32))
    }

    /// The gradients of beta and gamma, `[C]` each, from those of the output, the output and `y`.
    fn along(
        self,
        [gradient, output, y]: [&CubeTensor; 3],
        [mean, variance, gamma, beta]: [&CubeTensor; 4],
        layer: &LayerPlan,
    ) -> [CubeTensor; 2] {
        let [groups, turns] = self.plan.groups(self.count, GROUPS_SUM);
        let found = empty(y, Shape::from(vec![groups, 2, self.channels]), DType::F32);
        let (count, dim) = spread(groups);
        // SAFETY: the kernel reads rows below `rows`, of as many channels as the plan has, which
        // are the tensor's, and writes 2 * C numbers for each group. Gradient and output are as
        // large as `y`, all others are `[C]`.
        #[allow(unsafe_code)]
        unsafe {
            sums::along::launch_unchecked(
                &y.client,
                count,
                dim,
                gradient.clone().into_buffer_arg(),
                output.clone().into_buffer_arg(),
                y.clone().into_buffer_arg(),
                mean.clone().into_buffer_arg(),
                variance.clone().into_buffer_arg(),
                gamma.clone().into_buffer_arg(),
                beta.clone().into_buffer_arg(),
                found.clone().into_buffer_arg(),
                self.count,
                turns,
                self.plan,
                layer.adds,
                layer.rectifies,
                format(y),
            );
        }
        self.finish(found, groups)
    }

    fn finish(self, found: CubeTensor, groups: usize) -> [CubeTensor; 2] {
        let out = self.two_columns(&found);
        let client = found.client.clone();
        let (count, dim) = spread(self.plan.runs());
        // SAFETY: the kernel has a group for each run of channels, reads 2 * C numbers for each of
        // the groups before it, and writes C numbers to either place.
        #[allow(unsafe_code)]
        unsafe {
            sums::finish::launch_unchecked(
                &client,
                count,
                dim,
                found.into_buffer_arg(),
                out[0].clone().into_buffer_arg(),
                out[1].clone().into_buffer_arg(),
                groups,
                self.plan,
            );
        }
        out
    }

    /// Returns the output, from `y` and the tensors of each channel: mean, variance, gamma, beta.
    fn normalise(
        self,
        y: &CubeTensor,
        columns: [&CubeTensor; 4],
        added: CubeTensor,
        layer: &LayerPlan,
    ) -> CubeTensor {
        let out = empty(y, Shape::from(vec![self.count, self.channels]), y.dtype);
        let [groups, turns] = self.plan.groups(self.count, GROUPS_CHANGE);
        let (count, dim) = spread(groups);
        let [mean, variance, gamma, beta] = columns.map(CubeTensor::clone);
        // SAFETY: the kernel reads and writes rows below `rows`; all tensors of rows that it reads
        // are as large as `y`.
        #[allow(unsafe_code)]
        unsafe {
            change::normalise::launch_unchecked(
                &y.client,
                count,
                dim,
                y.clone().into_buffer_arg(),
                mean.into_buffer_arg(),
                variance.into_buffer_arg(),
                gamma.into_buffer_arg(),
                beta.into_buffer_arg(),
                added.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                self.count,
                turns,
                self.plan,
                layer.adds,
                layer.rectifies,
                format(y),
            );
        }
        out
    }

    /// Returns the gradients of `y` and of the added tensor. They come from the gradient of the
    /// output, the output, `y`, and the tensors of each channel: mean, variance, gamma, and the
    /// gradients of beta and gamma.
    fn back(
        self,
        there: [&CubeTensor; 3],
        columns: [&CubeTensor; 5],
        layer: &LayerPlan,
    ) -> [CubeTensor; 2] {
        let [gradient, output, y] = there.map(CubeTensor::clone);
        let like = Shape::from(vec![self.count, self.channels]);
        let of_y = empty(&y, like.clone(), y.dtype);
        let nothing = Shape::from(vec![1]);
        let of_added = empty(&y, if layer.adds { like } else { nothing }, y.dtype);
        let [groups, turns] = self.plan.groups(self.count, GROUPS_CHANGE);
        let (count, dim) = spread(groups);
        let client = y.client.clone();
        let dtype = format(&y);
        let [mean, variance, gamma, of_beta, of_gamma] = columns.map(CubeTensor::clone);
        // SAFETY: as in `normalise`; what was added has a gradient of this size if there was
        // anything, and else none is written.
        #[allow(unsafe_code)]
        unsafe {
            change::back::launch_unchecked(
                &client,
                count,
                dim,
                gradient.into_buffer_arg(),
                output.into_buffer_arg(),
                y.into_buffer_arg(),
                mean.into_buffer_arg(),
                variance.into_buffer_arg(),
                gamma.into_buffer_arg(),
                of_beta.into_buffer_arg(),
                of_gamma.into_buffer_arg(),
                of_y.clone().into_buffer_arg(),
                of_added.clone().into_buffer_arg(),
                self.count,
                turns,
                self.plan,
                layer.adds,
                layer.rectifies,
                dtype,
            );
        }
        [of_y, of_added]
    }
}
