//! Prints the shuffler's bench on standard Connect Four; `dagzero bench shuffle` is the same.

use dz_game::games::Connect4;

fn main() -> anyhow::Result<()> {
    let scratch = std::env::args().nth(1).unwrap_or_else(|| "shuffle-bench".to_owned());
    let rows = dz_shuffler_bench(std::path::Path::new(&scratch))?;
    for row in rows {
        println!("{:<32} {:>14.0} {} ({})", row.name, row.value, row.unit, row.samples);
    }
    Ok(())
}

fn dz_shuffler_bench(scratch: &std::path::Path) -> anyhow::Result<Vec<dz_shard::BenchRow>> {
    let rows = shuffler::bench(&Connect4::new(7, 6, 4)?, scratch, 40);
    std::fs::remove_dir_all(scratch)?;
    rows
}
