//! Evaluators: the traits, the cache, the adapter from positions to planes, and the fakes.
//!
//! Two traits. [`Evaluator`] takes positions ([`Leaf`]) and answers values and priors over legal
//! moves. [`NetworkEvaluator`] takes bit-packed planes ([`EncodedBatch`]) and answers logits; it is
//! what an engine for networks (Burn, our own CPU kernels, a CUDA one) implements. [`Encoded`]
//! makes the first from the second.
//!
//! Letters: `B` batch, `C` planes, `H` rows, `W` columns, `A` policy length.

mod batch;
mod cache;
pub mod contract;
mod encoded;
mod evaluator;
mod fakes;
mod in_turns;
mod lockstep;
mod parallel;
mod rollout;
mod sources;
mod workers;

pub use batch::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
pub use cache::{CacheKey, EvaluationCache};
pub use encoded::{Encoded, encode_leaves};
pub use evaluator::{
    Evaluation, Evaluator, EvaluatorError, InstantEvaluator, Leaf, LeafView, Note, Ticket,
    symmetry_of,
};
pub use fakes::{Hashed, Uniform};
pub use in_turns::InTurns;
pub use lockstep::{GameTask, Lockstep, LockstepCounts, LockstepTimes, Request, Roster};
pub use rollout::{Position, Rollout, RolloutPolicy};
pub use sources::{Answer, Readers, Sources};
pub use workers::Workers;
