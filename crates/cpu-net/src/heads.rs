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
    policy: PolicyLayer,
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

/// The policy's last layer.
#[derive(Clone, Debug)]
enum PolicyLayer {
    /// Of whole boards, whose points stand one after another.
    Dense(Layer),
    /// Of each point: a number for each plane. It takes what the convolutions of both heads give,
    /// and the value's channels have weight 0.
    Planes(Layer),
}

impl PolicyLayer {
    fn new(vectors: Vectors, file: &NetworkFile) -> Self {
        const NAME: &str = "policy.linear";
        let spec = &file.header.spec;
        if spec.policy_planes == 0 {
            return Self::Dense(flat(vectors, file, NAME, spec.policy_channels));
        }
        let [_, channels] = spec.policy_layer();
        let weight = &file.tensors[&format!("{NAME}.weight")].data;
        let bias = &file.tensors[&format!("{NAME}.bias")].data;
        let inputs = channels + spec.value_channels;
        Self::Planes(Layer::new(vectors, inputs, bias, |input, output| {
            if input < channels { weight[output * channels + input] } else { 0.0 }
        }))
    }

    /// Lanes of a board's inputs that are kept for [`Heads::finish`].
    fn kept_lanes(&self) -> usize {
        match self {
            Self::Dense(layer) => layer.matrix.lanes_in,
            Self::Planes(_) => 0,
        }
    }
}

/// A layer of whole boards. The file reads a position channel by channel; here its points stand one
/// after another.
fn flat(vectors: Vectors, file: &NetworkFile, name: &str, channels: usize) -> Layer {
    let tensor = |part: &str| file.tensors[&format!("{name}.{part}")].data.as_slice();
    let area = file.header.spec.area();
    let weight = tensor("weight");
    let inputs = channels * area;
    Layer::new(vectors, inputs, tensor("bias"), |input, output| {
        weight[output * inputs + input % channels * area + input / channels]
    })
}

/// What heads work in, for as many boards as a chunk has.
#[derive(Debug, Default)]
pub(crate) struct HeadScratch {
    /// Rows of the convolutions' outputs for one board.
    points: Vec<Lane>,
    /// A row of the policy's inputs a board, where its layer takes whole ones.
    policy: Vec<Lane>,
    /// Numbers of each point of one board's planes, where the policy has such.
    plane_rows: Vec<Lane>,
    /// A row of the value's inputs a board.
    value: Vec<Lane>,
    hidden: Vec<Lane>,
    /// A row of logits a board, padded to whole lanes.
    policy_logits: Vec<Lane>,
    value_rows: Vec<Lane>,
}

impl Heads {
    pub(crate) fn new(vectors: Vectors, file: &NetworkFile) -> Self {
        let spec = &file.header.spec;
        let NetworkSpec { channels, policy_channels, value_channels, policy_len, .. } = *spec;
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
        let beside = spec.value_columns().map(Head::layer);
        let outputs: Vec<&str> = std::iter::once("value.output").chain(beside).collect();
        let output = Layer::of_layers(vectors, file, &outputs);
        let columns = value_columns(spec);
        let owned = spec.heads.contains(&Head::Ownership);
        let ownership = owned.then(|| Layer::of_file(vectors, file, Head::Ownership.layer()));
        let policy = PolicyLayer::new(vectors, file);
        let hidden = flat(vectors, file, "value.hidden", value_channels);
        Self {
            convolution,
            policy,
            hidden,
            output,
            columns,
            ownership,
            policy_channels,
            value_channels,
            area: spec.area(),
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
        let plane_lanes = match &self.policy {
            PolicyLayer::Dense(_) => 0,
            PolicyLayer::Planes(layer) => layer.matrix.lanes_out,
        };
        HeadScratch {
            points: rows(self.convolution.matrix.lanes_out, self.area),
            policy: rows(self.policy.kept_lanes(), boards),
            plane_rows: rows(plane_lanes, self.area),
            value: rows(self.hidden.matrix.lanes_in, boards),
            hidden: rows(self.hidden.matrix.lanes_out, boards),
            policy_logits: rows(self.policy_lanes(), boards),
            value_rows: rows(self.output.matrix.lanes_out, boards),
        }
    }

    /// Lanes of a board's logits.
    fn policy_lanes(&self) -> usize {
        self.policy_len.div_ceil(LANE)
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
        let policies = self.policy_channels;
        let lanes = self.hidden.matrix.lanes_in;
        let value = &mut scratch.value[index * lanes..][..lanes];
        let values = self.value_channels;
        for (i, point) in scratch.points.chunks_exact(lanes_out).enumerate() {
            copy_numbers(point, policies, value, i * values, values);
        }
        match &self.policy {
            PolicyLayer::Dense(layer) => {
                let lanes = layer.matrix.lanes_in;
                let policy = &mut scratch.policy[index * lanes..][..lanes];
                for (i, point) in scratch.points.chunks_exact(lanes_out).enumerate() {
                    copy_numbers(point, 0, policy, i * policies, policies);
                }
            }
            PolicyLayer::Planes(layer) => {
                let HeadScratch { points, plane_rows, policy_logits, .. } = scratch;
                vectors.run(Apply { layer, rows: points, out: plane_rows, relu: false });
                let lanes = self.policy_lanes();
                let logits = &mut policy_logits[index * lanes..][..lanes];
                turn(
                    plane_rows,
                    layer.matrix.lanes_out,
                    [self.policy_len / self.area, self.area],
                    logits,
                );
            }
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
        let HeadScratch { policy: kept, value, hidden, policy_logits, value_rows, .. } = scratch;
        let on_boards = |layer: &Layer, rows: &[Lane], out: &mut [Lane], relu: bool| {
            let rows = &rows[..boards * layer.matrix.lanes_in];
            let out = &mut out[..boards * layer.matrix.lanes_out];
            vectors.run(Apply { layer, rows, out, relu });
        };
        if let PolicyLayer::Dense(layer) = &self.policy {
            on_boards(layer, kept, policy_logits, false);
        }
        on_boards(&self.hidden, value, hidden, true);
        on_boards(&self.output, hidden, value_rows, false);
        copy_rows(policy_logits, self.policy_lanes(), policy, self.policy_len);
        copy_rows(value_rows, self.output.matrix.lanes_out, values, self.columns.count());
    }
}

/// What a network has beside win, draw and loss.
fn value_columns(spec: &NetworkSpec) -> ValueColumns {
    let has = |head| spec.heads.contains(&head);
    ValueColumns { margin: has(Head::Margin), error: has(Head::ShortTermError) }
}

/// Turns numbers of points, `rows [area, count]`, into planes, `planes [count, area]`.
fn turn(rows: &[Lane], lanes: usize, [count, area]: [usize; 2], planes: &mut [Lane]) {
    for (point, row) in rows.chunks_exact(lanes).enumerate() {
        for plane in 0..count {
            let to = plane * area + point;
            planes[to / LANE].0[to % LANE] = row[plane / LANE].0[plane % LANE];
        }
    }
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
