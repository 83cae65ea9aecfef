//! Othello on bitboards against a literal implementation on an array.

use dz_game::{Game, Move, Outcome, Player, Status, games::Othello, perft};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The rules as one would tell them: from a new disc, look along eight directions for discs of the
/// opponent that end at a disc of one's own.
#[derive(Clone)]
struct ArrayBoard {
    size: i32,
    points: Vec<Option<Player>>,
    mover: Player,
}

impl ArrayBoard {
    fn new(size: u8) -> Self {
        let (size, half) = (i32::from(size), i32::from(size) / 2);
        let points = vec![None; (size * size) as usize];
        let mut board = Self { size, points, mover: Player::First };
        for (row, column, player) in [
            (half, half - 1, Player::First),
            (half - 1, half, Player::First),
            (half - 1, half - 1, Player::Second),
            (half, half, Player::Second),
        ] {
            board.points[(row * size + column) as usize] = Some(player);
        }
        board
    }

    fn at(&self, row: i32, column: i32) -> Option<Player> {
        let inside = (0..self.size).contains(&row) && (0..self.size).contains(&column);
        if inside { self.points[(row * self.size + column) as usize] } else { None }
    }

    /// The points whose discs `player` turns over by a disc on `point`.
    fn turned(&self, player: Player, point: usize) -> Vec<usize> {
        let mut all = Vec::new();
        if self.points[point].is_some() {
            return all;
        }
        let start = (point as i32 / self.size, point as i32 % self.size);
        for down in -1..=1 {
            for right in -1..=1 {
                let mut run = Vec::new();
                let mut at = (start.0 + down, start.1 + right);
                while self.at(at.0, at.1) == Some(player.opponent()) {
                    run.push((at.0 * self.size + at.1) as usize);
                    at = (at.0 + down, at.1 + right);
                }
                if self.at(at.0, at.1) == Some(player) {
                    all.extend(run);
                }
            }
        }
        all
    }

    fn can_move(&self, player: Player) -> bool {
        (0..self.points.len()).any(|point| !self.turned(player, point).is_empty())
    }

    fn status(&self) -> Status {
        if self.can_move(Player::First) || self.can_move(Player::Second) {
            return Status::ToMove(self.mover);
        }
        let discs = |player| self.points.iter().filter(|&&p| p == Some(player)).count() as i16;
        let margin = discs(Player::First) - discs(Player::Second);
        let winner = match margin.signum() {
            1 => Some(Player::First),
            0 => None,
            _ => Some(Player::Second),
        };
        Status::Over(Outcome { winner, margin: Some(margin) })
    }

    fn legal(&self) -> Vec<Move> {
        let points = 0..self.points.len();
        let legal: Vec<Move> = points
            .filter(|&point| !self.turned(self.mover, point).is_empty())
            .map(|point| Move(point as u16))
            .collect();
        let pass = legal.is_empty() && self.can_move(self.mover.opponent());
        if pass { vec![Move(self.points.len() as u16)] } else { legal }
    }

    fn play(&mut self, mv: Move) {
        let point = usize::from(mv.0);
        if point < self.points.len() {
            for turned in self.turned(self.mover, point) {
                self.points[turned] = Some(self.mover);
            }
            self.points[point] = Some(self.mover);
        }
        self.mover = self.mover.opponent();
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

/// Plays both side by side to the end. With `greedy`, players turn over as much as they can, so that
/// long rows are turned and players run out of moves.
fn play_both(size: u8, greedy: bool, random: &mut Xoshiro256PlusPlus, seen: &mut Seen) {
    let game = Othello::new(size).expect("a possible size");
    let (mut state, mut array, mut legal) = (game.start(), ArrayBoard::new(size), Vec::new());
    loop {
        let status = array.status();
        assert_eq!(game.status(&state, &()), status, "{}", game.render(&state));
        game.legal_moves(&state, &(), &mut legal);
        assert_eq!(legal, array.legal(), "{}", game.render(&state));
        for (point, &disc) in array.points.iter().enumerate() {
            assert_eq!(game.disc_at(&state, point as u16), disc, "{}", game.render(&state));
        }
        if legal.is_empty() {
            seen.early += usize::from(array.points.contains(&None));
            return;
        }
        let pass = Move(u16::from(size) * u16::from(size));
        let mut mv = legal[random.random_range(0..legal.len())];
        if greedy && mv != pass && random.random_range(0..4) > 0 {
            let turns = |mv: &&Move| array.turned(array.mover, usize::from(mv.0)).len();
            mv = *legal.iter().max_by_key(turns).expect("not over");
        }
        seen.plies += 1;
        seen.passes += usize::from(mv == pass);
        game.play(&mut state, mv);
        array.play(mv);
    }
}

#[test]
fn many_random_games_agree_on_every_size() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for (size, games) in [(4, 4000), (6, 1500), (8, 1500), (10, 400)] {
        let mut seen = Seen::default();
        for round in 0..games {
            play_both(size, round % 2 == 0, &mut random, &mut seen);
        }
        assert!(seen.passes > 0 && seen.early > 0, "size {size}: no pass or no early end was met");
        assert!(seen.plies > games * usize::from(size), "size {size}: games are too short");
    }
    for size in [0, 2, 3, 5, 7, 9, 11, 12, 255] {
        assert!(Othello::new(size).is_err(), "{size}");
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
fn move_sequences_agree_on_every_size() {
    for (size, depth) in [(4, 8), (6, 6), (8, 6), (10, 5)] {
        let game = Othello::new(size).expect("a possible size");
        let mut counts = vec![0; depth + 1];
        count(&ArrayBoard::new(size), &mut counts);
        assert_eq!(perft(&game, &game.start(), &(), depth as u32), counts, "{}", game.spec());
    }
}
