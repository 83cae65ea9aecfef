//! Random graphs, and what they are worth with best play.

use std::collections::BTreeMap;

use dz_search::{ExplicitGraph, GraphFile, GraphNode};

use super::Dice;

/// What a random graph looks like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub layers: usize,
    pub width: usize,
    pub moves_max: usize,
    /// Share of inner places that are terminals.
    pub terminals: f64,
    /// Share of moves that lead back or stay.
    pub back: f64,
    /// Movers alternate by layer; else each node's is random.
    pub alternates: bool,
}

/// Values that repeat and lie between wins, so that ties and fractions occur.
const OUTCOMES: [f64; 8] = [-1.0, -1.0, -0.5, 0.0, 0.0, 0.25, 1.0, 1.0];

pub fn random_shape(dice: &mut Dice, back: f64) -> Shape {
    Shape {
        layers: 2 + dice.below(7),
        width: 1 + dice.below(7),
        moves_max: 1 + dice.below(5),
        terminals: dice.pick(&[0.0, 0.1, 0.3]),
        back,
        alternates: dice.chance(0.5),
    }
}

/// A layered random graph: moves lead to the next layer or the one after, and, by `back`, to an
/// earlier one or the same. Several moves may lead to one child. The last layer is terminal.
pub fn random_graph(dice: &mut Dice, shape: Shape) -> GraphFile {
    let (layers, width) = (shape.layers, shape.width);
    let mut nodes = Vec::new();
    let is_plain = dice.chance(0.3);
    for layer in 0..=layers {
        let places = if layer == 0 { 1 } else { width };
        for place in 0..places {
            let id = id_of(layer, place);
            let is_over = layer == layers || (layer > 0 && dice.chance(shape.terminals));
            if is_over {
                nodes.push(terminal(id, dice.pick(&OUTCOMES)));
                continue;
            }
            let moves = 1 + dice.below(shape.moves_max);
            let children = (0..moves).map(|_| {
                if dice.chance(shape.back) {
                    let layer = dice.below(layer + 1);
                    return id_of(layer, dice.below(if layer == 0 { 1 } else { width }));
                }
                let layer = (layer + 1 + usize::from(dice.chance(0.15))).min(layers);
                id_of(layer, dice.below(width))
            });
            let children: Vec<i64> = children.collect();
            let first = if shape.alternates { layer % 2 == 0 } else { dice.chance(0.5) };
            let value = if is_plain { 0.0 } else { value(dice) };
            let mut node = inner(id, if first { 1 } else { -1 }, value, &children);
            if !is_plain {
                node.priors = priors(dice, moves);
            }
            nodes.push(node);
        }
    }
    GraphFile { root: 0, nodes }
}

pub fn terminal(id: i64, value: f64) -> GraphNode {
    let (children, priors) = (Vec::new(), Vec::new());
    GraphNode { id, to_move: None, value: None, children, priors, terminal: Some(value) }
}

/// An inner node with equal priors.
pub fn inner(id: i64, to_move: i8, value: f64, children: &[i64]) -> GraphNode {
    let (to_move, value) = (Some(to_move), Some(value));
    let children = children.to_vec();
    GraphNode { id, to_move, value, children, priors: Vec::new(), terminal: None }
}

pub fn graph(root: i64, nodes: Vec<GraphNode>) -> ExplicitGraph {
    ExplicitGraph::new(&GraphFile { root, nodes }).unwrap()
}

fn id_of(layer: usize, place: usize) -> i64 {
    (layer * 1000 + place) as i64
}

fn value(dice: &mut Dice) -> f64 {
    if dice.chance(0.3) { dice.pick(&OUTCOMES) } else { 2.0 * dice.share() - 1.0 }
}

/// Shares that sum to 1; sometimes equal ones, sometimes a 0.
fn priors(dice: &mut Dice, moves: usize) -> Vec<f64> {
    let coarse = dice.chance(0.4);
    let raw = |dice: &mut Dice| if coarse { 1.0 + dice.below(3) as f64 } else { dice.share() };
    let mut raw: Vec<f64> = (0..moves).map(|_| raw(dice)).collect();
    if moves > 1 && dice.chance(0.1) {
        raw[0] = 0.0;
    }
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|p| p / sum).collect()
}

/// What every node of an acyclic graph is worth to the first player with best play.
pub fn minimax(file: &GraphFile) -> BTreeMap<i64, f64> {
    let mut values = BTreeMap::new();
    // Children come after their parents in the file.
    for node in file.nodes.iter().rev() {
        let value = node.terminal.unwrap_or_else(|| {
            let sign = f64::from(node.to_move.unwrap());
            let best = node.children.iter().map(|child| sign * values[child]);
            sign * best.fold(f64::NEG_INFINITY, f64::max)
        });
        values.insert(node.id, value);
    }
    values
}

/// Lower and upper bounds of the first player's result at every node, even if play goes in circles:
/// the least and the greatest solution of the minimax equations.
pub fn certain_and_hoped(file: &GraphFile) -> BTreeMap<i64, (f64, f64)> {
    let solution = |start: f64| {
        let first = |node: &GraphNode| (node.id, node.terminal.unwrap_or(start));
        let mut values: BTreeMap<i64, f64> = file.nodes.iter().map(first).collect();
        loop {
            let mut is_done = true;
            for node in file.nodes.iter().rev().filter(|node| node.terminal.is_none()) {
                let sign = f64::from(node.to_move.unwrap());
                let best = node.children.iter().map(|child| sign * values[child]);
                let value = sign * best.fold(f64::NEG_INFINITY, f64::max);
                is_done &= values.insert(node.id, value) == Some(value);
            }
            if is_done {
                return values;
            }
        }
    };
    let (least, greatest) = (solution(-1.0), solution(1.0));
    least.into_iter().map(|(id, value)| (id, (value, greatest[&id]))).collect()
}
