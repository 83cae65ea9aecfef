//! Gomoku on bitboards against a literal implementation on an array.

use dz_game::{
    Move, Outcome, Player, Status,
    games::{Gomoku, GomokuOpening, GomokuRule, GomokuState},
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::literal::{Literal, Pair, any};
use crate::square::Square;

/// The rules as one would explain them: after every move, every point is looked at as the first one
/// of a row, which begins and ends where no stone of the same player follows.
#[derive(Clone)]
struct ArrayBoard {
    rule: GomokuRule,
    opening: GomokuOpening,
    /// Black stones are the first player's here, white ones the second's.
    board: Square,
    /// Who has black and who has white, once they know.
    owners: Option<[Player; 2]>,
    /// The second player has asked for two more stones.
    more: bool,
}

impl ArrayBoard {
    fn new(size: u8, rule: GomokuRule, opening: GomokuOpening) -> Self {
        let owners = (opening == GomokuOpening::None).then_some(Player::BOTH);
        Self { rule, opening, board: Square::new(size), owners, more: false }
    }

    fn stones(&self) -> usize {
        self.board.points.iter().flatten().count()
    }

    /// The colour of the next stone.
    fn colour(&self) -> Player {
        Player::BOTH[self.stones() % 2]
    }

    fn mover(&self) -> Player {
        match (self.owners, self.stones()) {
            (Some(owners), _) => owners[self.colour().index()],
            (None, 3 | 4) => Player::Second,
            (None, _) => Player::First,
        }
    }

    /// The mover may take a colour.
    fn may_choose(&self) -> bool {
        self.owners.is_none() && self.stones() == if self.more { 5 } else { 3 }
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
            Some(colour) => {
                let owners = self.owners.expect("five stones do not win in an opening");
                Status::Over(Outcome::win_of(owners[colour.index()]))
            }
            None if !self.board.points.contains(&None) => Status::Over(Outcome::DRAW),
            None => Status::ToMove(self.mover()),
        }
    }

    fn legal(&self) -> Vec<Move> {
        if matches!(self.status(), Status::Over(_)) {
            return Vec::new();
        }
        let area = self.board.points.len();
        let mut legal: Vec<usize> =
            (0..area).filter(|&point| self.board.points[point].is_none()).collect();
        if self.may_choose() {
            legal.push(area);
            if self.opening == GomokuOpening::Swap2 && !self.more {
                legal.push(area + 1);
            }
        }
        legal.into_iter().map(|point| Move(point as u16)).collect()
    }

    fn play(&mut self, mv: Move) {
        let (mover, point, area) = (self.mover(), usize::from(mv.0), self.board.points.len());
        match point.checked_sub(area) {
            Some(0) => self.owners = Some([mover, mover.opponent()]),
            Some(_) => self.more = true,
            None => {
                if self.may_choose() {
                    self.owners = Some([mover.opponent(), mover]);
                }
                self.board.points[point] = Some(self.colour());
            }
        }
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
                child.has_won(pair.literal.colour())
            };
            let after = pair.legal.iter().position(|&mv| mv == any).expect("it is legal");
            let mut moves = pair.legal[after..].iter().chain(&pair.legal[..after]).copied();
            moves.find(|&mv| !wins(mv)).unwrap_or(any)
        }
    }
}

fn pair(size: u8, rule: GomokuRule, opening: GomokuOpening) -> Pair<ArrayBoard> {
    let game = Gomoku::new(size, rule).expect("a possible size").with_opening(opening);
    Pair::new(game, ArrayBoard::new(size, rule, opening))
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
                play_both(pair(size, rule, GomokuOpening::None), style, &mut random, &mut seen);
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
                play_both(pair(size, rule, GomokuOpening::None), style, &mut random, &mut seen);
            }
        }
        for _ in 0..30 {
            play_both(pair(6, rule, GomokuOpening::None), Style::Shy, &mut random, &mut seen);
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
            let mut pair = pair(6, rule, GomokuOpening::None);
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

#[test]
fn games_with_openings_agree() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for opening in [GomokuOpening::Swap, GomokuOpening::Swap2] {
        let (mut seen, mut chosen) = (Seen::default(), [0; 3]);
        for (size, games) in [(6, 300), (7, 100), (15, 20), (19, 10)] {
            for _ in 0..games {
                let mut pair = pair(size, GomokuRule::Exact, opening);
                // Half of the players choose something else than to place a stone.
                pair.play_out(10, |pair, _| {
                    let area = usize::from(size) * usize::from(size);
                    let points = pair.legal.len().min(area - pair.literal.stones());
                    let choices = &pair.legal[points..];
                    let chooses = !choices.is_empty() && random.random_bool(0.5);
                    chosen[0] += usize::from(!choices.is_empty() && !chooses);
                    let mv =
                        any(if chooses { choices } else { &pair.legal[..points] }, &mut random);
                    for choice in 0..2 {
                        chosen[1 + choice] += usize::from(usize::from(mv.0) == area + choice);
                    }
                    mv
                });
                play_both(pair, Style::Near, &mut random, &mut seen);
            }
        }
        let more = chosen[2] > 0 || opening == GomokuOpening::Swap;
        assert!(chosen[0] > 0 && chosen[1] > 0 && more && seen.wins > 0, "{chosen:?}");
        pair(6, GomokuRule::Freestyle, opening).compare_counts(3);
    }
}

/// A first ply on one of three points, and from there all that follows the third stone.
#[test]
fn move_sequences_of_openings_agree() {
    for opening in [GomokuOpening::Swap, GomokuOpening::Swap2] {
        let mut pair = pair(6, GomokuRule::Freestyle, opening);
        for point in [0, 14, 35] {
            pair.compare();
            pair.play(Move(point));
        }
        let counts = pair.compare_counts(4);
        let (point, choice) = (33 * 32, 33);
        let more = if opening == GomokuOpening::Swap2 { choice } else { 0 };
        assert_eq!(counts[2], point + choice + more, "{counts:?}");
    }
}
