//! The blocks of the tower on a few boards at a time.

use dz_network_file::{NetworkFile, ResidualSpec};

use crate::layer::{Layer, Pointwise};
use crate::pool::{Pool, PoolBoard};
use crate::simd::{LANE, Lane, Vectors, lanes_of};
use crate::squeeze::{Squeeze, SqueezeBoard};
use crate::transform::{Epilogue, OfInputs, Outputs, ToFrequencies};
use crate::winograd::{Kernel, Spread, Tiling};

/// All blocks, packed for one kind of vectors.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    vectors: Vectors,
    /// Of the 3x3 convolutions, whose channels are fewer than the stream's within bottlenecks.
    spread: Spread,
    /// Lanes of the residual stream.
    lanes: usize,
    bottlenecks: bool,
    list: Vec<Block>,
}

#[derive(Clone, Debug)]
struct Block {
    /// The 1x1 convolutions down and up, if it is a bottleneck.
    bottleneck: Option<[Layer; 2]>,
    /// One, or those within the bottleneck.
    residuals: Vec<Residual>,
    squeeze: Option<Squeeze>,
}

#[derive(Clone, Debug)]
struct Residual {
    conv1: Convolution,
    pool: Option<Pool>,
    conv2: Convolution,
}

#[derive(Clone, Debug)]
struct Convolution {
    kernel: Kernel,
    bias: Vec<Lane>,
}

/// The memory that blocks work in.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Padded boards of the stream within bottlenecks.
    narrow: Vec<Lane>,
    /// A padded board between a residual block's convolutions.
    inner: Vec<Lane>,
    /// A padded board that squeeze-excitation looks at.
    branch: Vec<Lane>,
    /// Rows of all frequencies, before and after the products.
    rows: Vec<Lane>,
    products: Vec<Lane>,
    few: Vec<Lane>,
}

impl Blocks {
    pub(crate) fn new(vectors: Vectors, file: &NetworkFile) -> Self {
        let spec = &file.header.spec;
        let tiling = Tiling::new(spec.height, spec.width);
        let list = (0..spec.blocks).map(|i| Block::new(vectors, &tiling, file, i)).collect();
        Self {
            vectors,
            spread: Spread::new(tiling, spec.block_channels().div_ceil(LANE)),
            lanes: spec.channels.div_ceil(LANE),
            bottlenecks: spec.bottleneck_blocks > 0,
            list,
        }
    }

    pub(crate) fn tiling(&self) -> &Tiling {
        &self.spread.tiling
    }

    /// Lanes of a padded board of the stream.
    pub(crate) fn board_lanes(&self) -> usize {
        self.tiling().padded_area() * self.lanes
    }

    /// Lanes of a padded board between 3x3 convolutions.
    fn narrow_lanes(&self) -> usize {
        self.tiling().padded_area() * self.spread.lanes
    }

    /// Lanes of working memory that grow with each board.
    pub(crate) fn work_lanes(&self) -> usize {
        2 * self.spread.len(1) + if self.bottlenecks { self.narrow_lanes() } else { 0 }
    }

    /// Memory for up to so many boards.
    pub(crate) fn work(&self, boards: usize) -> Work {
        let lanes = |count: usize| vec![Lane::default(); count];
        let few = self.list.iter().map(|block| block.few_len(self.tiling().width));
        Work {
            narrow: lanes(if self.bottlenecks { boards * self.narrow_lanes() } else { 0 }),
            inner: lanes(self.narrow_lanes()),
            branch: lanes(self.board_lanes()),
            rows: lanes(self.spread.len(boards)),
            products: lanes(self.spread.len(boards)),
            few: lanes(few.max().unwrap_or(0)),
        }
    }

    /// Runs them all on padded boards, in place.
    pub(crate) fn run(&self, boards: usize, stream: &mut [Lane], work: &mut Work) {
        if !self.bottlenecks {
            for (board, from) in stream.chunks_exact(self.board_lanes()).take(boards).enumerate() {
                self.spread_board(from, &mut work.rows, boards, board);
            }
        }
        for (i, block) in self.list.iter().enumerate() {
            match &block.bottleneck {
                None => {
                    let residual = &block.residuals[0];
                    let followed = i + 1 < self.list.len();
                    self.residual(residual, block.squeeze.as_ref(), boards, stream, work, followed);
                }
                Some([down, up]) => self.bottleneck(block, [down, up], boards, stream, work),
            }
        }
    }

