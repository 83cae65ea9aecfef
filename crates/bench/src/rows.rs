//! `dagzero bench rows`: the loader alone. What it gives must be more than what a card learns from.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use dz_game::{Encoding, Game};
use dz_shard::RowSet;
use dz_store::{RowsState, RowsSummary, Run, RunInfo};
use dz_trainer::{BatchMaker, CycleRows, Feed, FeedPlan};

use crate::rates::Rates;
use crate::row::BenchRow;
use crate::shuffle::write_random_rows;

/// How much is read.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Shards of 500 random games whose rows are read.
    shards: u64,
    /// Times that all of them are read, for each size of batch.
    repeats: usize,
}

/// Rows of a batch: the default's, and what suits a card.
const BATCHES: [usize; 2] = [256, 4096];

pub(crate) fn rows<G: Game>(game: &G) -> anyhow::Result<Vec<BenchRow>> {
    rows_with(game, Effort { shards: 6, repeats: 5 })
}

/// Rows a second from files on disk to batches as a learner takes them: hashes checked,
/// decompressed, turned by symmetries, policies made dense.
fn rows_with<G: Game>(game: &G, effort: Effort) -> anyhow::Result<Vec<BenchRow>> {
    let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
    let rows = random_rows(game, effort.shards, scratch.path())?;
    let makers = BatchMaker::of_boards(&rows, 1, 1, 0.0);
    let threads = rayon::current_num_threads();
    BATCHES
        .into_iter()
        .map(|batch| {
            let mut rates = Vec::new();
            for _ in 0..effort.repeats {
                let makers = makers.clone();
                let to = rows.rows;
                let plan = FeedPlan { makers, batch, from: 0, to, keep_rest: true };
                let begun = Instant::now();
                let mut feed = Feed::start(&rows, plan)?;
                let mut read = 0;
                while let Some(prepared) = feed.next_batch()? {
                    read += prepared.rows();
                }
                rates.push(read as f64 / begun.elapsed().as_secs_f64());
            }
            let name = format!("{}, batch {batch}, loaded on {threads} threads", game.spec());
            let rates = Rates::new(rates);
            Ok(BenchRow::new(&name, rates.median(), "rows/s", rates.samples()))
        })
        .collect()
}

/// Shuffled rows of random games in a run of their own.
fn random_rows<G: Game>(game: &G, shards: u64, scratch: &Path) -> anyhow::Result<CycleRows> {
    let run = Run::create(scratch.join("run"), "")?;
    let mut train = Vec::new();
    let create = |number| Ok(run.create_file(&format!("rows/{number:04}.dzr"))?);
    let train_rows = write_random_rows(game, scratch, shards, create, |file, _| {
        train.push(file.publish()?);
        Ok(())
    })?;
    let summary = RowsSummary { train_rows, ..RowsSummary::default() };
    let state = RowsState { train, validation: Vec::new(), summary };
    let info = RunInfo {
        format: dz_store::RUN_FORMAT,
        seed: 1,
        game: game.spec().to_string(),
        encoding: game.encoding().id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        time_unix_ms: 0,
    };
    CycleRows::open(&run, &state, RowSet::Train, &info)
}

#[cfg(test)]
mod tests {
    use dz_game::games::TicTacToe;

    use super::*;

    #[test]
    fn all_rows_are_loaded_at_each_size_of_batch() {
        let scratch = tempfile::tempdir().unwrap();
        let rows = random_rows(&TicTacToe, 1, scratch.path()).unwrap();
        // 500 games of at least five plies.
        assert!(rows.rows >= 2500, "{}", rows.rows);
        let found = rows_with(&TicTacToe, Effort { shards: 1, repeats: 1 }).unwrap();
        assert_eq!(found.len(), BATCHES.len());
        assert!(found.iter().all(|row| row.value > 0.0 && row.unit == "rows/s"), "{found:?}");
    }
}
