//! `[network]`: the shape of the network.

use crate::limits::{Limits, whole};
use crate::section::section;

section! {
    /// `[network]`: the shape of the residual network.
    pub struct NetworkSection = "network" {
        /// Residual blocks of two 3x3 convolutions.
        [Fixed, whole(1, 256)] blocks: u32;
        /// Channels of the trunk; CUDA is fastest at multiples of 32.
        [Fixed, whole(1, 4096)] channels: u32;
        /// Channels of the policy head's convolution.
        [Fixed, whole(1, 4096)] policy_channels: u32 = 16;
        /// Channels of the value head's convolution.
        [Fixed, whole(1, 4096)] value_channels: u32 = 8;
        /// Width of the value head's hidden layer.
        [Fixed, whole(1, 65_536)] value_hidden: u32 = 64;
        /// Whether blocks see means and maxima over the whole board (Wu 2019, section 3.3).
        [Fixed, Limits::Any] global_pooling: bool = false;
    }
}
