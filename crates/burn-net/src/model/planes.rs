//! From bit-packed planes to tensors.

use std::ops::Range;

use burn::tensor::{DType, Device, FloatDType, Int, Tensor, TensorData};
use dz_game::PlaneShape;
use dz_infer::EncodedBatch;
use dz_network_file::NetworkSpec;

use crate::cuda;
use crate::error::NetError;
use crate::model::convolution::ConvMethod;

/// What the network sees: planes `[B * H * W, C_in]` and globals `[B, G]`, or none if `G` is 0.
pub(crate) struct Inputs {
    pub(crate) planes: Tensor<2>,
    pub(crate) globals: Option<Tensor<2>>,
}

/// Where bit-packed planes become numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unpack {
    /// On the host, before they are sent.
    OnHost,
    /// On the device, by Burn's operations: 32 times fewer bytes are sent.
    OnDevice,
    /// On the device, by our CUDA kernel.
    CudaKernel,
}

impl Unpack {
    /// Returns where a device unpacks planes whose convolutions are computed by `convolve`.
    pub(crate) fn of(on_device: bool, convolve: ConvMethod) -> Self {
        match (on_device, convolve) {
            (false, _) => Self::OnHost,
            (true, ConvMethod::CudaKernel) => Self::CudaKernel,
            (true, _) => Self::OnDevice,
        }
    }
}

impl Inputs {
    /// Positions of a batch, those beyond its end blank, in a format.
    pub(crate) fn of(
        batch: &EncodedBatch,
        rows: Range<usize>,
        unpack: Unpack,
        dtype: FloatDType,
        device: &Device,
    ) -> Self {
        let first = rows.start;
        let rows = rows.len();
        let planes = match unpack {
            Unpack::OnHost => unpack_here(batch, first, rows, device).cast(dtype),
            Unpack::OnDevice => unpack_there(batch, first, rows, device).cast(dtype),
            Unpack::CudaKernel => {
                let bytes = batch.shape.packed_bytes();
                let real = first * bytes..batch.len.min(first + rows) * bytes;
                cuda::unpack(&batch.bits[real], batch.shape, rows, dtype, device)
            }
        };
        let globals = globals(batch, first, rows, device).map(|globals| globals.cast(dtype));
        Self { planes, globals }
    }
}

fn unpack_here(batch: &EncodedBatch, first: usize, rows: usize, device: &Device) -> Tensor<2> {
    let PlaneShape { channels, .. } = batch.shape;
    let bits = batch.shape.bits();
    let area = batch.shape.area();
    let real = rows.min(batch.len - first);
    let mut planes = vec![0.0; rows * bits];
    for (i, position) in planes.chunks_exact_mut(bits).take(real).enumerate() {
        let packed = batch.position(first + i);
        for bit in (0..bits).filter(|bit| packed[bit / 8] >> (bit % 8) & 1 == 1) {
            // Packed channel by channel, wanted point by point.
            position[bit % area * channels + bit / area] = 1.0;
        }
    }
    let planes = TensorData::new(planes, [rows * area, channels]);
    Tensor::from_data(planes, device)
}

/// The bits are sent as they are, 32 in a number.
fn unpack_there(batch: &EncodedBatch, first: usize, rows: usize, device: &Device) -> Tensor<2> {
    let PlaneShape { channels, .. } = batch.shape;
    let bits = batch.shape.bits();
    let area = batch.shape.area();
    let real = rows.min(batch.len - first);
    let words = bits.div_ceil(32);
    let mut packed = vec![0_i32; rows * words];
    for (i, position) in packed.chunks_exact_mut(words).take(real).enumerate() {
        for (word, bytes) in position.iter_mut().zip(batch.position(first + i).chunks(4)) {
            let mut four = [0; 4];
            four[..bytes.len()].copy_from_slice(bytes);
            *word = i32::from_le_bytes(four);
        }
    }
    let packed = TensorData::new(packed, [rows, words, 1]);
    let packed: Tensor<3, Int> = Tensor::from_data(packed, (device, DType::I32));
    let places = TensorData::new((0..32).collect::<Vec<i32>>(), [1, 1, 32]);
    let places: Tensor<3, Int> = Tensor::from_data(places, (device, DType::I32));
    // The shift repeats the sign, which the mask takes away again.
    let places = places.expand([rows, words, 32]);
    let packed = packed.expand([rows, words, 32]);
    let bit = packed.bitwise_right_shift(places).bitwise_and_scalar(1);
    let bit = bit.reshape([rows, words * 32]).slice([0..rows, 0..bits]).float();
    // Packed channel by channel, wanted point by point.
    let planes: Tensor<3> = bit.reshape([rows, channels, area]);
    planes.swap_dims(1, 2).reshape([rows * area, channels])
}

/// `[rows, G]`, rows beyond the end of the batch at 0; none if `G` is 0.
fn globals(batch: &EncodedBatch, first: usize, rows: usize, device: &Device) -> Option<Tensor<2>> {
    let globals = batch.shape.globals;
    (globals > 0).then(|| {
        let end = batch.len.min(first + rows);
        let mut values = batch.globals[first * globals..end * globals].to_vec();
        values.resize(rows * globals, 0.0);
        Tensor::from_data(TensorData::new(values, [rows, globals]), device)
    })
}

/// Checks that a batch has the network's shape and as many numbers as it says.
pub(crate) fn check(batch: &EncodedBatch, spec: &NetworkSpec) -> Result<(), NetError> {
    batch.check(dz_cpu_net::plane_shape(spec)).map_err(|what| NetError::BadBatch { what })
}

#[cfg(test)]
mod tests {
    use dz_cpu_net::random_positions;

    use super::*;
    use crate::infer::canary::canary_spec;
    use crate::tensors::download;

    /// Sizes at which a position's bits end within a word, and with one.
    #[test]
    fn both_ways_to_unpack_give_the_same_planes() {
        let device = Device::flex();
        for (height, channels_in) in [(6, 3), (8, 4), (1, 1)] {
            let spec = NetworkSpec { height, channels_in, ..canary_spec() };
            let batch = random_positions(&spec, 11, 5);
            let of = |unpack, device: &Device| {
                Inputs::of(&batch, 4..12, unpack, FloatDType::F32, device)
            };
            let here = of(Unpack::OnHost, &device);
            let planes = download(here.planes);
            let globals = here.globals.map(download);
            assert!(planes.contains(&1.0));
            // As they are to be played and as they are to be learnt from.
            for device in [device.clone(), device.clone().autodiff()] {
                let there = of(Unpack::OnDevice, &device);
                assert_eq!(planes, download(there.planes), "{height} {channels_in}");
                assert_eq!(globals, there.globals.map(download));
            }
        }
    }
}
