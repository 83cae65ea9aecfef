//! Connect Four on bitboards against a literal implementation on an array.

use dz_game::{Game, Move, Outcome, Player, Status, games::Connect4};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The rules as one would tell them: columns of stones, a win is looked for from every point.
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

    fn status(&self) -> Status {
        let winner = [Player::First, Player::Second].into_iter().find(|&p| self.has_line(p));
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
}

/// Plays both side by side. With `greedy`, players repeat their last column or its neighbour where
/// they can, so that long lines come about.
fn play_both(size: (u8, u8, u8), greedy: bool, random: &mut Xoshiro256PlusPlus) {
    let (width, height, connect) = size;
    let game = Connect4::new(width, height, connect).expect("possible parameters");
    let (mut state, mut array) = (game.start(), ArrayBoard::new(width, height, connect));
    let (mut legal, mut last) = (Vec::new(), [Move(0), Move(0)]);
    loop {
        let status = array.status();
        assert_eq!(game.status(&state, &()), status, "{size:?}\n{}", game.render(&state));
        game.legal_moves(&state, &(), &mut legal);
        assert_eq!(legal, array.legal(), "{size:?}\n{}", game.render(&state));
        let Status::ToMove(mover) = status else { return };
        let near = Move(last[mover.index()].0 + random.random_range(0..2));
        let mv = if greedy && legal.contains(&near) && random.random_range(0..8) > 0 {
            near
        } else {
            legal[random.random_range(0..legal.len())]
        };
        last[mover.index()] = mv;
        game.play(&mut state, mv);
        array.play(mv);
    }
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
    for size in [(7, 6, 4), (4, 4, 3), (8, 7, 4), (9, 6, 4), (9, 7, 4), (7, 7, 5), (5, 4, 4)] {
        for round in 0..150 {
            play_both(size, round % 2 == 0, &mut random);
        }
    }
}
