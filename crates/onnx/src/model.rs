//! The model around the graph: inputs, outputs, documentation and metadata.

use std::collections::BTreeMap;

use dz_network_file::{Head, NetworkError, NetworkFile, NetworkSpec};
use prost::Message;

use crate::builder::Builder;
use crate::names::{ERROR_LOGIT, GLOBALS, MARGIN, OWNERSHIP, PLANES, POLICY, WDL, WDL_LOGITS};
use crate::network::add_network;
use crate::proto::{
    DimensionProto, FLOAT, GraphProto, ModelProto, OperatorSetIdProto, StringStringEntryProto,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};

const OPERATOR_SET: i64 = 17;
const IR_VERSION: i64 = 8;

/// What a game's inputs and outputs mean, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// What each plane shows.
    pub planes: Vec<String>,
    /// What each global is.
    pub globals: Vec<String>,
    /// What a policy index means.
    pub policy: String,
    /// Further entries of the model's metadata.
    pub metadata: BTreeMap<String, String>,
}

/// Returns the bytes of an ONNX model that computes the network; equal arguments give equal bytes.
///
/// # Errors
/// [`NetworkError::BadSpec`] or [`NetworkError::BadTensors`] of a file that was not checked.
///
/// ```
/// use dz_cpu_net::random_network;
/// use dz_network_file::NetworkSpec;
/// use dz_onnx::{Meaning, to_onnx};
///
/// let network = random_network(&NetworkSpec::plain([4, 6, 7], 7, 2, 16), 1);
/// let meaning = Meaning { policy: "index = column - 1".to_owned(), ..Meaning::default() };
/// std::fs::write(std::env::temp_dir().join("network.onnx"), to_onnx(&network, &meaning)?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_onnx(file: &NetworkFile, meaning: &Meaning) -> Result<Vec<u8>, NetworkError> {
    file.check()?;
    let spec = &file.header.spec;
    let mut builder = Builder::new(file);
    add_network(&mut builder, spec);
    let graph = GraphProto {
        node: builder.nodes,
        name: "network".to_owned(),
        initializer: builder.constants.into_values().collect(),
        doc_string: format!("Policy and value of a position of {}.", spec.game),
        input: inputs(spec, meaning),
        output: outputs(spec, meaning),
    };
    let model = ModelProto {
        ir_version: IR_VERSION,
        producer_name: "dagzero".to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        model_version: file.header.step as i64,
        doc_string: description(spec),
        graph: Some(graph),
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPERATOR_SET }],
        metadata_props: metadata(file, meaning),
    };
    Ok(model.encode_to_vec())
}

