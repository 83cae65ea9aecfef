//! How an evaluator uses its device.

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::precision::Precision;

/// How batches are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluatorOptions {
    /// Positions that run at a time, at most and at least; 1 or more, the largest the smallest
    /// times a power of two. Batches are cut into chunks: the largest while more are left, then the
    /// smallest size that takes the rest, padded with blank positions. Our CUDA kernels take every
    /// multiple of the smallest size. Burn's operations take that size doubled again and again,
    /// because kernels are compiled for each size. On the processor, chunks run on as many threads
    /// as there are.
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

/// The sizes of the chunks that batches are cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkSizes {
    /// The smallest, doubled again and again. Burn's operations have tables, and on a card compiled
    /// kernels, for each size.
    Doubled,
    /// All multiples of the smallest. Our CUDA kernels take the number of rows at run time, and
    /// blank rows cost them as much as others.
    Multiples,
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
    fn chunk(self, sizes: ChunkSizes, left: usize) -> usize {
        let multiple = left.div_ceil(self.chunk_min);
        let multiple = match sizes {
            ChunkSizes::Doubled => multiple.next_power_of_two(),
            ChunkSizes::Multiples => multiple,
        };
        self.chunk_max.min(multiple * self.chunk_min)
    }

    /// First position and size of each chunk of a batch.
    pub(super) fn chunks(self, sizes: ChunkSizes, len: usize) -> Vec<(usize, usize)> {
        let mut chunks = Vec::new();
        let mut first = 0;
        while first < len {
            let chunk = self.chunk(sizes, len - first);
            chunks.push((first, chunk));
            first += chunk;
        }
        chunks
    }

    /// The doubled sizes, the smallest first.
    pub(super) fn sizes(self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(self.chunk_min), move |chunk| {
            (*chunk < self.chunk_max).then_some(chunk * 2)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_cut_into_few_sizes_and_every_position_is_in_one_chunk() {
        let options =
            EvaluatorOptions { chunk_max: 32, chunk_min: 4, ..EvaluatorOptions::fixed(4) };
        assert_eq!(options.sizes().collect::<Vec<_>>(), [4, 8, 16, 32]);
        let chunks = |len| options.chunks(ChunkSizes::Doubled, len);
        assert_eq!(chunks(0), []);
        assert_eq!(chunks(3), [(0, 4)]);
        assert_eq!(chunks(9), [(0, 16)]);
        assert_eq!(chunks(69), [(0, 32), (32, 32), (64, 8)]);
        let fixed = EvaluatorOptions::fixed(5);
        assert_eq!(fixed.chunks(ChunkSizes::Doubled, 11), [(0, 5), (5, 5), (10, 5)]);
    }

    #[test]
    fn a_card_gets_less_than_a_smallest_chunk_of_blank_positions_for_our_kernels() {
        let options = EvaluatorOptions::for_device(DeviceChoice::Cuda(0));
        let chunks = |len| options.chunks(ChunkSizes::Multiples, len);
        assert_eq!(chunks(0), []);
        assert_eq!(chunks(64), [(0, 64)]);
        assert_eq!(chunks(1_025), [(0, 1_088)]);
        assert_eq!(chunks(4_096), [(0, 4_096)]);
        assert_eq!(chunks(4_097), [(0, 4_096), (4_096, 64)]);
        for len in 1..5_000 {
            let blank = chunks(len).iter().map(|(_, chunk)| chunk).sum::<usize>() - len;
            assert!(blank < options.chunk_min, "{len}");
        }
    }

    #[test]
    fn sizes_that_do_not_double_are_refused() {
        for (chunk_max, chunk_min) in [(4, 0), (12, 4), (4, 8), (9, 4)] {
            let options = EvaluatorOptions { chunk_max, chunk_min, ..EvaluatorOptions::fixed(4) };
            assert!(options.check().is_err(), "{chunk_max} {chunk_min}");
        }
    }
}
