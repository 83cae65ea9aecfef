//! Prints the shuffler's bench on standard Connect Four without linking the rest of
//! `dagzero bench shuffle`.
//!
//! `shuffle_bench DIR [SHARDS]`: DIR is made, filled and deleted; 40 shards unless told otherwise.

use std::path::Path;

use anyhow::Context;
use dz_game::games::Connect4;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let scratch = arguments.next().context("write: shuffle_bench DIR [SHARDS]")?;
    let shards = arguments.next().map_or(Ok(40), |shards| shards.parse())?;
    let scratch = Path::new(&scratch);
    // Only a folder of its own is deleted afterwards.
    std::fs::create_dir(scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    let rows = shuffler::bench(&Connect4::new(7, 6, 4)?, scratch, shards);
    std::fs::remove_dir_all(scratch)?;
    for row in rows? {
        println!("{:<32} {:>14.0} {} ({})", row.name, row.value, row.unit, row.samples);
    }
    Ok(())
}
