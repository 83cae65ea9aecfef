//! Bit-packed planes to numbers in one kernel. Burn's operations would take them to the card's
//! memory and back six times.

mod kernel;
mod operation;
mod packed;

use burn::backend::Dispatch;
use burn::tensor::{DType, Device, FloatDType, Int, Tensor, TensorData};
use dz_game::PlaneShape;

use operation::Unpack;
use packed::Packed;

/// Planes `[B * H * W, C]` in a format of a card's choice, from the bits of some positions one
/// after another, as [`dz_game::PlaneWriter`] has them; the rest of the `positions` is blank.
pub(crate) fn unpack(
    bits: &[u8],
    shape: PlaneShape,
    positions: usize,
    dtype: FloatDType,
    device: &Device,
) -> Tensor<2> {
    let words = words(bits, shape, positions);
    let words = TensorData::new(words, [words_len(shape, positions)]);
    let words: Tensor<1, Int> = Tensor::from_data(words, (&device.clone().inner(), DType::I32));
    let planes = unpack_words(&words, shape, positions, dtype);
    if device.is_autodiff() { planes.autodiff() } else { planes }
}

/// Unpacks planes from words that are on the GPU, see [`words`].
pub(crate) fn unpack_words(
    words: &Tensor<1, Int>,
    shape: PlaneShape,
    positions: usize,
    dtype: FloatDType,
) -> Tensor<2> {
    let bits = 8 * shape.packed_bytes();
    let packed = Packed { area: shape.area(), channels: shape.channels, bits };
    let words = words.clone().into_dispatch();
    Tensor::from_dispatch(<Dispatch as Unpack>::unpack(words, positions, packed, dtype))
}

fn words_len(shape: PlaneShape, positions: usize) -> usize {
    (positions * shape.packed_bytes()).div_ceil(4)
}

/// Packs the bytes of `positions` into 32-bit words. Missing positions are zeros.
pub(crate) fn words(bytes: &[u8], shape: PlaneShape, positions: usize) -> Vec<i32> {
    let count = words_len(shape, positions);
    let (fours, rest) = bytes.as_chunks();
    let mut words = Vec::with_capacity(count);
    words.extend(fours.iter().map(|four| i32::from_le_bytes(*four)));
    if !rest.is_empty() {
        let mut four = [0; 4];
        four[..rest.len()].copy_from_slice(rest);
        words.push(i32::from_le_bytes(four));
    }
    words.resize(count, 0);
    words
}
