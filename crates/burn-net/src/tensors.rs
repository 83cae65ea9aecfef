//! Tensors by name, and their way to a device and back.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor, TensorData};

/// Flat tensors by the names of a network file or of a network in training.
pub(crate) type Tensors = BTreeMap<String, Tensor<1>>;

pub(crate) fn named(tensors: &Tensors, layer: &str, part: &str) -> Tensor<1> {
    tensors.get(&format!("{layer}.{part}")).cloned().expect("the layout names every tensor")
}

/// A file's tensor, flat, on a device.
pub(crate) fn upload(values: Vec<f32>, device: &Device) -> Tensor<1> {
    let length = values.len();
    Tensor::from_data(TensorData::new(values, [length]), device)
}

/// A tensor's numbers, row-major.
pub(crate) fn download<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("tensors here are 32-bit floats")
}
