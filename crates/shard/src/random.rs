//! Games of random moves: loads of a known form for tests, benches and plans.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use dz_game::{Encoding, Game, Move, Outcome, Status, Wdl, mix64};
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, Gamma};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    GameEnd, GameRecord, PlyRecord, SHARD_LEVEL, SearchKind, ShardError, ShardHeader, ShardWriter,
};

/// Games of random moves with searches that are as random as their form allows.
///
/// Every ply is a full search of `visits` visits, sampled one by one from a prior that is itself a
/// sample of a symmetric Dirichlet distribution with parameter 0.4 over the legal moves. On Connect
/// Four with 200 visits that leaves 5.7 moves visited on average. Root values are uniform over all
/// win/draw/loss triples, so they do not compress; the move is uniform over legal moves.
pub fn random_records<G: Game>(game: &G, games: u64, visits: u32, seed: u64) -> Vec<GameRecord> {
    (0..games).map(|number| random_game(game, number, visits, mix64(seed) ^ number)).collect()
}

fn random_game<G: Game>(game: &G, number: u64, visits: u32, seed: u64) -> GameRecord {
    let seed = mix64(seed);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = game.start();
    let mut history = G::History::default();
    let mut legal = Vec::new();
    let mut plies = Vec::new();
    // Games without a natural end are left after this many plies.
    for _ in 0..4096 {
        game.legal_moves(&state, &history, &mut legal);
        if legal.is_empty() {
            break;
        }
        let mv = legal[random.random_range(0..legal.len())];
        plies.push(PlyRecord {
            mv,
            network: 0,
            kind: SearchKind::Full,
            budget: visits,
            visits: random_visits(&legal, visits, &mut random),
            root_value: random_value(&mut random),
            flags: 0,
            weight: 1.0,
            target: None,
        });
        game.advance(&mut state, &mut history, mv);
    }
    let (outcome, end) = match game.status(&state, &history) {
        Status::Over(outcome) => (outcome, GameEnd::Rules),
        Status::ToMove(_) => (Outcome::DRAW, GameEnd::PlyLimit),
    };
    GameRecord { outcome, end, plies, ..GameRecord::started(number, seed) }
}

fn random_visits(legal: &[Move], visits: u32, random: &mut impl Rng) -> Vec<(Move, u32)> {
    let gamma = Gamma::new(0.4, 1.0).expect("shape and scale are positive");
    let prior: Vec<f64> = legal.iter().map(|_| gamma.sample(random)).collect();
    let total: f64 = prior.iter().sum();
    let mut counts = vec![0; legal.len()];
    for _ in 0..visits {
        let mut left = random.random::<f64>() * total;
        let chosen = prior.iter().position(|&share| {
            left -= share;
            left < 0.0
        });
        counts[chosen.unwrap_or(legal.len() - 1)] += 1;
    }
    legal.iter().copied().zip(counts).filter(|&(_, count)| count > 0).collect()
}

/// Uniform over the triangle of win, draw and loss.
fn random_value(random: &mut impl Rng) -> Wdl {
    let (a, b): (f32, f32) = (random.random(), random.random());
    let low = a.min(b);
    let high = a.max(b);
    Wdl { win: low, draw: high - low, loss: 1.0 - high }
}

/// Returns the header of shard `number` of random games, `games` of them a shard.
pub fn random_header<G: Game>(game: &G, number: u64, games: u64) -> ShardHeader {
    ShardHeader {
        game: game.spec().to_string(),
        encoding: game.encoding().id(),
        generation: 0,
        number,
        games_per_shard: games,
        run_seed: 1,
        config_hash: String::new(),
        evaluators: vec!["random".to_owned()],
        networks: vec!["none".to_owned()],
        own_komi: false,
    }
}

/// Writes shard `number` of [`random_records`] with 200 visits a ply to the new file `path`.
///
/// # Errors
/// [`ShardError::Io`] if it cannot be written.
pub fn write_random_shard<G: Game>(
    game: &G,
    path: &Path,
    number: u64,
    games: u64,
) -> Result<(), ShardError> {
    let header = random_header(game, number, games);
    let first = header.first_game();
    let file = BufWriter::new(File::create(path).map_err(ShardError::io("create a shard"))?);
    let mut writer = ShardWriter::new(file, header, SHARD_LEVEL)?;
    for mut record in random_records(game, games, 200, number) {
        record.number += first;
        writer.push(record)?;
    }
    writer.finish()?;
    Ok(())
}
