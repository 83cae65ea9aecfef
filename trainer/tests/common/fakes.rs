//! Learners that fail on purpose.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses a part")]

use std::collections::VecDeque;

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
    /// Nothing goes wrong, but reports may be collected one step late.
    OneStepLate,
    /// The loss of this step is no number, as [`dz_burn_net::BurnLearner`] reports it.
    NotANumber(u64),
}

struct Faulty {
    learner: Box<dyn Learner>,
    fault: Fault,
    reports: VecDeque<Result<StepReport, NetError>>,
}

/// Makes learners as `make` does, with a fault.
pub fn faulty(make: MakeLearner, fault: Fault) -> MakeLearner {
    Box::new(move |spec, config| {
        let learner = make(spec, config)?;
        Ok(Box::new(Faulty { learner, fault, reports: VecDeque::new() }))
    })
}

impl Faulty {
    fn report(&mut self, parts: &[TrainBatch], rate: f64) -> Result<StepReport, NetError> {
        let step = self.steps() + 1;
        if self.fault == Fault::NotANumber(step) {
            let (policy_loss, value_loss, gradient_norm) = (f32::NAN, 1.0, 1.0);
            return Err(NetError::Diverged { step, policy_loss, value_loss, gradient_norm });
        }
        let mut report = self.learner.step_parts(parts, rate)?;
        if self.fault == Fault::HugeLoss(step) {
            report.losses.value_loss = 1e6;
        }
        if let Fault::Explode(from) = self.fault
            && step >= from
        {
            report.losses.policy_loss = 6.6;
        }
        Ok(report)
    }
}

impl Learner for Faulty {
    fn spec(&self) -> &NetworkSpec {
        self.learner.spec()
    }
    fn steps(&self) -> u64 {
        self.learner.steps()
    }
    fn steps_ahead(&self) -> usize {
        usize::from(self.fault == Fault::OneStepLate)
    }
    fn submit(&mut self, parts: &[TrainBatch], rate: f64) -> Result<(), NetError> {
        if self.fault == Fault::Kill(self.steps() + 1) {
            return Err(NetError::Device { device: "test".into(), message: "killed".into() });
        }
        let report = self.report(parts, rate);
        self.reports.push_back(report);
        Ok(())
    }
    fn collect(&mut self) -> Option<Result<StepReport, NetError>> {
        self.reports.pop_front()
    }
    fn examiner(&self) -> Result<Box<dyn Examiner + '_>, NetError> {
        self.learner.examiner()
    }
    fn export(&self, info: &ExportInfo) -> Result<NetworkFile, NetError> {
        self.learner.export(info)
    }
    fn save(&self) -> Result<Vec<u8>, NetError> {
        self.learner.save()
    }
    fn load(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        self.learner.load(bytes)
    }
}
