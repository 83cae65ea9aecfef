//! Names of the graph's inputs and outputs.

/// Input: binary planes `[batch, C_in, H, W]`.
pub const PLANES: &str = "planes";
/// Input: real numbers beside the planes `[batch, G]`; only where the game has any.
pub const GLOBALS: &str = "globals";
/// Output: policy logits `[batch, A]`.
pub const POLICY: &str = "policy_logits";
/// Output: logits of win, draw and loss `[batch, 3]`.
pub const WDL_LOGITS: &str = "wdl_logits";
/// Output: probabilities of win, draw and loss `[batch, 3]`.
pub const WDL: &str = "wdl";
/// Output: points of the player to move less the opponent's at the end, without komi, in units of
/// sqrt(H W) `[batch, 1]`; only where the network has the head.
pub const MARGIN: &str = "margin";
/// Output: logit x of the squared error 4 / (1 + e^-x) that the value is expected to have against
/// those of the next plies `[batch, 1]`; only where the network has the head.
pub const ERROR_LOGIT: &str = "error_logit";
/// Output: logits of the owner of each point `[batch, H, W, 3]`; only where the network has the
/// head.
pub const OWNERSHIP: &str = "ownership_logits";
