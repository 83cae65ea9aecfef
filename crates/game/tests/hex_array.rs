//! Hex on bitboards against a literal implementation on an array.

use dz_game::{
    Move, Outcome, Player, Status,
    games::{Hex, HexState},
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::literal::{Literal, Pair, any};
use crate::square::Square;

/// The six neighbours of a point as steps of row and column.
const STEPS: [(i32, i32); 6] = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1)];

/// The rules as one would explain them: after every move, a walk from edge to edge is looked for.
#[derive(Clone)]
struct ArrayBoard {
    board: Square,
    swap: bool,
    plies: usize,
}

impl ArrayBoard {
    fn new(size: u8, swap: bool) -> Self {
        Self { board: Square::new(size), swap, plies: 0 }
    }

    /// True if stones of `player` connect the player's two edges.
    fn has_connected(&self, player: Player) -> bool {
        let holds = |&point: &usize| self.board.points[point] == Some(player);
        let size = self.board.size as usize;
        let edge = |i| if player == Player::First { i } else { i * size };
        let mut open: Vec<usize> = (0..size).map(edge).filter(holds).collect();
        let mut seen = open.clone();
        while let Some(point) = open.pop() {
            let across = if player == Player::First { point / size } else { point % size };
            if across == size - 1 {
                return true;
            }
            for next in STEPS.into_iter().filter_map(|step| self.board.step(point, step)) {
                if holds(&next) && !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        false
    }

    fn mover(&self) -> Player {
        Player::BOTH[self.plies % 2]
    }
}

impl Literal for ArrayBoard {
    type Game = Hex;

    fn status(&self) -> Status {
        let winner = Player::BOTH.into_iter().find(|&p| self.has_connected(p));
        winner.map_or(Status::ToMove(self.mover()), |p| Status::Over(Outcome::win_of(p)))
    }

    fn legal(&self) -> Vec<Move> {
        if matches!(self.status(), Status::Over(_)) {
            return Vec::new();
        }
        let swap = self.swap && self.plies == 1;
        let open = |&point: &usize| self.board.points.get(point).map_or(swap, Option::is_none);
        (0..=self.board.points.len()).filter(open).map(|point| Move(point as u16)).collect()
    }

    fn play(&mut self, mv: Move) {
        let (mover, size) = (self.mover(), self.board.size as usize);
        let mut point = usize::from(mv.0);
        if point == self.board.points.len() {
            let taken = self.board.points.iter().position(Option::is_some).expect("a first move");
            self.board.points[taken] = None;
            point = taken % size * size + taken / size;
        }
        self.board.points[point] = Some(mover);
        self.plies += 1;
    }

    fn check(&self, game: &Hex, state: &HexState) {
        self.board.check(|point| game.stone_at(state, point));
    }
}

/// Plays both side by side to the end and returns the plies. With `near`, players like to go on
/// from their last stone, so that long chains wind over the board.
fn play_both(size: u8, swap: bool, near: bool, random: &mut Xoshiro256PlusPlus) -> usize {
    let game = Hex::new(size, swap).expect("a possible size");
    let mut pair = Pair::new(game, ArrayBoard::new(size, swap));
    let (mut last, area) = ([0; 2], usize::from(size) * usize::from(size));
    pair.play_out(usize::MAX, |pair, mover| {
        let step = STEPS[random.random_range(0..STEPS.len())];
        let beside = pair.literal.board.step(last[mover.index()], step).filter(|_| near);
        let beside = beside.map(|point| Move(point as u16)).filter(|mv| pair.legal.contains(mv));
        let mv = beside.unwrap_or_else(|| any(&pair.legal, random));
        last[mover.index()] = usize::from(mv.0) % area;
        mv
    });
    pair.plies
}

#[test]
fn random_games_agree_on_every_size() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for size in 2..=19 {
        for round in 0..24 {
            play_both(size, round % 4 < 2, round % 2 == 0, &mut random);
        }
    }
    for size in [0, 1, 20, 255] {
        assert!(Hex::new(size, false).is_err());
    }
}

#[test]
fn many_games_agree_on_small_and_common_boards() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut plies = 0;
    for (size, rounds) in
        [(2, 400), (3, 1000), (4, 1000), (5, 1000), (7, 1000), (8, 1000), (11, 1000)]
    {
        for round in 0..rounds {
            plies += play_both(size, round % 4 < 2, round % 2 == 0, &mut random);
        }
    }
    assert!(plies > 200_000, "{plies} plies");
}

#[test]
fn move_sequences_agree() {
    for (size, swap, depth) in
        [(2, false, 4), (2, true, 5), (3, false, 7), (3, true, 7), (4, true, 4)]
    {
        let game = Hex::new(size, swap).expect("a possible size");
        Pair::new(game, ArrayBoard::new(size, swap)).compare_counts(depth);
    }
}
