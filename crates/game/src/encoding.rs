//! What the network sees: versioned planes, policy index and symmetries, apart from the rules.

use serde::{Deserialize, Serialize};

/// One of a game's symmetries, by its number; 0 is the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Symmetry(pub u8);

impl Symmetry {
    /// The symmetry that changes nothing.
    pub const IDENTITY: Self = Self(0);
}

/// The shape of an encoded position: binary planes `[C, H, W]` and real-valued globals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// Binary planes, C.
    pub channels: usize,
    /// Rows, H.
    pub height: usize,
    /// Columns, W.
    pub width: usize,
    /// Real numbers beside the planes (komi, for example).
    pub globals: usize,
}

impl PlaneShape {
    /// Points of a plane, H * W.
    pub fn area(&self) -> usize {
        self.height * self.width
    }
    /// Bits of a position, C * H * W.
    pub fn bits(&self) -> usize {
        self.channels * self.area()
    }
    /// Bytes of a position's bit-packed planes.
    pub fn packed_bytes(&self) -> usize {
        self.bits().div_ceil(8)
    }
}

/// Writes one position's bit-packed planes: bit `c*H*W + y*W + x`, least significant bit first.
#[derive(Debug)]
pub struct PlaneWriter<'a> {
    shape: PlaneShape,
    bits: &'a mut [u8],
    globals: &'a mut [f32],
}

impl<'a> PlaneWriter<'a> {
    /// `bits` is zeroed here and has `shape.packed_bytes()` bytes; `globals` has `shape.globals`.
    pub fn new(shape: PlaneShape, bits: &'a mut [u8], globals: &'a mut [f32]) -> Self {
        assert_eq!(bits.len(), shape.packed_bytes(), "one position's packed planes");
        assert_eq!(globals.len(), shape.globals, "one position's globals");
        bits.fill(0);
        globals.fill(0.0);
        Self { shape, bits, globals }
    }
    /// Sets the point at row `y`, column `x` of plane `channel`.
    pub fn set(&mut self, channel: usize, y: usize, x: usize) {
        debug_assert!(channel < self.shape.channels && y < self.shape.height);
        debug_assert!(x < self.shape.width);
        self.set_point(channel, y * self.shape.width + x);
    }
    /// Sets point `y * W + x` of plane `channel`.
    #[inline]
    pub fn set_point(&mut self, channel: usize, point: usize) {
        debug_assert!(channel < self.shape.channels && point < self.shape.area());
        let bit = channel * self.shape.area() + point;
        self.bits[bit / 8] |= 1 << (bit % 8);
    }
    /// Sets every point of plane `channel`.
    pub fn fill(&mut self, channel: usize) {
        debug_assert!(channel < self.shape.channels);
        let mut bit = channel * self.shape.area();
        let end = bit + self.shape.area();
        while bit < end {
            // As many bits of the byte as are wanted.
            let low = bit % 8;
            let high = (end - bit + low).min(8);
            self.bits[bit / 8] |= (0xff_u8 << low) & (0xff_u8 >> (8 - high));
            bit += high - low;
        }
    }
    /// Sets global `index`.
    pub fn global(&mut self, index: usize, value: f32) {
        self.globals[index] = value;
    }
}

/// Unpacks one position's planes into `out`, `[C, H, W]`, as 0.0 and 1.0.
pub fn unpack_planes(shape: PlaneShape, packed: &[u8], out: &mut [f32]) {
    debug_assert_eq!(out.len(), shape.bits());
    debug_assert_eq!(packed.len(), shape.packed_bytes());
    for (i, point) in out.iter_mut().enumerate() {
        *point = f32::from((packed[i / 8] >> (i % 8)) & 1);
    }
}

/// The auxiliary training targets that a game offers at its end. The number of plies left needs no
/// support from the game, because every record has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Targets {
    /// Outcomes have a [`margin`](crate::Outcome::margin).
    pub margin: bool,
    /// Points have owners ([`Encoding::ownership`]); where there is a margin too, the first
    /// player's points minus the second's.
    pub ownership: bool,
}
