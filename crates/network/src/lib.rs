//! A network's specification and its file, without any engine: what the stages exchange.
//!
//! The file is a [safetensors](https://github.com/huggingface/safetensors) file, so that common tools
//! open it. It holds the weights that play: the moving average of training, with batch norm folded
//! into the convolutions. This page says what an engine has to compute with them.
//!
//! Letters: `B` batch, `C_in` input planes, `C` channels, `H` rows, `W` columns, `G` globals, `A`
//! policy length. All numbers are 32-bit floats, all tensors are row-major.
//!
//! # Layers
//!
//! Input: planes `x [B, C_in, H, W]` of 0 and 1, and globals `g [B, G]` if the encoding has any.
//! `conv` is a cross-correlation with stride 1 and zero padding 1 (3x3) or none (1x1), plus its bias;
//! its weight is `[out, in, rows, columns]`. `linear(x) = weight x + bias` with weight `[out, in]`.
//! `relu(x) = max(x, 0)`.
//!
//! ```text
//! h = relu(conv3x3(x; stem.conv) + stem.globals.weight g)      the second term only where G > 0
//! for block i in 0..blocks:
//!     t = conv3x3(h; blocks.i.conv1)
//!     if global_pooling and i is odd:
//!         p = relu(t[:, 0..P])                                 P = max(1, C / 4), rounded down
//!         s = [mean of p over the board, max of p over the board]     [B, 2P], the P means first
//!         t[:, P..C] += linear(s; blocks.i.pool)               one number a channel, on every point
//!     t = relu(t)
//!     h = relu(conv3x3(t; blocks.i.conv2) + h)
//! policy logits = linear(flat(relu(conv1x1(h; policy.conv))); policy.linear)             [B, A]
//! value logits  = linear(relu(linear(flat(relu(conv1x1(h; value.conv))); value.hidden));
//!                        value.output)                                                   [B, 3]
//! ```
//!
//! `flat` reads a position's channels in order, each row by row: index `c*H*W + y*W + x`. The three
//! value logits are win, draw and loss of the player to move. Illegal moves are not masked. Global
//! pooling is that of `KataGo` (Wu 2019, arXiv:1902.10565, section 3.3), without its terms for boards of
//! several sizes.
//!
//! # Tensors
//!
//! [`NetworkSpec::tensor_shapes`] names each with its shape:
//!
//! | name | shape |
//! |---|---|
//! | `stem.conv.weight`, `stem.conv.bias` | `[C, C_in, 3, 3]`, `[C]` |
//! | `stem.globals.weight` (where `G > 0`) | `[C, G]` |
//! | `blocks.i.conv1.weight`, `.bias`; `blocks.i.conv2.weight`, `.bias` | `[C, C, 3, 3]`, `[C]` |
//! | `blocks.i.pool.weight`, `.bias` (pooling blocks) | `[C - P, 2P]`, `[C - P]` |
//! | `policy.conv.weight`, `.bias` | `[policy_channels, C, 1, 1]`, `[policy_channels]` |
//! | `policy.linear.weight`, `.bias` | `[A, policy_channels * H * W]`, `[A]` |
//! | `value.conv.weight`, `.bias` | `[value_channels, C, 1, 1]`, `[value_channels]` |
//! | `value.hidden.weight`, `.bias` | `[value_hidden, value_channels * H * W]`, `[value_hidden]` |
//! | `value.output.weight`, `.bias` | `[3, value_hidden]`, `[3]` |
//!
//! # Header
//!
//! The safetensors metadata has one entry, `dagzero`, a JSON object: `kind` (`network`), `format`
//! ([`FORMAT`]), `header` ([`NetworkHeader`]) and `blake3`, the hash of kind, format, header and tensors
//! (see [`container`]). Readers check all of it and refuse what does not fit.

pub mod container;
mod error;
mod file;
mod spec;

pub use container::TensorData;
pub use error::NetworkError;
pub use file::{FORMAT, NetworkFile, NetworkHeader};
pub use spec::NetworkSpec;
