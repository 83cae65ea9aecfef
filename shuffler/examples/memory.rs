//! Shows that memory does not grow with the window.
//!
//! `memory make DIR SHARDS` writes shards of random Connect Four games; `memory run DIR` does pass
//! 1 on all of them and samples 100,000 rows, then prints the process's peak memory.

use std::{fs::File, path::Path};

use anyhow::Context;
use dz_game::games::Connect4;
use dz_shard::{RowSet, write_random_shard};
use shuffler::{Mixer, Sample, Shuffler, Source, WindowLaw};

const GAMES: u64 = 500;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", folder, shards] => {
            std::fs::create_dir_all(folder)?;
            for number in 0..shards.parse()? {
                let path = Path::new(folder).join(format!("{number:08}.dzs"));
                write_random_shard(&Connect4::new(7, 6, 4)?, &path, number, GAMES)?;
            }
            Ok(())
        }
        ["run", folder] => run(Path::new(folder)),
        _ => anyhow::bail!("write: memory make DIR SHARDS, or memory run DIR"),
    }
}

fn run(folder: &Path) -> anyhow::Result<()> {
    let mut sources = Vec::new();
    for number in 0.. {
        let path = folder.join(format!("{number:08}.dzs"));
        if !path.exists() {
            break;
        }
        sources.push(Source { id: number, games: GAMES, path });
    }
    let work = folder.join("work");
    let mut shuffler = Shuffler::open(Connect4::new(7, 6, 4)?, 1, 0.05, &work)?;
    let all = u64::MAX;
    let law =
        WindowLaw { rows_min: all, rows_max: all, exponent: 0.5, rows_per_new_row: 0.5, scale: 1 };
    let window = shuffler.window(&law, &sources, all)?;
    let sample = Sample::new(1, 1, RowSet::Train, &window.files, 100_000);
    let (header, window_files) = (shuffler.header(), &window.files[..]);
    let mixer = Mixer {
        header,
        window: window_files,
        mixed_rows: 65_536,
        rows_per_file: 65_536,
        first_file: 0,
    };
    let create = |number| Ok(File::create(work.join(format!("rows-{number}.dzr")))?);
    mixer.write(std::slice::from_ref(&sample), create, |_, _| Ok(()))?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).context("no VmHWM")?;
    println!("window {} rows, sampled {}, {peak}", window.train_rows, sample.rows);
    Ok(())
}
