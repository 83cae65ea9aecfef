//! Learners that fail on purpose.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses a part")]

use dz_burn_net::{Examiner, ExportInfo, Learner, NetError, StepReport, TrainBatch};
use dz_network_file::{NetworkFile, NetworkSpec};
use trainer::MakeLearner;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process dies before this step (from 1).
    Kill(u64),
    /// The loss of this step is far above anything sane.
    HugeLoss(u64),
    /// From this step on the loss is twice that of a network that knows nothing of tic-tac-toe.
    Explode(u64),
    /// The loss of this step is no number, as [`dz_burn_net::BurnLearner`] reports it.
    NotANumber(u64),
}

struct Faulty(Box<dyn Learner>, Fault);

/// Makes learners as `make` does, with a fault.
pub fn faulty(make: MakeLearner, fault: Fault) -> MakeLearner {
    Box::new(move |spec, config| Ok(Box::new(Faulty(make(spec, config)?, fault))))
}

impl Learner for Faulty {
    fn spec(&self) -> &NetworkSpec {
        self.0.spec()
    }
    fn steps(&self) -> u64 {
        self.0.steps()
    }
    fn step(&mut self, batch: &TrainBatch, rate: f64) -> Result<StepReport, NetError> {
        let step = self.steps() + 1;
        if self.1 == Fault::Kill(step) {
            return Err(NetError::Device { device: "test".into(), message: "killed".into() });
        }
        if self.1 == Fault::NotANumber(step) {
            let (policy_loss, value_loss, gradient_norm) = (f32::NAN, 1.0, 1.0);
            return Err(NetError::Diverged { step, policy_loss, value_loss, gradient_norm });
        }
        let mut report = self.0.step(batch, rate)?;
        if self.1 == Fault::HugeLoss(step) {
            report.losses.value_loss = 1e6;
        }
        if let Fault::Explode(from) = self.1
            && step >= from
        {
            report.losses.policy_loss = 6.6;
        }
        Ok(report)
    }
    fn examiner(&self) -> Result<Box<dyn Examiner + '_>, NetError> {
        self.0.examiner()
    }
    fn export(&self, info: &ExportInfo) -> Result<NetworkFile, NetError> {
        self.0.export(info)
    }
    fn save(&self) -> Result<Vec<u8>, NetError> {
        self.0.save()
    }
    fn load(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        self.0.load(bytes)
    }
}
