//! Go on bitboards against a literal implementation on an array, with every rule set.

use std::collections::BTreeSet;

use dz_game::{
    Game, Key, Move, Outcome, Player, Status,
    games::{Go, GoHistory, GoState},
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::literal::{Literal, Pair, any};

/// The rules as one would explain them: whole boards are compared, chains are walked anew every
/// time.
#[derive(Clone)]
pub struct ArrayGo {
    pub size: usize,
    komi: f64,
    suicide: bool,
    superko: &'static str,
    pub board: Vec<Option<Player>>,
    pub mover: Player,
    passes: usize,
    /// All positions so far, the current one last, each with who moves there.
    past: Vec<(Vec<Option<Player>>, Player)>,
    /// The position before the last move, and how many stones that move took.
    last: Option<(Vec<Option<Player>>, usize)>,
}

impl ArrayGo {
    fn new(size: usize, komi: f64, suicide: bool, superko: &'static str) -> Self {
        let board = vec![None; size * size];
        let past = vec![(board.clone(), Player::First)];
        let mover = Player::First;
        Self { size, komi, suicide, superko, board, mover, passes: 0, past, last: None }
    }

    pub fn neighbours(&self, point: usize) -> impl Iterator<Item = usize> {
        let (row, column, size) = (point / self.size, point % self.size, self.size);
        let up = (row > 0).then(|| point - size);
        let left = (column > 0).then(|| point - 1);
        let right = (column + 1 < size).then_some(point + 1);
        let down = (row + 1 < size).then_some(point + size);
        [up, left, right, down].into_iter().flatten()
    }

    /// Points connected with `point` that hold the same, and whether stones of the first and of the
    /// second player and empty points border them.
    pub fn region(&self, board: &[Option<Player>], point: usize) -> (Vec<usize>, [bool; 3]) {
        let (mut region, mut border) = (vec![point], [false; 3]);
        let mut seen = vec![false; board.len()];
        seen[point] = true;
        let mut next = 0;
        while next < region.len() {
            for neighbour in self.neighbours(region[next]) {
                if board[neighbour] != board[point] {
                    border[board[neighbour].map_or(2, Player::index)] = true;
                } else if !std::mem::replace(&mut seen[neighbour], true) {
                    region.push(neighbour);
                }
            }
            next += 1;
        }
        (region, border)
    }

    /// The board after a stone on `point`, and how many stones are taken from the opponent, then
    /// from the mover: chains beside the stone or with it that border no empty point.
    pub fn after(&self, point: usize) -> (Vec<Option<Player>>, usize, usize) {
        let mut board = self.board.clone();
        board[point] = Some(self.mover);
        let mut taken = [0, 0];
        for (side, player) in [self.mover.opponent(), self.mover].into_iter().enumerate() {
            for near in self.neighbours(point).chain([point]) {
                if board[near] == Some(player)
                    && let (chain, [_, _, false]) = self.region(&board, near)
                {
                    taken[side] += chain.len();
                    for dead in chain {
                        board[dead] = None;
                    }
                }
            }
        }
        (board, taken[0], taken[1])
    }

    /// Points where ko or superko forbids what would be legal without; `legal` points are left.
    fn banned(&self, legal: usize) -> usize {
        let free = |&point: &usize| {
            self.board[point].is_none() && (self.suicide || self.after(point).2 == 0)
        };
        (0..self.board.len()).filter(free).count() - legal
    }

    pub fn is_legal(&self, point: usize) -> bool {
        if self.board[point].is_some() {
            return false;
        }
        let (board, taken, lost) = self.after(point);
        if lost > 0 && !self.suicide {
            return false;
        }
        match self.superko {
            "positional" => self.past.iter().all(|(past, _)| *past != board),
            "situational" => !self.past.contains(&(board, self.mover.opponent())),
            // One stone takes back the one that has just taken it.
            _ => taken != 1 || self.last.as_ref().is_none_or(|last| *last != (board, 1)),
        }
    }

    /// Area of the first player minus that of the second.
    fn margin(&self) -> i16 {
        let (mut margin, mut counted) = (0, vec![false; self.board.len()]);
        for point in 0..self.board.len() {
            if counted[point] {
                continue;
            }
            let (region, [first, second, _]) = self.region(&self.board, point);
            for &point in &region {
                counted[point] = true;
            }
            let owner = match (self.board[point], first, second) {
                (None, true, false) => Some(Player::First),
                (None, false, true) => Some(Player::Second),
                (stone, _, _) => stone,
            };
            margin += region.len() as i16 * owner.map_or(0, |player| 1 - 2 * player.index() as i16);
        }
        margin
    }
}

impl Literal for ArrayGo {
    type Game = Go;

    fn legal(&self) -> Vec<Move> {
        if self.passes == 2 {
            return Vec::new();
        }
        let area = self.board.len();
        (0..=area).filter(|&p| p == area || self.is_legal(p)).map(|p| Move(p as u16)).collect()
    }

    fn play(&mut self, mv: Move) {
        let point = usize::from(mv.0);
        if point == self.board.len() {
            self.passes += 1;
            self.last = None;
        } else {
            let (board, taken, _) = self.after(point);
            self.last = Some((std::mem::replace(&mut self.board, board), taken));
            self.passes = 0;
        }
        self.mover = self.mover.opponent();
        self.past.push((self.board.clone(), self.mover));
    }

    fn status(&self) -> Status {
        if self.passes < 2 {
            return Status::ToMove(self.mover);
        }
        let margin = self.margin();
        let ahead = f64::from(margin) - self.komi;
        let winner = match ahead.partial_cmp(&0.0).expect("numbers") {
            std::cmp::Ordering::Greater => Some(Player::First),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Player::Second),
        };
        Status::Over(Outcome { winner, margin: Some(margin) })
    }

    fn check(&self, game: &Go, state: &GoState) {
        assert_eq!(game.margin(state), self.margin());
        for (point, &stone) in self.board.iter().enumerate() {
            assert_eq!(game.stone_at(state, point as u16), stone, "point {point}");
        }
    }
}

