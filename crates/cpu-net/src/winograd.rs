//! 3x3 convolutions by Winograd's minimal filtering (Lavin and Gray 2015, arXiv:1509.09308), with
//! tiles that fit the board.
//!
//! A tile of m outputs in a row costs m + 2 multiplications instead of 3 m. It comes from
//! evaluating polynomials at m + 2 points; here infinity, 0, 1, -1, 2, -2 in this order, of which a
//! tile of m outputs uses the first m + 2. All tiles use the same transformed weights: what differs
//! between them is a factor, which stands in the transform of the inputs. So a side of a board is
//! cut into tiles of up to 4 that cover it exactly (7 = 4 + 3, 9 = 3 + 3 + 3), and no tile reaches
//! over the edge.
//!
//! A *frequency* is a pair of points, one for rows and one for columns. After the inputs' transform
//! a convolution is one matrix product for each frequency: tiles times channels. The transforms of
//! boards are in `transform.rs`.

use std::ops::Range;

use crate::matrix::{Matrix, Product, shares};
use crate::simd::{LANE, Lane, Simd, Task, Vectors};

/// Most outputs of a tile's side.
pub(crate) const TILE_MAX: usize = 4;
/// Points of the largest tile.
pub(crate) const POINTS: usize = TILE_MAX + 2;

/// How a board is cut into tiles.
#[derive(Clone, Debug)]
pub(crate) struct Tiling {
    /// Rows of each row of tiles, larger ones first.
    rows: Vec<usize>,
    /// Columns of each column of tiles, larger ones first.
    columns: Vec<usize>,
    pub(crate) height: usize,
    pub(crate) width: usize,
}

impl Tiling {
    pub(crate) fn new(height: usize, width: usize) -> Self {
        let rows = shares(height, TILE_MAX);
        let columns = shares(width, TILE_MAX);
        Self { rows, columns, height, width }
    }

    /// Points with a border of one on each side.
    pub(crate) fn padded_area(&self) -> usize {
        (self.height + 2) * (self.width + 2)
    }

    /// Where the points stand on a padded board of so many lanes a point, without its border.
    #[inline(always)]
    pub(crate) fn interior(&self, lanes: usize) -> Interior {
        let stride = (self.width + 2) * lanes;
        Interior {
            stride,
            rows: stride..stride * (self.height + 1),
            columns: lanes..lanes * (self.width + 1),
        }
    }

    /// The frequencies that occur, each with its row point, its column point and its tiles a board.
    pub(crate) fn frequencies(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let points = |tiles: &[usize]| tiles[0] + 2;
        (0..points(&self.rows)).flat_map(move |a| {
            (0..points(&self.columns))
                .map(move |b| (a, b, having(&self.rows, a) * having(&self.columns, b)))
        })
    }

    /// Rows of all frequencies' products for one board.
    pub(crate) fn products_len(&self) -> usize {
        self.frequencies().map(|(_, _, tiles)| tiles).sum()
    }

    /// Tiles of a board.
    pub(crate) fn tiles(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

/// Ranges of lanes that are no border.
pub(crate) struct Interior {
    /// Lanes of a padded row.
    pub(crate) stride: usize,
    /// The rows on a padded board.
    pub(crate) rows: Range<usize>,
    /// The points of such a row.
    pub(crate) columns: Range<usize>,
}

/// How many of the tiles, larger ones first, use point `point`.
fn having(tiles: &[usize], point: usize) -> usize {
    tiles.iter().take_while(|&&outputs| outputs + 2 > point).count()
}

/// A 3x3 convolution without its bias: one matrix a frequency.
#[derive(Clone, Debug)]
pub(crate) struct Kernel(pub(crate) Vec<Matrix>);

impl Kernel {
    /// Matrices of zeros, as many outputs as inputs.
    pub(crate) fn zeros(vectors: Vectors, tiling: &Tiling, channels: usize) -> Self {
        let matrix = |_| Matrix::zeros(vectors, channels, channels);
        Self(tiling.frequencies().map(matrix).collect())
    }

    /// Transforms weights `[out, in, 3, 3]`, in 64 bits, rounded once.
    pub(crate) fn new(
        vectors: Vectors,
        tiling: &Tiling,
        weight: &[f32],
        [outputs, inputs]: [usize; 2],
    ) -> Self {
        let matrix = |(a, b, _)| {
            Matrix::new(vectors, inputs, outputs, |input, output| {
                let taps = &weight[(output * inputs + input) * 9..][..9];
                let row = |taps: &[f32]| filter_at(b, [0, 1, 2].map(|i| f64::from(taps[i])));
                filter_at(a, [row(&taps[..3]), row(&taps[3..6]), row(&taps[6..])]) as f32
            })
        };
        Self(tiling.frequencies().map(matrix).collect())
    }
}

/// A filter of three taps at a point, over the factor that the largest tile needs there.
fn filter_at(point: usize, taps: [f64; 3]) -> f64 {
    let polynomial = |x: f64| taps[0] + x * (taps[1] + x * taps[2]);
    match point {
        0 => taps[2],
        1 => polynomial(0.0) / 4.0,
        2 => polynomial(1.0) / -6.0,
        3 => polynomial(-1.0) / -6.0,
        4 => polynomial(2.0) / 24.0,
        _ => polynomial(-2.0) / 24.0,
    }
}

/// Rows that belong to each frequency, in a buffer for several boards.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    pub(crate) tiling: Tiling,
    /// Lanes of a row.
    pub(crate) lanes: usize,
    frequencies: Vec<Frequency>,
    pub(crate) tiles: Vec<Tile>,
}

/// Where a frequency's rows stand, for one board of one lane, and how many they are.
#[derive(Clone, Copy, Debug, Default)]
struct Frequency {
    index: usize,
    start: usize,
    tiles: usize,
}

/// A tile of outputs.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Its first output on the board, which is its first input on the padded board.
    pub(crate) y: usize,
    pub(crate) x: usize,
    /// For each row point and column point that it uses, the frequency and the tile's number in it.
    cells: [[(Frequency, usize); POINTS]; POINTS],
}

