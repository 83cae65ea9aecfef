//! `dagzero bench engine`: one search that has the processor to itself, and what its leaves in flight cost.

use std::sync::Arc;

use anyhow::Context;
use dz_cpu::{CpuEvaluator, random_network_of};
use dz_game::Game;
use dz_infer::{Encoded, Lockstep, Rollout, Sources};
use dz_play::{
    EngineEffort, PositionCheck, check_positions, lockstep_rate, rollout_anchor, single_rate,
};
use dz_search::SearchParams;
use dz_shard::BenchRow;
use dz_solver::solved_positions;

/// Leaves in flight that are compared.
const LEAVES: [u32; 5] = [1, 8, 16, 32, 64];

/// Playouts of the searches that are alone: as many as in self-play, and as many as in an engine's move.
const PLAYOUTS: [u32; 2] = [EngineEffort::TABLE.playouts, 20_000];

/// Blocks and channels of the network.
const SIZE: (usize, usize) = (4, 64);

/// Solved positions that each number of leaves is examined on, and playouts of each search.
const EXAM: (usize, u32) = (1_000, 400);

pub(super) fn rows<G: Game>(game: &G) -> anyhow::Result<Vec<BenchRow>> {
    let mut rows = rates(game)?;
    // Games without a solver have no truth to compare with.
    if let Ok(positions) = solved_positions(&game.spec(), 1) {
        let positions = positions.take(EXAM.0).map(|solved| {
            let solved = solved?;
            let preserving = solved.solved.preserving();
            Ok(PositionCheck { moves: solved.moves, preserving, value: None })
        });
        rows.extend(shares(game, &positions.collect::<anyhow::Result<Vec<_>>>()?)?);
    }
    Ok(rows)
}

/// Evaluations a second of many searches, and of one with so many leaves in flight.
fn rates<G: Game>(game: &G) -> anyhow::Result<Vec<BenchRow>> {
    let network = CpuEvaluator::load(&random_network_of(game, SIZE.0, SIZE.1, 1))?;
    let effort = EngineEffort::TABLE;
    let (blocks, channels) = SIZE;
    let named = |what: &str| format!("{}, b{blocks}c{channels}, {what}", game.spec());
    // A cache that answers nothing twice would still be asked; a small one costs as much.
    let mut sources = Sources::default();
    let source = sources.add_batched(Box::new(Encoded::new(game, network)?), 1 << 10);
    let params = |leaves_max| SearchParams { leaves_max, ..SearchParams::default() };
    let many = lockstep_rate(game, params(1), &mut sources, source, effort)?;
    let name = named(&format!("{} searches in lockstep", effort.parallel));
    let mut rows = vec![BenchRow::new(&name, many, "evaluations/s", 1)];
    let mut sources = sources.on_threads(rayon::current_num_threads());
    for playouts in PLAYOUTS {
        let effort = EngineEffort { playouts, ..effort };
        for leaves in LEAVES {
            let one = single_rate(game, params(leaves), &mut sources, source, effort)?;
            let what = format!("one search of {playouts} playouts, {leaves} leaves in flight");
            let row = BenchRow::new(&named(&what), one, "evaluations/s", 1);
            rows.push(row.beside("searches in lockstep", many));
        }
    }
    Ok(rows)
}

/// How often a search with so many leaves in flight keeps a position's value: what it costs that leaves are
/// chosen before their siblings' values are known. Rollouts evaluate, so that no network need be trained.
fn shares<G: Game>(game: &G, positions: &[PositionCheck]) -> anyhow::Result<Vec<BenchRow>> {
    let mut sources = Sources::default();
    let source = sources.add_instant(Arc::new(Rollout::default()));
    let dz_play::PlayerKind::Search { params, .. } = rollout_anchor("anchor", 1, source).kind
    else {
        anyhow::bail!("the rollout anchor is a search");
    };
    let lockstep = Lockstep { parallel_games: 64, groups: 1 };
    LEAVES
        .into_iter()
        .map(|leaves_max| {
            let params = SearchParams { leaves_max, ..params };
            let found = check_positions(game, positions, params, EXAM.1, &lockstep, &mut sources)
                .context("checking positions")?;
            let nontrivial: Vec<_> = found.iter().filter(|answer| answer.nontrivial).collect();
            let kept = nontrivial.iter().filter(|answer| answer.preserved).count();
            let share = kept as f64 / nontrivial.len().max(1) as f64;
            let (spec, playouts) = (game.spec(), EXAM.1);
            let name =
                format!("{spec}, {playouts} rollouts, {leaves_max} leaves in flight, value kept");
            Ok(BenchRow::new(&name, share, "of positions", nontrivial.len() as u64))
        })
        .collect()
}
