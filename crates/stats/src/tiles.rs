//! Large symmetric positive definite matrices, in square tiles that fit a processor's first cache.
//!
//! Every cell is a sum in a fixed order that one thread forms, so results do not depend on the
//! number of threads.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// Rows and columns of a tile.
const SIDE: usize = 64;

type Tile = Box<[f64; SIDE * SIDE]>;

/// A lower triangular matrix of tiles, row by row; rows beyond `size` are those of the identity.
#[derive(Clone)]
pub(crate) struct Lower {
    size: usize,
    tiles: Vec<Tile>,
}

#[allow(clippy::large_stack_arrays, reason = "32 KB, of a function that calls none")]
fn zero() -> Tile {
    Box::new([0.0; SIDE * SIDE])
}

/// Place of a tile in row `i` and column `j <= i`.
const fn place(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

impl Lower {
    /// The lower triangle of a matrix with these cells (row, column, value) and zeros elsewhere;
    /// cells above the diagonal are passed over.
    pub(crate) fn of(size: usize, cells: impl Iterator<Item = (usize, usize, f64)>) -> Self {
        let rows = size.div_ceil(SIDE);
        let mut lower = Self { size, tiles: (0..place(rows, 0)).map(|_| zero()).collect() };
        for row in size..rows * SIDE {
            lower.tiles[place(row / SIDE, row / SIDE)][row % SIDE * (SIDE + 1)] = 1.0;
        }
        for (row, column, value) in cells.filter(|(row, column, _)| column <= row) {
            let tile = &mut lower.tiles[place(row / SIDE, column / SIDE)];
            tile[row % SIDE * SIDE + column % SIDE] = value;
        }
        lower
    }

    fn rows(&self) -> usize {
        self.size.div_ceil(SIDE)
    }

    fn tile(&self, i: usize, j: usize) -> &Tile {
        &self.tiles[place(i, j)]
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.tile(row / SIDE, column / SIDE)[row % SIDE * SIDE + column % SIDE]
    }

    /// The factor L of the matrix whose lower triangle this is, which is L L^T (G. Golub, C. Van
    /// Loan, *Matrix Computations*, section 4.2.6, tile by tile), or `None` if it is not positive
    /// definite to working precision.
    pub(crate) fn cholesky(mut self) -> Option<Self> {
        for k in 0..self.rows() {
            let turned: Vec<Tile> = (0..k).map(|j| transposed(self.tile(k, j))).collect();
            let updated = side_by_side(self.rows() - k, |offset| {
                let i = k + offset;
                let mut sum = self.tile(i, k).clone();
                for (j, turned) in turned.iter().enumerate() {
                    subtract_product(&mut sum, self.tile(i, j), turned);
                }
                sum
            });
            let mut updated = updated.into_iter();
            let mut corner = updated.next()?;
            factor_corner(&mut corner, self.tile(k, k))?;
            let below: Vec<Tile> = updated.collect();
            let solved = side_by_side(below.len(), |at| {
                let mut tile = below[at].clone();
                divide_right(&mut tile, &corner);
                tile
            });
            self.tiles[place(k, k)] = corner;
            for (offset, tile) in solved.into_iter().enumerate() {
                self.tiles[place(k + 1 + offset, k)] = tile;
            }
        }
        Some(self)
    }

    /// Solves L L^T x = right, where this is L.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        for row in 0..self.size {
            let sum: f64 = (0..row).map(|column| self.at(row, column) * x[column]).sum();
            x[row] = (x[row] - sum) / self.at(row, row);
        }
        for row in (0..self.size).rev() {
            x[row] /= self.at(row, row);
            for column in 0..row {
                x[column] -= self.at(row, column) * x[row];
            }
        }
        x
    }

    /// The inverse of L, which this is. Needs as much memory as L again.
    pub(crate) fn inverse(self) -> Self {
        let rows = self.rows();
        let columns = side_by_side(rows, |k| {
            let mut column: Vec<Tile> = vec![inverse_corner(self.tile(k, k))];
            for i in k + 1..rows {
                let mut sum = zero();
                for (offset, below) in column.iter().enumerate() {
                    subtract_product(&mut sum, self.tile(i, k + offset), below);
                }
                divide_left(&mut sum, self.tile(i, i));
                column.push(sum);
            }
            column
        });
        let mut inverse = self;
        for (k, column) in columns.into_iter().enumerate() {
            for (offset, tile) in column.into_iter().enumerate() {
                inverse.tiles[place(k + offset, k)] = tile;
            }
        }
        inverse
    }

    /// A cell of the inverse of L L^T, where this is the inverse of L: the product of two columns.
    pub(crate) fn of_inverse(&self, one: usize, other: usize) -> f64 {
        (one.max(other)..self.size).map(|row| self.at(row, one) * self.at(row, other)).sum()
    }

    /// The sums of the first rows of the inverse of L L^T over as many columns, where this is the
    /// inverse of L.
    pub(crate) fn row_sums(&self, rows: usize) -> Vec<f64> {
        let sum = |row: usize| (0..=row.min(rows - 1)).map(|column| self.at(row, column)).sum();
        let sums: Vec<f64> = if rows == 0 { Vec::new() } else { (0..self.size).map(sum).collect() };
        let mut out = vec![0.0; rows];
        for (row, sum) in sums.iter().enumerate() {
            for (column, out) in out.iter_mut().enumerate().take(row + 1) {
                *out += self.at(row, column) * sum;
            }
        }
        out
    }
}

