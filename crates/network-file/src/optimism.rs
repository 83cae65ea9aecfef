//! The optimistic policy, folded into the policy that plays.

use std::borrow::Cow;

use dz_aux_heads::Head;

use crate::{NetworkError, NetworkFile};

impl NetworkFile {
    /// The network whose policy logits are (1 - o) p + o q for an `optimism` o of 0 to 1, where p
    /// are those of its policy and q those of its optimistic policy (`KataGo`, `nneval.cpp`:
    /// policyOptimism). Both layers read the same numbers and are linear, so one layer gives the
    /// mix, and a playout costs what it costs without optimism. The network that comes out has no
    /// optimistic policy any more.
    ///
    /// # Errors
    /// [`NetworkError::NoOptimisticPolicy`] if `optimism` is above 0 and the network has none.
    pub fn with_optimism(&self, optimism: f64) -> Result<Cow<'_, Self>, NetworkError> {
        if !self.header.spec.heads.contains(&Head::OptimisticPolicy) {
            let is_asked = optimism > 0.0;
            return if is_asked {
                Err(NetworkError::NoOptimisticPolicy)
            } else {
                Ok(Cow::Borrowed(self))
            };
        }
        let mut mixed = self.clone();
        mixed.header.spec.heads.remove(&Head::OptimisticPolicy);
        for part in ["weight", "bias"] {
            let theirs =
                mixed.tensors.remove(&format!("{}.{part}", Head::OptimisticPolicy.layer()));
            let own = mixed.tensors.get_mut(&format!("policy.linear.{part}"));
            let (Some(theirs), Some(own)) = (theirs, own) else { continue };
            if optimism > 0.0 {
                for (own, theirs) in own.data.iter_mut().zip(theirs.data) {
                    let mix = (1.0 - optimism) * f64::from(*own) + optimism * f64::from(theirs);
                    *own = mix as f32;
                }
            }
        }
        Ok(Cow::Owned(mixed))
    }
}
