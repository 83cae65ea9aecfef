//! Symmetric positive definite matrices, of which many cells may be zero.

use std::ops::Range;

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    /// Rows, and columns.
    pub(crate) size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// All zeros.
    pub(crate) fn zeros(size: usize) -> Self {
        // A run fits its players in each cycle, with one more each time. Capacities that are powers
        // of two let the next fit reuse the memory of this one. With exact sizes every fit would
        // need a new block, and the process would only grow.
        let mut cells = Vec::with_capacity((size * size).next_power_of_two());
        cells.resize(size * size, 0.0);
        Self { size, cells }
    }
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }
    pub(crate) fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.cells[row * self.size + column]
    }
    /// Adds to a cell and, off the diagonal, to its mirror image.
    pub(crate) fn add_symmetric(&mut self, row: usize, column: usize, amount: f64) {
        *self.at_mut(row, column) += amount;
        if row != column {
            *self.at_mut(column, row) += amount;
        }
    }

    /// The factor L with P self P^T = L L^T (G. Golub, C. Van Loan, *Matrix Computations*, section
    /// 4.2), or `None` if the matrix is not positive definite to working precision.
    ///
    /// The permutation P puts rows with few entries first. In a run's ratings a network meets some
    /// neighbours and the anchors meet everybody. So most rows of L begin with zeros, which are
    /// skipped (A. George, J. Liu, *Computer Solution of Large Sparse Positive Definite Systems*,
    /// chapter 4).
    pub(crate) fn cholesky(&self) -> Option<Cholesky> {
        let n = self.size;
        let entries = |row: usize| (0..n).filter(|&column| self.at(row, column) != 0.0).count();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_cached_key(|&row| entries(row));
        let mut factor = Self::zeros(n);
        let mut first = Vec::with_capacity(n);
        for row in 0..n {
            let cell = |column: usize| self.at(order[row], order[column]);
            let begin = (0..row).find(|&column| cell(column) != 0.0).unwrap_or(row);
            first.push(begin);
            for (column, &begin_there) in first.iter().enumerate().skip(begin) {
                let from = begin.max(begin_there);
                let products =
                    dot(factor.part(row, from..column), factor.part(column, from..column));
                let rest = cell(column) - products;
                *factor.at_mut(row, column) = if row == column {
                    // A pivot that is nothing but rounding error means a singular matrix.
                    let is_noise = rest <= 1e-13 * cell(row);
                    if is_noise || !rest.is_finite() {
                        return None;
                    }
                    rest.sqrt()
                } else {
                    rest / factor.at(column, column)
                };
            }
        }
        Some(Cholesky { factor, first, order })
    }

    /// Some columns of a row.
    fn part(&self, row: usize, columns: Range<usize>) -> &[f64] {
        let begin = row * self.size;
        &self.cells[begin + columns.start..begin + columns.end]
    }
}

/// The sum of products, in eight partial sums of a fixed order, so that the processor can use
/// vector instructions.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let a = a.chunks_exact(8);
    let b = b.chunks_exact(8);
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    let mut sums = [0.0; 8];
    for (a, b) in a.zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// A lower triangular factor of a matrix whose rows were put in another order.
pub(crate) struct Cholesky {
    factor: Matrix,
    /// The first column of each row that may not be zero.
    first: Vec<usize>,
    /// The matrix's row that stands at each place.
    order: Vec<usize>,
}