/// Lanes between frequencies beyond their rows, so that they do not fall on the same sets of the
/// cache.
const SKEW: usize = 1;

impl Spread {
    pub(crate) fn new(tiling: Tiling, lanes: usize) -> Self {
        let mut start = 0;
        let mut grid = [[Frequency::default(); POINTS]; POINTS];
        let mut frequencies = Vec::new();
        for (index, (a, b, tiles)) in tiling.frequencies().enumerate() {
            grid[a][b] = Frequency { index, start, tiles };
            frequencies.push(grid[a][b]);
            start += tiles;
        }
        let mut tiles = Vec::new();
        let mut y = 0;
        for (row, &rows) in tiling.rows.iter().enumerate() {
            let mut x = 0;
            for (column, &columns) in tiling.columns.iter().enumerate() {
                let mut cells = grid.map(|row| row.map(|frequency| (frequency, 0)));
                for (b, number) in cells.iter_mut().flat_map(|row| row.iter_mut().enumerate()) {
                    number.1 = row * having(&tiling.columns, b) + column;
                }
                tiles.push(Tile { rows, columns, y, x, cells });
                x += columns;
            }
            y += rows;
        }
        Self { tiling, lanes, frequencies, tiles }
    }

    /// Lanes of a buffer for so many boards.
    pub(crate) fn len(&self, boards: usize) -> usize {
        self.tiling.products_len() * boards * self.lanes + self.frequencies.len() * SKEW
    }

    /// Where a row stands, by its number among the rows of its frequency.
    #[inline(always)]
    fn row(&self, frequency: Frequency, boards: usize, row: usize) -> usize {
        (frequency.start * boards + row) * self.lanes + frequency.index * SKEW
    }

    /// Where a tile's rows stand, by row point and column point.
    #[inline(always)]
    pub(crate) fn rows(
        &self,
        tile: &Tile,
        boards: usize,
        board: usize,
    ) -> [[usize; POINTS]; POINTS] {
        let mut rows = [[0; POINTS]; POINTS];
        for (rows, cells) in rows.iter_mut().zip(&tile.cells) {
            for (row, &(frequency, number)) in rows.iter_mut().zip(cells) {
                *row = self.row(frequency, boards, board * frequency.tiles + number);
            }
        }
        rows
    }

    /// Multiplies every frequency's rows with its matrix.
    pub(crate) fn multiply(
        &self,
        vectors: Vectors,
        kernel: &Kernel,
        boards: usize,
        rows: &[Lane],
        out: &mut [Lane],
    ) {
        vectors.run(Frequencies { spread: self, kernel, boards, rows, out });
    }

    /// Lanes of a matrix of all inputs by all outputs for every frequency, and of each of them.
    pub(crate) fn sums_len(&self) -> (usize, usize) {
        let each = self.lanes * LANE * self.lanes;
        (self.frequencies.len() * each, each)
    }

    /// Where each frequency's rows stand.
    pub(crate) fn ranges(&self, boards: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.frequencies.iter().map(move |&frequency| {
            let start = self.row(frequency, boards, 0);
            start..start + boards * frequency.tiles * self.lanes
        })
    }
}

/// See [`Spread::multiply`].
struct Frequencies<'a> {
    spread: &'a Spread,
    kernel: &'a Kernel,
    boards: usize,
    rows: &'a [Lane],
    out: &'a mut [Lane],
}

impl Task for Frequencies<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { spread, kernel, boards, rows, out } = self;
        for (matrix, range) in kernel.0.iter().zip(spread.ranges(boards)) {
            s.run(Product { rows: &rows[range.clone()], matrix, out: &mut out[range] });
        }
    }
}
