//! `dagzero bench infer`: networks on the processor.

use anyhow::Context;
use dz_cpu::{InferEffort, InferFigure, infer_figures};
use dz_shard::BenchRow;

use super::peers::PYTHON;

pub(super) fn rows() -> anyhow::Result<Vec<BenchRow>> {
    let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
    let python = std::env::var_os(PYTHON);
    let row = |figure: InferFigure| {
        let row = BenchRow::new(&figure.name, figure.value, "positions/s", figure.samples);
        match figure.peer_value {
            Some(rate) => row.beside("ONNX Runtime", rate),
            None => row,
        }
    };
    let figures = infer_figures(InferEffort::TABLE, python.as_deref(), scratch.path())?;
    Ok(figures.into_iter().map(row).collect())
}
