//! A network's specification and its file, without any engine: what the stages exchange.
//!
//! The file is a [safetensors](https://github.com/huggingface/safetensors) file, so that common
//! tools open it. It holds the weights that play: the moving average of training, with batch norm
//! folded into the convolutions. This page specifies what an engine has to compute with them.
//!
//! Letters: `B` batch, `C_in` input planes, `C` channels, `H` rows, `W` columns, `G` globals, `A`
//! policy length. All numbers are 32-bit floats, all tensors are row-major.
//!
//! # Layers
//!
//! Input: planes `x [B, C_in, H, W]` of 0 and 1, and globals `g [B, G]` if the encoding has any.
//! `conv` is a cross-correlation with stride 1 and zero padding 1 (3x3) or none (1x1), plus its
//! bias; its weight is `[out, in, rows, columns]`. `linear(x) = weight x + bias` with weight
//! `[out, in]`. `relu(x) = max(x, 0)`.
//!
//! ```text
//! h = relu(conv3x3(x; stem.conv) + stem.globals.weight g)      the second term only where G > 0
//! for block i in 0..blocks:
//!     if bottleneck_blocks = 0:
//!         t = convolved(h; blocks.i)
//!     else:
//!         u = relu(conv1x1(h; blocks.i.conv_down))        D = max(1, C / 2) channels, rounded down
//!         for j in 0..bottleneck_blocks:
//!             u = relu(convolved(u; blocks.i.inner.j) + u)
//!         t = conv1x1(u; blocks.i.conv_up)
//!     if squeeze_ratio > 0:
//!         s = relu(linear(mean of t over the board; blocks.i.squeeze))
//!                                                              S = max(1, C / squeeze_ratio)
//!         (a, b) = linear(s; blocks.i.excite)                  [B, 2C], the C of a first
//!         t = sigmoid(a) t + b                               two numbers a channel, on every point
//!     h = relu(t + h)
//! policy logits = linear(flat(relu(conv1x1(h; policy.conv))); policy.linear)             [B, A]
//! value logits  = linear(relu(linear(flat(relu(conv1x1(h; value.conv))); value.hidden));
//!                        value.output)                                                   [B, 3]
//! margin        = linear(relu(linear(flat(relu(conv1x1(h; value.conv))); value.hidden));
//!                        margin.output)                       [B, 1], where heads has margin
//! error logit   = the same with short_term_error.output        [B, 1], where heads has it
//! owner logits  = ownership.points h + bias at each point  [B, H, W, 3], where heads has ownership
//!
//! with any_size, in place of the first four, margin and error as the value:
//! policy logits = [row 0 of t at each point; means over the board of rows 1, 2, ... of t],
//!                 t = linear(relu(conv1x1(h; policy.conv)); policy.linear)   [B, 1 + E, H, W]
//! value logits  = linear(relu(linear(m; value.hidden)); value.output)              [B, 3]
//!                 m = mean of relu(conv1x1(h; value.conv)) over the board
//!
//! with policy_planes, in place of the first:
//! policy logits = flat(linear(relu(conv1x1(h; policy.conv)); policy.linear) at each point)
//!
//! convolved(x; name):                                   x has D channels, or C without bottlenecks
//!     t = conv3x3(x; name.conv1)
//!     if global_pooling and i is odd and (bottleneck_blocks = 0 or j = 0):
//!         p = relu(t[:, 0..P])                               P = max(1, a quarter of x's channels)
//!         s = [mean of p over the board, max of p over the board]     [B, 2P], the P means first
//!         t[:, P..] += linear(s; name.pool)                   one number a channel, on every point
//!     return conv3x3(relu(t); name.conv2)
//! ```
//!
//! `flat` reads a position's channels in order, each row by row: index `c*H*W + y*W + x`. The three
//! value logits are win, draw and loss of the player to move; the three owner logits of a point are
//! mine, nobody's and theirs, in that player's view, at the end of the game. The margin is the
//! player's points less the opponent's at the end, without komi, in units of sqrt(H W). The error
//! logit x predicts that the value's squared distance from the values of the next plies will be 4 /
//! (1 + e^-x). Illegal moves are not masked. Global pooling is that of `KataGo` (Wu 2019,
//! arXiv:1902.10565, section 3.3), without its terms for boards of several sizes. With `any_size`,
//! whose policy has a place for each point and E places behind them (Go: 1, to pass), nothing
//! depends on the board's size, as in `KataGo`'s heads; engines compute the same network with its
//! weights written out for a board ([`NetworkFile::on_board`]). Squeeze-excitation is that of Hu
//! 2018 (arXiv:1709.01507) with the shift that `lc0` adds to it; bottlenecks are nested as `KataGo`
//! nests them (its `nbt` networks).
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
//! | with bottlenecks instead: `blocks.i.conv_down.weight`, `.bias` | `[D, C, 1, 1]`, `[D]` |
//! | `blocks.i.inner.j.conv1.weight`, `.bias` | `[D, D, 3, 3]`, `[D]` |
//! | `blocks.i.inner.j.conv2.weight`, `.bias` | `[D, D, 3, 3]`, `[D]` |
//! | `blocks.i.inner.0.pool.weight`, `.bias` (pooling blocks) | `[D - P, 2P]`, `[D - P]` |
//! | `blocks.i.conv_up.weight`, `.bias` | `[C, D, 1, 1]`, `[C]` |
//! | with squeeze-excitation: `blocks.i.squeeze.weight`, `.bias` | `[S, C]`, `[S]` |
//! | `blocks.i.excite.weight`, `.bias` | `[2C, S]`, `[2C]` |
//! | `policy.conv.weight`, `.bias` | `[policy_channels, C, 1, 1]`, `[policy_channels]` |
//! | `policy.linear.weight`, `.bias` | `[A, policy_channels * H * W]`, `[A]` |
//! | `value.conv.weight`, `.bias` | `[value_channels, C, 1, 1]`, `[value_channels]` |
//! | `value.hidden.weight`, `.bias` | `[value_hidden, value_channels * H * W]`, `[value_hidden]` |
//! | with `any_size` instead: `policy.linear.weight` | `[1 + E, policy_channels]` |
//! | `policy.linear.bias` | `[1 + E]` |
//! | with `policy_planes` instead: `policy.linear.weight` | `[policy_planes, policy_channels]` |
//! | `policy.linear.bias` | `[policy_planes]` |
//! | `value.hidden.weight`, `.bias` | `[value_hidden, value_channels]`, `[value_hidden]` |
//! | `value.output.weight`, `.bias` | `[3, value_hidden]`, `[3]` |
//! | `margin.output.weight`, `.bias` (where `heads` has it) | `[1, value_hidden]`, `[1]` |
//! | `short_term_error.output.weight`, `.bias` (likewise) | `[1, value_hidden]`, `[1]` |
//! | `ownership.points.weight`, `.bias` (where `heads` has it) | `[3, C]`, `[3]` |
//! | `optimistic_policy.linear.weight`, `.bias` (where `heads` has it) | as `policy.linear` |
//!
//! The optimistic policy gives logits as the policy does. Engines do not compute it:
//! [`NetworkFile::with_optimism`] mixes both layers to one before a network plays.
//!
//! Other heads ([`Head`]) are in checkpoints alone: `reply.linear` and `soft_policy.linear` as
//! `policy.linear`, from the same convolution; `short_term.output` `[9, value_hidden]`
//! and `plies_left.output` `[1, value_hidden]` beside `value.output`.
//!
//! # Header
//!
//! The safetensors metadata has one entry, `dagzero`, a JSON object: `kind` (`network`), `format`
//! (1, 2 with squeeze-excitation or bottlenecks, 3 with heads, 4 with `any_size`, 5 with
//! `policy_planes`), `header` ([`NetworkHeader`]) and `blake3`, the hash of kind, format, header
//! and tensors (see [`container`]). Readers check all of it and refuse what does not fit.

mod any_size;
pub mod container;
mod error;
mod file;
mod optimism;
mod spec;

/// Added to the variances of batch norm before the square root, in training and where it is folded.
pub const BATCH_NORM_EPSILON: f64 = 1e-5;

pub use any_size::Board;
pub use container::TensorData;
pub use dz_aux_heads::{HORIZONS, Head, HeadOutput, PerHead, TargetColumn, TargetSource, Unit};
pub use error::NetworkError;
pub use file::{NetworkFile, NetworkHeader};
pub use spec::{NetworkSpec, ResidualSpec};
