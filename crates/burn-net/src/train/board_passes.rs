//! What a learner needs for each board that rows are of.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use dz_cpu_net::Trunk;
use dz_game::PlaneShape;
use dz_network_file::NetworkSpec;

use crate::error::NetError;
use crate::train::convolution_choice::method_to_learn;
use crate::train::learner::{LearnerOptions, TrainBatch};
use crate::train::losses;
use crate::train::step::BatchPasses;

/// The passes of a learner's own board and those of others, which are made when rows of them come.
#[derive(Debug)]
pub(crate) struct BoardPasses {
    own: Arc<BatchPasses>,
    options: LearnerOptions,
    /// By rows and columns.
    others: Mutex<BTreeMap<[usize; 2], Arc<BatchPasses>>>,
}

impl BoardPasses {
    pub(crate) fn new(own: &Arc<BatchPasses>, options: &LearnerOptions) -> Self {
        Self { own: Arc::clone(own), options: options.clone(), others: Mutex::default() }
    }

    /// The passes of the board that rows are of, which are checked to fit the network.
    ///
    /// # Errors
    /// [`NetError::BadBatch`].
    pub(crate) fn of(&self, part: &TrainBatch) -> Result<Arc<BatchPasses>, NetError> {
        let own = &self.own;
        let PlaneShape { height, width, .. } = part.planes.shape;
        let spec = &own.spec;
        if [height, width] == [spec.height, spec.width] || !spec.any_size || part.planes.len == 0 {
            losses::check(part, spec)?;
            return Ok(Arc::clone(own));
        }
        let policy_len = part.policy.len() / part.planes.len;
        let on_board = NetworkSpec { height, width, policy_len, ..spec.clone() };
        losses::check(part, &on_board)?;
        if on_board.actions_beside_points() != spec.actions_beside_points() {
            let what = format!("{policy_len} moves on a board of {height}x{width}");
            return Err(NetError::BadBatch { what });
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let made = others.entry([height, width]).or_insert_with(|| Arc::new(self.make(on_board)));
        Ok(Arc::clone(made))
    }

    fn make(&self, spec: NetworkSpec) -> BatchPasses {
        let own = &self.own;
        BatchPasses {
            convolve: method_to_learn(&own.devices, &spec, &self.options),
            trunk: own.trunk.as_ref().and_then(|_| Trunk::new(&spec)),
            spec,
            layout: own.layout.clone(),
            devices: own.devices.clone(),
            precision: own.precision,
            value_loss: own.value_loss,
            value_weight: own.value_weight,
            head_weights: own.head_weights,
            boards: Mutex::default(),
        }
    }
}
