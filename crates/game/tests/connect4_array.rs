//! Connect Four on bitboards against a literal implementation on an array.

use dz_game::{
    Move, Outcome, Player, Status,
    games::{Connect4, Connect4State},
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::literal::{Literal, Pair, any};

/// The rules as one would explain them: columns of stones, a win is looked for from every point.
#[derive(Clone)]
struct ArrayBoard {
    height: usize,
    connect: i32,
    columns: Vec<Vec<Player>>,
    mover: Player,
}

impl ArrayBoard {
    fn new(width: u8, height: u8, connect: u8) -> Self {
        Self {
            height: height.into(),
            connect: connect.into(),
            columns: vec![Vec::new(); width.into()],
            mover: Player::First,
        }
    }

    fn at(&self, x: i32, y: i32) -> Option<Player> {
        let column = usize::try_from(x).ok().and_then(|x| self.columns.get(x))?;
        usize::try_from(y).ok().and_then(|y| column.get(y)).copied()
    }

    fn has_line(&self, player: Player) -> bool {
        let line = |x, y, dx, dy| {
            (0..self.connect).all(|i| self.at(x + i * dx, y + i * dy) == Some(player))
        };
        let (width, height) = (self.columns.len() as i32, self.height as i32);
        (0..width).any(|x| {
            (0..height).any(|y| {
                [(0, 1), (1, 0), (1, 1), (1, -1)].iter().any(|&(dx, dy)| line(x, y, dx, dy))
            })
        })
    }
}

impl Literal for ArrayBoard {
    type Game = Connect4;

    fn status(&self) -> Status {
        let winner = Player::BOTH.into_iter().find(|&p| self.has_line(p));
        match winner {
            Some(player) => Status::Over(Outcome::win_of(player)),
            None if self.columns.iter().all(|c| c.len() == self.height) => {
                Status::Over(Outcome::DRAW)
            }
            None => Status::ToMove(self.mover),
        }
    }

    fn legal(&self) -> Vec<Move> {
        if matches!(self.status(), Status::Over(_)) {
            return Vec::new();
        }
        let open = |&x: &usize| self.columns[x].len() < self.height;
        (0..self.columns.len()).filter(open).map(|x| Move(x as u16)).collect()
    }

    fn play(&mut self, mv: Move) {
        self.columns[usize::from(mv.0)].push(self.mover);
        self.mover = self.mover.opponent();
    }

    fn check(&self, game: &Connect4, state: &Connect4State) {
        let own = if self.mover == Player::First {
            state.mover_stones()
        } else {
            state.stones() & !state.mover_stones()
        };
        for (x, column) in self.columns.iter().enumerate() {
            for y in 0..self.height {
                let bit = 1 << (x * (usize::from(game.height()) + 1) + y);
                let stone = (state.stones() & bit != 0).then_some(if own & bit == 0 {
                    Player::Second
                } else {
                    Player::First
                });
                assert_eq!(stone, column.get(y).copied(), "column {x}, row {y}");
            }
        }
    }
}

/// Plays both side by side to the end and returns the plies. With `greedy`, players repeat their
/// last column or its neighbour where they can, so that long lines come about.
fn play_both(size: (u8, u8, u8), greedy: bool, random: &mut Xoshiro256PlusPlus) -> usize {
    let (width, height, connect) = size;
    let game = Connect4::new(width, height, connect).expect("possible parameters");
    let mut pair = Pair::new(game, ArrayBoard::new(width, height, connect));
    let mut last = [Move(0), Move(0)];
    pair.play_out(usize::MAX, |pair, mover| {
        let near = Move(last[mover.index()].0 + random.random_range(0..2));
        let go_on = greedy && pair.legal.contains(&near) && random.random_range(0..8) > 0;
        last[mover.index()] = if go_on { near } else { any(&pair.legal, random) };
        last[mover.index()]
    });
    pair.plies
}

#[test]
fn random_games_agree_on_every_board_that_fits() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for (width, height) in (1..=32u8).flat_map(|w| (1..=32u8).map(move |h| (w, h))) {
        let longer = width.max(height);
        if u32::from(width) * (u32::from(height) + 1) > 128 {
            assert!(Connect4::new(width, height, 2).is_err());
            continue;
        }
        assert!(Connect4::new(width, height, longer + 1).is_err());
        let mut lengths: Vec<u8> =
            [2, 3, 4, 5, longer].into_iter().filter(|&c| c <= longer).collect();
        lengths.dedup();
        for connect in lengths.into_iter().filter(|&c| c >= 2) {
            play_both((width, height, connect), false, &mut random);
            play_both((width, height, connect), true, &mut random);
        }
    }
}

#[test]
fn many_games_agree_on_the_common_boards() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut plies = 0;
    for size in [(7, 6, 4), (4, 4, 3), (8, 7, 4), (9, 6, 4), (9, 7, 4), (7, 7, 5), (5, 4, 4)] {
        for round in 0..1800 {
            plies += play_both(size, round % 2 == 0, &mut random);
        }
    }
    assert!(plies > 200_000, "{plies} plies");
}

#[test]
fn move_sequences_agree() {
    for ((width, height, connect), depth) in [((7, 6, 4), 5), ((4, 4, 3), 8), ((9, 9, 2), 4)] {
        let game = Connect4::new(width, height, connect).expect("possible parameters");
        Pair::new(game, ArrayBoard::new(width, height, connect)).compare_counts(depth);
    }
}
