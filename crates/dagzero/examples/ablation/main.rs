//! What the graph saves: a trained Connect Four network searched as a tree and as a graph, on
//! positions whose truth is known.
//!
//! `cargo run --release -p dagzero --example ablation -- NETWORK COUNT SEED [POSITIONS.jsonl]`
//!
//! Every search of every kind asks the same cache, so that a position is evaluated once; what a
//! search would have cost alone is counted in the search. Intervals are at 95 %, from 1,000
//! resamples of the positions, all kinds of searches on the same ones.

mod exam;
mod resample;
mod table;

use anyhow::Context;
use dz_burn_net::network_evaluator;
use dz_game::{Game, Move, games::Connect4};
use dz_infer::{Lockstep, Sources};
use dz_search::{Budget, CatchUp, FirstPlay, Puct, SearchParams, Selection};
use dz_solver::solved_positions;

use exam::{Exam, Outcome};

/// A position and the moves that keep its value.
pub(crate) struct Position {
    moves: Vec<Move>,
    preserving: Vec<Move>,
}

/// How a search is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Tree,
    Continue,
    Stop,
}

/// Budgets of the table.
const BUDGETS: [u32; 3] = [100, 400, 1600];
/// Budgets of the tree's curve, between which it is interpolated.
const CURVE: [u32; 8] = [25, 50, 100, 200, 400, 800, 1600, 3200];

/// What every search of one kind and budget came to, by position.
pub(crate) struct Measured {
    kind: Kind,
    budget: Budget,
    outcomes: Vec<Outcome>,
}

impl Kind {
    /// The quick preset's search, as a tree or a graph.
    fn params(self) -> SearchParams {
        SearchParams {
            graph: self != Self::Tree,
            catch_up: if self == Self::Stop { CatchUp::Stop } else { CatchUp::Continue },
            selection: Selection::Puct(Puct::constant(1.5)),
            fpu: FirstPlay::Reduction(0.2),
            ..SearchParams::default()
        }
    }
}

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [network, count, seed, rest @ ..] = &words[..] else {
        anyhow::bail!("usage: ablation NETWORK COUNT SEED [POSITIONS.jsonl]");
    };
    let game = Connect4::new(7, 6, 4)?;
    let positions = match rest {
        [file] => read(&game, file)?,
        _ => generated(&game, count.parse()?, seed.parse()?)?,
    };
    let bytes = std::fs::read(network).with_context(|| format!("cannot read {network}"))?;
    let network = network_evaluator(&game, &bytes, dz_burn_net::DeviceChoice::Cpu)?;
    let mut sources = Sources::default();
    sources.add_network(&game, network, 1 << 23)?;
    let lockstep = Lockstep { parallel_games: 256, groups: 2 };
    let mut measured = Vec::new();
    for (kind, budget) in plan() {
        let mut exam = Exam::new(&game, &positions, kind.params(), budget);
        let started = std::time::Instant::now();
        lockstep.run(&mut sources, &mut exam)?;
        let outcomes = exam.outcomes();
        eprintln!("{kind:?} {budget:?}: {:.0} s", started.elapsed().as_secs_f64());
        measured.push(Measured { kind, budget, outcomes });
    }
    table::print(&positions, &measured);
    Ok(())
}

/// Every kind at every budget that the table needs.
fn plan() -> Vec<(Kind, Budget)> {
    let mut plan: Vec<(Kind, Budget)> =
        CURVE.iter().map(|&playouts| (Kind::Tree, Budget::Playouts(playouts))).collect();
    for budget in BUDGETS {
        plan.push((Kind::Continue, Budget::Playouts(budget)));
        plan.push((Kind::Stop, Budget::Playouts(budget)));
        for kind in [Kind::Tree, Kind::Continue, Kind::Stop] {
            plan.push((kind, at_evaluations(budget)));
        }
    }
    plan
}

/// A budget of evaluations; the limit of playouts lets stopped ones be free but ends a finished
/// search.
fn at_evaluations(evaluations: u32) -> Budget {
    Budget::Evaluations { evaluations, playouts_max: 8 * evaluations }
}

/// Solved positions where some legal move loses value: the others say nothing.
fn generated(game: &Connect4, count: usize, seed: u64) -> anyhow::Result<Vec<Position>> {
    let mut positions = Vec::new();
    for position in solved_positions(&game.spec(), seed)? {
        let position = position?;
        let preserving = position.solved.preserving();
        if preserving.len() < position.solved.moves.len() {
            positions.push(Position { moves: position.moves, preserving });
        }
        if positions.len() == count {
            break;
        }
    }
    Ok(positions)
}

/// The non-trivial ones of a file of solved positions.
fn read(game: &Connect4, path: &str) -> anyhow::Result<Vec<Position>> {
    #[derive(serde::Deserialize)]
    struct Line {
        moves: String,
        value_preserving: Vec<u16>,
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let mut positions = Vec::new();
    for line in text.lines() {
        let line: Line = serde_json::from_str(line)?;
        let (mut state, mut moves, mut legal) = (game.start(), Vec::new(), Vec::new());
        for word in game.split_moves(&line.moves) {
            moves.push(game.play_text(&mut state, &mut (), word)?);
        }
        game.legal_moves(&state, &(), &mut legal);
        let preserving: Vec<Move> =
            line.value_preserving.iter().map(|column| Move(column - 1)).collect();
        if preserving.len() < legal.len() {
            positions.push(Position { moves, preserving });
        }
    }
    Ok(positions)
}
