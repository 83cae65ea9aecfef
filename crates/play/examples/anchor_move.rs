//! The rollout anchor's moves, for programs that play against it.
//!
//! `cargo run --release -p dz-play --example anchor_move -- connect4 1000`
//!
//! Reads lines of `SEED MOVES`: a number, then the moves from the start, separated by spaces.
//! Answers each with the anchor's move. `tests/openspiel_match.py` plays it against `OpenSpiel`'s
//! `MCTSBot`.

use std::{
    error::Error,
    io::{BufRead, Write},
    sync::Arc,
};

use dz_game::{AnyGame, Game, GameSpec};
use dz_infer::{Request, Rollout, Sources};
use dz_play::{GameSeed, MoveSearch, PlayerKind, SearchStep, rollout_anchor};
use dz_search::{MoveChoice, Search, choose_move};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, game, playouts] = &arguments[..] else {
        return Err("usage: anchor_move GAME PLAYOUTS".into());
    };
    let game: GameSpec = game.parse()?;
    let anchor = Anchor { playouts: playouts.parse()? };
    anchor.serve(&AnyGame::of(&game)?)
}

struct Anchor {
    playouts: u32,
}

impl Anchor {
    fn serve(&self, game: &AnyGame) -> Result<(), Box<dyn Error>> {
        for line in std::io::stdin().lock().lines() {
            let answer = self.answer(game, &line?)?;
            let mut out = std::io::stdout().lock();
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
        Ok(())
    }

    fn answer(&self, game: &AnyGame, line: &str) -> Result<String, Box<dyn Error>> {
        let (seed, moves) = line.split_once(' ').unwrap_or((line, ""));
        let seed: u64 = seed.parse()?;
        let (mut state, mut history) = (game.start(), <AnyGame as Game>::History::default());
        for text in moves.split_whitespace() {
            game.play_text(&mut state, &mut history, text)?;
        }
        let mut sources = Sources::default();
        let source = sources.add_instant(Arc::new(Rollout::default()));
        let PlayerKind::Search(anchor) = rollout_anchor("anchor", self.playouts).kind else {
            return Err("the anchor searches".into());
        };
        let search = Search::new(game.clone(), anchor.params, state, history);
        let seed = GameSeed { run_seed: seed, game_number: 0 };
        let mut search = MoveSearch::at(search, false, source, seed);
        search.begin(anchor.budget, None);
        let SearchStep::Decided = search.step(sources.readers(), &mut Request::default()) else {
            return Err("a rollout is an instant evaluation".into());
        };
        let summary = search.summary();
        if summary.moves.is_empty() {
            return Err("the game is over".into());
        }
        let mut unused = Xoshiro256PlusPlus::seed_from_u64(0);
        Ok(game.format_move(choose_move(&summary, MoveChoice::MostVisits, &mut unused)))
    }
}
