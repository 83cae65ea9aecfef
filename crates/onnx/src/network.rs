//! The computation of [`dz_network_file`]'s page as ONNX nodes.

use dz_network_file::{Head, NetworkSpec, ResidualSpec};

use crate::builder::{Builder, Value, int, ints};
use crate::names::{ERROR_LOGIT, GLOBALS, MARGIN, OWNERSHIP, PLANES, POLICY, WDL, WDL_LOGITS};

/// Adds the whole network; the graph's outputs are values of these names.
pub(crate) fn add_network(graph: &mut Builder<'_>, spec: &NetworkSpec) {
    let h = trunk(graph, spec);
    policy(graph, spec, &h);
    value(graph, spec, &h);
    if spec.heads.contains(&Head::Ownership) {
        let owners = graph.at_points(&h, Head::Ownership.layer());
        graph.node("Transpose", &[&owners], OWNERSHIP, vec![ints("perm", &[0, 2, 3, 1])]);
    }
}

/// Adds the stem and all blocks; returns the tower's outputs, `[B, C, H, W]`.
fn trunk(graph: &mut Builder<'_>, spec: &NetworkSpec) -> Value {
    let mut h = graph.convolution(PLANES, "stem.conv", 3);
    if spec.globals > 0 {
        let weight = graph.weights("stem.globals.weight");
        let shift = graph.node("Gemm", &[GLOBALS, &weight], "stem.globals", vec![int("transB", 1)]);
        h = graph.on_board("Add", &h, &shift);
    }
    h = graph.relu(&h);
    for i in 0..spec.blocks {
        let block = format!("blocks.{i}");
        let residuals = spec.residuals(i);
        let mut t = if spec.bottleneck_blocks == 0 {
            convolved(graph, spec, &h, &residuals[0])
        } else {
            let down = graph.convolution(&h, &format!("{block}.conv_down"), 1);
            let mut u = graph.relu(&down);
            for residual in &residuals {
                let t = convolved(graph, spec, &u, residual);
                u = graph.add_and_relu(&t, &u, &format!("{}.sum", residual.name));
            }
            graph.convolution(&u, &format!("{block}.conv_up"), 1)
        };
        if spec.squeeze_ratio > 0 {
            t = squeezed(graph, spec, &t, &block);
        }
        h = graph.add_and_relu(&t, &h, &format!("{block}.sum"));
    }
    h
}

/// Adds both 3x3 convolutions of a residual block.
fn convolved(
    graph: &mut Builder<'_>,
    spec: &NetworkSpec,
    x: &str,
    residual: &ResidualSpec,
) -> Value {
    let name = &residual.name;
    let mut t = graph.convolution(x, &format!("{name}.conv1"), 3);
    if residual.pooling {
        let layer = format!("{name}.pool");
        let pooled = spec.pooled_channels();
        let [head, tail] = graph.split(&t, [pooled, residual.channels - pooled]);
        let p = graph.relu(&head);
        let [mean, top] = ["ReduceMean", "ReduceMax"].map(|op| graph.over_board(op, &p));
        let s = graph.concat(&[&mean, &top], &format!("{layer}.pooled"));
        let shift = graph.linear(&s, &layer, &layer);
        let tail = graph.on_board("Add", &tail, &shift);
        t = graph.concat(&[&head, &tail], &format!("{layer}.out"));
    }
    let t = graph.relu(&t);
    graph.convolution(&t, &format!("{name}.conv2"), 3)
}

/// Adds a block's squeeze-excitation.
fn squeezed(graph: &mut Builder<'_>, spec: &NetworkSpec, t: &str, block: &str) -> Value {
    let [squeeze, excite] = ["squeeze", "excite"].map(|layer| format!("{block}.{layer}"));
    let mean = graph.over_board("ReduceMean", t);
    let s = graph.linear(&mean, &squeeze, &squeeze);
    let s = graph.relu(&s);
    let both = graph.linear(&s, &excite, &excite);
    let [scale, shift] = graph.split(&both, [spec.channels; 2]);
    let scale = graph.node("Sigmoid", &[&scale], &format!("{scale}.sigmoid"), Vec::new());
    let t = graph.on_board("Mul", t, &scale);
    graph.on_board("Add", &t, &shift)
}

fn policy(graph: &mut Builder<'_>, spec: &NetworkSpec, h: &str) {
    const LAYER: &str = "policy.linear";
    let x = graph.convolution(h, "policy.conv", 1);
    let x = graph.relu(&x);
    if !spec.is_policy_by_point() {
        let x = graph.flat(&x);
        graph.linear(&x, LAYER, POLICY);
        return;
    }
    let t = graph.at_points(&x, LAYER);
    // The rows behind the first, of which the means over the board are taken.
    let rest = if spec.any_size { spec.policy_layer()[0] - 1 } else { 0 };
    match rest {
        0 => {
            graph.node("Flatten", &[&t], POLICY, Vec::new());
        }
        rest => {
            let [points, rest] = graph.split(&t, [1, rest]);
            let points = graph.flat(&points);
            let rest = graph.over_board("ReduceMean", &rest);
            graph.concat(&[&points, &rest], POLICY);
        }
    }
}

fn value(graph: &mut Builder<'_>, spec: &NetworkSpec, h: &str) {
    let x = graph.convolution(h, "value.conv", 1);
    let x = graph.relu(&x);
    let x = if spec.any_size { graph.over_board("ReduceMean", &x) } else { graph.flat(&x) };
    let hidden = graph.linear(&x, "value.hidden", "value.hidden");
    let hidden = graph.relu(&hidden);
    for head in spec.value_columns() {
        let name = if head == Head::Margin { MARGIN } else { ERROR_LOGIT };
        graph.linear(&hidden, head.layer(), name);
    }
    let logits = graph.linear(&hidden, "value.output", WDL_LOGITS);
    graph.node("Softmax", &[&logits], WDL, vec![int("axis", 1)]);
}
