//! Evaluators: the traits, the cache, the way from positions to planes and back, and the fakes.
//!
//! Two traits. [`NetworkEvaluator`] takes bit-packed planes ([`EncodedBatch`]) and answers logits;
//! it is what an engine for networks (Burn, our CPU kernels, a CUDA one) implements.
//! [`InstantEvaluator`] answers one position on the thread that asks: rollouts and fakes. A search
//! asks [`Sources`], which hold several of either, with a cache before each network.
//!
//! Letters: `B` batch, `C` planes, `H` rows, `W` columns, `A` policy length.

mod answers;
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
mod softmax;
mod sources;
mod workers;

pub use answers::Asked;
pub use batch::{EncodedBatch, NetworkEvaluator, NetworkOutputs, ValueColumns};
pub use cache::{Admission, CacheKey, EvaluationCache};
pub use encoded::{EncodedLeaf, encode_leaves};
pub use evaluator::{
    Evaluation, EvaluatorError, Expected, InstantEvaluator, Leaf, LeafView, Ticket, symmetry_of,
};
pub use fakes::{Hashed, Uniform};
pub use in_turns::InTurns;
pub use lockstep::{GameTask, Lockstep, LockstepCounts, LockstepTimes, Request, Roster};
pub use rollout::{Position, Rollout, RolloutSampler};
pub use sources::{Answer, Readers, Sources};
pub use workers::Workers;
