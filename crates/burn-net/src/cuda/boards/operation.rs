//! Registration of the operations with Burn, and their launches.

use std::ops::Range;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::cubecl::dtype_to_storage_type;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, ExtensionType, Shape, backend_extension};
use burn::tensor::DType;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::prelude::{CubeCount, CubeDim};

use crate::cuda::boards::kernel;
use crate::cuda::boards::kernel::{LANES, THREADS};
use crate::cuda::conv::launch::{elements, empty};

/// Columns of boards, and which statistics they get.
#[derive(Clone, Debug)]
pub(super) struct BoardColumns {
    pub(super) area: usize,
    pub(super) columns: Range<usize>,
    /// Whether the maximum is asked for beside the mean.
    pub(super) maximum: bool,
    /// Whether numbers below 0 count as 0.
    pub(super) rectifies: bool,
}

impl BoardColumns {
    /// Returns the boards of `x`, which was checked to have the columns.
    fn boards_of(&self, x: &CubeTensor) -> BoardRows {
        let boards = BoardRows::of(x, self.area);
        assert!(!self.columns.is_empty() && self.columns.end <= boards.width, "{self:?}");
        boards
    }

    /// Returns the number of statistics of a board.
    fn numbers(&self) -> usize {
        if self.maximum { 2 * self.columns.len() } else { self.columns.len() }
    }
}

/// Shifts of boards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shifts {
    pub(super) area: usize,
    /// Shifts of a board, those of its last columns.
    pub(super) columns: usize,
}

/// The gradients of [`OfBoards::shift_and_rectify`].
#[derive(Clone, Debug, ExtensionType)]
pub(super) struct ShiftBack<B: Backend> {
    /// `[B * area, C]`
    x: FloatTensor<B>,
    /// `[B, n]`
    shift: FloatTensor<B>,
}

/// What Burn does not have.
#[backend_extension(Cube, Autodiff)]
pub(super) trait OfBoards: Backend {
    /// See [`crate::cuda::boards`].
    fn statistics(x: FloatTensor<Self>, columns: BoardColumns) -> FloatTensor<Self>;

    /// The gradient of `x` from that of its statistics.
    fn statistics_back(
        gradient: FloatTensor<Self>,
        x: FloatTensor<Self>,
        columns: BoardColumns,
    ) -> FloatTensor<Self>;

    /// See [`crate::cuda::boards::shift_and_rectify`].
    fn shift_and_rectify(
        x: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        shifts: Shifts,
    ) -> FloatTensor<Self>;

    /// From the gradient of the output and the output.
    fn shift_back(
        gradient: FloatTensor<Self>,
        output: FloatTensor<Self>,
        shifts: Shifts,
    ) -> ShiftBack<Self>;
}

/// The boards of a tensor `[B * area, C]`.
#[derive(Clone, Copy)]
struct BoardRows {
    count: usize,
    area: usize,
    width: usize,
}

impl BoardRows {
    fn of(x: &CubeTensor, area: usize) -> Self {
        let points = x.meta.shape()[0];
        let width = x.meta.shape()[1];
        assert!(area > 0 && width > 0 && points > 0, "{points} points, {width} columns");
        assert!(points.is_multiple_of(area), "{points} points on boards of {area}");
        // Threads without a column look no further than a group's columns beyond the last.
        assert!(u32::try_from(points * width + LANES * THREADS).is_ok(), "{points} points");
        Self { count: points / area, area, width }
    }

    /// A group for each board and [`LANES`] columns.
    fn groups(&self, columns: usize) -> CubeCount {
        CubeCount::Static(self.count as u32, columns.div_ceil(LANES) as u32, 1)
    }
}

/// The threads of a group.
fn threads() -> CubeDim {
    CubeDim::new_1d(THREADS as u32)
}

impl OfBoards for CubeBackend {
    fn statistics(x: CubeTensor, columns: BoardColumns) -> CubeTensor {
        let x = into_contiguous(x);
        let boards = columns.boards_of(&x);
        let BoardColumns { columns: range, maximum, rectifies, .. } = &columns;
        let out = empty(&x, Shape::from(vec![boards.count, columns.numbers()]), DType::F32);
        let client = x.client.clone();
        let dtype = dtype_to_storage_type(x.dtype);
        // SAFETY: the kernel reads columns of the range, which the tensor was checked to have, of
        // the points of `count` boards, and writes as many numbers as the tensor was made for.
        #[allow(unsafe_code)]
        unsafe {
            kernel::statistics::launch_unchecked(
                &client,
                boards.groups(range.len()),
                threads(),
                x.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                boards.area,
                boards.width,
                range.start,
                range.len(),
                *maximum,
                *rectifies,
                dtype,
            );
        }
        out
    }

