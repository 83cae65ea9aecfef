//! A network on a card, batch by batch.

use std::collections::BTreeMap;
use std::path::Path;

use dz_game::PlaneShape;
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_network_file::NetworkFile;

use crate::error::CudaNetError;
use crate::kernels::Kernels;
use crate::plan::TowerPlan;
use crate::slot::{Slot, WeightsThere};
use crate::weights::Weights;

/// A network whose tower is one kernel.
///
/// Numbers are halves (IEEE binary16), sums have 32 bits. A position's outputs have the same bits
/// in any batch and at any place in it: no sum is taken over more than one position.
#[derive(Debug)]
pub struct TowerEvaluator {
    id: String,
    encoding: String,
    card: String,
    shape: PlaneShape,
    plan: TowerPlan,
    kernels: Kernels,
    weights: WeightsThere,
    /// Slots that no batch is in.
    free: Vec<Slot>,
    /// Of an empty batch nothing.
    in_flight: BTreeMap<Ticket, Option<Flight>>,
    next: u64,
}

/// A batch that was submitted.
#[derive(Debug)]
struct Flight {
    slot: Slot,
    len: usize,
}

impl TowerEvaluator {
    /// Puts a network on card number `index`; `None` if the card or the network is of another kind
    /// ([`TowerPlan::of`]). Compiled kernels are kept in `kernel_folder`.
    ///
    /// # Errors
    /// What the driver or its run-time compiler refuses.
    pub fn load(
        file: &NetworkFile,
        index: usize,
        kernel_folder: &Path,
    ) -> Result<Option<Self>, CudaNetError> {
        let spec = &file.header.spec;
        let Some(plan) = TowerPlan::of(spec) else { return Ok(None) };
        let Some(kernels) = Kernels::load(index, &plan, kernel_folder)? else { return Ok(None) };
        let weights = WeightsThere::new(&kernels.context, &Weights::of(file, &plan))?;
        Ok(Some(Self {
            id: format!("{}-cuda-sm90-f16-tower", file.content_id()),
            encoding: spec.encoding.clone(),
            card: format!("cuda:{index}"),
            shape: PlaneShape {
                channels: plan.planes,
                height: plan.height,
                width: plan.width,
                globals: plan.globals,
            },
            plan,
            kernels,
            weights,
            free: Vec::new(),
            in_flight: BTreeMap::new(),
            next: 0,
        }))
    }

    /// A slot that holds `len` positions.
    fn slot(&mut self, len: usize) -> Result<Slot, CudaNetError> {
        if let Some(place) = self.free.iter().position(|slot| slot.capacity >= len) {
            return Ok(self.free.swap_remove(place));
        }
        // One that was too small is not kept beside it.
        self.free.pop();
        Ok(Slot::new(&self.kernels.context, &self.plan, len.next_power_of_two())?)
    }

    fn start(&mut self, batch: &EncodedBatch) -> Result<Flight, CudaNetError> {
        let mut slot = self.slot(batch.len)?;
        slot.start(&self.kernels, &self.weights, &self.plan, batch)?;
        Ok(Flight { slot, len: batch.len })
    }

    fn failed(&self, message: &impl ToString) -> EvaluatorError {
        EvaluatorError::Device { device: self.card.clone(), message: message.to_string() }
    }
}

impl NetworkEvaluator for TowerEvaluator {
    fn id(&self) -> &str {
        &self.id
    }

    fn encoding_id(&self) -> &str {
        &self.encoding
    }

    fn policy_len(&self) -> usize {
        self.plan.policy_len
    }

    fn has_margins(&self) -> bool {
        self.plan.columns.margin
    }

    fn has_errors(&self) -> bool {
        self.plan.columns.error
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        batch.check(self.shape).map_err(|error| self.failed(&error))?;
        let flight = match batch.len {
            0 => None,
            _ => Some(self.start(&batch).map_err(|error| self.failed(&error))?),
        };
        let ticket = Ticket(self.next);
        self.next += 1;
        self.in_flight.insert(ticket, flight);
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        let flight = self.in_flight.remove(&ticket);
        let flight = flight.ok_or(EvaluatorError::UnknownTicket(ticket))?;
        let Some(Flight { slot, len }) = flight else { return Ok(NetworkOutputs::default()) };
        let outputs = slot.finish(&self.plan, len).map_err(|error| self.failed(&error))?;
        self.free.push(slot);
        Ok(outputs)
    }
}
