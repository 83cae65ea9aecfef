//! One figure of a bench.

use serde::Serialize;

/// One figure of `dagzero bench`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchRow {
    /// What was measured.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// What it was taken from: games, rows or repetitions.
    pub samples: u64,
    /// Who else was measured, if anybody.
    pub peer: Option<String>,
    /// Their figure.
    pub peer_value: Option<f64>,
}

impl BenchRow {
    /// A figure without a peer.
    pub fn new(name: &str, value: f64, unit: &str, samples: u64) -> Self {
        let name = name.to_owned();
        let unit = unit.to_owned();
        Self { name, value, unit, samples, peer: None, peer_value: None }
    }

    /// The same with a peer's figure beside it.
    #[must_use]
    pub fn beside(self, peer: &str, value: f64) -> Self {
        Self { peer: Some(peer.to_owned()), peer_value: Some(value), ..self }
    }
}
