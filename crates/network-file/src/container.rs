//! Safetensors files with a checked header: the form of networks and of checkpoints.
//!
//! The metadata entry `dagzero` is JSON: `{"kind", "format", "header", "blake3"}`. The hash covers,
//! in this order, each text and number preceded by its length or written as 8 little-endian bytes:
//! kind, format, the header's JSON, and for each tensor by name its name, its rank, its dimensions
//! and its data as little-endian 32-bit floats.

use std::{collections::BTreeMap, collections::HashMap};

use safetensors::{Dtype, SafeTensors, View};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};

use crate::NetworkError;

/// A tensor of 32-bit floats, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorData {
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// The elements; as many as the product of `shape`.
    pub data: Vec<f32>,
}

/// Writes tensors with a header; equal contents give equal bytes.
///
/// # Errors
/// [`NetworkError::BadTensors`] if a tensor's data and shape disagree.
pub fn pack<H: Serialize>(
    kind: &str,
    format: u32,
    header: &H,
    tensors: &BTreeMap<String, TensorData>,
) -> Result<Vec<u8>, NetworkError> {
    let text = header_text(header);
    let blake3 = hash(kind, u64::from(format), &text, tensors).to_hex().to_string();
    let header = RawValue::from_string(text).expect("serde_json wrote it, so it is JSON");
    let envelope = Envelope { kind: kind.to_owned(), format: u64::from(format), header, blake3 };
    let envelope = serde_json::to_string(&envelope).expect("an envelope is texts and numbers");
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), envelope)]);
    let views = tensors.iter().map(|(name, tensor)| (name.as_str(), Bytes::of(tensor)));
    safetensors::serialize(views, Some(metadata))
        .map_err(|e| NetworkError::BadTensors { kind: kind.to_owned(), reason: e.to_string() })
}

/// Reads what [`pack`] wrote for the same kind and a format from 1 to `newest`, and checks its
/// hash.
///
/// # Errors
/// Everything that a reader refuses, from [`NetworkError::NotOurs`] to [`NetworkError::BadHeader`].
pub fn unpack<H: DeserializeOwned>(
    kind: &str,
    newest: u32,
    bytes: &[u8],
) -> Result<(H, BTreeMap<String, TensorData>), NetworkError> {
    check_length(kind, bytes)?;
    let not_ours = |reason: String| NetworkError::NotOurs { kind: kind.to_owned(), reason };
    let (_, metadata) = SafeTensors::read_metadata(bytes)
        .map_err(|e| not_ours(format!("no safetensors file: {e}")))?;
    let envelope = metadata
        .metadata()
        .as_ref()
        .and_then(|entries| entries.get(METADATA_KEY))
        .ok_or_else(|| not_ours("a safetensors file of another program".to_owned()))?;
    let envelope: Envelope =
        serde_json::from_str(envelope).map_err(|e| not_ours(format!("no header: {e}")))?;
    if envelope.kind != kind {
        return Err(not_ours(format!("a {} file", envelope.kind)));
    }
    if !(1..=u64::from(newest)).contains(&envelope.format) {
        let kind = kind.to_owned();
        let found = envelope.format;
        return Err(NetworkError::OtherFormat { kind, found, known: newest });
    }
    let tensors = read_tensors(kind, bytes)?;
    let found = hash(kind, envelope.format, envelope.header.get(), &tensors);
    if found.to_hex().as_str() != envelope.blake3 {
        return Err(NetworkError::HashMismatch { kind: kind.to_owned() });
    }
    let header = serde_json::from_str(envelope.header.get())
        .map_err(|e| NetworkError::BadHeader { kind: kind.to_owned(), reason: e.to_string() })?;
    Ok((header, tensors))
}

/// The hash that [`pack`] writes into the file.
pub fn content_hash<H: Serialize>(
    kind: &str,
    format: u32,
    header: &H,
    tensors: &BTreeMap<String, TensorData>,
) -> blake3::Hash {
    hash(kind, u64::from(format), &header_text(header), tensors)
}

