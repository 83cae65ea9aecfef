//! Chess on the generator's bitboards against a literal implementation on an array.

use dz_game::{
    Game, Move, Outcome, Player, Status,
    games::{Chess, ChessState},
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::literal::{Literal, Pair, any};

/// Those of a rook, then those of a bishop.
const QUEEN_STEPS: [(i32, i32); 8] =
    [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT_STEPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// A position in the sense of repetition: 64 letters as in FEN from a1 to h8, `.` for an empty
/// square.
#[derive(Clone, Copy, PartialEq)]
struct Board {
    squares: [u8; 64],
    white_moves: bool,
    /// Letters of `KQkq`, or `-`.
    rights: [u8; 4],
    /// The square behind a pawn that can be captured en passant.
    en_passant: Option<usize>,
}

/// From, to, and the letter that a pawn becomes.
type Step = (usize, usize, Option<u8>);

impl Board {
    fn from_fen(fen: &str) -> Self {
        let fields: Vec<&str> = fen.split(' ').collect();
        let (mut squares, mut at) = ([b'.'; 64], 56);
        for letter in fields[0].bytes() {
            match letter {
                b'/' => at -= 16,
                b'1'..=b'8' => at += usize::from(letter - b'0'),
                _ => {
                    squares[at] = letter;
                    at += 1;
                }
            }
        }
        let right = |letter| if fields[2].contains(char::from(letter)) { letter } else { b'-' };
        let rights = [b'K', b'Q', b'k', b'q'].map(right);
        let behind = |text: &[u8]| usize::from(text[0] - b'a') + 8 * usize::from(text[1] - b'1');
        let en_passant = (fields[3] != "-").then(|| behind(fields[3].as_bytes()));
        Self { squares, white_moves: fields[1] == "w", rights, en_passant }
            .without_idle_en_passant()
    }

    /// The first three fields of its FEN.
    fn fen(&self) -> String {
        let mut text = String::new();
        for rank in self.squares.chunks(8).rev() {
            let letters: String = rank.iter().copied().map(char::from).collect();
            let empty = (1..=8).rev().fold(letters, |letters, count| {
                letters.replace(&".".repeat(count), &count.to_string())
            });
            text += &[&empty, "/"].concat();
        }
        text.pop();
        let rights = self.rights.iter().copied().filter(|&right| right != b'-').map(char::from);
        let rights: String = rights.collect();
        let rights = if rights.is_empty() { "-" } else { &rights };
        format!("{text} {} {rights}", if self.white_moves { 'w' } else { 'b' })
    }

    /// The square at a step from another one, if it is on the board.
    fn step(square: usize, (files, ranks): (i32, i32)) -> Option<usize> {
        let (file, rank) = (square as i32 % 8 + files, square as i32 / 8 + ranks);
        let inside = (0..8).contains(&file) && (0..8).contains(&rank);
        inside.then_some((rank * 8 + file) as usize)
    }

    /// The kind of piece that a side has on a square: a small letter.
    fn piece(&self, white: bool, square: usize) -> Option<u8> {
        let letter = self.squares[square];
        let own = letter.is_ascii_alphabetic() && letter.is_ascii_uppercase() == white;
        own.then(|| letter.to_ascii_lowercase())
    }

    /// True if the answer is yes for a square that a piece moves or slides to; the last one of a
    /// slide may hold a piece.
    fn reaches(&self, kind: u8, from: usize, mut answer: impl FnMut(usize) -> bool) -> bool {
        let (steps, far) = match kind {
            b'n' => (&KNIGHT_STEPS[..], false),
            b'r' => (&QUEEN_STEPS[..4], true),
            b'b' => (&QUEEN_STEPS[4..], true),
            b'q' => (&QUEEN_STEPS[..], true),
            _ => (&QUEEN_STEPS[..], false),
        };
        for &step in steps {
            let mut next = Self::step(from, step);
            while let Some(to) = next {
                if answer(to) {
                    return true;
                }
                next = Self::step(to, step).filter(|_| far && self.squares[to] == b'.');
            }
        }
        false
    }

    /// A piece of `white` or of black could take on this square: what a piece there would reach
    /// holds a piece of its kind.
    fn is_attacked(&self, square: usize, white: bool) -> bool {
        let from_below = if white { -1 } else { 1 };
        let mut pawns =
            [-1, 1].into_iter().filter_map(|file| Self::step(square, (file, from_below)));
        pawns.any(|at| self.piece(white, at) == Some(b'p'))
            || [b'n', b'b', b'r', b'q', b'k']
                .into_iter()
                .any(|kind| self.reaches(kind, square, |at| self.piece(white, at) == Some(kind)))
    }

    fn in_check(&self, white: bool) -> bool {
        let king = (0..64).find(|&square| self.piece(white, square) == Some(b'k'));
        self.is_attacked(king.expect("there are two kings"), !white)
    }

    fn pawn_steps(&self, from: usize) -> Vec<usize> {
        let (white, mut found) = (self.white_moves, Vec::new());
        let (ahead, home) = if white { (1, 1) } else { (-1, 6) };
        let free = |to: &usize| self.squares[*to] == b'.';
        if let Some(one) = Self::step(from, (0, ahead)).filter(free) {
            found.push(one);
            found.extend(Self::step(one, (0, ahead)).filter(free).filter(|_| from / 8 == home));
        }
        let takes = [-1, 1].into_iter().filter_map(|file| Self::step(from, (file, ahead)));
        found.extend(
            takes.filter(|&to| self.piece(!white, to).is_some() || self.en_passant == Some(to)),
        );
        found
    }

    /// Where a king castles to: two files along an empty way that is not attacked.
    fn castlings(&self) -> Vec<(usize, usize)> {
        let (king, rights) = if self.white_moves { (4, 0) } else { (60, 2) };
        let sides = [(0, [1, 2].as_slice(), 1i32), (1, [1, 2, 3].as_slice(), -1)];
        let mut found = Vec::new();
        for (side, way, direction) in sides {
            let square = |files: i32| (king + direction * files) as usize;
            let empty = way.iter().all(|&files| self.squares[square(files)] == b'.');
            let safe = (0..=2).all(|files| !self.is_attacked(square(files), !self.white_moves));
            if self.rights[rights + side] != b'-' && empty && safe {
                found.push((king as usize, square(2)));
            }
        }
        found
    }

    fn after(&self, (from, to, promotion): Step) -> Self {
        let (mut next, white) = (*self, self.white_moves);
        let pawn = self.piece(white, from) == Some(b'p');
        next.squares[to] = promotion.unwrap_or(self.squares[from]);
        next.squares[from] = b'.';
        if pawn && self.en_passant == Some(to) {
            next.squares[from / 8 * 8 + to % 8] = b'.';
        }
        next.en_passant = (pawn && from.abs_diff(to) == 16).then_some(usize::midpoint(from, to));
        if self.piece(white, from) == Some(b'k') && from.abs_diff(to) == 2 {
            let (corner, beside) = if to > from { (to + 1, to - 1) } else { (to - 2, to + 1) };
            next.squares[beside] = next.squares[corner];
            next.squares[corner] = b'.';
        }
        for (right, squares) in [(0, [4, 7]), (1, [4, 0]), (2, [60, 63]), (3, [60, 56])] {
            if squares.contains(&from) || squares.contains(&to) {
                next.rights[right] = b'-';
            }
        }
        next.white_moves = !white;
        next
    }

    fn steps(&self) -> Vec<Step> {
        let (white, mut found) = (self.white_moves, Vec::new());
        for from in 0..64 {
            let Some(kind) = self.piece(white, from) else { continue };
            let mut to = Vec::new();
            if kind == b'p' {
                to = self.pawn_steps(from);
            } else {
                self.reaches(kind, from, |square| {
                    to.push(square);
                    false
                });
            }
            for to in to.into_iter().filter(|&to| self.piece(white, to).is_none()) {
                if kind == b'p' && !(8..56).contains(&to) {
                    let letters = if white { *b"NBRQ" } else { *b"nbrq" };
                    found.extend(letters.map(|letter| (from, to, Some(letter))));
                } else {
                    found.push((from, to, None));
                }
            }
        }
        found.extend(self.castlings().into_iter().map(|(from, to)| (from, to, None)));
        found.retain(|&step| !self.after(step).in_check(white));
        found
    }

    /// En passant counts in a position only where the capture is legal.
    fn without_idle_en_passant(mut self) -> Self {
        let takes = |&(from, to, _): &Step| {
            self.en_passant == Some(to) && self.piece(self.white_moves, from) == Some(b'p')
        };
        if self.en_passant.is_some() && !self.steps().iter().any(takes) {
            self.en_passant = None;
        }
        self
    }

    /// Kings and at most one knight or bishop, or bishops on squares of one colour.
    fn cannot_mate(&self) -> bool {
        let colour = |square: usize| (square / 8 + square % 8) % 2;
        let (mut bishops, mut knights) = ([0, 0], 0);
        for (square, letter) in self.squares.iter().enumerate() {
            match letter.to_ascii_lowercase() {
                b'p' | b'r' | b'q' => return false,
                b'b' => bishops[colour(square)] += 1,
                b'n' => knights += 1,
                _ => {}
            }
        }
        bishops[0] + bishops[1] + knights <= 1 || knights == 0 && bishops.contains(&0)
    }
}

/// The rules as one would explain them: every move is tried, and every position is remembered.
#[derive(Clone)]
struct ArrayChess {
    board: Board,
    past: Vec<Board>,
    clock: u32,
}

impl ArrayChess {
    fn from_fen(fen: &str) -> Self {
        let clock = fen.split(' ').nth(4).expect("six fields").parse().expect("a number");
        Self { board: Board::from_fen(fen), past: Vec::new(), clock }
    }

    fn is_drawn(&self) -> bool {
        let before = self.past.iter().filter(|&&past| past == self.board).count();
        before >= 2 || self.clock >= 100 || self.board.cannot_mate()
    }
}

impl Literal for ArrayChess {
    type Game = Chess;

    fn status(&self) -> Status {
        let mover = if self.board.white_moves { Player::First } else { Player::Second };
        let stuck = self.board.steps().is_empty();
        if stuck && self.board.in_check(self.board.white_moves) {
            Status::Over(Outcome::win_of(mover.opponent()))
        } else if stuck || self.is_drawn() {
            Status::Over(Outcome::DRAW)
        } else {
            Status::ToMove(mover)
        }
    }

    fn legal(&self) -> Vec<Move> {
        let number = |(from, to, promotion): Step| {
            let letter = promotion.map_or(0, |letter| letter.to_ascii_lowercase());
            let promotion =
                b"nbrq".iter().position(|&known| known == letter).map_or(0, |at| 1 + at);
            Move((from * 512 + to * 8 + promotion) as u16)
        };
        let steps = if self.is_drawn() { Vec::new() } else { self.board.steps() };
        let mut legal: Vec<Move> = steps.into_iter().map(number).collect();
        legal.sort_unstable();
        legal
    }

    fn play(&mut self, mv: Move) {
        let (from, to) = (usize::from(mv.0 / 512), usize::from(mv.0 / 8 % 64));
        let letters = if self.board.white_moves { b".NBRQ" } else { b".nbrq" };
        let promotion = Some(letters[usize::from(mv.0 % 8)]).filter(|&letter| letter != b'.');
        let pawn = self.board.squares[from].eq_ignore_ascii_case(&b'p');
        let quiet = !pawn && self.board.squares[to] == b'.';
        self.clock = if quiet { self.clock + 1 } else { 0 };
        self.past.push(self.board);
        self.board = self.board.after((from, to, promotion)).without_idle_en_passant();
    }

    fn check(&self, _game: &Chess, state: &ChessState) {
        let fen = state.fen();
        assert!(fen.starts_with(&(self.board.fen() + " ")), "{fen}\n{}", self.board.fen());
        assert_eq!(u32::from(state.halfmove_clock()), self.clock);
    }
}

/// The start, and positions with castling, promotion, en passant and few pieces.
const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    "7k/8/8/8/8/8/1R6/K7 w - - 0 1",
];

fn pair(fen: &str) -> Pair<ArrayChess> {
    let game = Chess::default();
    let state = game.parse_position(fen).expect("a position");
    Pair { state, ..Pair::new(game, ArrayChess::from_fen(fen)) }
}

#[test]
fn random_games_agree() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let (mut plies, mut ends) = (0, [0; 3]);
    for round in 0..950 {
        let mut pair = pair(STARTS[round % STARTS.len()]);
        pair.play_out(usize::MAX, |pair, _| any(&pair.legal, &mut random));
        plies += pair.plies;
        let drawn = pair.literal.status() == Status::Over(Outcome::DRAW);
        let end = if !drawn {
            0
        } else if pair.literal.clock >= 100 {
            1
        } else {
            2
        };
        ends[end] += 1;
    }
    assert!(plies > 200_000, "{plies} plies");
    assert!(ends.iter().all(|&count| count > 20), "mates, fifty moves, other draws: {ends:?}");
}

#[test]
fn move_sequences_agree() {
    for fen in STARTS {
        pair(fen).compare_counts(2);
    }
    pair(STARTS[5]).compare_counts(3);
}
