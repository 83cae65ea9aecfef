//! A graph under construction: nodes, and the constants that they read.

use std::collections::BTreeMap;

use dz_network_file::{NetworkFile, TensorData};

use crate::proto::{
    ATTRIBUTE_INT, ATTRIBUTE_INTS, AttributeProto, FLOAT, INT64, NodeProto, TensorProto,
};

/// The name of a value: an input of the graph, a constant or what a node gives.
pub(crate) type Value = String;

/// Collects nodes in the order in which they are added. A node gives one value and has its name.
pub(crate) struct Builder<'a> {
    file: &'a NetworkFile,
    pub(crate) nodes: Vec<NodeProto>,
    pub(crate) constants: BTreeMap<String, TensorProto>,
}

impl<'a> Builder<'a> {
    /// Starts a graph that takes its weights from `file`.
    pub(crate) fn new(file: &'a NetworkFile) -> Self {
        Self { file, nodes: Vec::new(), constants: BTreeMap::new() }
    }

    /// Adds a node that gives the value `output`.
    pub(crate) fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        output: &str,
        attributes: Vec<AttributeProto>,
    ) -> Value {
        self.push(op, inputs, vec![output.to_owned()], attributes);
        output.to_owned()
    }

    /// Adds a 3x3 (`side` 3, zero padding 1) or 1x1 convolution with its bias.
    pub(crate) fn convolution(&mut self, x: &str, layer: &str, side: usize) -> Value {
        let (weight, bias) = self.layer(layer);
        let half = (side / 2) as i64;
        let attributes = vec![ints("kernel_shape", &[side as i64; 2]), ints("pads", &[half; 4])];
        self.node("Conv", &[x, &weight, &bias], layer, attributes)
    }

    /// Adds a linear layer that is applied at each point: `[B, in, H, W]` to `[B, out, H, W]`.
    pub(crate) fn at_points(&mut self, x: &str, layer: &str) -> Value {
        let (weight, bias) = self.layer(layer);
        if let Some(tensor) = self.constants.get_mut(&weight) {
            tensor.dims.resize(4, 1);
        }
        self.node("Conv", &[x, &weight, &bias], layer, vec![ints("kernel_shape", &[1; 2])])
    }

    /// Adds a linear layer: `[B, in]` to `[B, out]`, as the value `output`.
    pub(crate) fn linear(&mut self, x: &str, layer: &str, output: &str) -> Value {
        let (weight, bias) = self.layer(layer);
        self.node("Gemm", &[x, &weight, &bias], output, vec![int("transB", 1)])
    }

    pub(crate) fn relu(&mut self, x: &str) -> Value {
        self.node("Relu", &[x], &format!("{x}.relu"), Vec::new())
    }

    /// Adds `relu(t + h)`.
    pub(crate) fn add_and_relu(&mut self, t: &str, h: &str, output: &str) -> Value {
        let sum = self.node("Add", &[t, h], output, Vec::new());
        self.relu(&sum)
    }

    /// Flattens everything after the batch.
    pub(crate) fn flat(&mut self, x: &str) -> Value {
        self.node("Flatten", &[x], &format!("{x}.flat"), Vec::new())
    }

    /// Adds `ReduceMean` or `ReduceMax` over the board: `[B, C, H, W]` to `[B, C]`.
    pub(crate) fn over_board(&mut self, op: &str, x: &str) -> Value {
        let attributes = vec![ints("axes", &[2, 3]), int("keepdims", 0)];
        self.node(op, &[x], &format!("{x}.{op}"), attributes)
    }

    /// Adds `Add` or `Mul` of a board and one number a channel.
    pub(crate) fn on_board(&mut self, op: &str, x: &str, channels: &str) -> Value {
        let axes = self.numbers("board", &[2, 3]);
        let wide = self.node("Unsqueeze", &[channels, &axes], &format!("{channels}.wide"), vec![]);
        self.node(op, &[x, &wide], &format!("{channels}.{op}"), Vec::new())
    }

    /// Cuts `x` along its second axis into two pieces of these lengths.
    pub(crate) fn split(&mut self, x: &str, lengths: [usize; 2]) -> [Value; 2] {
        let sizes = self.numbers(&format!("{x}.sizes"), &lengths);
        let pieces = ["head", "tail"].map(|piece| format!("{x}.{piece}"));
        self.push("Split", &[x, &sizes], pieces.to_vec(), vec![int("axis", 1)]);
        pieces
    }

    pub(crate) fn concat(&mut self, pieces: &[&str], output: &str) -> Value {
        self.node("Concat", pieces, output, vec![int("axis", 1)])
    }

    /// Adds a tensor of the file as a constant.
    pub(crate) fn weights(&mut self, name: &str) -> Value {
        let TensorData { shape, data } = &self.file.tensors[name];
        let raw_data = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.constant(name, FLOAT, shape, raw_data)
    }

    fn layer(&mut self, layer: &str) -> (Value, Value) {
        let [weight, bias] =
            ["weight", "bias"].map(|part| self.weights(&format!("{layer}.{part}")));
        (weight, bias)
    }

    /// Adds a list of integers as a constant.
    fn numbers(&mut self, name: &str, numbers: &[usize]) -> Value {
        let raw_data = numbers.iter().flat_map(|&x| (x as i64).to_le_bytes()).collect();
        self.constant(name, INT64, &[numbers.len()], raw_data)
    }

    fn constant(
        &mut self,
        name: &str,
        data_type: i32,
        shape: &[usize],
        raw_data: Vec<u8>,
    ) -> Value {
        let dims = shape.iter().map(|&length| length as i64).collect();
        let tensor = TensorProto { dims, data_type, name: name.to_owned(), raw_data };
        self.constants.insert(name.to_owned(), tensor);
        name.to_owned()
    }

    fn push(
        &mut self,
        op: &str,
        inputs: &[&str],
        output: Vec<Value>,
        attribute: Vec<AttributeProto>,
    ) {
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            name: output[0].clone(),
            output,
            op_type: op.to_owned(),
            attribute,
        });
    }
}

/// An attribute that is one integer.
pub(crate) fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto { name: name.to_owned(), i: Some(i), ints: Vec::new(), kind: ATTRIBUTE_INT }
}

/// An attribute that is a list of integers.
pub(crate) fn ints(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto { name: name.to_owned(), i: None, ints: ints.to_vec(), kind: ATTRIBUTE_INTS }
}
