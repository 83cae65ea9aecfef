//! Benches: figures that the tables in `benchmarks/` are made of.
//!
//! [`measure`] runs one bench and hands on its rows as they are found. `dagzero bench` prints them.
//! The peers that some benches measure beside ours are Python packages; see [`Bench`].

mod at_once;
mod device;
mod device_args;
mod engine;
mod engine_rates;
mod game_load;
mod games;
mod infer;
mod peers;
mod placement;
mod python;
mod rates;
mod row;
mod rows;
mod rules;
mod search;
mod search_rates;
mod selfplay;
mod shard;
mod shuffle;
mod soak;
mod timing;

use anyhow::Context;
use clap::Subcommand;
use dz_game::{AnyGame, Game, GameSpec, with_game};

pub use device_args::DeviceArgs;
pub use game_load::GameLoad;
pub use games::{HostRate, host_rate};
pub use placement::{LookedUp, PLACEMENT_POINTS_MAX, Placement, PlacementState};
pub use rates::{Effort, Rates};
pub use row::BenchRow;
pub use search_rates::{SearchRates, game_rates, placement_rates};
pub use shuffle::shuffle_row_s;

/// What can be measured.
#[derive(Clone, Debug, Subcommand)]
pub enum Bench {
    /// Size and speed of shards of random games
    Shard,
    /// Speed of the shuffler's two passes
    Shuffle,
    /// Speed of the loader, from row files to batches: what training may learn from at most
    Rows,
    /// Speed and memory of the search on one thread, and of rollouts
    Search,
    /// Speed of rules on one thread: perft and random playouts
    Rules,
    /// Positions a second that networks of usual sizes evaluate on the processor
    ///
    /// ONNX Runtime is the peer, on the same networks; two threads of ours are two independent
    /// batches.
    Infer,
    /// A network of any size on any device, playing and learning with Burn
    ///
    /// `benchmarks/gpu` measures `PyTorch` beside it.
    Device(DeviceArgs),
    /// Speed of self-play on the processor, with networks of random weights
    ///
    /// Games like those of the quick preset, beside Burn's evaluator in place of ours; and games of
    /// 32 playouts a move, beside pgx and mctx on Connect Four.
    Selfplay,
    /// Speed of self-play with a device, beside what the host reaches with one that takes no time,
    /// and what the device reaches without games
    Games(DeviceArgs),
    /// Memory of host and device while networks take each other's place and while one learns
    Soak(DeviceArgs),
    /// Positions a second that one search has evaluated by itself, beside many searches in
    /// lockstep, by its leaves in flight; and what those cost in solved positions, where the game
    /// has a solver
    Engine,
}

/// Games of the shard bench, visits of each of their searches, and repeats of each timing.
const SHARD_GAMES: (u64, u32, u32) = (1500, 200, 5);
/// The same for Go, whose games are long and whose searches are large.
const SHARD_GAMES_GO: (u64, u32, u32) = (300, 400, 5);
/// Shards of the shuffle bench.
const SHUFFLE_SHARDS: u64 = 8;

/// Measures `bench` on each of `games` and hands each row to `each` as it is found: all rows
/// together take a minute or two. [`Bench::Device`] and [`Bench::Soak`] measure no game.
///
/// # Errors
/// What the measured code reports, and what `each` does.
pub fn measure(
    bench: &Bench,
    games: &[GameSpec],
    each: &mut dyn FnMut(BenchRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    match bench {
        Bench::Device(on) => return device::rows(on, each),
        Bench::Soak(on) => return soak::rows(on, each),
        _ => {}
    }
    for spec in games {
        let any = AnyGame::of(spec)?;
        let rows = match bench {
            // Self-play is compiled in its own crate.
            Bench::Games(on) => {
                games::rows(&any, on, each)?;
                continue;
            }
            Bench::Selfplay => selfplay::rows(&any)?,
            // The network takes most of this time, not the game's rules.
            Bench::Engine => engine::rows(&any)?,
            _ => with_game!(spec, |game| measure_game(&game, bench))??,
        };
        rows.into_iter().try_for_each(&mut *each)?;
    }
    Ok(())
}

/// Measures a bench whose own code is compiled once a game.
fn measure_game<G: Game>(game: &G, bench: &Bench) -> anyhow::Result<Vec<BenchRow>> {
    Ok(match bench {
        Bench::Shard => {
            let is_go = game.spec().name() == "go";
            let (games, visits, repeats) = if is_go { SHARD_GAMES_GO } else { SHARD_GAMES };
            shard::rows(game, games, visits, repeats)?
        }
        Bench::Search => search::rows(game)?,
        Bench::Rules => rules::rows(game)?,
        Bench::Infer => infer::rows()?,
        Bench::Rows => rows::rows(game)?,
        Bench::Shuffle => {
            let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
            shuffle::rows(game, scratch.path(), SHUFFLE_SHARDS)?
        }
        // `measure` has answered these.
        Bench::Device(_) | Bench::Soak(_) | Bench::Games(_) | Bench::Selfplay | Bench::Engine => {
            Vec::new()
        }
    })
}
