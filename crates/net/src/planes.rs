//! From bit-packed planes to tensors.

use burn::tensor::{Device, Tensor, TensorData};
use dz_game::PlaneShape;
use dz_infer::EncodedBatch;
use dz_network::NetworkSpec;

use crate::NetError;

/// What the network sees: planes `[B * H * W, C_in]` and globals `[B, G]`, or none if `G` is 0.
pub(crate) struct Inputs {
    pub(crate) planes: Tensor<2>,
    pub(crate) globals: Option<Tensor<2>>,
}

impl Inputs {
    /// Unpacks positions `first..first + rows` of a batch; rows beyond its end are blank.
    pub(crate) fn unpack(batch: &EncodedBatch, first: usize, rows: usize, device: &Device) -> Self {
        let PlaneShape { channels, globals, .. } = batch.shape;
        let (bits, area) = (batch.shape.bits(), batch.shape.area());
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
        let globals = (globals > 0).then(|| {
            let mut values = batch.globals[first * globals..(first + real) * globals].to_vec();
            values.resize(rows * globals, 0.0);
            Tensor::from_data(TensorData::new(values, [rows, globals]), device)
        });
        Self { planes: Tensor::from_data(planes, device), globals }
    }
}

/// The shape of encoded positions that a network takes.
pub(crate) fn shape_of(spec: &NetworkSpec) -> PlaneShape {
    PlaneShape {
        channels: spec.channels_in,
        height: spec.height,
        width: spec.width,
        globals: spec.globals,
    }
}

/// Checks that a batch has the network's shape and as many numbers as it says.
pub(crate) fn check(batch: &EncodedBatch, spec: &NetworkSpec) -> Result<(), NetError> {
    batch.check(shape_of(spec)).map_err(|what| NetError::BadBatch { what })
}
