//! `[network]`: the shape of the network.

use dz_config_keys::{Limits, choice, section, whole};

choice! {
    /// How the policy head ends.
    pub enum PolicyHead {
        /// A layer from the whole board to each move.
        Dense = "dense",
        /// A 1x1 convolution to planes of moves.
        Convolution = "convolution",
    }
}

section! {
    /// `[network]`: the shape of the residual network.
    pub struct NetworkSection = "network" {
        /// Blocks of the tower: residual blocks of two 3x3 convolutions, or bottlenecks.
        [Fixed, whole(1, 256)] blocks: u32 = 4;
        /// Channels of the trunk; CUDA is fastest at multiples of 16.
        [Fixed, whole(1, 4096)] channels: u32 = 48;
        /// Last layer of the policy head. `dense` connects the whole board with each move (`lc0`:
        /// classical). `convolution` is a 1x1 convolution to planes of moves, with the same weights
        /// at every point (Silver 2018, AlphaZero: 73 planes); only chess has such planes.
        [Fixed, Limits::Any] policy_head: PolicyHead = PolicyHead::Dense;
        /// Channels of the policy head's convolution.
        [Fixed, whole(1, 4096)] policy_channels: u32 = 16;
        /// Channels of the value head's convolution.
        [Fixed, whole(1, 4096)] value_channels: u32 = 8;
        /// Width of the value head's hidden layer.
        [Fixed, whole(1, 65_536)] value_hidden: u32 = 64;
        /// Whether every second block sees means and maxima over the whole board (Wu 2019, section
        /// 3.3).
        [Fixed, Limits::Any] global_pooling: bool = false;
        /// Channels over the hidden width of squeeze-excitation, which scales and shifts each
        /// block's channels by their means over the board (Hu 2018: 16, scale only; lc0 has the
        /// shift); 0 is none.
        [Fixed, whole(0, 4096)] squeeze_ratio: u32 = 0;
        /// Residual blocks within each block, between 1x1 convolutions to half the channels and
        /// back (KataGo's nested bottlenecks: 2); 0 makes blocks plain.
        [Fixed, whole(0, 64)] bottleneck_blocks: u32 = 0;
        /// Whether policy and value are made of the same weights at every point, as in KataGo: then
        /// a network of one board size plays on every other (Go on 9x9 and 13x13). Games whose
        /// policy has a place for each point: all but Connect Four, chess and Breakthrough.
        [Fixed, Limits::Any] any_size: bool = false;
    }
}
