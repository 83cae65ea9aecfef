//! Sparse symmetric positive definite matrices and the method of conjugate gradients.

use crate::model::Sums;

/// A symmetric matrix of the cells that are not zero, and perhaps of a one in all cells of its
/// first rows and columns.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    size: usize,
    /// Where each row begins in `cells`.
    begins: Vec<usize>,
    /// Column and value.
    cells: Vec<(usize, f64)>,
    /// So many rows and columns have a one in each cell, on top.
    ones: usize,
}

/// A sum of cells in any order.
#[derive(Debug)]
pub(crate) struct Collected {
    size: usize,
    cells: Vec<(usize, usize, f64)>,
    ones: usize,
}

impl Sums for Collected {
    fn zeros(size: usize) -> Self {
        Self { size, cells: Vec::new(), ones: 0 }
    }

    fn add_symmetric(&mut self, row: usize, column: usize, amount: f64) {
        self.cells.push((row, column, amount));
        if row != column {
            self.cells.push((column, row, amount));
        }
    }

    fn add_ones(&mut self, rows: usize) {
        self.ones = rows;
    }
}

impl Collected {
    /// The matrix. Equal cells are added in the order in which they came.
    pub(crate) fn matrix(mut self) -> Sparse {
        self.cells.sort_by_key(|&(row, column, _)| (row, column));
        let mut cells: Vec<(usize, f64)> = Vec::with_capacity(self.cells.len());
        let mut begins = Vec::with_capacity(self.size + 1);
        let mut last = None;
        for (row, column, amount) in self.cells {
            while begins.len() <= row {
                begins.push(cells.len());
            }
            match cells.last_mut().filter(|_| last == Some((row, column))) {
                Some((_, sum)) => *sum += amount,
                None => cells.push((column, amount)),
            }
            last = Some((row, column));
        }
        begins.resize(self.size + 1, cells.len());
        Sparse { size: self.size, begins, cells, ones: self.ones }
    }
}

/// The largest residual of a solution, as a share of the right side, in the norm of the
/// preconditioner.
const RESIDUAL_MAX: f64 = 1e-13;
/// A solution that came to this is of use to Newton's method, whose next step mends it.
const RESIDUAL_USEFUL: f64 = 1e-9;

impl Sparse {
    /// Rows, and columns.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The cells of a row, ascending, without the ones on top.
    pub(crate) fn row(&self, row: usize) -> &[(usize, f64)] {
        &self.cells[self.begins[row]..self.begins[row + 1]]
    }

    /// A cell of the diagonal, without the ones on top.
    pub(crate) fn diagonal(&self, row: usize) -> f64 {
        self.row(row).iter().find(|(column, _)| *column == row).map_or(0.0, |&(_, value)| value)
    }

    /// All cells, without the ones on top; where there are ones, the first row's player is held at
    /// 0 instead, which comes to the same for all differences.
    pub(crate) fn pinned(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let pin = |row, column| if self.ones > 0 && (row, column) == (0, 0) { 1.0 } else { 0.0 };
        (0..self.size).flat_map(move |row| {
            let cells = self.row(row).iter();
            cells.map(move |&(column, value)| (row, column, value + pin(row, column)))
        })
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let top: f64 = x[..self.ones].iter().sum();
        let sum = |row| self.row(row).iter().map(|&(column, value)| value * x[column]).sum::<f64>();
        (0..self.size).map(|row| sum(row) + if row < self.ones { top } else { 0.0 }).collect()
    }

    /// Solves the system with this matrix on the left by conjugate gradients, preconditioned by the
    /// diagonal (G. Golub, C. Van Loan, *Matrix Computations*, section 11.5). `None` where it takes
    /// too long.
    pub(crate) fn solve(&self, right: &[f64]) -> Option<Vec<f64>> {
        let scale: Vec<f64> = (0..self.size)
            .map(|row| 1.0 / (self.diagonal(row) + if row < self.ones { 1.0 } else { 0.0 }))
            .collect();
        let mut x = vec![0.0; self.size];
        let mut rest = right.to_vec();
        let mut direction: Vec<f64> = rest.iter().zip(&scale).map(|(r, s)| r * s).collect();
        let mut norm = dot(&rest, &direction);
        let begun = norm;
        if begun == 0.0 {
            return Some(x);
        }
        let done = |norm: f64, share: f64| norm <= begun * share * share;
        for _ in 0..2 * self.size + 100 {
            if done(norm, RESIDUAL_MAX) {
                return Some(x);
            }
            let product = self.times(&direction);
            let step = norm / dot(&direction, &product);
            if !step.is_finite() {
                break;
            }
            for (x, direction) in x.iter_mut().zip(&direction) {
                *x += step * direction;
            }
            for (rest, product) in rest.iter_mut().zip(&product) {
                *rest -= step * product;
            }
            let scaled: Vec<f64> = rest.iter().zip(&scale).map(|(r, s)| r * s).collect();
            let next = dot(&rest, &scaled);
            let turn = next / norm;
            norm = next;
            for (direction, scaled) in direction.iter_mut().zip(&scaled) {
                *direction = scaled + turn * *direction;
            }
        }
        done(norm, RESIDUAL_USEFUL).then_some(x)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
