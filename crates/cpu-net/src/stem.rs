//! The first convolution: its inputs are bits, so it is a sum of weights where bits are set.

use dz_network_file::{NetworkFile, NetworkSpec};

use crate::simd::{LANE, Lane, Simd, Task, lanes_of};
use crate::transform::Epilogue;

/// 3x3 convolution of bit-packed planes, the globals' shift, and relu.
#[derive(Clone, Debug)]
pub(crate) struct Stem {
    channels_in: usize,
    height: usize,
    width: usize,
    lanes: usize,
    /// `[C_in, 9]` rows of lanes.
    taps: Vec<Lane>,
    /// A row of lanes.
    bias: Vec<Lane>,
    /// `[G]` rows of lanes.
    globals: Vec<Lane>,
}

impl Stem {
    pub(crate) fn new(file: &NetworkFile) -> Self {
        let tensor = |name: &str| file.tensors.get(name).map_or(&[][..], |t| &t.data);
        let [weight, bias] = ["stem.conv.weight", "stem.conv.bias"].map(tensor);
        Self::of(&file.header.spec, weight, bias, tensor("stem.globals.weight"))
    }

    /// From weights `[C, C_in, 3, 3]`, biases `[C]` and weights of globals `[C, G]`, which may be
    /// none.
    pub(crate) fn of(spec: &NetworkSpec, weight: &[f32], bias: &[f32], shifts: &[f32]) -> Self {
        let NetworkSpec { channels_in, height, width, channels, globals, .. } = *spec;
        let globals = if shifts.is_empty() { 0 } else { globals };
        let inputs = channels_in * 9;
        let taps = (0..inputs).flat_map(|tap| {
            lanes_of((0..channels).map(move |output| weight[output * inputs + tap]))
        });
        let global = |g| lanes_of((0..channels).map(move |output| shifts[output * globals + g]));
        Self {
            channels_in,
            height,
            width,
            lanes: channels.div_ceil(LANE),
            taps: taps.collect(),
            bias: lanes_of(bias.iter().copied()),
            globals: (0..globals).flat_map(global).collect(),
        }
    }

    /// Lanes of a point of its outputs.
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }
}

/// The stem on one position; writes all of a padded board, zeros on its border.
pub(crate) struct StemOnBoard<'a> {
    pub(crate) stem: &'a Stem,
    pub(crate) planes: &'a [u8],
    pub(crate) globals: &'a [f32],
    pub(crate) board: &'a mut [Lane],
    /// A row of lanes to work in.
    pub(crate) shift: &'a mut [Lane],
    /// [`Epilogue::Relu`], or nothing where batch norm follows.
    pub(crate) epilogue: Epilogue,
}

impl Task for StemOnBoard<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { stem, planes, globals, board, shift, epilogue } = self;
        let lanes = stem.lanes;
        let width = stem.width;
        let area = stem.height * stem.width;
        let padded = width + 2;
        shift.copy_from_slice(&stem.bias);
        for (weights, &global) in stem.globals.chunks_exact(lanes).zip(globals) {
            for (sum, weight) in shift.iter_mut().zip(weights) {
                s.store(s.fma(s.splat(global), s.load(weight), s.load(sum)), sum);
            }
        }
        for point in board.chunks_exact_mut(lanes) {
            point.copy_from_slice(shift);
        }
        for (i, &byte) in planes.iter().enumerate() {
            let mut byte = byte;
            while byte != 0 {
                let bit = i * 8 + byte.trailing_zeros() as usize;
                byte &= byte - 1;
                let channel = bit / area;
                let point = bit % area;
                if channel >= stem.channels_in {
                    break;
                }
                // The point with its border is the centre of a square of outputs; tap 8 reaches its
                // first, tap 0 its last. Those on the border are thrown away below.
                let corner = (point / width) * padded + point % width;
                let taps = &stem.taps[channel * 9 * lanes..][..9 * lanes];
                for (tap, weights) in taps.chunks_exact(lanes).enumerate() {
                    let down = 2 - tap / 3;
                    let right = 2 - tap % 3;
                    let output = &mut board[(corner + down * padded + right) * lanes..][..lanes];
                    for (sum, weight) in output.iter_mut().zip(weights) {
                        s.store(s.add(s.load(sum), s.load(weight)), sum);
                    }
                }
            }
        }
        for (y, row) in board.chunks_exact_mut(padded * lanes).enumerate() {
            if y == 0 || y == stem.height + 1 {
                row.fill(Lane::default());
                continue;
            }
            row[..lanes].fill(Lane::default());
            row[(width + 1) * lanes..].fill(Lane::default());
            for x in &mut row[lanes..(width + 1) * lanes] {
                epilogue.store(s, s.load(x), x);
            }
        }
    }
}