/// Does `count` pieces of work on all processors and answers what they make, in order. Later pieces
/// may be the shorter ones.
fn side_by_side<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    if threads <= 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    let help = || {
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= count {
                return;
            }
            let made = work(piece);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((piece, made));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If a thread cannot be started, the others do the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, help);
        }
        help();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(piece, _)| *piece);
    done.into_iter().map(|(_, made)| made).collect()
}

fn transposed(tile: &Tile) -> Tile {
    let mut turned = zero();
    for row in 0..SIDE {
        for column in 0..SIDE {
            turned[column * SIDE + row] = tile[row * SIDE + column];
        }
    }
    turned
}

/// `sum -= a b`, in blocks of four by four cells, whose sums stay in registers.
fn subtract_product(sum: &mut Tile, a: &Tile, b: &Tile) {
    const BLOCK: usize = 4;
    for row in (0..SIDE).step_by(BLOCK) {
        let mut panel = [[0.0; BLOCK]; SIDE];
        for (k, factors) in panel.iter_mut().enumerate() {
            for (r, factor) in factors.iter_mut().enumerate() {
                *factor = a[(row + r) * SIDE + k];
            }
        }
        for column in (0..SIDE).step_by(BLOCK) {
            let mut cells = [[0.0; BLOCK]; BLOCK];
            for (factors, b) in panel.iter().zip(b.as_chunks::<SIDE>().0) {
                let Some(b) = b[column..].first_chunk::<BLOCK>() else { continue };
                for (cells, factor) in cells.iter_mut().zip(factors) {
                    for (cell, b) in cells.iter_mut().zip(b) {
                        *cell += factor * b;
                    }
                }
            }
            for (r, cells) in cells.iter().enumerate() {
                let at = (row + r) * SIDE + column;
                for (sum, cell) in sum[at..at + BLOCK].iter_mut().zip(cells) {
                    *sum -= cell;
                }
            }
        }
    }
}

