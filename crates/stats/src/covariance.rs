//! The joint covariance of all parameters.

use crate::cholesky::Matrix;
use crate::elo::ELO_PER_NAT;
use crate::sparse::Sparse;
use crate::tiles::Lower;

/// The inverse of the information matrix, in one of three forms.
#[derive(Clone)]
pub(crate) enum Covariance {
    /// Every cell.
    Full(Matrix),
    /// The inverse of the factor, of which each cell is a product of two columns.
    Factor(Lower),
    /// The variances alone. They are too small, because they leave out the opponents of opponents.
    Variances(Vec<f64>),
}

impl Covariance {
    /// The most parameters for which large matrices are inverted: 130 MB and some seconds.
    pub(crate) const EXACT_MAX: usize = 4_002;

    /// Of a large matrix; `None` if it is not positive definite.
    pub(crate) fn of_large(information: &Sparse) -> Option<Self> {
        let size = information.size();
        if size <= Self::EXACT_MAX {
            return Some(Self::Factor(Lower::of(size, information.pinned()).cholesky()?.inverse()));
        }
        Self::estimated(information)
    }

    /// Variances as if the opponents of each player had no other opponents: the inverse of the
    /// matrix of a star, by its Schur complement. They are lower bounds, and close ones for players
    /// that have met many others.
    pub(crate) fn estimated(information: &Sparse) -> Option<Self> {
        let variance = |row: usize| {
            let others = information.row(row).iter().filter(|(column, _)| *column != row);
            let known: f64 =
                others.map(|&(other, value)| value * value / information.diagonal(other)).sum();
            1.0 / (information.diagonal(row) - known)
        };
        let variances: Vec<f64> = (0..information.size()).map(variance).collect();
        variances.iter().all(|v| v.is_finite() && *v > 0.0).then_some(Self::Variances(variances))
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        match self {
            Self::Full(matrix) => matrix.at(row, column),
            Self::Factor(inverse) => inverse.of_inverse(row, column),
            Self::Variances(variances) if row == column => variances[row],
            Self::Variances(_) => 0.0,
        }
    }

    /// The sum of a row over the first columns, for each of the first rows.
    fn sums(&self, rows: usize) -> Vec<f64> {
        match self {
            Self::Factor(inverse) => inverse.row_sums(rows),
            Self::Variances(variances) => variances[..rows].to_vec(),
            Self::Full(matrix) => {
                (0..rows).map(|row| (0..rows).map(|k| matrix.at(row, k)).sum()).collect()
            }
        }
    }

    /// Whether the cells are only estimates.
    pub(crate) fn is_approximate(&self) -> bool {
        matches!(self, Self::Variances(_))
    }
}

/// The covariance of ratings relative to the anchor or to the mean, in Elo squared.
#[derive(Clone, Debug)]
pub(crate) enum Relative {
    /// Every cell.
    Full(Matrix),
    /// A cell is computed when it is asked for: from the covariance of all parameters, that of each
    /// rating with the reference, and the variance of the reference.
    Large { all: Covariance, with: Vec<f64>, own: f64 },
}

impl Relative {
    pub(crate) fn new(all: Covariance, players: usize, anchor: Option<usize>) -> Self {
        let with: Vec<f64> = match anchor {
            Some(anchor) => (0..players).map(|row| all.at(row, anchor)).collect(),
            None => all.sums(players).into_iter().map(|sum| sum / players as f64).collect(),
        };
        let own = match anchor {
            Some(anchor) => with[anchor],
            None => with.iter().sum::<f64>() / players.max(1) as f64,
        };
        let relative = Self::Large { all, with, own };
        if !matches!(&relative, Self::Large { all: Covariance::Full(_), .. }) {
            return relative;
        }
        let mut cells = Matrix::zeros(players);
        for row in 0..players {
            for column in 0..players {
                *cells.at_mut(row, column) = relative.at(row, column);
            }
        }
        Self::Full(cells)
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        match self {
            Self::Full(cells) => cells.at(row, column),
            Self::Large { all, with, own } => {
                let nats = all.at(row, column) - with[row] - with[column] + own;
                nats * ELO_PER_NAT * ELO_PER_NAT
            }
        }
    }
}

impl std::fmt::Debug for Covariance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Covariance").finish_non_exhaustive()
    }
}
