//! Counts of positions and move sequences against published numbers.

use std::collections::BTreeSet;

use dz_game::{
    Game, GameSpec, Key, Outcome, Player, Status,
    games::{Connect4, Shuttle, ShuttleHistory, TicTacToe},
    perft,
};

fn connect4(width: u8, height: u8, connect: u8) -> Connect4 {
    Connect4::new(width, height, connect).expect("possible parameters")
}

/// Move sequences of Connect Four 7x6 that stop at a win: `OpenSpiel` agrees to depth 7.
const CONNECT4_SEQUENCES: [u64; 9] = [1, 7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234];

/// OEIS A212693: distinct 7x6 positions after n plies, mirror images apart.
const CONNECT4_POSITIONS: [usize; 9] = [1, 7, 49, 238, 1120, 4263, 16_422, 54_859, 184_275];

#[test]
fn connect_four_sequences() {
    let game = connect4(7, 6, 4);
    let depth = CONNECT4_SEQUENCES.len() as u32 - 1;
    assert_eq!(perft(&game, &game.start(), &(), depth), CONNECT4_SEQUENCES);
}

#[test]
fn connect_four_positions_by_their_keys() {
    let game = connect4(7, 6, 4);
    let mut level = vec![game.start()];
    let mut legal = Vec::new();
    for (ply, &published) in CONNECT4_POSITIONS.iter().enumerate() {
        assert_eq!(level.len(), published, "positions after {ply} plies");
        let mut keys: BTreeSet<Key> = BTreeSet::new();
        let mut next = Vec::new();
        for state in &level {
            game.legal_moves(state, &(), &mut legal);
            for &mv in &legal {
                let mut child = *state;
                game.play(&mut child, mv);
                if keys.insert(game.node_key(&child, &())) {
                    next.push(child);
                }
            }
        }
        level = next;
    }
}

/// All 255,168 games of tic-tac-toe: 131,184 won by the first player, 77,904 by the second, 46,080
/// drawn; 5,478 states. `OpenSpiel` agrees.
#[test]
fn tic_tac_toe_sequences_and_games() {
    let counts = [1, 9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872];
    let game = TicTacToe;
    assert_eq!(perft(&game, &game.start(), &(), 9), counts);
    let mut tally = Tally::default();
    tally.count(&game, &game.start());
    assert_eq!((tally.first, tally.second, tally.draws), (131_184, 77_904, 46_080));
    assert_eq!(tally.keys.len(), 5478, "states, the empty board and finished ones included");
}

#[derive(Default)]
struct Tally {
    first: u32,
    second: u32,
    draws: u32,
    keys: BTreeSet<Key>,
}

impl Tally {
    fn count(&mut self, game: &TicTacToe, state: &<TicTacToe as Game>::State) {
        self.keys.insert(game.node_key(state, &()));
        match game.status(state, &()) {
            Status::Over(Outcome { winner: Some(Player::First), .. }) => self.first += 1,
            Status::Over(Outcome { winner: Some(Player::Second), .. }) => self.second += 1,
            Status::Over(Outcome { winner: None, .. }) => self.draws += 1,
            Status::ToMove(_) => {
                let mut legal = Vec::new();
                game.legal_moves(state, &(), &mut legal);
                for mv in legal {
                    let mut child = *state;
                    game.play(&mut child, mv);
                    self.count(game, &child);
                }
            }
        }
    }
}

/// By hand. On three points the first move wins. On five points the token leaves the middle, and
/// from there half the moves end the game and half go back; the middle's third visit ends it too.
#[test]
fn shuttle_sequences() {
    let game = |text: &str| {
        Shuttle::from_spec(&text.parse::<GameSpec>().expect("a specification")).expect("a game")
    };
    let short = game("shuttle:length=3");
    let count =
        |game: &Shuttle, depth| perft(game, &game.start(), &ShuttleHistory::default(), depth);
    assert_eq!(count(&short, 3), [1, 2, 0, 0]);
    assert_eq!(count(&game("shuttle"), 6), [1, 2, 4, 4, 8, 0, 0]);
}
