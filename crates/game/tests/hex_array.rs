//! Hex on bitboards against a literal implementation on an array.

use dz_game::{Game, Move, Outcome, Player, Status, games::Hex};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The six neighbours of a point as steps of row and column.
const STEPS: [(i32, i32); 6] = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1)];

/// The rules as one would tell them: after every move, a walk from edge to edge is looked for.
#[derive(Clone)]
struct ArrayBoard {
    size: i32,
    swap: bool,
    points: Vec<Option<Player>>,
    plies: usize,
}

impl ArrayBoard {
    fn new(size: u8, swap: bool) -> Self {
        let points = vec![None; usize::from(size) * usize::from(size)];
        Self { size: size.into(), swap, points, plies: 0 }
    }

    fn at(&self, row: i32, column: i32) -> Option<Player> {
        let inside = (0..self.size).contains(&row) && (0..self.size).contains(&column);
        if inside { self.points[(row * self.size + column) as usize] } else { None }
    }

    /// True if stones of `player` connect the player's two edges.
    fn has_connected(&self, player: Player) -> bool {
        let edge = |i| if player == Player::First { (0, i) } else { (i, 0) };
        let mut open: Vec<(i32, i32)> = (0..self.size).map(edge).collect();
        open.retain(|&(row, column)| self.at(row, column) == Some(player));
        let mut seen = open.clone();
        while let Some((row, column)) = open.pop() {
            let across = if player == Player::First { row } else { column };
            if across == self.size - 1 {
                return true;
            }
            for next in STEPS.map(|(down, right)| (row + down, column + right)) {
                if self.at(next.0, next.1) == Some(player) && !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        false
    }

    fn mover(&self) -> Player {
        [Player::First, Player::Second][self.plies % 2]
    }

    fn status(&self) -> Status {
        let winner = [Player::First, Player::Second].into_iter().find(|&p| self.has_connected(p));
        winner.map_or(Status::ToMove(self.mover()), |p| Status::Over(Outcome::win_of(p)))
    }

    fn legal(&self) -> Vec<Move> {
        if matches!(self.status(), Status::Over(_)) {
            return Vec::new();
        }
        let swap = self.swap && self.plies == 1;
        let open = |&point: &usize| self.points.get(point).map_or(swap, Option::is_none);
        (0..=self.points.len()).filter(open).map(|point| Move(point as u16)).collect()
    }

    fn play(&mut self, mv: Move) {
        let (mover, size) = (self.mover(), self.size as usize);
        let mut point = usize::from(mv.0);
        if point == self.points.len() {
            let taken = self.points.iter().position(Option::is_some).expect("a first move");
            self.points[taken] = None;
            point = taken % size * size + taken / size;
        }
        self.points[point] = Some(mover);
        self.plies += 1;
    }
}

/// Plays both side by side to the end. With `near`, players like to go on from their last stone, so
/// that long chains wind over the board.
fn play_both(size: u8, swap: bool, near: bool, random: &mut Xoshiro256PlusPlus) {
    let game = Hex::new(size, swap).expect("a possible size");
    let (mut state, mut array) = (game.start(), ArrayBoard::new(size, swap));
    let (mut legal, mut last) = (Vec::new(), [(0, 0); 2]);
    loop {
        let status = array.status();
        assert_eq!(game.status(&state, &()), status, "{}", game.render(&state));
        game.legal_moves(&state, &(), &mut legal);
        assert_eq!(legal, array.legal(), "{}", game.render(&state));
        for (point, &stone) in array.points.iter().enumerate() {
            assert_eq!(game.stone_at(&state, point as u16), stone, "{}", game.render(&state));
        }
        let Status::ToMove(mover) = status else { return };
        let mut mv = legal[random.random_range(0..legal.len())];
        if near {
            let (row, column) = last[mover.index()];
            let (down, right) = STEPS[random.random_range(0..STEPS.len())];
            let (row, column) = (row + down, column + right);
            let inside = (0..array.size).contains(&row) && (0..array.size).contains(&column);
            let next = Move((row * array.size + column) as u16);
            if inside && legal.contains(&next) {
                mv = next;
            }
        }
        let point = i32::from(mv.0) % (array.size * array.size);
        last[mover.index()] = (point / array.size, point % array.size);
        game.play(&mut state, mv);
        array.play(mv);
    }
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
    for (size, rounds) in [(2, 200), (3, 400), (4, 400), (5, 400), (7, 200), (8, 200), (11, 200)] {
        for round in 0..rounds {
            play_both(size, round % 4 < 2, round % 2 == 0, &mut random);
        }
    }
}

/// Leaf nodes at depth 0, 1, ... on the array.
fn count(board: &ArrayBoard, counts: &mut [u64]) {
    counts[0] += 1;
    if counts.len() > 1 {
        for mv in board.legal() {
            let mut child = board.clone();
            child.play(mv);
            count(&child, &mut counts[1..]);
        }
    }
}

#[test]
fn move_sequences_agree() {
    for (size, swap, depth) in
        [(2, false, 4), (2, true, 5), (3, false, 7), (3, true, 7), (4, true, 4)]
    {
        let game = Hex::new(size, swap).expect("a possible size");
        let mut counts = vec![0; depth + 1];
        count(&ArrayBoard::new(size, swap), &mut counts);
        assert_eq!(
            dz_game::perft(&game, &game.start(), &(), depth as u32),
            counts,
            "{}",
            game.spec()
        );
    }
}
