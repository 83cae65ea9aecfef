//! The numbers of a saved search, in 64 bits.

use serde::{Deserialize, Serialize};

use crate::{
    node::{Kind, Node},
    numbers::Real,
    side::{EdgeSide, MoveSide, NodeSide},
    sums::{Halves, Sums},
    value::ValueAbs,
};

type Pair = (f64, f64);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedNode {
    pub average: Pair,
    pub own: Pair,
    pub visits: u32,
    pub own_visits: u32,
    pub edges: u32,
    pub priors: u32,
    pub moves: u16,
    pub visited: u16,
    pub sign: i8,
    pub capacity_log2: u8,
    pub kind: Kind,
    pub head_ready: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedEdgeSide {
    pub average: Pair,
    pub cycle_draws: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedMoveSide {
    pub amaf: f64,
    pub amaf_visits: u32,
    /// `None` stands for a heuristic that is not known.
    pub heuristic: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedNodeSide {
    pub lower: f64,
    pub upper: f64,
    pub square: f64,
    pub parents: u32,
    pub held_visits: u32,
    pub held_place: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedHalves {
    pub own_value: Option<Pair>,
    pub own_outcomes: Pair,
    pub values: f64,
    pub value: Pair,
    pub outcomes: f64,
    pub outcome: Pair,
}

fn wide<R: Real>(value: ValueAbs<R>) -> Pair {
    (value.value.to_f64(), value.draw.to_f64())
}

fn narrow<R: Real>((value, draw): Pair) -> ValueAbs<R> {
    ValueAbs { value: R::from_f64(value), draw: R::from_f64(draw) }
}

impl SavedNode {
    pub fn of<R: Real>(node: &Node<R>) -> Self {
        Self {
            average: wide(node.average),
            own: wide(node.own),
            visits: node.visits,
            own_visits: node.own_visits,
            edges: node.edges,
            priors: node.priors,
            moves: node.moves,
            visited: node.visited,
            sign: node.sign,
            capacity_log2: node.capacity_log2,
            kind: node.kind,
            head_ready: node.head_ready,
        }
    }

    pub fn node<R: Real>(&self) -> Node<R> {
        Node {
            average: narrow(self.average),
            own: narrow(self.own),
            visits: self.visits,
            own_visits: self.own_visits,
            edges: self.edges,
            priors: self.priors,
            moves: self.moves,
            visited: self.visited,
            sign: self.sign,
            capacity_log2: self.capacity_log2,
            kind: self.kind,
            head_ready: self.head_ready,
        }
    }
}

impl SavedEdgeSide {
    pub fn of<R: Real>(side: &EdgeSide<R>) -> Self {
        Self { average: wide(side.average), cycle_draws: side.cycle_draws }
    }

    pub fn side<R: Real>(&self) -> EdgeSide<R> {
        EdgeSide { average: narrow(self.average), in_flight: 0, cycle_draws: self.cycle_draws }
    }
}

impl SavedMoveSide {
    pub fn of<R: Real>(side: &MoveSide<R>) -> Self {
        let heuristic = side.heuristic.to_f64();
        let heuristic = (!heuristic.is_nan()).then_some(heuristic);
        Self { amaf: side.amaf.to_f64(), amaf_visits: side.amaf_visits, heuristic }
    }

    pub fn side<R: Real>(&self) -> MoveSide<R> {
        let heuristic = R::from_f64(self.heuristic.unwrap_or(f64::NAN));
        MoveSide { amaf: R::from_f64(self.amaf), amaf_visits: self.amaf_visits, heuristic }
    }
}

impl SavedNodeSide {
    pub fn of<R: Real>(side: &NodeSide<R>) -> Self {
        Self {
            lower: side.lower.to_f64(),
            upper: side.upper.to_f64(),
            square: side.square.to_f64(),
            parents: side.parents,
            held_visits: side.held_visits,
            held_place: side.held_place,
        }
    }

    pub fn side<R: Real>(&self) -> NodeSide<R> {
        NodeSide {
            lower: R::from_f64(self.lower),
            upper: R::from_f64(self.upper),
            square: R::from_f64(self.square),
            parents: self.parents,
            held_visits: self.held_visits,
            held_place: self.held_place,
        }
    }
}

impl SavedHalves {
    pub fn of<R: Real>(halves: &Halves<R>) -> Self {
        Self {
            own_value: halves.own_value.map(wide),
            own_outcomes: wide(halves.own_outcomes),
            values: halves.sums.values.to_f64(),
            value: wide(halves.sums.value),
            outcomes: halves.sums.outcomes.to_f64(),
            outcome: wide(halves.sums.outcome),
        }
    }

    pub fn halves<R: Real>(&self) -> Halves<R> {
        Halves {
            own_value: self.own_value.map(narrow),
            own_outcomes: narrow(self.own_outcomes),
            sums: Sums {
                values: R::from_f64(self.values),
                value: narrow(self.value),
                outcomes: R::from_f64(self.outcomes),
                outcome: narrow(self.outcome),
            },
        }
    }
}
