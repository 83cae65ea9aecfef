//! AlphaZero in one file: a network learns tic-tac-toe from its own games.
//!
//! `cargo run --release -p dagzero --example minimal`
//!
//! Each round plays games with the newest network, trains on the games of the last rounds, and
//! plays a match against random moves. `dagzero run` does the same with four programs, many games
//! at once, a gate, ratings and checkpoints. Copy this file to begin something of your own.

use dz_burn_net::{
    BurnLearner, DeviceChoice, ExportInfo, Learner, LearnerOptions, Precision, TrainBatch,
    network_evaluator,
};
use dz_game::games::TicTacToe;
use dz_game::{Encoding, Game, Move, Outcome, Player, Status, Symmetry};
use dz_infer::{Leaf, Sources, encode_leaves};
use dz_network_file::{NetworkSpec, PerHead};
use dz_search::{Budget, Gathered, NoiseShape, RootNoise, Search, SearchParams, Summary};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Random;

/// Playouts of a search, games of a round, and steps of training after them.
const PLAYOUTS: u32 = 32;
const GAMES: usize = 40;
const STEPS: usize = 40;
/// Positions of a batch, how many of the newest ones are sampled from, and games of a match.
const BATCH: usize = 64;
const WINDOW: usize = 1_500;
const MATCH_GAMES: usize = 50;

/// A network as the only source of evaluations.
type Network = Sources<TicTacToe>;
type Position = Leaf<TicTacToe>;

/// A position that was searched, and what the network shall learn from it.
struct Example {
    position: Position,
    mover: Player,
    /// Visit shares of the search, `[A]`.
    policy: Vec<f32>,
    outcome: Outcome,
}

/// Plays and learns for so many rounds. Returns the score of each round's network against random
/// moves, 0 to 1.
///
/// # Errors
/// What the learner and the evaluator report.
pub fn learn(rounds: usize, seed: u64) -> anyhow::Result<Vec<f64>> {
    let mut random = Random::seed_from_u64(seed);
    let options = LearnerOptions { seed, ..LearnerOptions::to_measure(Precision::F32) };
    let mut learner = BurnLearner::new(network_spec(), DeviceChoice::Cpu, options)?;
    let mut network = player(&learner)?;
    let (mut window, mut scores) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        for _ in 0..GAMES {
            window.extend(self_play(&mut network, &mut random)?);
        }
        window.drain(..window.len().saturating_sub(WINDOW));
        for _ in 0..STEPS {
            learner.step(&batch(&window, &mut random), 0.01)?;
        }
        network = player(&learner)?;
        let score = match_score(&mut network, &mut random)?;
        println!("round {round}: {} positions, score {score:.2} against random", window.len());
        scores.push(score);
    }
    Ok(scores)
}

/// One block of 16 channels.
fn network_spec() -> NetworkSpec {
    let encoding = TicTacToe.encoding();
    let planes = encoding.planes();
    let input = [planes.channels, planes.height, planes.width];
    NetworkSpec {
        game: TicTacToe.spec().to_string(),
        encoding: encoding.id(),
        ..NetworkSpec::plain(input, encoding.policy_len(), 1, 16)
    }
}

/// The learner's weights as a source of evaluations.
fn player(learner: &BurnLearner) -> anyhow::Result<Network> {
    let info = ExportInfo {
        config_hash: "minimal".to_owned(),
        cycle: 1,
        created_by: "examples/minimal.rs".to_owned(),
    };
    let file = learner.export(&info)?.to_bytes()?;
    let mut sources = Sources::default();
    sources.add_network(&TicTacToe, network_evaluator(&TicTacToe, &file, DeviceChoice::Cpu)?, 0)?;
    Ok(sources)
}

/// Plays one game with the network on both sides, moves sampled by their visits.
fn self_play(network: &mut Network, random: &mut Random) -> anyhow::Result<Vec<Example>> {
    let mut state = TicTacToe.start();
    let mut examples = Vec::new();
    let outcome = loop {
        let mover = match TicTacToe.status(&state, &()) {
            Status::ToMove(player) => player,
            Status::Over(outcome) => break outcome,
        };
        let noise = RootNoise { shape: NoiseShape::Plain { alpha: 1.0 }, share: 0.25 };
        let summary = search(network, state, Some(noise), random.random())?;
        let policy = policy_target(&state, &summary);
        examples.push((position(&state), mover, policy));
        TicTacToe.play(&mut state, sample_by_visits(&summary, random));
    };
    let finish = |(position, mover, policy)| Example { position, mover, policy, outcome };
    Ok(examples.into_iter().map(finish).collect())
}

