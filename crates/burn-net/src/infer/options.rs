//! How an evaluator uses its device.

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::precision::Precision;

/// How batches are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluatorOptions {
    /// Positions that run at a time, at most and at least; 1 or more, the largest the smallest
    /// times a power of two. Kernels are compiled for each size, so batches are cut into chunks of
    /// these sizes: the largest while more are left, then the smallest that takes the rest, padded
    /// with blank positions. On the processor, chunks run on as many threads as there are.
    pub chunk_max: usize,
    /// The smallest size.
    pub chunk_min: usize,
    /// What the network computes in.
    pub precision: Precision,
    /// Where bit-packed planes become numbers: on the device, to which 32 times fewer bytes then
    /// go, or before they are sent.
    pub unpack_on_device: bool,
    /// Queues of a card that batches take in turn. A queue does one thing after the other, so with
    /// a single one the answers of a batch are read when all that was submitted after it is done,
    /// too. 0 answers a batch before `submit` returns, its chunks on as many threads as there are:
    /// for the processor.
    pub lanes: usize,
    /// Whether our CUDA kernels compute convolutions, where they fit the network, or Burn's
    /// operations. Needs 16 bits.
    pub cuda_kernels: bool,
    /// Whether [`crate::network_with`] uses the whole-tower kernel (`dz-cuda-net`) where it fits
    /// the network and the card. Needs [`Precision::F16`] and `cuda_kernels`. A
    /// [`crate::BurnEvaluator`] ignores this.
    pub tower: bool,
}

impl EvaluatorOptions {
    /// What is fast on a device: on the processor small chunks of one size, which are shared out
    /// evenly and stay in the cache; on a card few launches, in half precision.
    pub const fn for_device(choice: DeviceChoice) -> Self {
        match choice {
            DeviceChoice::Cpu => Self::fixed(16),
            DeviceChoice::Cuda(_) => Self {
                chunk_max: 4096,
                chunk_min: 64,
                precision: Precision::F16,
                unpack_on_device: choice.unpacks(),
                lanes: 2,
                cuda_kernels: true,
                tower: true,
            },
        }
    }

    /// Chunks of one size, in 32 bits, unpacked before they are sent.
    pub const fn fixed(chunk: usize) -> Self {
        let precision = Precision::F32;
        Self {
            chunk_max: chunk,
            chunk_min: chunk,
            precision,
            unpack_on_device: false,
            lanes: 0,
            cuda_kernels: false,
            tower: false,
        }
    }

    pub(super) fn check(self) -> Result<(), NetError> {
        let refuse = |key, value: usize, allowed| {
            Err(NetError::BadOption { key, value: value.to_string(), allowed })
        };
        if self.chunk_min == 0 {
            return refuse("chunk_min", 0, "1 or more");
        }
        let factor = self.chunk_max / self.chunk_min;
        if factor * self.chunk_min != self.chunk_max || !factor.is_power_of_two() {
            return refuse("chunk_max", self.chunk_max, "chunk_min times a power of two");
        }
        Ok(())
    }

    /// The size of the next chunk when `left` positions are left.
    fn chunk(self, left: usize) -> usize {
        let mut chunk = self.chunk_min;
        while chunk < left && chunk < self.chunk_max {
            chunk *= 2;
        }
        chunk
    }

    /// First position and size of each chunk of a batch.
    pub(super) fn chunks(self, len: usize) -> Vec<(usize, usize)> {
        let mut chunks = Vec::new();
        let mut first = 0;
        while first < len {
            let chunk = self.chunk(len - first);
            chunks.push((first, chunk));
            first += chunk;
        }
        chunks
    }

    /// All sizes, the smallest first.
    pub(super) fn sizes(self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(self.chunk_min), move |chunk| {
            (*chunk < self.chunk_max).then_some(chunk * 2)
        })
    }
}
