//! Batches of encoded positions, and the trait of what evaluates them.

use dz_game::PlaneShape;

use crate::{EvaluatorError, Ticket};

/// Encoded positions: bit-packed planes `[B, C, H, W]` and globals `[B, globals]`.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedBatch {
    /// Shape of one position.
    pub shape: PlaneShape,
    /// Number of positions, B.
    pub len: usize,
    /// `B * shape.packed_bytes()` bytes; see [`dz_game::PlaneWriter`] for the order of bits.
    pub bits: Vec<u8>,
    /// `B * shape.globals` numbers.
    pub globals: Vec<f32>,
}

impl EncodedBatch {
    /// `len` blank positions.
    pub fn zeroed(shape: PlaneShape, len: usize) -> Self {
        let bits = vec![0; len * shape.packed_bytes()];
        Self { shape, len, bits, globals: vec![0.0; len * shape.globals] }
    }

    /// Checks that positions have the shape that a network takes, and that there are as many
    /// numbers as the length says.
    ///
    /// # Errors
    /// What does not fit, as a text.
    pub fn check(&self, wanted: PlaneShape) -> Result<(), String> {
        if self.shape != wanted {
            return Err(format!("positions are {:?}, the network takes {wanted:?}", self.shape));
        }
        if self.bits.len() != self.len * wanted.packed_bytes() {
            return Err(format!("{} bytes of planes for {} positions", self.bits.len(), self.len));
        }
        if self.globals.len() != self.len * wanted.globals {
            return Err(format!("{} globals for {} positions", self.globals.len(), self.len));
        }
        Ok(())
    }

    /// The packed planes of position `i`.
    pub fn position(&self, i: usize) -> &[u8] {
        let bytes = self.shape.packed_bytes();
        &self.bits[i * bytes..(i + 1) * bytes]
    }
}

/// Raw network outputs of a batch, in the order of its positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkOutputs {
    /// Policy logits `[B, A]`; illegal moves are not masked.
    pub policy_logits: Vec<f32>,
    /// Logits of win, draw and loss of the player to move, `[B, 3]`.
    pub wdl_logits: Vec<f32>,
    /// Points of the player to move less the opponent's at the end, without komi, in units of
    /// sqrt(H W), `[B]`; empty where [`NetworkEvaluator::has_margins`] is false.
    pub margins: Vec<f32>,
    /// Logits x of the squared error 4 / (1 + e^-x) that the value is expected to have against
    /// those of the next plies, `[B]`; empty where [`NetworkEvaluator::has_errors`] is false.
    pub error_logits: Vec<f32>,
}

/// Numbers of a position that an engine computes beside win, draw and loss, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValueColumns {
    /// [`NetworkOutputs::margins`].
    pub margin: bool,
    /// [`NetworkOutputs::error_logits`].
    pub error: bool,
}

impl ValueColumns {
    /// Numbers of a position, win, draw and loss included.
    pub fn count(self) -> usize {
        3 + usize::from(self.margin) + usize::from(self.error)
    }
}

impl NetworkOutputs {
    /// Outputs whose rows of values are logits of win, draw and loss, and `columns` behind them.
    pub fn of_rows(policy_logits: Vec<f32>, values: Vec<f32>, columns: ValueColumns) -> Self {
        if columns == ValueColumns::default() {
            return Self { policy_logits, wdl_logits: values, ..Self::default() };
        }
        let rows = values.chunks_exact(columns.count());
        let column = |is_there: bool, place: usize| {
            if is_there { rows.clone().map(|row| row[place]).collect() } else { Vec::new() }
        };
        Self {
            policy_logits,
            margins: column(columns.margin, 3),
            error_logits: column(columns.error, columns.count() - 1),
            wdl_logits: rows.clone().flat_map(|row| &row[..3]).copied().collect(),
        }
    }

    /// Returns the largest difference between corresponding numbers. Infinite if one is not a
    /// number, or if the lengths differ.
    pub fn difference_max(&self, other: &Self) -> f64 {
        let lists = [
            (&self.policy_logits, &other.policy_logits),
            (&self.wdl_logits, &other.wdl_logits),
            (&self.margins, &other.margins),
            (&self.error_logits, &other.error_logits),
        ];
        if lists.iter().any(|(ours, theirs)| ours.len() != theirs.len()) {
            return f64::INFINITY;
        }
        let pairs = lists.into_iter().flat_map(|(ours, theirs)| ours.iter().zip(theirs));
        let differences = pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs());
        // `f64::max` alone would pass over what is not a number.
        differences.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) })
    }
}

