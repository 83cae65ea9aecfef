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
    let bytes = shape.packed_bytes();
    let count = (positions * bytes).div_ceil(4);
    let words = TensorData::new(words(bits, count), [count]);
    let words: Tensor<1, Int> = Tensor::from_data(words, (&device.clone().inner(), DType::I32));
    let packed = Packed { area: shape.area(), channels: shape.channels, bits: 8 * bytes };
    let planes = <Dispatch as Unpack>::unpack(words.into_dispatch(), positions, packed, dtype);
    let planes = Tensor::from_dispatch(planes);
    if device.is_autodiff() { planes.autodiff() } else { planes }
}

/// Bytes four in a number, then zeros.
fn words(bytes: &[u8], count: usize) -> Vec<i32> {
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