    fn bottleneck(
        &self,
        block: &Block,
        [down, up]: [&Layer; 2],
        boards: usize,
        stream: &mut [Lane],
        work: &mut Work,
    ) {
        let vectors = self.vectors;
        let tiling = self.tiling();
        let mut narrow = std::mem::take(&mut work.narrow);
        let wide_boards = stream.chunks_exact_mut(self.board_lanes()).take(boards);
        let narrow_boards = narrow.chunks_exact_mut(self.narrow_lanes());
        for (board, (from, to)) in wide_boards.zip(narrow_boards).enumerate() {
            let epilogue = Epilogue::Relu;
            let row = &mut work.few[..];
            vectors.run(Pointwise { layer: down, tiling, from, to: &mut *to, row, epilogue });
            self.spread_board(to, &mut work.rows, boards, board);
        }
        for (j, residual) in block.residuals.iter().enumerate() {
            let followed = j + 1 < block.residuals.len();
            self.residual(residual, None, boards, &mut narrow, work, followed);
        }
        let wide_boards = stream.chunks_exact_mut(self.board_lanes()).take(boards);
        for (from, stream) in narrow.chunks_exact(self.narrow_lanes()).zip(wide_boards) {
            let row = &mut work.few[..];
            let Some(squeeze) = &block.squeeze else {
                let to = stream;
                let epilogue = Epilogue::AddAndRelu;
                vectors.run(Pointwise { layer: up, tiling, from, to, row, epilogue });
                continue;
            };
            let to = &mut work.branch[..];
            let epilogue = Epilogue::Nothing;
            vectors.run(Pointwise { layer: up, tiling, from, to, row, epilogue });
            self.squeeze(squeeze, stream, work);
        }
        work.narrow = narrow;
    }

    /// From the stream's rows to the stream, and to its rows again where a residual block follows.
    fn residual(
        &self,
        block: &Residual,
        squeeze: Option<&Squeeze>,
        boards: usize,
        stream: &mut [Lane],
        work: &mut Work,
        followed: bool,
    ) {
        let Work { inner, rows, products, few, .. } = work;
        let vectors = self.vectors;
        let spread = &self.spread;
        spread.multiply(vectors, &block.conv1.kernel, boards, rows, products);
        let epilogue = if block.pool.is_some() { Epilogue::Nothing } else { Epilogue::Relu };
        for board in 0..boards {
            let to = &mut inner[..];
            let bias = &block.conv1.bias[..];
            vectors.run(Outputs { spread, from: products, to, boards, board, bias, epilogue });
            if let Some(pool) = &block.pool {
                let tiling = &spread.tiling;
                let board = &mut inner[..];
                let scratch = &mut few[..];
                vectors.run(PoolBoard { pool, tiling, board, scratch });
            }
            self.spread_board(inner, rows, boards, board);
        }
        spread.multiply(vectors, &block.conv2.kernel, boards, rows, products);
        for (board, stream) in stream.chunks_exact_mut(self.narrow_lanes()).take(boards).enumerate()
        {
            let from = &work.products[..];
            let bias = &block.conv2.bias[..];
            if let Some(squeeze) = squeeze {
                let to = &mut work.branch[..];
                let epilogue = Epilogue::Nothing;
                vectors.run(Outputs { spread, from, to, boards, board, bias, epilogue });
                self.squeeze(squeeze, stream, work);
            } else {
                let to = &mut *stream;
                let epilogue = Epilogue::AddAndRelu;
                vectors.run(Outputs { spread, from, to, boards, board, bias, epilogue });
            }
            if followed {
                self.spread_board(stream, &mut work.rows, boards, board);
            }
        }
    }

    /// What is in the branch, scaled and shifted, is added to a board of the stream.
    fn squeeze(&self, squeeze: &Squeeze, stream: &mut [Lane], work: &mut Work) {
        let tiling = self.tiling();
        let from = &work.branch[..];
        let scratch = &mut work.few[..];
        self.vectors.run(SqueezeBoard { squeeze, tiling, from, to: stream, scratch });
    }

    fn spread_board(&self, from: &[Lane], to: &mut [Lane], boards: usize, board: usize) {
        let transform = OfInputs;
        let spread = &self.spread;
        self.vectors.run(ToFrequencies { transform, spread, from, to, boards, board });
    }
}

impl Block {
    fn new(vectors: Vectors, tiling: &Tiling, file: &NetworkFile, i: usize) -> Self {
        let spec = &file.header.spec;
        let residual = |residual: ResidualSpec| {
            let ResidualSpec { name, channels, pooling } = residual;
            let convolution = |layer: &str| {
                let tensor = |part: &str| &file.tensors[&format!("{name}.{layer}.{part}")].data;
                let kernel = Kernel::new(vectors, tiling, tensor("weight"), [channels, channels]);
                Convolution { kernel, bias: lanes_of(tensor("bias").iter().copied()) }
            };
            let pool = pooling.then(|| Pool::new(vectors, file, &name));
            Residual { conv1: convolution("conv1"), pool, conv2: convolution("conv2") }
        };
        let bottleneck = (spec.bottleneck_blocks > 0).then(|| {
            let layer = |part: &str| Layer::of_file(vectors, file, &format!("blocks.{i}.{part}"));
            ["conv_down", "conv_up"].map(layer)
        });
        let residuals = spec.residuals(i).into_iter().map(residual).collect();
        Self { bottleneck, residuals, squeeze: Squeeze::new(vectors, file, i) }
    }

    /// Lanes that its parts work in.
    fn few_len(&self, width: usize) -> usize {
        let rows = self.bottleneck.iter().flatten().map(|layer| width * layer.matrix.lanes_out);
        let pools = self.residuals.iter().filter_map(|r| r.pool.as_ref()).map(Pool::scratch_len);
        let squeeze = self.squeeze.iter().map(Squeeze::scratch_len);
        rows.chain(pools).chain(squeeze).max().unwrap_or(0)
    }
}
