//! What the policy learns of a search.

use crate::choice::choice_with_data;
use crate::gumbel::Sigma;

choice_with_data! {
    /// What the policy learns of a search.
    pub enum PolicyTarget, TargetWord {
        /// Shares of edge visits (AlphaGo Zero).
        Visits = "visits",
        /// Shares of edge visits without those that only noise and forced playouts brought
        /// (KataGo's policy target pruning).
        PrunedVisits = "pruned",
        /// The exact regularised policy over the evaluator's priors (Grill et al. 2020, "LEARN").
        Regularized {
            /// c of lambda.
            c: f64,
        } = "regularized",
        /// Softmax of the priors' logits plus completed values (Danihelka et al. 2022).
        CompletedQ(sigma: Sigma) = "completed_q",
    }
}
