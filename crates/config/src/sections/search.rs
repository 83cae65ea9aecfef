//! `[search]`: how every search of the run walks.

use toml::Value;

use crate::fault::Fault;
use crate::field::{Field, choice};
use crate::limits::{Limits, real, whole};
use crate::section::section;
use crate::table_field::TableReader;

section! {
    /// `[search]`: how the searches of self-play, gate and rating walk.
    pub struct SearchSection = "search" {
        /// Exploration constant of PUCT, for values in [-1, 1] (AlphaZero's `c_puct`; Silver
        /// 2018).
        [Results, real(0.0, 100.0)] c_puct: f64 = 1.5;
        /// Value of a move that was never tried, for the player to move, in [-1, 1]: `absolute`
        /// takes `value` as it is, `reduction` takes the node's value less `value` times the
        /// square root of the tried moves' prior (KataGo's fpuReductionMax: 0.2).
        [Results, Limits::Any] fpu: Fpu = Fpu { kind: FpuKind::Reduction, value: 0.2 };
        /// Nodes that one search may hold; it bounds memory and must exceed every section's
        /// playouts.
        [Results, whole(2, u32::MAX as u64)] nodes_max: u32 = 65_536;
        /// Whether positions that are reached on several paths are one node (graph) or several
        /// (tree).
        [Results, Limits::Any] graph: bool = true;
        /// Whether a search goes on with what the move before has left of the graph.
        [Results, Limits::Any] reuse: bool = true;
    }
}

choice! {
    /// How a move that was never tried is valued.
    pub enum FpuKind {
        /// Below the node's value.
        Reduction = "reduction",
        /// At a fixed value.
        Absolute = "absolute",
    }
}

/// First-play urgency: the value of a move that was never tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fpu {
    /// How `value` is meant.
    pub kind: FpuKind,
    /// The reduction, or the value itself, for the player to move; in [-1, 1].
    pub value: f64,
}

impl Field for Fpu {
    fn allowed(_: &Limits) -> String {
        r#"{ kind = "reduction" or "absolute", value = a number from -1 to 1 }"#.to_owned()
    }

    fn stand_in(_: &Limits) -> Self {
        Self { kind: FpuKind::Absolute, value: 0.0 }
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let mut table = TableReader::open(key, value, &Self::allowed(limits), faults)?;
        let kind = table.take::<FpuKind>("kind", &Limits::Any);
        let value = table.take::<f64>("value", &real(-1.0, 1.0));
        table.close();
        Some(Self { kind: kind?, value: value? })
    }

    fn write(&self) -> Value {
        let pairs = [("kind", self.kind.write()), ("value", self.value.write())];
        Value::Table(pairs.map(|(key, value)| (key.to_owned(), value)).into_iter().collect())
    }
}
