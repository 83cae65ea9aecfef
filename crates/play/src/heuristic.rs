//! Evaluators that also say how good moves are before they are tried.

use std::{fs::File, io::Read};

use dz_game::{Game, Wdl};
use dz_infer::{InstantEvaluator, LeafView};
use dz_linear::{LinearError, LinearValue};

/// The most bytes of a file: that of Go 19x19 has some megabytes.
const BYTES_MAX: u64 = 1 << 28;

/// Why a heuristic is not there.
#[derive(Debug, thiserror::Error)]
pub enum HeuristicError {
    /// Its file cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: String,
        /// What the system reports.
        source: std::io::Error,
    },
    /// Its file is no value function of this game.
    #[error("{path} cannot be used")]
    Linear {
        /// The file.
        path: String,
        /// Why.
        source: LinearError,
    },
}

/// Reads the value function in the file `path`.
///
/// # Errors
/// [`HeuristicError`].
pub fn linear_value<G: Game>(game: &G, path: &str) -> Result<LinearValue, HeuristicError> {
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
    file.map_err(|source| HeuristicError::Read { path: path.to_owned(), source })?;
    let linear = |source| HeuristicError::Linear { path: path.to_owned(), source };
    LinearValue::from_bytes(game, &bytes).map_err(linear)
}

/// An evaluator with a value function for moves.
pub(crate) struct WithHeuristic<E> {
    pub(crate) evaluator: E,
    pub(crate) value: LinearValue,
}

impl<G: Game, E: InstantEvaluator<G>> InstantEvaluator<G> for WithHeuristic<E> {
    fn id(&self) -> &str {
        self.evaluator.id()
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        self.evaluator.evaluate(leaf, priors)
    }

    /// 2 sigma - 1 of the mover's chance after each move.
    fn heuristics(&self, leaf: &LeafView<'_, G>, values: &mut Vec<f32>) {
        let chances = self.value.after_moves(leaf.game, leaf.state, leaf.legal);
        values.clear();
        values.extend(chances.into_iter().map(|chance| (2.0 * chance - 1.0) as f32));
    }
}
