//! Gomoku on bitboards against a literal implementation on an array.

mod literal;
mod square;

use dz_game::{
    Move, Outcome, Player, Status,
    games::{Gomoku, GomokuRule, GomokuState},
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use literal::{Literal, Pair, any};
use square::Square;

/// The rules as one would tell them: after every move, every point is looked at as the first one of a
/// row, which begins and ends where no stone of the same player follows.
#[derive(Clone)]
struct ArrayBoard {
    rule: GomokuRule,
    board: Square,
    mover: Player,
}

impl ArrayBoard {
    fn new(size: u8, rule: GomokuRule) -> Self {
        Self { rule, board: Square::new(size), mover: Player::First }
    }

    /// Lengths of the rows of `player` that begin at a point.
    fn rows_from(&self, player: Player, row: i32, column: i32) -> Vec<usize> {
        let has = |row, column| {
            self.board.number((row, column)).is_some_and(|p| self.board.points[p] == Some(player))
        };
        let mut lengths = Vec::new();
        for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            if has(row, column) && !has(row - down, column - right) {
                let at = |i: &i32| has(row + i * down, column + i * right);
                lengths.push((0..self.board.size).take_while(at).count());
            }
        }
        lengths
    }

    fn rows(&self, player: Player) -> Vec<usize> {
        let points = (0..self.board.size)
            .flat_map(|row| (0..self.board.size).map(move |column| (row, column)));
        points.flat_map(|(row, column)| self.rows_from(player, row, column)).collect()
    }

    fn has_won(&self, player: Player) -> bool {
        self.rows(player).into_iter().any(|length| match self.rule {
            GomokuRule::Freestyle => length >= 5,
            GomokuRule::Exact => length == 5,
        })
    }
}

impl Literal for ArrayBoard {
    type Game = Gomoku;

    fn status(&self) -> Status {
        match Player::BOTH.into_iter().find(|&p| self.has_won(p)) {
            Some(player) => Status::Over(Outcome::win_of(player)),
            None if !self.board.points.contains(&None) => Status::Over(Outcome::DRAW),
            None => Status::ToMove(self.mover),
        }
    }

    fn legal(&self) -> Vec<Move> {
        if matches!(self.status(), Status::Over(_)) {
            return Vec::new();
        }
        let open = (0..self.board.points.len()).filter(|&point| self.board.points[point].is_none());
        open.map(|point| Move(point as u16)).collect()
    }

    fn play(&mut self, mv: Move) {
        self.board.points[usize::from(mv.0)] = Some(self.mover);
        self.mover = self.mover.opponent();
    }

    fn check(&self, game: &Gomoku, state: &GomokuState) {
        self.board.check(|point| game.stone_at(state, point));
    }
}

/// How games ended.
#[derive(Default)]
struct Seen {
    plies: usize,
    wins: usize,
    draws: usize,
    /// Games with a row of six or more that did not end them.
    long_rows: usize,
}

/// How players choose.
#[derive(Clone, Copy)]
enum Style {
    Random,
    /// Next to their last stone, so that rows come about.
    Near,
    /// Never a win if there is another move, so that the board fills.
    Shy,
}

fn choose(
    pair: &Pair<ArrayBoard>,
    last: Move,
    style: Style,
    random: &mut Xoshiro256PlusPlus,
) -> Move {
    let any = any(&pair.legal, random);
    match style {
        Style::Random => any,
        Style::Near => {
            let (down, right) = [(0, 1), (1, 0), (1, 1), (1, -1)][random.random_range(0..4)];
            let sign = [-1, 1][random.random_range(0..2)];
            let step = (sign * down, sign * right);
            let next = pair.literal.board.step(last.0.into(), step).map(|p| Move(p as u16));
            next.filter(|mv| pair.legal.contains(mv)).unwrap_or(any)
        }
        Style::Shy => {
            let wins = |mv: Move| {
                let mut child = pair.literal.clone();
                child.play(mv);
                child.has_won(pair.literal.mover)
            };
            let after = pair.legal.iter().position(|&mv| mv == any).expect("it is legal");
            let mut moves = pair.legal[after..].iter().chain(&pair.legal[..after]).copied();
            moves.find(|&mv| !wins(mv)).unwrap_or(any)
        }
    }
}

fn pair(size: u8, rule: GomokuRule) -> Pair<ArrayBoard> {
    let game = Gomoku::new(size, rule).expect("a possible size");
    Pair::new(game, ArrayBoard::new(size, rule))
}

/// Plays both side by side to the end.
fn play_both(
    mut pair: Pair<ArrayBoard>,
    style: Style,
    random: &mut Xoshiro256PlusPlus,
    seen: &mut Seen,
) {
    let mut last = [Move(0); 2];
    pair.play_out(usize::MAX, |pair, mover| {
        last[mover.index()] = choose(pair, last[mover.index()], style, random);
        last[mover.index()]
    });
    let draw = pair.literal.status() == Status::Over(Outcome::DRAW);
    seen.plies += pair.plies;
    seen.draws += usize::from(draw);
    seen.wins += usize::from(!draw);
    let long = |player| pair.literal.rows(player).iter().any(|&length| length > 5);
    let exact = pair.literal.rule == GomokuRule::Exact;
    seen.long_rows += usize::from(exact && Player::BOTH.into_iter().any(long));
}

#[test]
fn random_games_agree_on_every_size() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
        let mut seen = Seen::default();
        for size in 6..=19 {
            for round in 0..10 {
                let style = if round % 2 == 0 { Style::Random } else { Style::Near };
                play_both(pair(size, rule), style, &mut random, &mut seen);
            }
        }
        assert!(seen.wins > 0, "{rule:?}: nobody wins");
    }
    for size in [0, 1, 5, 20, 255] {
        assert!(Gomoku::new(size, GomokuRule::Exact).is_err());
    }
}

#[test]
fn many_games_agree_on_small_and_common_boards() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut plies = 0;
    for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
        let mut seen = Seen::default();
        for (size, games) in [(6, 1500), (7, 1000), (8, 600), (9, 400), (15, 150)] {
            for round in 0..games {
                let style = [Style::Random, Style::Near, Style::Near][round % 3];
                play_both(pair(size, rule), style, &mut random, &mut seen);
            }
        }
        for _ in 0..30 {
            play_both(pair(6, rule), Style::Shy, &mut random, &mut seen);
        }
        let long = seen.long_rows > 0 || rule == GomokuRule::Freestyle;
        assert!(seen.wins > 0 && seen.draws > 0 && long, "{rule:?}: some end was never met");
        plies += seen.plies;
    }
    assert!(plies > 200_000, "{plies} plies");
}

/// From positions of nearly full boards, where sequences end by wins and by a full board.
#[test]
fn move_sequences_to_the_end_agree() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
        let (mut checked, mut ended) = (0, 0);
        while checked < 12 {
            let mut pair = pair(6, rule);
            while pair.compare().is_some() && pair.legal.len() > 6 {
                let mv = choose(&pair, Move(0), Style::Shy, &mut random);
                pair.play(mv);
            }
            if pair.legal.len() < 6 {
                continue;
            }
            checked += 1;
            ended += usize::from(pair.compare_counts(7)[6] < 720);
        }
        assert!(ended > 0, "{rule:?}: no sequence ends early");
    }
}
