//! The shard's size and speed on a stated synthetic load.

use std::{io::Cursor, time::Instant};

use dz_game::{Encoding, Game, Move, Status, Wdl, mix64};
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, Gamma};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use crate::{
    GameEnd, GameRecord, PlyRecord, RowBlock, RowShape, SHARD_LEVEL, SearchKind, ShardError,
    ShardHeader, ShardReader, ShardWriter, rows_of_game,
};

/// One figure of `dagzero bench`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchRow {
    /// What was measured.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// What it was taken from: games, rows or repetitions.
    pub samples: u64,
    /// Who else was measured, if anybody.
    pub peer: Option<String>,
    /// Their figure.
    pub peer_value: Option<f64>,
}

impl BenchRow {
    /// A figure without a peer.
    pub fn new(name: &str, value: f64, unit: &str, samples: u64) -> Self {
        let (name, unit) = (name.to_owned(), unit.to_owned());
        Self { name, value, unit, samples, peer: None, peer_value: None }
    }

    /// The same with a peer's figure beside it.
    #[must_use]
    pub fn beside(self, peer: &str, value: f64) -> Self {
        Self { peer: Some(peer.to_owned()), peer_value: Some(value), ..self }
    }
}

/// Games of random moves with searches that are as random as their form allows.
///
/// Every ply is a full search of `visits` visits, drawn one by one from a prior that is itself a
/// draw from a symmetric Dirichlet distribution with parameter 0.4 over the legal moves. On Connect
/// Four with 200 visits that leaves 5.7 moves visited on average. Root values are uniform over all
/// win/draw/loss triples, so nothing can be gained from them; the move is uniform over legal moves.
pub fn bench_records<G: Game>(game: &G, games: u64, visits: u32, seed: u64) -> Vec<GameRecord> {
    (0..games).map(|number| random_game(game, number, visits, mix64(seed) ^ number)).collect()
}

fn random_game<G: Game>(game: &G, number: u64, visits: u32, seed: u64) -> GameRecord {
    let seed = mix64(seed);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut state, mut history) = (game.start(), G::History::default());
    let (mut legal, mut plies) = (Vec::new(), Vec::new());
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
        Status::ToMove(_) => (dz_game::Outcome::DRAW, GameEnd::PlyLimit),
    };
    GameRecord {
        number,
        seed,
        start_moves: Vec::new(),
        parent: None,
        komi: None,
        resign: None,
        evaluator: 0,
        outcome,
        end,
        plies,
    }
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
    let (low, high) = (a.min(b), a.max(b));
    Wdl { win: low, draw: high - low, loss: 1.0 - high }
}

/// Writes and reads `games` random games (see [`bench_records`]) and reports size and speed, each
/// speed as the best of `repeats`.
///
/// # Errors
/// [`ShardError`] if what was written does not come back the same.
pub fn bench<G: Game>(
    game: &G,
    games: u64,
    visits: u32,
    repeats: u32,
) -> Result<Vec<BenchRow>, ShardError> {
    let records = bench_records(game, games, visits, 1);
    let positions: u64 = records.iter().map(|record| record.plies.len() as u64).sum();
    let entries: usize = records.iter().flat_map(|r| &r.plies).map(|ply| ply.visits.len()).sum();
    let header = header(game, games);
    let mut out = vec![BenchRow::new(
        "shard.visited_moves_per_position",
        entries as f64 / positions as f64,
        "moves",
        positions,
    )];
    for level in [SHARD_LEVEL, 1] {
        let mut best = [f64::INFINITY; 3];
        let mut file = Vec::new();
        for _ in 0..repeats.max(1) {
            let owned = records.clone();
            let start = Instant::now();
            file = write(header.clone(), owned, level)?;
            best[0] = best[0].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let read =
                ShardReader::new(Cursor::new(&file))?.games().collect::<Result<Vec<_>, _>>()?;
            best[1] = best[1].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let mut rows = RowBlock::new(RowShape::of(&game.encoding()));
            read.iter().try_for_each(|record| rows_of_game(game, record, &mut rows))?;
            best[2] = best[2].min(start.elapsed().as_secs_f64());
            let mut both = read.iter().zip(&records);
            if !both.all(|(a, b)| b.quantised().is_ok_and(|b| *a == b)) {
                return Err(ShardError::damaged("the bench read other games than it wrote"));
            }
        }
        let size = file.len() as f64 / positions as f64;
        let name = |what: &str| format!("shard.level{level}.{what}");
        out.push(BenchRow::new(&name("bytes_per_position"), size, "bytes", positions));
        for (what, seconds) in ["write", "read", "replay_to_rows"].into_iter().zip(best) {
            let rate = positions as f64 / seconds;
            out.push(BenchRow::new(&name(what), rate, "positions/s", positions));
        }
    }
    Ok(out)
}

fn header<G: Game>(game: &G, games: u64) -> ShardHeader {
    ShardHeader {
        game: game.spec().to_string(),
        encoding: game.encoding().id(),
        generation: 0,
        number: 0,
        games_per_shard: games,
        run_seed: 1,
        config_hash: String::new(),
        evaluators: vec!["random".to_owned()],
        networks: vec!["none".to_owned()],
        own_komi: false,
    }
}

fn write(header: ShardHeader, games: Vec<GameRecord>, level: i32) -> Result<Vec<u8>, ShardError> {
    let mut writer = ShardWriter::new(Vec::new(), header, level)?;
    games.into_iter().try_for_each(|game| writer.push(game))?;
    Ok(writer.finish()?.0)
}
