//! Gomoku on bitboards against a literal implementation on an array.

use dz_game::{
    Game, Move, Outcome, Player, Status,
    games::{Gomoku, GomokuRule},
    perft,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The rules as one would tell them: after every move, every point is looked at as the first one of a
/// row, which begins and ends where no stone of the same player follows.
#[derive(Clone)]
struct ArrayBoard {
    size: i32,
    rule: GomokuRule,
    points: Vec<Option<Player>>,
    mover: Player,
}

impl ArrayBoard {
    fn new(size: u8, rule: GomokuRule) -> Self {
        let points = vec![None; usize::from(size) * usize::from(size)];
        Self { size: size.into(), rule, points, mover: Player::First }
    }

    fn at(&self, row: i32, column: i32) -> Option<Player> {
        let inside = (0..self.size).contains(&row) && (0..self.size).contains(&column);
        if inside { self.points[(row * self.size + column) as usize] } else { None }
    }

    /// Lengths of the rows of `player` that begin at a point.
    fn rows_from(&self, player: Player, row: i32, column: i32) -> Vec<usize> {
        let has = |row, column| self.at(row, column) == Some(player);
        let mut lengths = Vec::new();
        for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            if has(row, column) && !has(row - down, column - right) {
                let at = |i: &i32| has(row + i * down, column + i * right);
                lengths.push((0..self.size).take_while(at).count());
            }
        }
        lengths
    }

    fn rows(&self, player: Player) -> Vec<usize> {
        let points = (0..self.size).flat_map(|row| (0..self.size).map(move |column| (row, column)));
        points.flat_map(|(row, column)| self.rows_from(player, row, column)).collect()
    }

    fn has_won(&self, player: Player) -> bool {
        self.rows(player).into_iter().any(|length| match self.rule {
            GomokuRule::Freestyle => length >= 5,
            GomokuRule::Exact => length == 5,
        })
    }

    fn status(&self) -> Status {
        match [Player::First, Player::Second].into_iter().find(|&p| self.has_won(p)) {
            Some(player) => Status::Over(Outcome::win_of(player)),
            None if !self.points.contains(&None) => Status::Over(Outcome::DRAW),
            None => Status::ToMove(self.mover),
        }
    }

    fn legal(&self) -> Vec<Move> {
        if matches!(self.status(), Status::Over(_)) {
            return Vec::new();
        }
        let open = (0..self.points.len()).filter(|&point| self.points[point].is_none());
        open.map(|point| Move(point as u16)).collect()
    }

    fn play(&mut self, mv: Move) {
        self.points[usize::from(mv.0)] = Some(self.mover);
        self.mover = self.mover.opponent();
    }
}

/// How games ended.
#[derive(Default)]
struct Seen {
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
    array: &ArrayBoard,
    legal: &[Move],
    last: Move,
    style: Style,
    random: &mut Xoshiro256PlusPlus,
) -> Move {
    let any = legal[random.random_range(0..legal.len())];
    match style {
        Style::Random => any,
        Style::Near => {
            let (down, right) = [(0, 1), (1, 0), (1, 1), (1, -1)][random.random_range(0..4)];
            let sign = [-1, 1][random.random_range(0..2)];
            let row = i32::from(last.0) / array.size + sign * down;
            let column = i32::from(last.0) % array.size + sign * right;
            let inside = (0..array.size).contains(&row) && (0..array.size).contains(&column);
            let next = Move((row * array.size + column) as u16);
            if inside && legal.contains(&next) { next } else { any }
        }
        Style::Shy => {
            let wins = |mv: Move| {
                let mut child = array.clone();
                child.play(mv);
                child.has_won(array.mover)
            };
            legal
                .iter()
                .copied()
                .cycle()
                .skip(usize::from(any.0) % legal.len())
                .take(legal.len())
                .find(|&mv| !wins(mv))
                .unwrap_or(any)
        }
    }
}

/// Plays both side by side to the end.
fn play_both(
    (size, rule): (u8, GomokuRule),
    style: Style,
    random: &mut Xoshiro256PlusPlus,
    seen: &mut Seen,
) {
    let game = Gomoku::new(size, rule).expect("a possible size");
    let (mut state, mut array) = (game.start(), ArrayBoard::new(size, rule));
    let (mut legal, mut last) = (Vec::new(), [Move(0); 2]);
    loop {
        let status = array.status();
        assert_eq!(game.status(&state, &()), status, "{}", game.render(&state));
        game.legal_moves(&state, &(), &mut legal);
        assert_eq!(legal, array.legal(), "{}", game.render(&state));
        for (point, &stone) in array.points.iter().enumerate() {
            assert_eq!(game.stone_at(&state, point as u16), stone, "{}", game.render(&state));
        }
        let mover = match status {
            Status::ToMove(mover) => mover,
            Status::Over(outcome) => {
                let draw = outcome.winner.is_none();
                seen.draws += usize::from(draw);
                seen.wins += usize::from(!draw);
                let long = |player| array.rows(player).iter().any(|&length| length > 5);
                let long = long(Player::First) || long(Player::Second);
                seen.long_rows += usize::from(long && rule == GomokuRule::Exact);
                return;
            }
        };
        let mv = choose(&array, &legal, last[mover.index()], style, random);
        last[mover.index()] = mv;
        game.play(&mut state, mv);
        array.play(mv);
    }
}

#[test]
fn random_games_agree_on_every_size() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
        let mut seen = Seen::default();
        for size in 6..=19 {
            for round in 0..10 {
                let style = if round % 2 == 0 { Style::Random } else { Style::Near };
                play_both((size, rule), style, &mut random, &mut seen);
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
    for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
        let mut seen = Seen::default();
        for (size, games) in [(6, 300), (7, 200), (8, 150), (9, 100), (15, 30)] {
            for round in 0..games {
                let style = [Style::Random, Style::Near, Style::Near][round % 3];
                play_both((size, rule), style, &mut random, &mut seen);
            }
        }
        for _ in 0..30 {
            play_both((6, rule), Style::Shy, &mut random, &mut seen);
        }
        let long = seen.long_rows > 0 || rule == GomokuRule::Freestyle;
        assert!(seen.wins > 0 && seen.draws > 0 && long, "{rule:?}: some end was never met");
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

/// From positions of nearly full boards, where sequences end by wins and by a full board.
#[test]
fn move_sequences_to_the_end_agree() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
        let game = Gomoku::new(6, rule).expect("a possible size");
        let (mut checked, mut ended) = (0, 0);
        while checked < 12 {
            let (mut state, mut array) = (game.start(), ArrayBoard::new(6, rule));
            while array.legal().len() > 6 {
                let legal = array.legal();
                let mv = choose(&array, &legal, Move(0), Style::Shy, &mut random);
                game.play(&mut state, mv);
                array.play(mv);
            }
            let open = array.legal().len();
            if open < 6 {
                continue;
            }
            checked += 1;
            let mut counts = vec![0; 8];
            count(&array, &mut counts);
            assert_eq!(perft(&game, &state, &(), 7), counts, "{}", game.render(&state));
            ended += usize::from(counts[6] < 720);
        }
        assert!(ended > 0, "{rule:?}: no sequence ends early");
    }
}
