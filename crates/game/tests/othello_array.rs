//! Othello on bitboards against a literal implementation on an array.

use dz_game::{
    Move, Outcome, Player, Status,
    games::{Othello, OthelloState},
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::literal::{Literal, Pair, any};
use crate::square::Square;

/// The rules as one would explain them: from a new disc, look along eight directions for discs of
/// the opponent that end at a disc of one's own.
#[derive(Clone)]
struct ArrayBoard {
    board: Square,
    mover: Player,
}

impl ArrayBoard {
    fn new(size: u8) -> Self {
        let (mut board, half) = (Square::new(size), i32::from(size) / 2);
        for (row, column, player) in [
            (half, half - 1, Player::First),
            (half - 1, half, Player::First),
            (half - 1, half - 1, Player::Second),
            (half, half, Player::Second),
        ] {
            board.points[(row * board.size + column) as usize] = Some(player);
        }
        Self { board, mover: Player::First }
    }

    /// The points whose discs `player` turns over by a disc on `point`.
    fn turned(&self, player: Player, point: usize) -> Vec<usize> {
        let mut all = Vec::new();
        if self.board.points[point].is_some() {
            return all;
        }
        let holds =
            |at: Option<usize>, player| at.is_some_and(|p| self.board.points[p] == Some(player));
        for way in (-1..=1).flat_map(|down| (-1..=1).map(move |right| (down, right))) {
            let mut run = Vec::new();
            let mut at = self.board.step(point, way);
            while holds(at, player.opponent()) {
                run.extend(at);
                at = at.and_then(|p| self.board.step(p, way));
            }
            if holds(at, player) {
                all.extend(run);
            }
        }
        all
    }

    fn can_move(&self, player: Player) -> bool {
        (0..self.board.points.len()).any(|point| !self.turned(player, point).is_empty())
    }
}

impl Literal for ArrayBoard {
    type Game = Othello;

    fn status(&self) -> Status {
        if self.can_move(Player::First) || self.can_move(Player::Second) {
            return Status::ToMove(self.mover);
        }
        let discs =
            |player| self.board.points.iter().filter(|&&p| p == Some(player)).count() as i16;
        let margin = discs(Player::First) - discs(Player::Second);
        let winner = match margin.signum() {
            1 => Some(Player::First),
            0 => None,
            _ => Some(Player::Second),
        };
        Status::Over(Outcome { winner, margin: Some(margin) })
    }

    fn legal(&self) -> Vec<Move> {
        let points = 0..self.board.points.len();
        let legal: Vec<Move> = points
            .filter(|&point| !self.turned(self.mover, point).is_empty())
            .map(|point| Move(point as u16))
            .collect();
        let pass = legal.is_empty() && self.can_move(self.mover.opponent());
        if pass { vec![Move(self.board.points.len() as u16)] } else { legal }
    }

    fn play(&mut self, mv: Move) {
        let point = usize::from(mv.0);
        if point < self.board.points.len() {
            for turned in self.turned(self.mover, point) {
                self.board.points[turned] = Some(self.mover);
            }
            self.board.points[point] = Some(self.mover);
        }
        self.mover = self.mover.opponent();
    }

    fn check(&self, game: &Othello, state: &OthelloState) {
        self.board.check(|point| game.disc_at(state, point));
    }
}

/// What happened in a game.
#[derive(Default)]
struct Seen {
    plies: usize,
    passes: usize,
    /// Games that ended before the board was full.
    early: usize,
}

/// Plays both side by side to the end. With `greedy`, players turn over as much as they can, so
/// that long rows are turned and players run out of moves.
fn play_both(size: u8, greedy: bool, random: &mut Xoshiro256PlusPlus, seen: &mut Seen) {
    let game = Othello::new(size).expect("a possible size");
    let mut pair = Pair::new(game, ArrayBoard::new(size));
    let pass = Move(u16::from(size) * u16::from(size));
    pair.play_out(usize::MAX, |pair, mover| {
        let mut mv = any(&pair.legal, random);
        if greedy && mv != pass && random.random_range(0..4) > 0 {
            let turns = |mv: &&Move| pair.literal.turned(mover, usize::from(mv.0)).len();
            mv = *pair.legal.iter().max_by_key(turns).expect("not over");
        }
        seen.passes += usize::from(mv == pass);
        mv
    });
    seen.plies += pair.plies;
    seen.early += usize::from(pair.literal.board.points.contains(&None));
}

#[test]
fn many_random_games_agree_on_every_size() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut plies = 0;
    for (size, games) in [(4, 4000), (6, 1500), (8, 1500), (10, 400)] {
        let mut seen = Seen::default();
        for round in 0..games {
            play_both(size, round % 2 == 0, &mut random, &mut seen);
        }
        assert!(seen.passes > 0 && seen.early > 0, "size {size}: no pass or no early end was met");
        assert!(seen.plies > games * usize::from(size), "size {size}: games are too short");
        plies += seen.plies;
    }
    assert!(plies > 200_000, "{plies} plies");
    for size in [0, 2, 3, 5, 7, 9, 11, 12, 255] {
        assert!(Othello::new(size).is_err(), "{size}");
    }
}

#[test]
fn move_sequences_agree_on_every_size() {
    for (size, depth) in [(4, 8), (6, 6), (8, 6), (10, 5)] {
        let game = Othello::new(size).expect("a possible size");
        Pair::new(game, ArrayBoard::new(size)).compare_counts(depth);
    }
}
