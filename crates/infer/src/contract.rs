//! What every network evaluator promises, as checks that tests of implementations call.

use dz_game::{Game, Symmetry};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use thiserror::Error;

use crate::{EncodedBatch, EvaluatorError, Leaf, NetworkEvaluator, NetworkOutputs, encode_leaves};

/// A promise that was not kept.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ContractBroken {
    /// The evaluator failed where it must not.
    #[error("the evaluator failed: {0}")]
    Failed(#[from] EvaluatorError),
    /// What it said is wrong.
    #[error("{0}")]
    Wrong(String),
}

/// Checks an engine for networks on positions of random games from `seed`: lengths, finite numbers,
/// equal bits on a second request, two batches in flight, tickets that are valid for one wait, and
/// outputs that depend on the position alone up to `tolerance` (0: equal bits, as on a CPU).
///
/// # Errors
/// The first promise that is not kept.
pub fn check_network_evaluator<G: Game>(
    game: &G,
    network: &mut impl NetworkEvaluator,
    seed: u64,
    tolerance: f32,
) -> Result<(), ContractBroken> {
    let encoding = game.encoding();
    let leaves = random_leaves(game, 19, seed);
    let policy_len = network.policy_len();
    let ask = |network: &mut dyn NetworkEvaluator, leaves: &[Leaf<G>]| {
        let ticket = network.submit(encode_leaves(&encoding, leaves))?;
        network.wait(ticket)
    };
    let all = ask(network, &leaves)?;
    require(all.policy_logits.len() == leaves.len() * policy_len, || "policy length".into())?;
    require(all.wdl_logits.len() == leaves.len() * 3, || "WDL length".into())?;
    let margins = if network.has_margins() { leaves.len() } else { 0 };
    require(all.margins.len() == margins, || "number of margins".into())?;
    let errors = if network.has_errors() { leaves.len() } else { 0 };
    require(all.error_logits.len() == errors, || "number of errors".into())?;
    let logits = all.policy_logits.iter().chain(&all.wdl_logits);
    let mut numbers = logits.chain(&all.margins).chain(&all.error_logits);
    require(numbers.all(|x| x.is_finite()), || "an output is not finite".into())?;
    require(ask(network, &leaves)? == all, || "asked again, it answers other bits".into())?;
    for (i, leaf) in leaves.iter().enumerate() {
        let alone = ask(network, std::slice::from_ref(leaf))?;
        let wanted = part(&all, i..i + 1, policy_len);
        require(near(&alone, &wanted, tolerance), || {
            format!("position {i} alone differs from its place in a batch of {}", leaves.len())
        })?;
    }
    let (front, back) = leaves.split_at(7);
    let first = network.submit(encode_leaves(&encoding, front))?;
    let second = network.submit(encode_leaves(&encoding, back))?;
    let second_got = network.wait(second)?;
    let first_got = network.wait(first)?;
    let wanted_first = part(&all, 0..7, policy_len);
    let wanted_second = part(&all, 7..leaves.len(), policy_len);
    require(near(&first_got, &wanted_first, tolerance), || "first of two in flight".into())?;
    require(near(&second_got, &wanted_second, tolerance), || "second of two in flight".into())?;
    let again = matches!(network.wait(first), Err(EvaluatorError::UnknownTicket(_)));
    require(again, || "a ticket was good for a second wait".into())
}

/// Checks that a position's outputs have the same bits alone and at each of the `places`, given as
/// length of a batch and place in it, on one, two and three threads. `positions(len, seed)` makes
/// batches of the network's shape.
///
/// # Errors
/// The first place at which they have not.
pub fn check_places(
    network: &mut impl NetworkEvaluator,
    positions: impl Fn(usize, u64) -> EncodedBatch,
    places: &[(usize, usize)],
) -> Result<(), ContractBroken> {
    let policy_len = network.policy_len();
    let ask = |network: &mut dyn NetworkEvaluator, batch: EncodedBatch| {
        let ticket = network.submit(batch)?;
        network.wait(ticket)
    };
    let probe = positions(1, 1234);
    let alone = ask(network, probe.clone())?;
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| ContractBroken::Wrong(format!("no threads: {e}")))?;
        for &(len, place) in places {
            let mut batch = positions(len, place as u64);
            put(&mut batch, place, &probe);
            let outputs = pool.install(|| ask(network, batch))?;
            require(part(&outputs, place..place + 1, policy_len) == alone, || {
                format!("other bits at place {place} of {len}, {threads} threads")
            })?;
        }
    }
    Ok(())
}

/// Puts the one position of `probe` at a place of a batch.
fn put(batch: &mut EncodedBatch, place: usize, probe: &EncodedBatch) {
    let bytes = batch.shape.packed_bytes();
    let globals = batch.shape.globals;
    batch.bits[place * bytes..(place + 1) * bytes].copy_from_slice(&probe.bits);
    batch.globals[place * globals..(place + 1) * globals].copy_from_slice(&probe.globals);
}

/// Leaves from random games, each through a random symmetry; never a finished position.
pub fn random_leaves<G: Game>(game: &G, count: usize, seed: u64) -> Vec<Leaf<G>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut leaves = Vec::with_capacity(count);
    let mut state = game.start();
    let mut history = G::History::default();
    while leaves.len() < count {
        let mut legal = Vec::new();
        game.legal_moves(&state, &history, &mut legal);
        if legal.is_empty() {
            (state, history) = (game.start(), G::History::default());
            continue;
        }
        let mv = legal[random.random_range(0..legal.len())];
        leaves.push(Leaf {
            eval_key: game.eval_key(&state, &history),
            symmetry: Symmetry(random.random_range(0..game.symmetry_count())),
            state: state.clone(),
            history: history.clone(),
            legal,
        });
        game.advance(&mut state, &mut history, mv);
    }
    leaves
}

fn require(holds: bool, what: impl FnOnce() -> String) -> Result<(), ContractBroken> {
    if holds { Ok(()) } else { Err(ContractBroken::Wrong(what())) }
}

fn part(all: &NetworkOutputs, range: std::ops::Range<usize>, policy_len: usize) -> NetworkOutputs {
    NetworkOutputs {
        policy_logits: all.policy_logits[range.start * policy_len..range.end * policy_len].to_vec(),
        wdl_logits: all.wdl_logits[range.start * 3..range.end * 3].to_vec(),
        margins: all.margins.get(range.clone()).map_or_else(Vec::new, <[f32]>::to_vec),
        error_logits: all.error_logits.get(range).map_or_else(Vec::new, <[f32]>::to_vec),
    }
}

fn near(a: &NetworkOutputs, b: &NetworkOutputs, tolerance: f32) -> bool {
    let near = |a: &[f32], b: &[f32]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
    };
    near(&a.policy_logits, &b.policy_logits)
        && near(&a.wdl_logits, &b.wdl_logits)
        && near(&a.margins, &b.margins)
        && near(&a.error_logits, &b.error_logits)
}