/// An engine that runs a network on encoded positions. Two or more batches may be in flight, and be
/// waited for in any order.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use dz_game::{Encoding, Game, games::TicTacToe};
/// use dz_infer::{
///     EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket, contract,
/// };
///
/// /// Holds every position for even and every move for as good as another.
/// #[derive(Default)]
/// struct Even {
///     encoding_id: String,
///     submitted: u64,
///     in_flight: BTreeMap<Ticket, usize>,
/// }
///
/// impl NetworkEvaluator for Even {
///     fn id(&self) -> &str {
///         "even"
///     }
///
///     fn encoding_id(&self) -> &str {
///         &self.encoding_id
///     }
///
///     fn policy_len(&self) -> usize {
///         9
///     }
///
///     fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
///         let ticket = Ticket(self.submitted);
///         self.submitted += 1;
///         self.in_flight.insert(ticket, batch.len);
///         Ok(ticket)
///     }
///
///     fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
///         let len = self.in_flight.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))?;
///         let (policy_logits, wdl_logits) = (vec![0.0; 9 * len], vec![0.0; 3 * len]);
///         Ok(NetworkOutputs { policy_logits, wdl_logits, ..NetworkOutputs::default() })
///     }
/// }
///
/// let mut even = Even { encoding_id: TicTacToe.encoding().id(), ..Even::default() };
/// contract::check_network_evaluator(&TicTacToe, &mut even, 1, 0.0)?;
/// # Ok::<(), contract::ContractBroken>(())
/// ```
pub trait NetworkEvaluator: Send {
    /// Network hash, backend, instruction set and precision; the same id means the same bits.
    fn id(&self) -> &str;
    /// The encoding id that the network was trained for.
    fn encoding_id(&self) -> &str;
    /// Policy length, A.
    fn policy_len(&self) -> usize;
    /// Starts on a batch. May do all the work here or none.
    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError>;
    /// Waits for a batch. A position's outputs do not depend on the batch it came in.
    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError>;
    /// Number of batches in flight that keep the engine busy for a single caller. A device works on
    /// one while the next is made; an engine that gives handles works when it is asked.
    fn batches(&self) -> usize {
        if self.handle().is_some() { 1 } else { 2 }
    }
    /// Whether outputs have [`NetworkOutputs::margins`].
    fn has_margins(&self) -> bool {
        false
    }
    /// Whether outputs have [`NetworkOutputs::error_logits`].
    fn has_errors(&self) -> bool {
        false
    }
    /// Returns logits of who owns each point at the end of the game, `[B, H, W, 3]`: the mover,
    /// nobody, the opponent. A call of its own, so that batches take no longer. `None` if the
    /// network has no ownership head, or if this engine does not compute it.
    fn ownership(&mut self, batch: &EncodedBatch) -> Result<Option<Vec<f32>>, EvaluatorError> {
        let _ = batch;
        Ok(None)
    }
    /// The same network for a thread of its own: it shares the weights, gives the same bits, and
    /// works only on the thread that submits. `None` where batches go to a device.
    fn handle(&self) -> Option<Box<dyn NetworkEvaluator>> {
        None
    }
}

impl<N: NetworkEvaluator + ?Sized> NetworkEvaluator for Box<N> {
    fn id(&self) -> &str {
        (**self).id()
    }

    fn encoding_id(&self) -> &str {
        (**self).encoding_id()
    }

    fn policy_len(&self) -> usize {
        (**self).policy_len()
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        (**self).submit(batch)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        (**self).wait(ticket)
    }

    fn batches(&self) -> usize {
        (**self).batches()
    }

    fn has_margins(&self) -> bool {
        (**self).has_margins()
    }

    fn has_errors(&self) -> bool {
        (**self).has_errors()
    }

    fn ownership(&mut self, batch: &EncodedBatch) -> Result<Option<Vec<f32>>, EvaluatorError> {
        (**self).ownership(batch)
    }

    fn handle(&self) -> Option<Box<dyn NetworkEvaluator>> {
        (**self).handle()
    }
}

#[cfg(test)]
mod tests {
    use super::NetworkOutputs;

    #[test]
    fn no_difference_is_passed_over() {
        let outputs = |policy: &[f32], wdl: &[f32]| NetworkOutputs {
            policy_logits: policy.to_vec(),
            wdl_logits: wdl.to_vec(),
            ..NetworkOutputs::default()
        };
        let all = outputs(&[1.0, 2.0], &[0.0, 0.5, -1.0]);
        assert_eq!(all.difference_max(&all), 0.0);
        assert_eq!(all.difference_max(&outputs(&[1.0, 1.75], &[0.0, 0.5, -1.5])), 0.5);
        for other in [
            outputs(&[1.0, f32::NAN], &[0.0, 0.5, -1.0]),
            outputs(&[1.0, 2.0], &[f32::NAN, 0.5, -1.0]),
            outputs(&[1.0], &[0.0, 0.5, -1.0]),
            outputs(&[1.0, 2.0], &[0.0, 0.5, -1.0, 0.0]),
            outputs(&[1.0, 2.0], &[0.0, f32::INFINITY, -1.0]),
        ] {
            assert_eq!(all.difference_max(&other), f64::INFINITY, "{other:?}");
            assert_eq!(other.difference_max(&all), f64::INFINITY, "{other:?}");
        }
        let margins = |margins: &[f32]| NetworkOutputs { margins: margins.to_vec(), ..all.clone() };
        assert_eq!(margins(&[1.0]).difference_max(&margins(&[-1.0])), 2.0);
        assert_eq!(margins(&[1.0]).difference_max(&all), f64::INFINITY);
        let nan = outputs(&[f32::NAN], &[]);
        assert_eq!(nan.difference_max(&nan), f64::INFINITY, "two that are none are not equal");
    }
}
