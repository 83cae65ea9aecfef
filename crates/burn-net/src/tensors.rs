//! Tensors by name, and their way to a device and back.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor, TensorData};

/// Flat tensors by the names of a network file or of a network in training.
pub(crate) type Tensors = BTreeMap<String, Tensor<1>>;

/// How the weight of a layer lies in memory; chosen once, when a network is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightFormat {
    /// As network files have it.
    File,
    /// In the order in which the CUDA kernels that play multiply.
    Packed,
    /// As network files have it, read in place by the CUDA kernels that learn.
    InPlace,
}

/// The parameters of a network, and the format of each layer's weight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters {
    tensors: Tensors,
    /// By layer; what is not here is [`WeightFormat::File`].
    formats: BTreeMap<String, WeightFormat>,
}

impl Parameters {
    /// Adds the tensor `name`, `LAYER.PART`.
    pub(crate) fn insert(&mut self, name: String, tensor: Tensor<1>) {
        self.tensors.insert(name, tensor);
    }

    /// Adds the weight of `layer` in a format.
    pub(crate) fn insert_weight(&mut self, layer: &str, weight: Tensor<1>, format: WeightFormat) {
        self.tensors.insert(format!("{layer}.weight"), weight);
        self.formats.insert(layer.to_owned(), format);
    }

    /// Returns a part of a layer, if the layer has it.
    pub(crate) fn get(&self, layer: &str, part: &str) -> Option<Tensor<1>> {
        self.tensors.get(&format!("{layer}.{part}")).cloned()
    }

    /// Returns a part that every layer of its kind has.
    pub(crate) fn part(&self, layer: &str, part: &str) -> Tensor<1> {
        self.get(layer, part).expect("the layout names every tensor")
    }

    /// Returns the format of a layer's weight.
    pub(crate) fn format(&self, layer: &str) -> WeightFormat {
        self.formats.get(layer).copied().unwrap_or(WeightFormat::File)
    }
}

impl From<Tensors> for Parameters {
    fn from(tensors: Tensors) -> Self {
        Self { tensors, formats: BTreeMap::new() }
    }
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
