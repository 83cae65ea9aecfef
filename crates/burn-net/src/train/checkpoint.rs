//! A learner's whole state as one file.
//!
//! A [`dz_network_file::container`] of kind `checkpoint`. Its tensors are `parameters.NAME`,
//! `statistics.NAME`, the moving averages of both (`ema.parameters.NAME`, `ema.statistics.NAME`)
//! and the optimizer's two moments (`adam.first.NAME`, `adam.second.NAME`): those of `AdamW`, or
//! momentum in the place of the first.

use std::collections::BTreeMap;

use dz_network_file::{NetworkError, NetworkSpec, TensorData, container};
use serde::{Deserialize, Serialize};

use crate::train::layout::Layout;
use crate::train::learner::Optimizer;

/// The format that is written and read.
const FORMAT: u32 = 1;
const KIND: &str = "checkpoint";

/// A checkpoint's metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) spec: NetworkSpec,
    pub(crate) config_hash: String,
    pub(crate) step: u64,
    /// Left out for `adamw`, as it was when there was no other.
    #[serde(default = "adamw", skip_serializing_if = "is_adamw")]
    pub(crate) optimizer: String,
}

fn adamw() -> String {
    Optimizer::AdamW.name().to_owned()
}

fn is_adamw(optimizer: &str) -> bool {
    optimizer == Optimizer::AdamW.name()
}

/// A state's flat tensors as numbers, in the order of [`GROUPS`].
pub(crate) type Flats = [Vec<f32>; 6];

/// Name of each group of tensors, and whether it is laid out like the parameters or the statistics.
const GROUPS: [(&str, bool); 6] = [
    ("parameters", true),
    ("statistics", false),
    ("ema.parameters", true),
    ("ema.statistics", false),
    ("adam.first", true),
    ("adam.second", true),
];

/// Writes a checkpoint.
pub(crate) fn pack(header: &Header, flats: &Flats) -> Result<Vec<u8>, NetworkError> {
    let mut tensors = BTreeMap::new();
    for ((group, layout), flat) in layouts(&header.spec).into_iter().zip(flats) {
        let pieces = layout.name_pieces(flat);
        tensors.extend(pieces.into_iter().map(|(name, t)| (format!("{group}.{name}"), t)));
    }
    container::pack(KIND, FORMAT, header, &tensors)
}

/// Reads a checkpoint of a network of `spec`, trained by `optimizer`.
pub(crate) fn unpack(
    bytes: &[u8],
    spec: &NetworkSpec,
    optimizer: Optimizer,
) -> Result<(Header, Flats), NetworkError> {
    let (header, tensors): (Header, _) = container::unpack(KIND, FORMAT, bytes)?;
    if let Some(difference) = difference(&header.spec, spec) {
        return Err(NetworkError::OtherSpec { kind: KIND.to_owned(), difference });
    }
    if header.optimizer != optimizer.name() {
        let difference =
            format!("its optimizer is {}, the run's is {}", header.optimizer, optimizer.name());
        return Err(NetworkError::OtherSpec { kind: KIND.to_owned(), difference });
    }
    Ok((header, flats(tensors, spec)?))
}

/// The tensors of a checkpoint of a network of `spec`, all of them.
fn flats(
    mut tensors: BTreeMap<String, TensorData>,
    spec: &NetworkSpec,
) -> Result<Flats, NetworkError> {
    let layouts = layouts(spec);
    let shapes = layouts.iter().flat_map(|(group, layout)| {
        layout.shapes().iter().map(move |(name, shape)| (format!("{group}.{name}"), shape.clone()))
    });
    container::check_shapes(KIND, &tensors, &shapes.collect())?;
    Ok(layouts.map(|(group, layout)| {
        let names = layout.shapes().keys().map(|name| format!("{group}.{name}"));
        names.filter_map(|name| tensors.remove(&name)).flat_map(|tensor| tensor.data).collect()
    }))
}

/// Checks a learner's whole state without a device: its hash, and that network, moving averages and
/// the optimizer's moments are all there and finite. Answers its network and steps.
///
/// # Errors
/// What a learner refuses to load, and numbers that are not finite.
pub fn check_checkpoint(bytes: &[u8]) -> Result<(NetworkSpec, u64), NetworkError> {
    let (header, tensors): (Header, _) = container::unpack(KIND, FORMAT, bytes)?;
    // A specification from a stranger may ask for more tensors than there is time to count.
    header.spec.validate()?;
    let flats = flats(tensors, &header.spec)?;
    if let Some(group) = flats.iter().position(|flat| !flat.iter().all(|x| x.is_finite())) {
        let reason = format!("a number in {} is not finite", GROUPS[group].0);
        return Err(NetworkError::BadTensors { kind: KIND.to_owned(), reason });
    }
    Ok((header.spec, header.step))
}

fn layouts(spec: &NetworkSpec) -> [(&'static str, Layout); 6] {
    GROUPS.map(|(group, is_parameters)| {
        let of = if is_parameters { Layout::of_parameters } else { Layout::of_statistics };
        (group, of(spec))
    })
}

/// The first field in which two specifications differ, in words.
fn difference(found: &NetworkSpec, wanted: &NetworkSpec) -> Option<String> {
    let fields = |spec| serde_json::to_value(spec).expect("a specification is texts and numbers");
    let found = fields(found);
    let wanted = fields(wanted);
    // Fields that are left out are numbers, and 0, or the list of heads, and empty.
    let nothing = |name: &String| {
        if name == "heads" { serde_json::json!([]) } else { serde_json::json!(0) }
    };
    let value =
        |of: &serde_json::Value, name: &String| of.get(name).cloned().unwrap_or(nothing(name));
    let names = [&wanted, &found].into_iter().filter_map(serde_json::Value::as_object);
    let mut differences = names.flat_map(serde_json::Map::keys).filter_map(|name| {
        let found = value(&found, name);
        let wanted = value(&wanted, name);
        (found != wanted).then(|| format!("its {name} is {found}, the run's is {wanted}"))
    });
    differences.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specification_without_bounds_is_refused_at_once() {
        let spec = NetworkSpec {
            game: "tictactoe".to_owned(),
            encoding: "tictactoe-v1".to_owned(),
            ..NetworkSpec::plain([2, 3, 3], 9, usize::MAX, 4)
        };
        let config_hash = "00ff".to_owned();
        let optimizer = Optimizer::AdamW.name().to_owned();
        let header = Header { spec, config_hash, step: 1, optimizer };
        let bytes = container::pack(KIND, FORMAT, &header, &BTreeMap::new()).unwrap();
        let error = check_checkpoint(&bytes).unwrap_err();
        assert!(matches!(error, NetworkError::BadSpec { .. }), "{error}");
    }
}
