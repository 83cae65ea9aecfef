//! A game written out for people to read and for tests to pin.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Encoding, Game, PlaneWriter, Status, Symmetry};

/// Columns of the page. Planes that do not fit go on below.
const COLUMNS_MAX: usize = 110;

/// Plies whose boards and planes are written. Later plies have status, keys and move only, because
/// whole games of chess would fill megabytes.
const FULL_PLIES: u32 = 128;

/// Returns a random game from `seed` as text: boards, keys, legal moves and planes.
pub fn transcript<G: Game>(game: &G, seed: u64) -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = game.start();
    let mut history = G::History::default();
    let mut legal = Vec::new();
    let mut text = header(game, seed);
    for ply in 0.. {
        game.legal_moves(&state, &history, &mut legal);
        text += &if ply < FULL_PLIES || legal.is_empty() {
            position(game, &state, &history, ply)
        } else {
            heading(game, &state, &history, ply) + &keys(game, &state, &history)
        };
        if legal.is_empty() {
            break;
        }
        let mv = legal[random.random_range(0..legal.len())];
        text += &["move          ", &game.format_move(mv), "\n"].concat();
        game.advance(&mut state, &mut history, mv);
    }
    text
}

fn header<G: Game>(game: &G, seed: u64) -> String {
    let encoding = game.encoding();
    let shape = encoding.planes();
    let plies = game.plies_max().map_or("unbounded".to_owned(), |plies| plies.to_string());
    format!(
        "game          {}\nnotation      {}\nplies_max     {plies}\nmoves_max     {}\n\
         symmetries    {}\nencoding      {}\nplanes        {} of {} rows, {} columns\n\
         globals       {}\npolicy        {} slots, {}\nseed          {seed}\n",
        game.spec(),
        game.notation(),
        game.moves_max(),
        game.symmetry_count(),
        encoding.id(),
        shape.channels,
        shape.height,
        shape.width,
        list(&encoding.global_names()),
        encoding.policy_len(),
        encoding.policy_layout(),
    )
}

/// The ply and the status.
fn heading<G: Game>(game: &G, state: &G::State, history: &G::History, ply: u32) -> String {
    let status = match game.status(state, history) {
        Status::ToMove(player) => format!("{} to move", player.name()),
        Status::Over(outcome) => {
            let winner = outcome.winner.map_or("draw".to_owned(), |p| format!("{} wins", p.name()));
            outcome.margin.map_or(winner.clone(), |margin| format!("{winner}, margin {margin}"))
        }
    };
    format!("\nply {ply}, {status}\n\n")
}

fn keys<G: Game>(game: &G, state: &G::State, history: &G::History) -> String {
    let eval_key = game.eval_key(state, history);
    let node_key = game.node_key(state, history);
    format!("eval_key      {eval_key}\nnode_key      {node_key}\n")
}

fn position<G: Game>(game: &G, state: &G::State, history: &G::History, ply: u32) -> String {
    let encoding = game.encoding();
    let mut legal = Vec::new();
    game.legal_moves(state, history, &mut legal);
    let moves: Vec<String> = legal.iter().map(|&mv| game.format_move(mv)).collect();
    let slots = (0..game.symmetry_count()).map(Symmetry).map(|symmetry| {
        let slot = |&mv| encoding.policy_index(state, mv, symmetry).to_string();
        list(&legal.iter().map(slot).collect::<Vec<_>>())
    });
    format!(
        "{}{}\n{}legal         {}\npolicy slots  {}\n\n{}\n",
        heading(game, state, history, ply),
        game.render(state),
        keys(game, state, history),
        list(&moves),
        slots.collect::<Vec<_>>().join(" | "),
        planes(game, state, history),
    )
}

fn list(words: &[String]) -> String {
    if words.is_empty() { "none".to_owned() } else { words.join(" ") }
}

/// The planes side by side under their names, `#` for a point that is set; then the globals.
fn planes<G: Game>(game: &G, state: &G::State, history: &G::History) -> String {
    let encoding = game.encoding();
    let shape = encoding.planes();
    let mut packed = vec![0; shape.packed_bytes()];
    let mut globals = vec![0.0; shape.globals];
    let mut writer = PlaneWriter::new(shape, &mut packed, &mut globals);
    encoding.encode(state, history, Symmetry::IDENTITY, &mut writer);
    let point = |bit: usize| if packed[bit / 8] >> (bit % 8) & 1 == 1 { '#' } else { '.' };
    let names = encoding.plane_names();
    let cell = names.iter().map(String::len).max().unwrap_or(0).max(shape.width);
    let across = (COLUMNS_MAX / (cell + 2)).max(1);
    let mut text = String::new();
    for (block, names) in names.chunks(across).enumerate() {
        let line = |cells: Vec<String>| {
            let padded: Vec<String> = cells.iter().map(|c| format!("{c:cell$}")).collect();
            padded.join("  ").trim_end().to_owned() + "\n"
        };
        text += &line(names.to_vec());
        for y in 0..shape.height {
            let row = |c: usize| {
                let start = (block * across + c) * shape.area() + y * shape.width;
                (start..start + shape.width).map(point).collect()
            };
            text += &line((0..names.len()).map(row).collect());
        }
    }
    for (name, value) in encoding.global_names().iter().zip(&globals) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name} {value}");
    }
    text
}