    fn statistics_back(gradient: CubeTensor, x: CubeTensor, columns: BoardColumns) -> CubeTensor {
        let [gradient, x] = [gradient, x].map(into_contiguous);
        let boards = columns.boards_of(&x);
        let BoardColumns { columns: range, maximum, rectifies, .. } = &columns;
        assert_eq!(elements(&gradient), boards.count * columns.numbers(), "{columns:?}");
        assert_eq!(gradient.dtype, DType::F32, "{columns:?}");
        let out = empty(&x, x.meta.shape().clone(), x.dtype);
        let client = x.client.clone();
        let dtype = dtype_to_storage_type(x.dtype);
        // SAFETY: the kernel reads and writes points of `count` boards in columns below the width,
        // and reads the gradient, whose size was checked, in columns of the range.
        #[allow(unsafe_code)]
        unsafe {
            kernel::statistics_back::launch_unchecked(
                &client,
                boards.groups(boards.width),
                threads(),
                gradient.into_buffer_arg(),
                x.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                boards.area,
                boards.width,
                range.start,
                range.len(),
                *maximum,
                *rectifies,
                dtype,
            );
        }
        out
    }

    fn shift_and_rectify(x: CubeTensor, shift: CubeTensor, shifts: Shifts) -> CubeTensor {
        let Shifts { area, columns } = shifts;
        let [x, shift] = [x, shift].map(into_contiguous);
        let boards = BoardRows::of(&x, area);
        assert_eq!(elements(&shift), boards.count * columns, "shifts");
        assert!(shift.dtype == DType::F32 && columns <= boards.width, "{columns} shifts");
        let out = empty(&x, x.meta.shape().clone(), x.dtype);
        let client = x.client.clone();
        let dtype = dtype_to_storage_type(x.dtype);
        // SAFETY: the kernel reads and writes points of `count` boards in columns below the width,
        // and reads `columns` shifts a board, as many as there are.
        #[allow(unsafe_code)]
        unsafe {
            kernel::shift_and_rectify::launch_unchecked(
                &client,
                boards.groups(boards.width),
                threads(),
                x.into_buffer_arg(),
                shift.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                boards.area,
                boards.width,
                columns,
                dtype,
            );
        }
        out
    }

    fn shift_back(gradient: CubeTensor, output: CubeTensor, shifts: Shifts) -> ShiftBack<Self> {
        let Shifts { area, columns } = shifts;
        let [gradient, output] = [gradient, output].map(into_contiguous);
        let boards = BoardRows::of(&output, area);
        assert_eq!(elements(&gradient), elements(&output), "gradient of the output");
        assert!(gradient.dtype == output.dtype && columns <= boards.width, "{columns} shifts");
        let x = empty(&output, output.meta.shape().clone(), output.dtype);
        let shift = empty(&output, Shape::from(vec![boards.count, columns]), DType::F32);
        let client = output.client.clone();
        let dtype = dtype_to_storage_type(output.dtype);
        // SAFETY: the kernel reads and writes points of `count` boards in columns below the width,
        // and writes `columns` numbers a board, as many as the tensor was made for.
        #[allow(unsafe_code)]
        unsafe {
            kernel::shift_and_rectify_back::launch_unchecked(
                &client,
                boards.groups(boards.width),
                threads(),
                gradient.into_buffer_arg(),
                output.into_buffer_arg(),
                x.clone().into_buffer_arg(),
                shift.clone().into_buffer_arg(),
                boards.area,
                boards.width,
                columns,
                dtype,
            );
        }
        ShiftBack { x, shift }
    }
}

#[derive(Debug)]
struct StatisticsBack;

impl<B: OfBoards> Backward<B, 1> for StatisticsBack {
    type State = (FloatTensor<B>, BoardColumns);

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let [node] = ops.parents;
        let (x, columns) = ops.state;
        if let Some(node) = node {
            gradients.register::<B>(node.id, B::statistics_back(gradient, x, columns));
        }
    }
}

#[derive(Debug)]
struct ShiftedBack;

impl<B: OfBoards> Backward<B, 2> for ShiftedBack {
    /// The output, and what was added.
    type State = (FloatTensor<B>, Shifts);

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (output, shifts) = ops.state;
        let ShiftBack { x, shift } = B::shift_back(gradient, output, shifts);
        for (node, gradient) in ops.parents.into_iter().zip([x, shift]) {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: OfBoards, C: CheckpointStrategy> OfBoards for Autodiff<B, C> {
    fn statistics(x: FloatTensor<Self>, columns: BoardColumns) -> FloatTensor<Self> {
        let (x, node) = x.into_parts();
        let output = B::statistics(x.clone(), columns.clone());
        match StatisticsBack.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((x, columns), output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }

    fn statistics_back(
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: BoardColumns,
    ) -> FloatTensor<Self> {
        unreachable!("nobody asks for gradients of gradients")
    }

    fn shift_and_rectify(
        x: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        shifts: Shifts,
    ) -> FloatTensor<Self> {
        let [(x, node_x), (shift, node_shift)] = [x, shift].map(FloatTensor::<Self>::into_parts);
        let output = B::shift_and_rectify(x, shift, shifts);
        match ShiftedBack.prepare::<C>([node_x, node_shift]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((output.clone(), shifts), output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }

    fn shift_back(_: FloatTensor<Self>, _: FloatTensor<Self>, _: Shifts) -> ShiftBack<Self> {
        unreachable!("nobody asks for gradients of gradients")
    }
}
