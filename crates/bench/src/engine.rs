//! `dagzero bench engine`: one search that has the processor to itself, and what its leaves in
//! flight cost.

use anyhow::{Context, bail};
use dz_burn_net::DeviceChoice;
use dz_cpu_net::{CpuEvaluator, random_network_of};
use dz_frontends::COLLISIONS_MAX;
use dz_game::{Game, GameSpec};
use dz_infer::{Lockstep, Sources};
use dz_play::{MatchPlayer, PlayerKind, PositionCheck, SearchPlayer, rollout_anchor};
use dz_search::SearchParams;
use dz_solver::solved_positions;

use crate::engine_rates::{EngineEffort, lockstep_rate, single_rate};
use crate::row::BenchRow;

/// Leaves in flight that are compared.
const LEAVES: [u32; 5] = [1, 8, 16, 32, 64];

/// Playouts of the searches that are alone: as many as in self-play, and as many as in an engine's
/// move.
const PLAYOUTS: [u32; 2] = [EngineEffort::TABLE.playouts, 20_000];

/// Turns of each, an odd number.
const ROUNDS: usize = 5;

/// Blocks and channels of the network.
const SIZE: (usize, usize) = (4, 64);

/// Solved positions that each number of leaves is examined on, and playouts of each search.
const EXAM: (usize, u32) = (1_000, 400);

pub(crate) fn rows<G: Game>(game: &G) -> anyhow::Result<Vec<BenchRow>> {
    let mut rows = rates(game)?;
    // Games without a solver have no truth to compare with.
    if let Ok(positions) = solved_positions(&game.spec(), 1) {
        let positions = positions.take(EXAM.0).map(|solved| {
            let solved = solved?;
            let preserving = solved.solved.preserving();
            Ok(PositionCheck { moves: solved.moves, preserving, value: None })
        });
        rows.extend(shares(&game.spec(), &positions.collect::<anyhow::Result<Vec<_>>>()?)?);
    }
    Ok(rows)
}

/// Evaluations a second of many searches, and of one with so many leaves in flight. They take
/// turns, since what a processor does in a second changes from minute to minute; figures are
/// medians of the rounds.
fn rates<G: Game>(game: &G) -> anyhow::Result<Vec<BenchRow>> {
    let (mut crowd, source) = sources(game)?;
    let mut alone = sources(game)?.0.on_threads(rayon::current_num_threads());
    let params = |leaves_max| SearchParams {
        leaves_max,
        collisions_max: COLLISIONS_MAX,
        ..SearchParams::default()
    };
    let effort = EngineEffort::TABLE;
    let lone = || PLAYOUTS.into_iter().flat_map(|n| LEAVES.into_iter().map(move |l| (n, l)));
    let mut many = Vec::new();
    let mut one = vec![Vec::new(); lone().count()];
    for _ in 0..ROUNDS {
        many.push(lockstep_rate(game, params(1), &mut crowd, source, effort)?);
        for (rates, (playouts, leaves)) in one.iter_mut().zip(lone()) {
            let effort = EngineEffort { playouts, ..effort };
            rates.push(single_rate(game, params(leaves), &mut alone, source, effort)?);
        }
    }
    let (many, (blocks, channels)) = (median(many), SIZE);
    let row = |what: String, rate| {
        let name = format!("{}, b{blocks}c{channels}, {what}", game.spec());
        BenchRow::new(&name, rate, "evaluations/s", ROUNDS as u64)
    };
    let mut rows = vec![row(format!("{} searches in lockstep", effort.parallel), many)];
    for (rates, (playouts, leaves)) in one.into_iter().zip(lone()) {
        let what = format!("one search of {playouts} playouts, {leaves} leaves in flight");
        rows.push(row(what, median(rates)).beside("searches in lockstep", many));
    }
    Ok(rows)
}

/// A network with a small cache: one that answers nothing twice would still be asked, and costs as
/// much.
fn sources<G: Game>(game: &G) -> anyhow::Result<(Sources<G>, usize)> {
    let network = CpuEvaluator::load(&random_network_of(game, SIZE.0, SIZE.1, 1))?;
    let mut sources = Sources::default();
    let source = sources.add_network(game, Box::new(network), 1 << 10)?;
    Ok((sources, source))
}

/// The middle one of an odd number.
fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// How often a search with so many leaves in flight keeps a position's value. This measures the
/// cost of choosing leaves before their siblings' values are known. Rollouts evaluate, so no
/// trained network is needed.
fn shares(spec: &GameSpec, positions: &[PositionCheck]) -> anyhow::Result<Vec<BenchRow>> {
    let mut arena = dz_gatekeeper::arena(spec, &[DeviceChoice::Cpu], 0)?;
    let PlayerKind::Search(anchor) = rollout_anchor("anchor", 1).kind else {
        bail!("the rollout anchor searches; please report this");
    };
    let lockstep = Lockstep { parallel_games: 64, groups: 1 };
    LEAVES
        .into_iter()
        .map(|leaves_max| {
            let collisions_max = COLLISIONS_MAX;
            let params = SearchParams { leaves_max, collisions_max, ..anchor.params };
            let search = SearchPlayer { params, ..anchor.clone() };
            let player = MatchPlayer::search("anchor", search);
            let found =
                arena.check(&player, positions, EXAM.1, &lockstep).context("checking positions")?;
            let nontrivial: Vec<_> = found.iter().filter(|answer| answer.nontrivial).collect();
            let kept = nontrivial.iter().filter(|answer| answer.preserved).count();
            let share = kept as f64 / nontrivial.len().max(1) as f64;
            let playouts = EXAM.1;
            let name =
                format!("{spec}, {playouts} rollouts, {leaves_max} leaves in flight, value kept");
            Ok(BenchRow::new(&name, share, "of positions", nontrivial.len() as u64))
        })
        .collect()
}
