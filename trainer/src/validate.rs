//! Evaluates the averaged weights on rows that are never trained on.

use dz_burn_net::Learner;
use dz_network_file::PerHead;

use crate::tally::{add_heads, total};
use crate::{Feed, Mean};

/// Means over validation rows: losses in nats, accuracies 0 to 1, each by the rows' weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Validation {
    /// Policy cross-entropy.
    pub policy: Mean,
    /// What the value learns by.
    pub value: Mean,
    /// Squared error of win less loss, scaled by 1/4.
    pub value_mse: Mean,
    /// Losses of the network's heads.
    pub heads: PerHead<Option<Mean>>,
    /// Share of rows whose most likely policy index is the target's.
    pub policy_accuracy: Mean,
    /// Share of rows whose target is among the five most likely policy indices.
    pub policy_top5_accuracy: Mean,
    /// Share of rows whose most likely outcome is the target's.
    pub value_accuracy: Mean,
}

/// Evaluates all batches of `feed`; changes nothing in the learner.
///
/// # Errors
/// If rows cannot be read or the device fails.
pub fn validate(learner: &dyn Learner, feed: &mut Feed) -> anyhow::Result<Validation> {
    let mut all = Validation::default();
    let examiner = learner.examiner()?;
    while let Some(prepared) = feed.next_batch()? {
        for batch in &prepared.parts {
            let report = examiner.evaluate(batch)?;
            let policy = total(&batch.policy_weights);
            let value = total(&batch.value_weights);
            all.policy.add(f64::from(report.losses.policy_loss), policy);
            all.value.add(f64::from(report.losses.value_loss), value);
            all.value_mse.add(f64::from(report.losses.value_mse), value);
            add_heads(&mut all.heads, batch, &report.losses);
            all.policy_accuracy.add(f64::from(report.policy_accuracy), policy);
            all.policy_top5_accuracy.add(f64::from(report.policy_top5_accuracy), policy);
            all.value_accuracy.add(f64::from(report.value_accuracy), value);
        }
    }
    Ok(all)
}
