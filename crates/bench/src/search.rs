//! `dagzero bench search`: searches, and the rollouts that some of them live on.

use dz_game::Game;

use crate::rates::Effort;
use crate::row::BenchRow;
use crate::rules::{Beside, rollouts};
use crate::search_rates::search_rows;

pub(crate) fn rows<G: Game>(game: &G) -> anyhow::Result<Vec<BenchRow>> {
    let mut rows = search_rows(game, Effort::TABLE);
    let Beside { ours, peer } = rollouts(game, Effort::TABLE.runs)?.rates;
    let ours = ours.rows(&format!("{}, rollouts", game.spec()), "rollouts/s");
    match peer {
        Some((name, rates)) => {
            let theirs = [rates.best(), rates.median()];
            rows.extend(ours.into_iter().zip(theirs).map(|(row, rate)| row.beside(&name, rate)));
        }
        None => rows.extend(ours),
    }
    Ok(rows)
}