/// Factors a tile on the diagonal; `before` is the matrix's own, whose diagonal says what a pivot
/// is compared with.
fn factor_corner(tile: &mut Tile, before: &Tile) -> Option<()> {
    for row in 0..SIDE {
        for column in 0..=row {
            let products: f64 =
                (0..column).map(|k| tile[row * SIDE + k] * tile[column * SIDE + k]).sum();
            let rest = tile[row * SIDE + column] - products;
            tile[row * SIDE + column] = if row == column {
                // A pivot that is nothing but rounding error means a singular matrix.
                let is_noise = rest <= 1e-13 * before[row * (SIDE + 1)];
                if is_noise || !rest.is_finite() {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / tile[column * (SIDE + 1)]
            };
        }
        tile[row * SIDE + row + 1..(row + 1) * SIDE].fill(0.0);
    }
    Some(())
}

/// `tile = tile corner^-T`.
fn divide_right(tile: &mut Tile, corner: &Tile) {
    for row in tile.as_chunks_mut::<SIDE>().0 {
        for column in 0..SIDE {
            let products: f64 = (0..column).map(|k| row[k] * corner[column * SIDE + k]).sum();
            row[column] = (row[column] - products) / corner[column * (SIDE + 1)];
        }
    }
}

/// `tile = corner^-1 tile`.
fn divide_left(tile: &mut Tile, corner: &Tile) {
    for row in 0..SIDE {
        let (above, here) = tile.split_at_mut(row * SIDE);
        let here = &mut here[..SIDE];
        for (k, above) in above.chunks_exact(SIDE).enumerate() {
            let factor = corner[row * SIDE + k];
            here.iter_mut().zip(above).for_each(|(x, above)| *x -= factor * above);
        }
        let pivot = corner[row * (SIDE + 1)];
        for x in here {
            *x /= pivot;
        }
    }
}

fn inverse_corner(corner: &Tile) -> Tile {
    let mut inverse = zero();
    (0..SIDE).for_each(|row| inverse[row * (SIDE + 1)] = 1.0);
    divide_left(&mut inverse, corner);
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cholesky::Matrix;

    /// A matrix of a league in which players of any numbers meet.
    fn league(size: usize) -> Matrix {
        let mut matrix = Matrix::zeros(size);
        (0..size).for_each(|row| *matrix.at_mut(row, row) += 0.01);
        for row in 1..size {
            for other in [row / 2, row * row % row.max(7) % row, row - 1] {
                let weight = 0.2 + 0.1 * (row % 5) as f64;
                *matrix.at_mut(row, row) += weight;
                *matrix.at_mut(other, other) += weight;
                matrix.add_symmetric(row, other, -weight);
            }
        }
        matrix
    }

    #[test]
    fn solutions_and_inverses_are_those_of_the_small_matrices() {
        for size in [1, 2, 63, 64, 65, 200] {
            let matrix = league(size);
            let cells = (0..size * size).map(|at| {
                let (row, column) = (at / size, at % size);
                (row, column, matrix.at(row, column))
            });
            let factor = Lower::of(size, cells).cholesky().expect("positive definite");
            let small = matrix.cholesky().expect("positive definite");
            let right: Vec<f64> = (0..size).map(|at| (at as f64).sin()).collect();
            for (one, other) in factor.solve(&right).iter().zip(small.solve(&right)) {
                assert!((one - other).abs() <= 1e-10 * other.abs().max(1.0), "{size}");
            }
            let (inverse, expected) = (factor.inverse(), small.inverse());
            for row in 0..size {
                for column in 0..size {
                    let (got, want) = (inverse.of_inverse(row, column), expected.at(row, column));
                    assert!((got - want).abs() <= 1e-10 * want.abs().max(1.0), "{size}");
                }
            }
            for (row, sum) in inverse.row_sums(size).iter().enumerate() {
                let want: f64 = (0..size).map(|column| expected.at(row, column)).sum();
                assert!((sum - want).abs() <= 1e-8 * want.abs().max(1.0), "{size}");
            }
        }
    }

    #[test]
    fn singular_and_indefinite_are_refused() {
        let of = |cells: [f64; 4]| {
            Lower::of(2, (0..4).map(move |at| (at / 2, at % 2, cells[at]))).cholesky().is_none()
        };
        assert!(
            of([1.0, 1.0, 1.0, 1.0]) && of([1.0, 2.0, 2.0, 1.0]) && of([f64::NAN, 0.0, 0.0, 1.0])
        );
        assert!(!of([2.0, 1.0, 1.0, 2.0]));
    }
}
