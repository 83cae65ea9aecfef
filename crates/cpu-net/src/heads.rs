//! Policy and value heads: 1x1 convolutions, then linear layers.

use dz_infer::ValueColumns;
use dz_network_file::{Head, NetworkFile, NetworkSpec};

use crate::layer::{Apply, Layer};
use crate::matrix::Matrix;
use crate::simd::{LANE, Lane, Vectors};
use crate::winograd::{Interior, Tiling};

/// Both heads, and those beside them that files may have. The 1x1 convolutions of both are one
/// product, the policy's channels first, and so are the last layers of the value and of the heads
/// beside it.
#[derive(Clone, Debug)]
pub(crate) struct Heads {
    convolution: Layer,
    policy: Layer,
    hidden: Layer,
    /// Win, draw and loss, and what the file has beside them.
    output: Layer,
    columns: ValueColumns,
    /// Whose each point is; asked for apart.
    ownership: Option<Layer>,
    policy_channels: usize,
    value_channels: usize,
    area: usize,
    policy_len: usize,
}

/// What heads work in, for as many boards as a chunk has.
#[derive(Debug, Default)]
pub(crate) struct HeadScratch {
    /// Rows of the convolutions' outputs for one board.
    points: Vec<Lane>,
    /// A row of the policy's inputs a board.
    policy: Vec<Lane>,
    /// A row of the value's inputs a board.
    value: Vec<Lane>,
    hidden: Vec<Lane>,
    policy_logits: Vec<Lane>,
    value_rows: Vec<Lane>,
}

impl Heads {
    pub(crate) fn new(vectors: Vectors, file: &NetworkFile) -> Self {
        let spec = &file.header.spec;
        let NetworkSpec { channels, policy_channels, value_channels, policy_len, .. } = *spec;
        let area = spec.area();
        let tensor = |name: &str| file.tensors[name].data.as_slice();
        let policy = tensor("policy.conv.weight");
        let value = tensor("value.conv.weight");
        let filter = |output: usize| match output.checked_sub(policy_channels) {
            None => &policy[output * channels..],
            Some(output) => &value[output * channels..],
        };
        let bias = [tensor("policy.conv.bias"), tensor("value.conv.bias")].concat();
        let heads = policy_channels + value_channels;
        let convolution =
            Layer::new(vectors, channels, &bias, |input, output| filter(output)[input]);
        debug_assert_eq!(bias.len(), heads);
        // The file reads a position channel by channel; here its points stand one after another.
        let flat = |name: &str, channels: usize| {
            let weight = tensor(&format!("{name}.weight"));
            let inputs = channels * area;
            Layer::new(vectors, inputs, tensor(&format!("{name}.bias")), |input, output| {
                weight[output * inputs + input % channels * area + input / channels]
            })
        };
        let beside = spec.value_columns().map(Head::layer);
        let outputs: Vec<&str> = std::iter::once("value.output").chain(beside).collect();
        let output = Layer::of_layers(vectors, file, &outputs);
        let columns = value_columns(spec);
        let owned = spec.heads.contains(&Head::Ownership);
        let ownership = owned.then(|| Layer::of_file(vectors, file, Head::Ownership.layer()));
        let policy = flat("policy.linear", policy_channels);
        let hidden = flat("value.hidden", value_channels);
        Self {
            convolution,
            policy,
            hidden,
            output,
            columns,
            ownership,
            policy_channels,
            value_channels,
            area,
            policy_len,
        }
    }

    /// Numbers of a position beside its policy.
    pub(crate) fn columns(&self) -> ValueColumns {
        self.columns
    }

    /// Whether [`Heads::own`] has something to say.
    pub(crate) fn owns(&self) -> bool {
        self.ownership.is_some()
    }

    /// Appends the owners' logits of one padded board, `[H, W, 3]`, where the network has them.
    pub(crate) fn own(
        &self,
        vectors: Vectors,
        tiling: &Tiling,
        board: &[Lane],
        logits: &mut Vec<f32>,
    ) {
        let Some(layer) = &self.ownership else { return };
        let Matrix { lanes_in, lanes_out, .. } = layer.matrix;
        let Interior { stride, rows, columns } = tiling.interior(lanes_in);
        let mut out = vec![Lane::default(); tiling.width * lanes_out];
        for row in board[rows].chunks_exact(stride) {
            let rows = &row[columns.clone()];
            vectors.run(Apply { layer, rows, out: &mut out, relu: false });
            let points = out.chunks_exact(lanes_out);
            logits.extend(points.flat_map(|point| &point[0].0[..3]));
        }
    }

