//! `dagzero bench search`: searches, and the rollouts that some of them live on.

use dz_game::Game;
use dz_play::{Effort, Figure, search_figures};
use dz_shard::BenchRow;

use super::rules::{Beside, rollouts};

pub(super) fn rows<G: Game>(game: &G) -> anyhow::Result<Vec<BenchRow>> {
    let row =
        |figure: &Figure| BenchRow::new(&figure.name, figure.value, figure.unit, figure.samples);
    let figures = search_figures(game, Effort::TABLE);
    let mut rows: Vec<BenchRow> = figures.iter().map(row).collect();
    let Beside { ours, peer } = rollouts(game, Effort::TABLE.runs)?.rates;
    let figures = ours.figures(&format!("{}, rollouts", game.spec()), "rollouts/s");
    let theirs = peer.map(|(name, rates)| (name, [rates.best(), rates.median()]));
    rows.extend(figures.iter().enumerate().map(|(which, figure)| match &theirs {
        Some((name, rates)) => row(figure).beside(name, rates[which]),
        None => row(figure),
    }));
    Ok(rows)
}
