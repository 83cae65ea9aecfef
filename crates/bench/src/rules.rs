//! `dagzero bench rules`: perft and random playouts.

use dz_game::Game;
use dz_infer::RolloutSampler;

use crate::peers::{OpenSpiel, chess_leaves};
use crate::rates::Rates;
use crate::row::BenchRow;
use crate::timing::{RolloutGames, Timer, perft_depth, perft_leaves};

/// Samples of each figure, whose median counts.
const SAMPLES: usize = 15;
/// Random games whose plies are counted.
const GAMES_COUNTED: u32 = 1000;

/// What was measured, ours and a peer's in turns.
pub(crate) struct Beside {
    pub(crate) ours: Rates,
    /// Its name and its rates.
    pub(crate) peer: Option<(String, Rates)>,
}

/// Random games.
pub(crate) struct Rollouts {
    /// Games a second.
    pub(crate) rates: Beside,
    /// Plies of one of ours and of one of the peer's, on average.
    plies: (f64, Option<f64>),
}

pub(crate) fn rows<G: Game>(game: &G) -> anyhow::Result<Vec<BenchRow>> {
    let spec = game.spec().to_string();
    let depth = perft_depth(game);
    let row = |what: &str, unit: &str, beside: &Beside, plies: (f64, Option<f64>)| {
        let value = beside.ours.median() * plies.0;
        let row = BenchRow::new(&format!("{spec}, {what}"), value, unit, beside.ours.samples());
        match (&beside.peer, plies.1) {
            (Some((name, rates)), Some(plies)) => row.beside(name, rates.median() * plies),
            _ => row,
        }
    };
    let perft = perft(game, depth)?;
    let Rollouts { rates, plies } = rollouts(game, SAMPLES)?;
    let each = (1.0, Some(1.0));
    let informed = informed(game)?;
    Ok(vec![
        row(&format!("perft depth {depth}"), "leaf nodes/s", &perft, each),
        row("random playouts", "playouts/s", &rates, each),
        row("plies of random playouts", "plies/s", &rates, plies),
        row("playouts by hand-made rules", "playouts/s", &informed, each),
    ])
}

/// Games a second by the policy `mogo`, beside uniform ones.
fn informed<G: Game>(game: &G) -> anyhow::Result<Beside> {
    let timer = |policy| {
        let mut games = RolloutGames::new(game, policy);
        Timer::new(move || {
            games.play();
            1
        })
    };
    let mut ours = timer(RolloutSampler::Informed);
    let mut uniform = timer(RolloutSampler::Uniform);
    let peer = ("uniform playouts".to_owned(), || Ok(uniform.sample()));
    in_turns(SAMPLES, || ours.sample(), Some(peer))
}

/// Leaf nodes a second; chess beside the generator that it is built on.
fn perft<G: Game>(game: &G, depth: u32) -> anyhow::Result<Beside> {
    let mut ours = Timer::new(|| perft_leaves(game, depth));
    let is_chess = game.spec().name() == "chess";
    let mut theirs = is_chess.then(|| Timer::new(|| chess_leaves(depth)));
    let name = "cozy-chess, bulk counting";
    let peer = theirs.as_mut().map(|timer| (name.to_owned(), || Ok(timer.sample())));
    in_turns(SAMPLES, || ours.sample(), peer)
}

/// Games a second in `samples` samples, beside `OpenSpiel` where it is there and has the game.
pub(crate) fn rollouts<G: Game>(game: &G, samples: usize) -> anyhow::Result<Rollouts> {
    let mut games = RolloutGames::new(game, RolloutSampler::Uniform);
    let ours = games.plies_mean(GAMES_COUNTED);
    let mut timer = Timer::new(|| {
        games.play();
        1
    });
    let mut peer = OpenSpiel::start(&game.spec())?;
    let plies = (ours, peer.as_ref().map(|peer| peer.plies_mean));
    let peer = peer.as_mut().map(|peer| (peer.name.clone(), || peer.sample()));
    Ok(Rollouts { rates: in_turns(samples, || timer.sample(), peer)?, plies })
}

/// One sample of ours, one of the peer's, and so on: what disturbs the machine disturbs both.
fn in_turns(
    samples: usize,
    mut ours: impl FnMut() -> f64,
    mut peer: Option<(String, impl FnMut() -> anyhow::Result<f64>)>,
) -> anyhow::Result<Beside> {
    let mut rates = Vec::new();
    let mut peers = Vec::new();
    for _ in 0..samples {
        rates.push(ours());
        if let Some((_, sample)) = &mut peer {
            peers.push(sample()?);
        }
    }
    let peer = peer.map(|(name, _)| (name, Rates::new(peers)));
    Ok(Beside { ours: Rates::new(rates), peer })
}
