//! Network files: refused, or what they say they are.

use std::collections::BTreeMap;

use dz_network_file::{NetworkFile, NetworkHeader, TensorData, container};

/// Numbers in all tensors up to which a header gets those that it asks for.
const NUMBERS_MAX: usize = 1 << 16;

/// Bytes that may be a network file. An accepted one is written back unchanged.
pub fn networks(data: &[u8]) {
    match NetworkFile::from_bytes(data) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(file) => {
            let bytes = file.to_bytes().expect("it was read");
            let again = NetworkFile::from_bytes(&bytes).expect("its own bytes");
            assert_eq!(again.content_id(), file.content_id());
        }
    }
}

/// A text that may be a header, in a file whose hash is right: one that somebody wrote on purpose.
pub fn headers(data: &[u8]) {
    let Ok(header) = serde_json::from_slice::<serde_json::Value>(data) else { return };
    let known: Option<NetworkHeader> = serde_json::from_slice(data).ok();
    // With its tensors where they are few, so that whatever comes after them is reached too.
    let spec = known.map(|known| known.spec).filter(|spec| spec.validate().is_ok());
    let mut tensors = BTreeMap::new();
    if let Some(spec) = spec.filter(|spec| spec.parameters() <= NUMBERS_MAX) {
        let shapes = spec.tensor_shapes().into_iter();
        let tensor = |shape: Vec<usize>| {
            let data = vec![0.5; shape.iter().product()];
            TensorData { shape, data }
        };
        tensors = shapes.map(|(name, shape)| (name, tensor(shape))).collect();
    }
    for format in [1, 2, 3] {
        let bytes = container::pack("network", format, &header, &tensors).expect("tensors fit");
        networks(&bytes);
    }
}
