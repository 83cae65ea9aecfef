//! A graph given node by node, to search where every number is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use dz_game::{Key, Move, Player};
use serde::Deserialize;

use crate::{Domain, Status, ValuePov};

/// A graph as a file gives it: `{"root": id, "nodes": [...]}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphFile {
    /// The node to search.
    pub root: i64,
    /// All nodes, in any order.
    pub nodes: Vec<GraphNode>,
}

/// A node of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphNode {
    /// Its name.
    pub id: i64,
    /// 1 if the first player moves, -1 if the second does; not for terminals.
    #[serde(default)]
    pub to_move: Option<i8>,
    /// What an evaluator says of it, the first player's, in [-1, 1].
    #[serde(default)]
    pub value: Option<f64>,
    /// Where its moves lead, by their numbers from 0; several may lead to one node.
    #[serde(default)]
    pub children: Vec<i64>,
    /// One prior a move, used as given; equal ones where they are left out.
    #[serde(default)]
    pub priors: Vec<f64>,
    /// What it is worth to the first player, in [-1, 1], if play is over there.
    #[serde(default)]
    pub terminal: Option<f64>,
}

/// What is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// Two nodes with one name.
    #[error("node {0} is there twice: give each node an id of its own")]
    Twice(i64),
    /// A name without a node.
    #[error("node {from} leads to node {to}, which is not in the file")]
    Missing {
        /// Where it is named.
        from: i64,
        /// The name.
        to: i64,
    },
    /// The root's name is without a node.
    #[error("the root, node {0}, is not in the file")]
    NoRoot(i64),
    /// A node that is neither inner nor terminal, or both.
    #[error("node {id}: {what}")]
    Node {
        /// Its name.
        id: i64,
        /// What to change.
        what: &'static str,
    },
}

/// A checked graph. Its positions are node numbers, in the order of the file.
#[derive(Clone, Debug)]
pub struct ExplicitGraph {
    nodes: Arc<Vec<Checked>>,
    root: u32,
    acyclic: bool,
}

#[derive(Clone, Debug)]
struct Checked {
    id: i64,
    sign: i8,
    /// The first player's value: the evaluator's, or the outcome where the game is over.
    value: f64,
    children: Vec<u32>,
    priors: Vec<f64>,
}

impl ExplicitGraph {
    /// Checks a graph.
    ///
    /// # Errors
    /// The first node that does not make sense, and what to change.
    pub fn new(file: &GraphFile) -> Result<Self, GraphError> {
        let mut places = BTreeMap::new();
        for (place, node) in file.nodes.iter().enumerate() {
            if places.insert(node.id, place as u32).is_some() {
                return Err(GraphError::Twice(node.id));
            }
        }
        let root = *places.get(&file.root).ok_or(GraphError::NoRoot(file.root))?;
        let nodes: Vec<Checked> =
            file.nodes.iter().map(|node| check(node, &places)).collect::<Result<_, _>>()?;
        let acyclic = is_acyclic(&nodes);
        Ok(Self { nodes: Arc::new(nodes), root, acyclic })
    }

    /// The node to search.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The name of a node.
    pub fn id(&self, state: u32) -> i64 {
        self.nodes[state as usize].id
    }

    /// Fills `priors` with the file's priors of a node's moves, and returns the value that its
    /// mover expects.
    pub fn evaluate(&self, state: u32, priors: &mut Vec<f64>) -> ValuePov<f64> {
        let node = &self.nodes[state as usize];
        priors.clear();
        priors.extend_from_slice(&node.priors);
        ValuePov { value: f64::from(node.sign) * node.value, draw: 0.0 }
    }
}

impl Domain for ExplicitGraph {
    type State = u32;
    type History = ();

    fn status(&self, state: &u32, (): &()) -> Status {
        let node = &self.nodes[*state as usize];
        if node.children.is_empty() {
            return Status::Over { value: node.value, draw: 0.0 };
        }
        Status::ToMove(if node.sign > 0 { Player::First } else { Player::Second })
    }
    fn legal_moves(&self, state: &u32, (): &(), out: &mut Vec<Move>) {
        out.clear();
        out.extend((0..self.nodes[*state as usize].children.len()).map(|i| Move(i as u16)));
    }
    fn advance(&self, state: &mut u32, (): &mut (), mv: Move) {
        *state = self.nodes[*state as usize].children[usize::from(mv.0)];
    }
    fn node_key(&self, state: &u32, (): &()) -> Key {
        Key::of_words(&[u64::from(*state)])
    }
    fn eval_key(&self, state: &u32, (): &()) -> Key {
        Key::of_words(&[u64::from(*state)])
    }
    fn acyclic(&self) -> bool {
        self.acyclic
    }
}

fn check(node: &GraphNode, places: &BTreeMap<i64, u32>) -> Result<Checked, GraphError> {
    let wrong = |what| GraphError::Node { id: node.id, what };
    let in_range = |value: f64| (-1.0..=1.0).contains(&value);
    if let Some(value) = node.terminal {
        if !node.children.is_empty() {
            return Err(wrong("a terminal has no children: take out one of the two"));
        }
        if !in_range(value) {
            return Err(wrong("terminal must be from -1 to 1, the first player's"));
        }
        let children = Vec::new();
        let priors = Vec::new();
        return Ok(Checked { id: node.id, sign: 1, value, children, priors });
    }
    let Some(sign @ (1 | -1)) = node.to_move else {
        return Err(wrong("to_move must be 1 (first player) or -1 (second player)"));
    };
    let value = node.value.unwrap_or(0.0);
    if !in_range(value) {
        return Err(wrong("value must be from -1 to 1, the first player's"));
    }
    if node.children.is_empty() || node.children.len() > usize::from(u16::MAX) {
        return Err(wrong("it needs 1 to 65535 children, or \"terminal\""));
    }
    let find =
        |to: &i64| places.get(to).copied().ok_or(GraphError::Missing { from: node.id, to: *to });
    let children: Vec<u32> = node.children.iter().map(find).collect::<Result<_, _>>()?;
    let priors = if node.priors.is_empty() {
        vec![1.0 / children.len() as f64; children.len()]
    } else {
        node.priors.clone()
    };
    if priors.len() != children.len() {
        return Err(wrong("priors must be as many as children"));
    }
    if !priors.iter().all(|prior| prior.is_finite() && *prior >= 0.0) {
        return Err(wrong("priors must be numbers of at least 0"));
    }
    Ok(Checked { id: node.id, sign, value, children, priors })
}

/// True if no path comes back to where it was (Kahn's algorithm).
fn is_acyclic(nodes: &[Checked]) -> bool {
    let mut parents = vec![0_usize; nodes.len()];
    for child in nodes.iter().flat_map(|node| &node.children) {
        parents[*child as usize] += 1;
    }
    let mut free: Vec<usize> = (0..nodes.len()).filter(|&node| parents[node] == 0).collect();
    let mut met = 0;
    while let Some(node) = free.pop() {
        met += 1;
        for &child in &nodes[node].children {
            parents[child as usize] -= 1;
            if parents[child as usize] == 0 {
                free.push(child as usize);
            }
        }
    }
    met == nodes.len()
}
