//! A network file as an [ONNX](https://onnx.ai) model, for programs that run such models.
//!
//! [`to_onnx`] writes the computation that [`dz_network_file`] specifies as a graph of operator set
//! 17 (IR version 8), which ONNX Runtime reads since version 1.12. All numbers are 32-bit floats.
//!
//! | name | shape | content |
//! |---|---|---|
//! | `planes` (input) | `[batch, C_in, H, W]` | planes of 0 and 1 |
//! | `globals` (input, where `G > 0`) | `[batch, G]` | real numbers beside the planes |
//! | `policy_logits` | `[batch, A]` | a logit a move; illegal moves are not masked |
//! | `wdl_logits` | `[batch, 3]` | win, draw and loss of the player to move |
//! | `wdl` | `[batch, 3]` | the same as probabilities |
//! | `margin`, if there is the head | `[batch, 1]` | points ahead at the end / sqrt(H W), no komi |
//! | `error_logit`, if there is the head | `[batch, 1]` | logit of squared short-term error / 4 |
//! | `ownership_logits`, if there is the head | `[batch, H, W, 3]` | mine, nobody's, theirs |
//!
//! The batch size is open. A network for boards of any size (`any_size`) leaves H and W open too:
//! one file serves every board. What planes and moves mean is in the model's metadata
//! ([`Meaning`]).

mod builder;
mod model;
mod names;
mod network;
mod proto;

pub use model::{Meaning, to_onnx};
pub use names::{ERROR_LOGIT, GLOBALS, MARGIN, OWNERSHIP, PLANES, POLICY, WDL, WDL_LOGITS};
