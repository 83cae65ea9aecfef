//! Times of the Connect Four solver on 7x6, by ply, as a table.
//!
//! `cargo run --release -p dz-solver --example time -- 10` analyses the sample of `tests/data` from
//! ply 10 on (0 for all of it: minutes), then solves random positions from a seed.

use std::{collections::BTreeMap, time::Instant};

use dz_game::{
    Game, Move,
    games::{Connect4, Connect4State},
};
use dz_solver::{Connect4Solver, Positions};

const SAMPLE: &str = include_str!("../tests/data/connect4-solved-sample.jsonl");
/// Earlier random positions take seconds each.
const RANDOM_PLIES_MIN: usize = 10;
/// Random positions a ply.
const POSITIONS: usize = 50;

/// What one kind of question cost at one ply.
#[derive(Default)]
struct Cost {
    questions: u32,
    ms: f64,
    ms_max: f64,
    nodes: u64,
}

impl Cost {
    /// Asks and adds up.
    fn add(&mut self, solver: &mut Connect4Solver, ask: impl FnOnce(&mut Connect4Solver)) {
        let (started, nodes) = (Instant::now(), solver.nodes());
        ask(solver);
        let ms = started.elapsed().as_secs_f64() * 1e3;
        self.questions += 1;
        self.ms += ms;
        self.ms_max = self.ms_max.max(ms);
        self.nodes += solver.nodes() - nodes;
    }

    fn row(&self) -> String {
        let questions = f64::from(self.questions);
        format!(
            "{:>9.3} | {:>9.3} | {:>10.0}",
            self.ms / questions,
            self.ms_max,
            self.nodes as f64 / questions
        )
    }
}

fn main() {
    let game = Connect4::new(7, 6, 4).expect("the usual board");
    let plies_min = std::env::args().nth(1).map_or(10, |text| text.parse().expect("a ply"));
    let (started, mut nodes) = (Instant::now(), 0);
    println!("sample, all columns | positions | mean ms | max ms | nodes");
    let mut by_ply: BTreeMap<usize, Cost> = BTreeMap::new();
    // One solver for all, as a stream of positions would use it.
    let mut solver = Connect4Solver::new(&game).expect("49 bits");
    for state in sample(&game).filter(|state| plies(state) >= plies_min) {
        let cost = by_ply.entry(plies(&state)).or_default();
        cost.add(&mut solver, |solver| {
            solver.analyze(&state);
        });
        nodes = solver.nodes();
    }
    for (ply, cost) in &by_ply {
        println!("{ply:>2} | {:>3} | {}", cost.questions, cost.row());
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{seconds:.1} s, {:.1} M nodes/s", nodes as f64 / 1e6 / seconds);
    println!("random, ply | value: mean ms, max ms, nodes | score | all columns");
    for ply in (plies_min.max(RANDOM_PLIES_MIN)..=36).step_by(2) {
        random(&game, ply);
    }
}

/// New solvers for every question's kind, so that none profits from the others.
fn random(game: &Connect4, ply: usize) {
    let solver = || Connect4Solver::new(game).expect("49 bits");
    let mut solvers = [solver(), solver(), solver()];
    let mut costs = [Cost::default(), Cost::default(), Cost::default()];
    let positions = Positions::new(game, solver(), ply as u32..=ply as u32, 1).take(POSITIONS);
    for position in positions.map(|position| position.expect("a game that goes on")) {
        let state = after(game, position.moves);
        costs[0].add(&mut solvers[0], |solver| {
            solver.value(&state);
        });
        costs[1].add(&mut solvers[1], |solver| {
            solver.solve(&state);
        });
        costs[2].add(&mut solvers[2], |solver| {
            solver.analyze(&state);
        });
    }
    let [value, score, all] = costs.map(|cost| cost.row());
    println!("{ply:>2} | {value} | {score} | {all}");
}

fn sample(game: &Connect4) -> impl Iterator<Item = Connect4State> {
    SAMPLE.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let columns = line["moves"].as_str().expect("a text").bytes();
        after(game, columns.map(|column| Move(u16::from(column - b'1'))))
    })
}

fn after(game: &Connect4, moves: impl IntoIterator<Item = Move>) -> Connect4State {
    moves.into_iter().fold(game.start(), |mut state, mv| {
        game.play(&mut state, mv);
        state
    })
}

fn plies(state: &Connect4State) -> usize {
    state.stones().count_ones() as usize
}
