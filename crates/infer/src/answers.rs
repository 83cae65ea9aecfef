//! From logits to evaluations.

use dz_game::Wdl;
use rayon::prelude::*;

use crate::softmax::softmax;
use crate::{EncodedLeaf, Evaluation, EvaluationCache, EvaluatorError, Expected, NetworkOutputs};

/// A leaf that was submitted, and where its evaluation goes.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The leaf.
    pub leaf: &'a EncodedLeaf,
    /// Its evaluation, once it is known. Its memory is kept.
    pub evaluation: &'a mut Evaluation,
}

/// How answers are read.
pub(crate) struct Reading<'a> {
    /// Id of the network, for errors.
    pub(crate) network: &'a str,
    /// Length of the policy, A.
    pub(crate) policy_len: usize,
    /// The network predicts the error of its values.
    pub(crate) has_errors: bool,
    /// sqrt(H W) where the network has margins.
    pub(crate) margin_unit: Option<f32>,
    /// Leaves that one thread reads at least.
    pub(crate) part_len: usize,
    /// Keeps the evaluations, the first under the number `first`.
    pub(crate) cache: &'a EvaluationCache,
    pub(crate) first: u64,
}

impl Reading<'_> {
    /// Fills in the evaluations of a batch and keeps them: the softmax of policy logits over legal
    /// moves, and that of the WDL logits. After an error some evaluations may be filled in.
    ///
    /// # Errors
    /// [`EvaluatorError::WrongLength`] and [`EvaluatorError::NotFinite`].
    pub(crate) fn read(
        &self,
        outputs: &NetworkOutputs,
        asked: Vec<Asked<'_>>,
    ) -> Result<(), EvaluatorError> {
        check_length(self.network, outputs.policy_logits.len(), asked.len() * self.policy_len)?;
        check_length(self.network, outputs.wdl_logits.len(), asked.len() * 3)?;
        let margins = self.margin_unit.map_or(0, |_| asked.len());
        check_length(self.network, outputs.margins.len(), margins)?;
        let errors = if self.has_errors { asked.len() } else { 0 };
        check_length(self.network, outputs.error_logits.len(), errors)?;
        let are_finite = asked
            .into_par_iter()
            .with_min_len(self.part_len)
            .zip(outputs.policy_logits.par_chunks_exact(self.policy_len))
            .zip(outputs.wdl_logits.par_chunks_exact(3))
            .enumerate()
            .map(|(place, ((asked, policy), wdl))| {
                let margin = self.margin_unit.map(|unit| unit * outputs.margins[place]);
                let error = outputs.error_logits.get(place).map(|&logit| error_of(logit));
                self.read_one(place, asked, policy, Values { wdl, margin, error })
            })
            // All are read, so that an error does not depend on threads.
            .reduce(|| true, |a, b| a && b);
        if are_finite { Ok(()) } else { Err(not_finite(self.network)) }
    }

    /// Whether all numbers are finite.
    fn read_one(&self, place: usize, asked: Asked<'_>, policy: &[f32], values: Values<'_>) -> bool {
        let Asked { leaf, evaluation } = asked;
        let priors = &mut evaluation.priors;
        priors.clear();
        priors.extend(leaf.policy.iter().map(|&index| policy[index as usize]));
        let Values { wdl, margin, error } = values;
        let mut chances = [wdl[0], wdl[1], wdl[2]];
        let are_finite = margin.iter().chain(&error).all(|x| x.is_finite());
        let is_finite = softmax(priors) && softmax(&mut chances) && are_finite;
        evaluation.expected = Expected { wdl: Wdl::from_array(chances), margin, error };
        if is_finite {
            self.cache.put_at(self.first + place as u64, leaf.key, leaf.cached, evaluation);
        }
        is_finite
    }
}

/// A network's numbers of one position beside its policy.
#[derive(Clone, Copy)]
struct Values<'a> {
    wdl: &'a [f32],
    /// In points.
    margin: Option<f32>,
    error: Option<f32>,
}

/// The error that belongs to the logit of its square, 2 sqrt(1 / (1 + e^-x)).
fn error_of(logit: f32) -> f32 {
    // The softmax of x and 0, whose bits are the same on every machine.
    let mut shares = [logit, 0.0];
    if softmax(&mut shares) { 2.0 * shares[0].sqrt() } else { f32::NAN }
}

/// The expected owner of each point: from 1, the mover's, to -1, the opponent's. `logits` are those
/// of [`crate::NetworkEvaluator::ownership`] for one position, and `points` says where each point
/// stands among them.
///
/// # Errors
/// [`EvaluatorError::WrongLength`] and [`EvaluatorError::NotFinite`], which name `network`.
pub(crate) fn owners(
    network: &str,
    logits: &[f32],
    points: &[usize],
) -> Result<Vec<f32>, EvaluatorError> {
    check_length(network, logits.len(), 3 * points.len())?;
    let owned = points.iter().map(|&seen| {
        let mut shares = [logits[3 * seen], logits[3 * seen + 1], logits[3 * seen + 2]];
        softmax(&mut shares).then(|| shares[0] - shares[2])
    });
    owned.collect::<Option<_>>().ok_or_else(|| not_finite(network))
}

fn check_length(network: &str, got: usize, wanted: usize) -> Result<(), EvaluatorError> {
    if got == wanted {
        return Ok(());
    }
    Err(EvaluatorError::WrongLength { evaluator: network.to_owned(), got, wanted })
}

fn not_finite(network: &str) -> EvaluatorError {
    EvaluatorError::NotFinite { evaluator: network.to_owned() }
}
