//! Symmetric positive definite matrices, small and dense.

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
        Self { size, cells: vec![0.0; size * size] }
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

    /// The factor L with L L^T = self (G. Golub, C. Van Loan, *Matrix Computations*, section 4.2),
    /// or `None` if the matrix is not positive definite to working precision.
    pub(crate) fn cholesky(&self) -> Option<Cholesky> {
        let n = self.size;
        let mut factor = Self::zeros(n);
        for row in 0..n {
            for column in 0..=row {
                let mut rest = self.at(row, column);
                for k in 0..column {
                    rest -= factor.at(row, k) * factor.at(column, k);
                }
                *factor.at_mut(row, column) = if row == column {
                    // A pivot that is nothing but rounding error means a singular matrix.
                    let is_noise = rest <= 1e-13 * self.at(row, row);
                    if is_noise || !rest.is_finite() {
                        return None;
                    }
                    rest.sqrt()
                } else {
                    rest / factor.at(column, column)
                };
            }
        }
        Some(Cholesky { factor })
    }
}

/// A lower triangular factor.
pub(crate) struct Cholesky {
    factor: Matrix,
}

impl Cholesky {
    /// Solves (L L^T) x = right.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (n, l) = (self.factor.size, &self.factor);
        let mut x = right.to_vec();
        for row in 0..n {
            for k in 0..row {
                x[row] -= l.at(row, k) * x[k];
            }
            x[row] /= l.at(row, row);
        }
        for row in (0..n).rev() {
            for k in row + 1..n {
                x[row] -= l.at(k, row) * x[k];
            }
            x[row] /= l.at(row, row);
        }
        x
    }

    /// The inverse of L L^T.
    pub(crate) fn inverse(&self) -> Matrix {
        let n = self.factor.size;
        let mut inverse = Matrix::zeros(n);
        for column in 0..n {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            for (row, value) in self.solve(&unit).into_iter().enumerate() {
                *inverse.at_mut(row, column) = value;
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

    #[test]
    fn singular_and_indefinite_are_refused() {
        assert!(matrix(&[&[1.0, 1.0], &[1.0, 1.0]]).cholesky().is_none());
        assert!(matrix(&[&[1.0, 2.0], &[2.0, 1.0]]).cholesky().is_none());
        assert!(matrix(&[&[f64::NAN]]).cholesky().is_none());
    }
}