impl Cholesky {
    /// Solves the system with the matrix on the left.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = self.order.iter().map(|&row| right[row]).collect();
        self.solve_in_order(&mut x, 0);
        let mut solution = vec![0.0; x.len()];
        for (&row, value) in self.order.iter().zip(x) {
            solution[row] = value;
        }
        solution
    }

    /// Solves (L L^T) x = right in place; `right` is zero before the place `begin`.
    fn solve_in_order(&self, x: &mut [f64], begin: usize) {
        let n = self.factor.size;
        let l = &self.factor;
        for row in begin..n {
            let from = self.first[row].max(begin);
            x[row] -= if from < row { dot(l.part(row, from..row), &x[from..row]) } else { 0.0 };
            x[row] /= l.at(row, row);
        }
        for row in (0..n).rev() {
            x[row] /= l.at(row, row);
            let before = self.first[row]..row;
            let value = x[row];
            for (x, l) in x[before.clone()].iter_mut().zip(l.part(row, before)) {
                *x -= l * value;
            }
        }
    }

    /// The inverse of the matrix.
    pub(crate) fn inverse(&self) -> Matrix {
        let n = self.factor.size;
        let mut inverse = Matrix::zeros(n);
        for place in 0..n {
            let mut x = vec![0.0; n];
            x[place] = 1.0;
            self.solve_in_order(&mut x, place);
            for (&row, value) in self.order.iter().zip(x) {
                *inverse.at_mut(self.order[place], row) = value;
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Matrix {
        let mut matrix = Matrix::zeros(rows.len());
        for (r, row) in rows.iter().enumerate() {
            for (c, &value) in row.iter().enumerate() {
                *matrix.at_mut(r, c) = value;
            }
        }
        matrix
    }

    #[test]
    fn a_known_factor_solution_and_inverse() {
        let a = matrix(&[&[4.0, 12.0, -16.0], &[12.0, 37.0, -43.0], &[-16.0, -43.0, 98.0]]);
        let cholesky = a.cholesky().unwrap();
        // All rows are full, so they keep their order.
        assert_eq!(
            cholesky.factor,
            matrix(&[&[2.0, 0.0, 0.0], &[6.0, 1.0, 0.0], &[-8.0, 5.0, 3.0]])
        );
        // A (1, 2, 3) = (-20, -43, 192).
        let x = cholesky.solve(&[-20.0, -43.0, 192.0]);
        for (got, want) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - want).abs() < 1e-10);
        }
        assert!((cholesky.inverse().at(2, 2) - 1.0 / 9.0).abs() < 1e-12);
    }

    /// A league: everybody meets the first two, some neighbours, and now and then somebody far
    /// away.
    fn league(size: usize) -> Matrix {
        let mut a = Matrix::zeros(size);
        let mut meet = |i: usize, j: usize, weight: f64| {
            *a.at_mut(i, i) += weight;
            *a.at_mut(j, j) += weight;
            a.add_symmetric(i, j, -weight);
        };
        for i in 2..size {
            meet(i, 0, 0.1 + 0.01 * (i % 7) as f64);
            meet(i, 1, 0.2);
            for back in [1, 3, 10] {
                if i >= 2 + back {
                    meet(i, i - back, 1.0 + 0.1 * (i % 5) as f64);
                }
            }
            if i % 9 == 8 {
                meet(i, i / 2 + 1, 0.7);
            }
        }
        (0..size).for_each(|i| *a.at_mut(i, i) += 0.05);
        a
    }

    #[test]
    fn sparse_matrices_of_any_size_are_solved_and_inverted() {
        for size in [1, 2, 3, 9, 40, 133] {
            let a = league(size);
            let cholesky = a.cholesky().unwrap();
            let inverse = cholesky.inverse();
            for row in 0..size {
                for column in 0..size {
                    let product: f64 =
                        (0..size).map(|k| a.at(row, k) * inverse.at(k, column)).sum();
                    let want = f64::from(u8::from(row == column));
                    assert!((product - want).abs() < 1e-9, "{size} {row} {column}: {product}");
                }
            }
            let want: Vec<f64> = (0..size).map(|i| (i as f64).sin()).collect();
            let right: Vec<f64> =
                (0..size).map(|i| (0..size).map(|k| a.at(i, k) * want[k]).sum()).collect();
            for (got, want) in cholesky.solve(&right).iter().zip(&want) {
                assert!((got - want).abs() < 1e-9, "{size}");
            }
        }
    }

    #[test]
    fn singular_and_indefinite_are_refused() {
        assert!(matrix(&[&[1.0, 1.0], &[1.0, 1.0]]).cholesky().is_none());
        assert!(matrix(&[&[1.0, 2.0], &[2.0, 1.0]]).cholesky().is_none());
        assert!(matrix(&[&[f64::NAN]]).cholesky().is_none());
    }
}