/// The length of an axis.
enum Length {
    Fixed(usize),
    /// Decided by whoever evaluates; equal names have equal lengths.
    Open(&'static str),
}

/// Rows and columns of the board.
fn board(spec: &NetworkSpec) -> [Length; 2] {
    if spec.any_size {
        return [Length::Open("height"), Length::Open("width")];
    }
    [spec.height, spec.width].map(Length::Fixed)
}

fn inputs(spec: &NetworkSpec, meaning: &Meaning) -> Vec<ValueInfoProto> {
    let [height, width] = board(spec);
    let mut doc =
        "Planes of 0 and 1, as the player to move sees the position: [batch, plane, row, \
                   column], row 0 at the top."
            .to_owned();
    if spec.any_size {
        doc.push_str(" Rows and columns of any board will do.");
    }
    doc.push_str(&list(" Planes", &meaning.planes));
    let mut inputs = vec![value(PLANES, [Length::Fixed(spec.channels_in), height, width], doc)];
    if spec.globals > 0 {
        let doc = "Real numbers beside the planes: [batch, global].".to_owned();
        let doc = doc + &list(" Globals", &meaning.globals);
        inputs.push(value(GLOBALS, [Length::Fixed(spec.globals)], doc));
    }
    inputs
}

fn outputs(spec: &NetworkSpec, meaning: &Meaning) -> Vec<ValueInfoProto> {
    let moves = if spec.any_size { Length::Open("moves") } else { Length::Fixed(spec.policy_len) };
    let mut policy = "Logits of the moves: [batch, move]. Illegal moves are not masked: take the \
                      softmax over the legal ones."
        .to_owned();
    if !meaning.policy.is_empty() {
        policy = format!("{policy} {}.", meaning.policy);
    }
    let logits = "Logits of win, draw and loss of the player to move: [batch, 3].".to_owned();
    let shares = "Probabilities of win, draw and loss of the player to move: [batch, 3]. The \
                  expected score is win + draw / 2."
        .to_owned();
    let mut outputs = vec![
        value(POLICY, [moves], policy),
        value(WDL_LOGITS, [Length::Fixed(3)], logits),
        value(WDL, [Length::Fixed(3)], shares),
    ];
    if spec.heads.contains(&Head::Margin) {
        let doc = "Points of the player to move less the opponent's at the end of the game, without \
                   komi, in units of the square root of the number of points on the board: [batch, 1]."
            .to_owned();
        outputs.push(value(MARGIN, [Length::Fixed(1)], doc));
    }
    if spec.heads.contains(&Head::ShortTermError) {
        let doc = "Logit x of the squared error 4 / (1 + e^-x) that win less loss is expected to \
                   have against the values of the next plies: [batch, 1]."
            .to_owned();
        outputs.push(value(ERROR_LOGIT, [Length::Fixed(1)], doc));
    }
    if spec.heads.contains(&Head::Ownership) {
        let [height, width] = board(spec);
        let doc =
            "Logits of whose each point is at the end of the game: mine, nobody's and theirs, \
                   as the player to move sees it: [batch, row, column, 3]."
                .to_owned();
        outputs.push(value(OWNERSHIP, [height, width, Length::Fixed(3)], doc));
    }
    outputs
}

/// A tensor of floats whose first axis is the batch.
fn value<const N: usize>(name: &str, axes: [Length; N], doc_string: String) -> ValueInfoProto {
    let axes = std::iter::once(Length::Open("batch")).chain(axes);
    let dim = axes.map(|length| match length {
        Length::Fixed(length) => DimensionProto { dim_value: Some(length as i64), dim_param: None },
        Length::Open(name) => DimensionProto { dim_value: None, dim_param: Some(name.to_owned()) },
    });
    let shape = Some(TensorShapeProto { dim: dim.collect() });
    let tensor_type = Some(TensorTypeProto { elem_type: FLOAT, shape });
    ValueInfoProto { name: name.to_owned(), r#type: Some(TypeProto { tensor_type }), doc_string }
}

fn list(what: &str, names: &[String]) -> String {
    let names: Vec<String> =
        names.iter().enumerate().map(|(i, name)| format!("{i} {name}")).collect();
    if names.is_empty() { String::new() } else { format!("{what}: {}.", names.join("; ")) }
}

fn description(spec: &NetworkSpec) -> String {
    let size = if spec.any_size {
        "boards of any size".to_owned()
    } else {
        format!("a board of {} rows and {} columns", spec.height, spec.width)
    };
    format!(
        "A DagZero network for {}, on {size}. Evaluates positions: policy and value. The metadata \
         says what planes and moves mean.",
        spec.game
    )
}

fn metadata(file: &NetworkFile, meaning: &Meaning) -> Vec<StringStringEntryProto> {
    let header = &file.header;
    let mut entries = meaning.metadata.clone();
    for (key, value) in [
        ("game", header.spec.game.clone()),
        ("encoding", header.spec.encoding.clone()),
        ("created_by", header.created_by.clone()),
        ("config_hash", header.config_hash.clone()),
        ("network_id", file.content_id()),
        ("height", header.spec.height.to_string()),
        ("width", header.spec.width.to_string()),
        ("cycle", header.cycle.to_string()),
        ("step", header.step.to_string()),
        ("planes", lines(&meaning.planes)),
        ("globals", lines(&meaning.globals)),
        ("policy", meaning.policy.clone()),
        ("value", lines(&["win", "draw", "loss"].map(str::to_owned))),
    ] {
        entries.insert(key.to_owned(), value);
    }
    entries.into_iter().map(|(key, value)| StringStringEntryProto { key, value }).collect()
}

/// Names, one a line.
fn lines(names: &[String]) -> String {
    names.join("\n")
}
