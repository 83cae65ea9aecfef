//! `dagzero bench shuffle`: the speed of the shuffle on one core and on all.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context;
use dz_game::{AnyGame, Game, GameSpec};
use dz_shard::{RowSet, container::Footer, write_random_shard};
use dz_shuffler::{Mixer, Sample, Shuffler, Source, WindowLaw};

use crate::row::BenchRow;

/// Games of a bench shard.
const SHARD_GAMES: u64 = 500;
/// Rows of a short measurement, about.
const ROWS_OF_SHORT: f64 = 30_000.0;
/// Rows that are mixed at once, and rows of a file.
const MIXED_ROWS: u64 = 65_536;

/// Shuffles `shards` shards of 500 random games each, all rows once, in `scratch`, on one thread
/// and on all; each figure is the best of three.
///
/// # Errors
/// If `scratch` cannot be written.
pub(crate) fn rows<G: Game>(
    game: &G,
    scratch: &Path,
    shards: u64,
) -> anyhow::Result<Vec<BenchRow>> {
    let sources = random_shards(game, scratch, shards, SHARD_GAMES)?;
    let cores = std::thread::available_parallelism()?.get();
    let mut out = Vec::new();
    for threads in [1, cores] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut best = Times { scatter: f64::INFINITY, mix: f64::INFINITY, rows: 0 };
        for repeat in 0..3 {
            let folder = scratch.join(format!("threads-{threads}-{repeat}"));
            let create = |number| {
                let path: PathBuf = folder.join(format!("rows-{number}.dzr"));
                Ok(BufWriter::new(File::create(path)?))
            };
            let shuffle = || shuffle_once(game, &folder, &sources, create, |_, _| Ok(()));
            let times = pool.install(shuffle)?;
            best.scatter = best.scatter.min(times.scatter);
            best.mix = best.mix.min(times.mix);
            best.rows = times.rows;
        }
        let rows = best.rows as f64;
        let name = |what: &str| format!("shuffle.threads{threads}.{what}");
        let row = |what: &str, value| BenchRow::new(&name(what), value, "rows/s", best.rows);
        out.push(row("pass1", rows / best.scatter));
        out.push(row("pass2", rows / best.mix));
        out.push(row("both", rows / (best.scatter + best.mix)));
        if threads == cores && threads == 1 {
            break;
        }
    }
    Ok(out)
}

/// Writes the rows of `shards` shards of 500 random games each, shuffled, as [`Mixer::write`] does;
/// answers how many.
///
/// # Errors
/// If `scratch` or an output cannot be written.
pub(crate) fn write_random_rows<G: Game, W: Write>(
    game: &G,
    scratch: &Path,
    shards: u64,
    create: impl FnMut(u64) -> anyhow::Result<W>,
    finish: impl FnMut(W, Footer) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let sources = random_shards(game, scratch, shards, SHARD_GAMES)?;
    Ok(shuffle_once(game, &scratch.join("segments"), &sources, create, finish)?.rows)
}

/// Returns the seconds that both passes of the shuffle take for one row, on all cores. Measured on
/// some 30,000 rows of random games of `spec`, whose mean length is `plies`. Fixed costs, such as
/// publishing, are not included.
///
/// # Errors
/// If there is no such game or `scratch` cannot be written.
pub fn shuffle_row_s(spec: &GameSpec, scratch: &Path, plies: f64) -> anyhow::Result<f64> {
    let game = AnyGame::of(spec)?;
    let games = (ROWS_OF_SHORT / plies.max(1.0)).ceil() as u64;
    let sources = random_shards(&game, scratch, 1, games)?;
    let create = |number| {
        let path: PathBuf = scratch.join(format!("rows-{number}.dzr"));
        Ok(BufWriter::new(File::create(path)?))
    };
    let times = shuffle_once(&game, scratch, &sources, create, |_, _| Ok(()))?;
    Ok((times.scatter + times.mix) / times.rows.max(1) as f64)
}

fn random_shards<G: Game>(
    game: &G,
    scratch: &Path,
    shards: u64,
    games: u64,
) -> anyhow::Result<Vec<Source>> {
    let folder = scratch.join("shards");
    fs::create_dir_all(&folder).context("cannot create the scratch folder")?;
    let write = |number| {
        let path = folder.join(format!("{number:08}.dzs"));
        write_random_shard(game, &path, number, games)?;
        Ok(Source { id: number, games, path })
    };
    (0..shards).map(write).collect()
}

struct Times {
    scatter: f64,
    mix: f64,
    rows: u64,
}

fn shuffle_once<G: Game, W: Write>(
    game: &G,
    folder: &Path,
    sources: &[Source],
    create: impl FnMut(u64) -> anyhow::Result<W>,
    finish: impl FnMut(W, Footer) -> anyhow::Result<()>,
) -> anyhow::Result<Times> {
    let start = Instant::now();
    let mut shuffler = Shuffler::open(game.clone(), 1, 0.0, folder)?;
    let all = WindowLaw {
        rows_min: u64::MAX,
        rows_max: u64::MAX,
        exponent: 0.5,
        rows_per_new_row: 0.5,
        scale: 1,
    };
    let window = shuffler.window(&all, sources, u64::MAX)?;
    let scatter = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let sample = Sample::new(1, 1, RowSet::Train, &window.files, window.train_rows);
    let mixer = Mixer {
        header: shuffler.header(),
        window: &window.files,
        mixed_rows: MIXED_ROWS,
        rows_per_file: MIXED_ROWS,
        first_file: 0,
    };
    mixer.write(std::slice::from_ref(&sample), create, finish)?;
    Ok(Times { scatter, mix: start.elapsed().as_secs_f64(), rows: sample.rows })
}