const SUPERKO: [&str; 3] = ["positional", "situational", "simple"];

pub fn rules(size: usize, komi: f64, suicide: bool, superko: &'static str) -> Pair<ArrayGo> {
    let text = format!("go:size={size},komi={komi},suicide={suicide},superko={superko}");
    let game = Go::from_spec(&text.parse().expect("a specification")).expect("possible rules");
    Pair::new(game, ArrayGo::new(size, komi, suicide, superko))
}

/// Plays both side by side, with one in `pass_one_in` moves a pass where there is another one.
/// Returns plies, and how many points ko or superko forbade.
fn play_both(
    mut pair: Pair<ArrayGo>,
    pass_one_in: u32,
    plies_max: usize,
    random: &mut Xoshiro256PlusPlus,
) -> (usize, usize) {
    let mut banned = 0;
    pair.play_out(plies_max, |pair, _| {
        banned += pair.literal.banned(pair.legal.len() - 1);
        let (pass, stones) = pair.legal.split_last().expect("a pass is legal");
        let passes = stones.is_empty() || random.random_range(0..pass_one_in) == 0;
        if passes { *pass } else { any(stones, random) }
    });
    (pair.plies, banned)
}

#[test]
fn random_games_agree_on_every_size_and_rule() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for size in 2..=19 {
        for (at, superko) in SUPERKO.into_iter().enumerate() {
            // A large board costs the array much, so it sees one set of rules.
            if size > 7 && size % 3 != at {
                continue;
            }
            for suicide in [false, true] {
                let komi = [7.0, 0.0, 5.5, -0.5][size % 4];
                let plies_max = if size > 9 { 60 } else { 200 };
                play_both(rules(size, komi, suicide, superko), 60, plies_max, &mut random);
            }
        }
    }
}

#[test]
fn many_long_games_agree_on_small_boards() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    for superko in SUPERKO {
        for suicide in [false, true] {
            let (mut plies, mut banned) = (0, 0);
            for (size, games) in [(2, 500), (3, 300), (4, 140), (5, 60), (6, 24)] {
                for game in 0..games {
                    let pass_one_in = [8, 50, 1000][game % 3];
                    let pair = rules(size, 0.0, suicide, superko);
                    let played = play_both(pair, pass_one_in, 300, &mut random);
                    plies += played.0;
                    banned += played.1;
                }
            }
            assert!(plies > 34_000, "{plies} plies under {superko} superko");
            assert!(banned > 100, "{superko} superko has forbidden {banned} points");
        }
    }
}

#[test]
fn move_sequences_agree() {
    for superko in SUPERKO {
        for suicide in [false, true] {
            for (size, depth) in [(2, 8), (3, 5), (4, 3), (5, 3)] {
                rules(size, 0.0, suicide, superko).compare_counts(depth);
            }
        }
    }
}

/// Positions that are legal, by size: J. Tromp and G. Farnebäck, Combinatorics of Go, 2007, Table 1
/// (OEIS A094777). They are met by playing on from every position, whoever moves, ko or not.
fn legal_positions(size: usize) -> usize {
    let game = rules(size, 0.0, false, "simple").game;
    let history = GoHistory::default();
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let mut boards: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut open = vec![game.start()];
    let mut legal = Vec::new();
    seen.insert(game.node_key(&open[0], &history));
    while let Some(state) = open.pop() {
        let points = 0..game.size() * game.size();
        let stone = |p| game.stone_at(&state, p).map_or(2, |player| player.index() as u8);
        boards.insert(points.map(stone).collect());
        game.legal_moves(&state, &history, &mut legal);
        for &mv in &legal {
            let mut child = state;
            game.play(&mut child, mv);
            if seen.insert(game.node_key(&child, &history)) {
                open.push(child);
            }
        }
    }
    boards.len()
}

#[test]
fn legal_positions_are_as_many_as_published() {
    assert_eq!(legal_positions(2), 57);
    assert_eq!(legal_positions(3), 12_675);
}

/// All boards of 4x4, a bit a board: three to the power of 16 of them.
#[test]
#[ignore = "takes minutes; cargo test --release -p dz-game go_array -- --ignored"]
fn legal_positions_of_four_by_four() {
    let game = rules(4, 0.0, false, "simple").game;
    let history = GoHistory::default();
    let code = |state: &GoState| {
        let stone = |p| game.stone_at(state, p).map_or(0, |player| 1 + player.index());
        (0..16).fold(0, |code, p| 3 * code + stone(p))
    };
    let mut seen = vec![0u64; 3usize.pow(16).div_ceil(64)];
    let mut open = vec![game.start()];
    let (mut boards, mut legal) = (1, Vec::new());
    seen[0] = 1;
    // Who moves and ko do not matter here: a pass hands the move over and lifts the ko.
    while let Some(state) = open.pop() {
        let mut passed = state;
        game.play(&mut passed, Move(16));
        let mut back = passed;
        // For the next legal moves one pass counts as none; two would end the game.
        for from in [state, passed] {
            game.legal_moves(&from, &history, &mut legal);
            for &mv in &legal[..legal.len().saturating_sub(1)] {
                back.clone_from(&from);
                game.play(&mut back, mv);
                let code = code(&back);
                if seen[code / 64] >> (code % 64) & 1 == 0 {
                    seen[code / 64] |= 1 << (code % 64);
                    boards += 1;
                    open.push(back);
                }
            }
        }
    }
    assert_eq!(boards, 24_318_165);
}
