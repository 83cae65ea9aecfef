//! Prints the figures of `dagzero bench shard` on standard Connect Four without linking the rest.

use dz_game::games::Connect4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = Connect4::new(7, 6, 4)?;
    for row in dz_shard::bench(&game, 1500, 200, 5)? {
        println!("{:<40} {:>14.3} {} ({})", row.name, row.value, row.unit, row.samples);
    }
    Ok(())
}