    pub(crate) fn scratch(&self, boards: usize) -> HeadScratch {
        let rows = |lanes: usize, count: usize| vec![Lane::default(); lanes * count];
        HeadScratch {
            points: rows(self.convolution.matrix.lanes_out, self.area),
            policy: rows(self.policy.matrix.lanes_in, boards),
            value: rows(self.hidden.matrix.lanes_in, boards),
            hidden: rows(self.hidden.matrix.lanes_out, boards),
            policy_logits: rows(self.policy.matrix.lanes_out, boards),
            value_rows: rows(self.output.matrix.lanes_out, boards),
        }
    }

    /// Convolves one padded board and keeps the result for [`Heads::finish`].
    pub(crate) fn convolve(
        &self,
        vectors: Vectors,
        tiling: &Tiling,
        board: &[Lane],
        index: usize,
        scratch: &mut HeadScratch,
    ) {
        let Matrix { lanes_in, lanes_out, .. } = self.convolution.matrix;
        let Interior { stride, rows, columns } = tiling.interior(lanes_in);
        let outs = scratch.points.chunks_exact_mut(tiling.width * lanes_out);
        for (row, out) in board[rows].chunks_exact(stride).zip(outs) {
            let rows = &row[columns.clone()];
            vectors.run(Apply { layer: &self.convolution, rows, out, relu: true });
        }
        let lanes = self.policy.matrix.lanes_in;
        let policy = &mut scratch.policy[index * lanes..][..lanes];
        let lanes = self.hidden.matrix.lanes_in;
        let value = &mut scratch.value[index * lanes..][..lanes];
        let policies = self.policy_channels;
        let values = self.value_channels;
        for (i, point) in scratch.points.chunks_exact(lanes_out).enumerate() {
            copy_numbers(point, 0, policy, i * policies, policies);
            copy_numbers(point, policies, value, i * values, values);
        }
    }

    /// The linear layers of `boards` boards; appends their logits.
    pub(crate) fn finish(
        &self,
        vectors: Vectors,
        boards: usize,
        scratch: &mut HeadScratch,
        (policy, values): (&mut [f32], &mut [f32]),
    ) {
        let HeadScratch { policy: flat, value, hidden, policy_logits, value_rows, .. } = scratch;
        let on_boards = |layer: &Layer, rows: &[Lane], out: &mut [Lane], relu: bool| {
            let rows = &rows[..boards * layer.matrix.lanes_in];
            let out = &mut out[..boards * layer.matrix.lanes_out];
            vectors.run(Apply { layer, rows, out, relu });
        };
        on_boards(&self.policy, flat, policy_logits, false);
        on_boards(&self.hidden, value, hidden, true);
        on_boards(&self.output, hidden, value_rows, false);
        copy_rows(policy_logits, self.policy.matrix.lanes_out, policy, self.policy_len);
        copy_rows(value_rows, self.output.matrix.lanes_out, values, self.columns.count());
    }
}

/// What a network has beside win, draw and loss.
fn value_columns(spec: &NetworkSpec) -> ValueColumns {
    let has = |head| spec.heads.contains(&head);
    ValueColumns { margin: has(Head::Margin), error: has(Head::ShortTermError) }
}

/// Copies `len` numbers from the one's number `from` to the other's number `to`, as many at a time
/// as stand together in both.
fn copy_numbers(source: &[Lane], mut from: usize, target: &mut [Lane], mut to: usize, len: usize) {
    let end = from + len;
    while from < end {
        let together = (end - from).min(LANE - from % LANE).min(LANE - to % LANE);
        let numbers = &source[from / LANE].0[from % LANE..][..together];
        target[to / LANE].0[to % LANE..][..together].copy_from_slice(numbers);
        (from, to) = (from + together, to + together);
    }
}

/// The first `len` numbers of each row.
fn copy_rows(rows: &[Lane], lanes: usize, to: &mut [f32], len: usize) {
    for (row, to) in rows.chunks_exact(lanes).zip(to.chunks_exact_mut(len)) {
        for (lane, to) in row.iter().zip(to.chunks_mut(LANE)) {
            to.copy_from_slice(&lane.0[..to.len()]);
        }
    }
}
