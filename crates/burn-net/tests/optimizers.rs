//! Optimizers other than `AdamW`: they learn, resume exactly, and do not take over each other's
//! state.

#![allow(clippy::unwrap_used)]

use crate::common::{full, on_threads, options, rows};
use dz_burn_net::{BurnLearner, DeviceChoice, Learner, LearnerOptions, Optimizer};

const OTHERS: [Optimizer; 2] = [Optimizer::Sgd(0.9), Optimizer::Muon(0.95)];

fn learner(optimizer: Optimizer) -> BurnLearner {
    let options = LearnerOptions { optimizer, ..options() };
    BurnLearner::new(full(), DeviceChoice::Cpu, options).unwrap()
}

fn train(learner: &mut BurnLearner, steps: std::ops::Range<u64>) {
    for i in steps {
        learner.step(&rows(&full(), 130, i), 0.003).unwrap();
    }
}

#[test]
fn one_batch_is_learnt_by_heart() {
    let batch = rows(&full(), 32, 3);
    for (optimizer, rate) in OTHERS.into_iter().zip([0.05, 0.01]) {
        let mut learner = learner(optimizer);
        let first = learner.step(&batch, rate).unwrap().losses;
        for _ in 0..120 {
            learner.step(&batch, rate).unwrap();
        }
        let last = learner.evaluate(&batch).unwrap().losses;
        println!("{optimizer:?}: {first:?} {last:?}");
        let surprise = |losses: dz_burn_net::LossReport| losses.policy_loss - losses.policy_entropy;
        assert!(surprise(last) < 0.4 * surprise(first), "{optimizer:?} {first:?} {last:?}");
        assert!(last.value_loss < 0.7 * first.value_loss, "{optimizer:?} {first:?} {last:?}");
    }
}

#[test]
fn resume_is_exact_on_any_number_of_threads() {
    for optimizer in OTHERS {
        let whole = on_threads(1, || {
            let mut learner = learner(optimizer);
            train(&mut learner, 0..5);
            learner.save().unwrap()
        });
        let half = on_threads(2, || {
            let mut learner = learner(optimizer);
            train(&mut learner, 0..2);
            learner.save().unwrap()
        });
        let mut resumed = learner(optimizer);
        resumed.load(&half).unwrap();
        train(&mut resumed, 2..5);
        assert!(resumed.save().unwrap() == whole, "{optimizer:?}");
    }
}

#[test]
fn the_state_of_another_optimizer_is_refused() {
    for optimizer in OTHERS {
        let saved = learner(optimizer).save().unwrap();
        let error = learner(Optimizer::AdamW).load(&saved).unwrap_err().to_string();
        let said = format!("its optimizer is {}, the run's is adamw", optimizer.name());
        assert!(error.contains(&said), "{error}");
        assert!(learner(optimizer).load(&learner(Optimizer::AdamW).save().unwrap()).is_err());
    }
    let options = LearnerOptions { optimizer: Optimizer::Sgd(1.0), ..options() };
    let error = BurnLearner::new(full(), DeviceChoice::Cpu, options).unwrap_err().to_string();
    assert!(error.contains("momentum"), "{error}");
}