/// Searches a position: the network evaluates one leaf after another.
fn search(
    network: &mut Network,
    state: <TicTacToe as Game>::State,
    noise: Option<RootNoise>,
    seed: u64,
) -> anyhow::Result<Summary> {
    let mut search: Search<TicTacToe> = Search::new(TicTacToe, SearchParams::default(), state, ());
    search.start(Budget::Playouts(PLAYOUTS), seed, noise);
    while let Gathered::Need(id) = search.gather() {
        let leaf = search.leaf(id).expect("a leaf that was just gathered");
        let evaluation = network.evaluate(0, &[position(leaf.state).view(&TicTacToe)])?.remove(0);
        search.apply(id, evaluation.expected.wdl, &evaluation.priors);
    }
    Ok(search.summary())
}

/// A position of its own, with its legal moves.
fn position(state: &<TicTacToe as Game>::State) -> Position {
    let mut legal = Vec::new();
    TicTacToe.legal_moves(state, &(), &mut legal);
    let eval_key = TicTacToe.eval_key(state, &());
    Leaf { state: *state, history: (), legal, eval_key, symmetry: Symmetry::IDENTITY }
}

/// Shares of the visits, by the encoding's policy index.
fn policy_target(state: &<TicTacToe as Game>::State, summary: &Summary) -> Vec<f32> {
    let encoding = TicTacToe.encoding();
    let total: u32 = summary.moves.iter().map(|m| m.visits).sum();
    let mut policy = vec![0.0; encoding.policy_len()];
    for m in &summary.moves {
        let index = encoding.policy_index(state, m.mv, Symmetry::IDENTITY);
        policy[index] = m.visits as f32 / total as f32;
    }
    policy
}

/// Samples a move by its share of the visits.
fn sample_by_visits(summary: &Summary, random: &mut Random) -> Move {
    let visits = summary.moves.iter().flat_map(|m| vec![m.mv; m.visits as usize]);
    let moves: Vec<Move> = visits.collect();
    moves[random.random_range(0..moves.len())]
}

/// A batch of random examples.
fn batch(window: &[Example], random: &mut Random) -> TrainBatch {
    let chosen: Vec<&Example> =
        (0..BATCH).map(|_| &window[random.random_range(0..window.len())]).collect();
    let positions: Vec<Position> = chosen.iter().map(|e| e.position.clone()).collect();
    TrainBatch {
        planes: encode_leaves::<TicTacToe>(&TicTacToe.encoding(), &positions),
        policy: chosen.iter().flat_map(|e| e.policy.iter().copied()).collect(),
        wdl: chosen.iter().flat_map(|e| e.outcome.wdl_for(e.mover).to_array()).collect(),
        policy_weights: vec![1.0; BATCH],
        value_weights: vec![1.0; BATCH],
        heads: PerHead::default(),
    }
}

/// Mean score of the network, which plays its most visited moves, against random moves.
fn match_score(network: &mut Network, random: &mut Random) -> anyhow::Result<f64> {
    let mut score = 0.0;
    for game in 0..MATCH_GAMES {
        let ours = [Player::First, Player::Second][game % 2];
        let mut state = TicTacToe.start();
        let outcome = loop {
            let mv = match TicTacToe.status(&state, &()) {
                Status::Over(outcome) => break outcome,
                Status::ToMove(player) if player == ours => {
                    let summary = search(network, state, None, 0)?;
                    summary.moves.iter().max_by_key(|m| m.visits).expect("a legal move").mv
                }
                Status::ToMove(_) => {
                    let legal = position(&state).legal;
                    legal[random.random_range(0..legal.len())]
                }
            };
            TicTacToe.play(&mut state, mv);
        };
        let wdl = outcome.wdl_for(ours);
        score += f64::from(wdl.win + wdl.draw / 2.0) / MATCH_GAMES as f64;
    }
    Ok(score)
}

fn main() -> anyhow::Result<()> {
    learn(10, 1).map(drop)
}