/// Checks that `tensors` are exactly those of `shapes`.
///
/// # Errors
/// [`NetworkError::BadTensors`] with the first that is missing, misshapen or too many.
pub fn check_shapes(
    kind: &str,
    tensors: &BTreeMap<String, TensorData>,
    shapes: &BTreeMap<String, Vec<usize>>,
) -> Result<(), NetworkError> {
    let bad = |reason| Err(NetworkError::BadTensors { kind: kind.to_owned(), reason });
    for (name, shape) in shapes {
        let Some(tensor) = tensors.get(name) else { return bad(format!("{name} is missing")) };
        if &tensor.shape != shape {
            return bad(format!("{name} is {:?} and should be {shape:?}", tensor.shape));
        }
        if tensor.data.len() != shape.iter().product::<usize>() {
            return bad(format!("{name} has {} elements for {shape:?}", tensor.data.len()));
        }
    }
    match tensors.keys().find(|name| !shapes.contains_key(*name)) {
        Some(extra) => bad(format!("{extra} is not part of the network")),
        None => Ok(()),
    }
}

const METADATA_KEY: &str = "dagzero";

#[derive(Serialize, Deserialize)]
struct Envelope {
    kind: String,
    format: u64,
    /// Kept as written, so that the hash of a header with fields of a later version can be checked.
    header: Box<RawValue>,
    blake3: String,
}

fn header_text<H: Serialize>(header: &H) -> String {
    // Through `Value`, so that keys are sorted and the bytes do not depend on the order of fields.
    let value: Value = serde_json::to_value(header).expect("headers have string keys only");
    value.to_string()
}

fn hash(
    kind: &str,
    format: u64,
    header: &str,
    tensors: &BTreeMap<String, TensorData>,
) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let number = |hasher: &mut blake3::Hasher, n: u64| {
        hasher.update(&n.to_le_bytes());
    };
    let text = |hasher: &mut blake3::Hasher, text: &str| {
        number(hasher, text.len() as u64);
        hasher.update(text.as_bytes());
    };
    text(&mut hasher, kind);
    hasher.update(&format.to_le_bytes());
    text(&mut hasher, header);
    for (name, tensor) in tensors {
        text(&mut hasher, name);
        hasher.update(&(tensor.shape.len() as u64).to_le_bytes());
        for &dimension in &tensor.shape {
            hasher.update(&(dimension as u64).to_le_bytes());
        }
        hasher.update(&Bytes::of(tensor).0);
    }
    hasher.finalize()
}

fn read_tensors(kind: &str, bytes: &[u8]) -> Result<BTreeMap<String, TensorData>, NetworkError> {
    let bad = |reason: String| NetworkError::BadTensors { kind: kind.to_owned(), reason };
    let file = SafeTensors::deserialize(bytes).map_err(|e| bad(e.to_string()))?;
    file.iter()
        .map(|(name, view)| {
            if view.dtype() != Dtype::F32 {
                return Err(bad(format!("{name} is {:?} and should be F32", view.dtype())));
            }
            let data = view.data().as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b));
            let tensor = TensorData { shape: view.shape().to_vec(), data: data.collect() };
            Ok((name.to_owned(), tensor))
        })
        .collect()
}

/// Distinguishes a truncated file from one that never was ours: safetensors begin with the length
/// of their JSON, and the JSON holds where each tensor ends.
fn check_length(kind: &str, bytes: &[u8]) -> Result<(), NetworkError> {
    let found = bytes.len() as u64;
    let truncated =
        |expected| Err(NetworkError::Truncated { kind: kind.to_owned(), found, expected });
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return if bytes.is_empty() { truncated(8) } else { Ok(()) };
    };
    let json_bytes = u64::from_le_bytes(*length);
    let begins_like_ours =
        rest.first().is_none_or(|&byte| byte == b'{') && json_bytes < 100_000_000;
    if !begins_like_ours {
        return Ok(());
    }
    let Some(json) = rest.get(..json_bytes as usize) else { return truncated(8 + json_bytes) };
    let Ok(Value::Object(json)) = serde_json::from_slice(json) else { return Ok(()) };
    let end = |entry: &Value| entry.get("data_offsets")?.get(1)?.as_u64();
    let data_bytes = json.values().filter_map(end).max().unwrap_or(0);
    let expected = (8 + json_bytes).saturating_add(data_bytes);
    if found < expected { truncated(expected) } else { Ok(()) }
}

/// A tensor's elements in the file's byte order.
struct Bytes<'a>(Vec<u8>, &'a [usize]);

impl<'a> Bytes<'a> {
    fn of(tensor: &'a TensorData) -> Self {
        Self(tensor.data.iter().flat_map(|x| x.to_le_bytes()).collect(), &tensor.shape)
    }
}

impl View for Bytes<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }
    fn shape(&self) -> &[usize] {
        self.1
    }
    fn data(&self) -> std::borrow::Cow<'_, [u8]> {
        (&self.0).into()
    }
    fn data_len(&self) -> usize {
        self.0.len()
    }
}
