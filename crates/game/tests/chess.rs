//! Chess: published perft counts, draws, notation, positions as text, keys and the policy index.

use std::collections::BTreeSet;

use dz_game::{
    Encoding, Game, GameError, Key, Move, Outcome, PlaneWriter, Player, Status, Symmetry,
    games::{Chess, ChessHistory, ChessState},
    laws, perft,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The positions that the Chess Programming Wiki lists under "Perft Results", and their counts from
/// depth 0 on.
const PERFT: [(&str, &[u64]); 6] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[1, 20, 400, 8902, 197_281, 4_865_609, 119_060_324],
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[1, 48, 2039, 97_862, 4_085_603],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[1, 14, 191, 2812, 43_238, 674_624]),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[1, 6, 264, 9467, 422_333],
    ),
    (
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        &[1, 44, 1486, 62_379, 2_103_487],
    ),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[1, 46, 2079, 89_890, 3_894_594],
    ),
];

const CHESS: Chess = Chess::new();

/// A position, and what came before it.
#[derive(Clone, Debug)]
struct Line {
    state: ChessState,
    history: ChessHistory,
}

impl Line {
    fn start() -> Self {
        Self { state: CHESS.start(), history: ChessHistory::default() }
    }
    fn from(fen: &str) -> Self {
        let state = CHESS.parse_position(fen).unwrap_or_else(|error| panic!("{error}"));
        Self { state, history: ChessHistory::default() }
    }
    fn play(mut self, moves: &str) -> Self {
        for text in moves.split_whitespace() {
            let played = CHESS.play_text(&mut self.state, &mut self.history, text);
            played.unwrap_or_else(|error| panic!("{error} in {}", self.state.fen()));
        }
        self
    }
    fn legal(&self) -> Vec<Move> {
        let mut legal = Vec::new();
        CHESS.legal_moves(&self.state, &self.history, &mut legal);
        legal
    }
    fn legal_text(&self) -> Vec<String> {
        self.legal().into_iter().map(|mv| CHESS.format_move(mv)).collect()
    }
    fn status(&self) -> Status {
        CHESS.status(&self.state, &self.history)
    }
    fn keys(&self) -> (Key, Key) {
        let key = CHESS.eval_key(&self.state, &self.history);
        (key, CHESS.node_key(&self.state, &self.history))
    }
    fn is_drawn(&self) -> bool {
        let drawn = self.status() == Status::Over(Outcome::DRAW);
        assert!(!drawn || self.legal().is_empty(), "moves after the end in {}", self.state.fen());
        drawn
    }
}

#[test]
fn published_perft_counts() {
    for (fen, counts) in PERFT {
        let line = Line::from(fen);
        let found = perft(&CHESS, &line.state, &line.history, counts.len() as u32 - 1);
        assert_eq!(found, counts, "{fen}");
    }
}

/// Perft does not list moves, so the list has to count up to the same.
#[test]
fn legal_moves_count_up_to_the_same() {
    fn count(line: &Line, depth: usize) -> u64 {
        let legal = line.legal();
        if depth == 1 {
            return legal.len() as u64;
        }
        let after = legal.into_iter().map(|mv| {
            let mut next = line.clone();
            CHESS.advance(&mut next.state, &mut next.history, mv);
            count(&next, depth - 1)
        });
        after.sum()
    }
    for (fen, counts) in PERFT {
        assert_eq!(count(&Line::from(fen), 3), counts[3], "{fen}");
    }
}

#[test]
fn perft_follows_the_rules_of_movement_only() {
    let drawn = Line::from("7k/8/8/8/8/8/8/KB6 w - - 100 80");
    assert!(drawn.is_drawn());
    let counts = perft(&CHESS, &drawn.state, &drawn.history, 3);
    assert_eq!(counts[..2], [1, 9]);
    assert!(counts[3] > 100, "{counts:?}");
    let mated = Line::start().play("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(perft(&CHESS, &mated.state, &mated.history, 2), [1, 0, 0]);
}

#[test]
fn mate_and_stalemate() {
    let mated = Line::start().play("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(mated.status(), Status::Over(Outcome::win_of(Player::Second)));
    assert!(mated.legal().is_empty() && mated.state.in_check());
    let scholar = Line::start().play("e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7");
    assert_eq!(scholar.status(), Status::Over(Outcome::win_of(Player::First)));
    let stalemate = Line::from("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1").play("g5g6");
    assert!(stalemate.is_drawn() && !stalemate.state.in_check());
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8";
    let twice = Line::start().play(shuffle);
    assert_eq!(twice.status(), Status::ToMove(Player::First));
    let nearly = twice.clone().play("g1f3 g8f6 f3g1");
    assert_eq!(nearly.status(), Status::ToMove(Player::Second));
    assert!(nearly.play("f6g8").is_drawn());
    // The same squares with the other side to move are another position: the king loses a move.
    let line = Line::from("4k3/7p/8/8/8/8/7P/4K3 w - - 0 1").play("e1e2 e8e7 e2d1 e7d8 d1e1 d8e8");
    assert_eq!(line.play("e1e2 e8e7 e2e1 e7e8").status(), Status::Over(Outcome::DRAW));
    // A pawn's move starts anew.
    let anew = Line::start().play(shuffle).play("e2e4 e7e5").play(shuffle);
    assert!(!anew.is_drawn());
    assert!(anew.play(shuffle).is_drawn());
}

/// FIDE 9.2.3: positions differ if a castling right is lost, or if a pawn could have been captured
/// en passant; a double step that nobody can capture makes no difference.
#[test]
fn what_makes_positions_the_same() {
    let kings = "e1e2 e8e7 e2e1 e7e8";
    let castling = Line::from("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").play(kings);
    assert!(!castling.clone().play(kings).is_drawn(), "the first occurrence had castling rights");
    assert!(castling.play(kings).play("e1e2 e8e7").is_drawn());
    let capturable = Line::from("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1").play("e2e4");
    let kings = "e8e7 e1e2 e7e8 e2e1";
    assert!(!capturable.clone().play(kings).play(kings).is_drawn());
    assert!(capturable.play(kings).play(kings).play("e8e7").is_drawn());
    let safe = Line::from("4k3/8/8/8/2p5/8/4P3/4K3 w - - 0 1").play("e2e4");
    assert!(safe.play(kings).play(kings).is_drawn());
    // The pawn is pinned, so the capture is not legal: no difference either.
    let pinned = Line::from("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1").play("e2e4");
    assert!(!pinned.legal_text().contains(&"d4e3".to_owned()));
    let without = Line::from("8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1");
    assert_eq!(pinned.keys(), without.keys());
    assert_eq!(pinned.state, without.state);
}

#[test]
fn fifty_moves_are_a_draw_unless_the_last_one_mates() {
    let line = Line::from("7k/8/8/8/8/8/R7/K7 w - - 98 90").play("a2b2");
    assert_eq!(line.status(), Status::ToMove(Player::Second));
    assert!(line.clone().play("h8g8").is_drawn());
    let taken = Line::from("k7/8/8/8/8/8/6pR/K7 b - - 99 90");
    assert!(taken.clone().play("a8b8").is_drawn());
    assert!(!taken.play("g2g1q").is_drawn(), "a pawn's move starts the count anew");
    let mate = Line::from("7k/8/6K1/8/8/8/8/R7 w - - 99 90").play("a1a8");
    assert_eq!(mate.state.halfmove_clock(), 100);
    assert_eq!(mate.status(), Status::Over(Outcome::win_of(Player::First)));
}

#[test]
fn material_that_cannot_mate_is_a_draw() {
    for (pieces, drawn) in [
        ("k7/8/8/8/8/8/8/7K", true),
        ("k7/8/8/8/8/8/8/6NK", true),
        ("k7/8/8/8/8/8/8/6BK", true),
        ("kb6/8/8/8/8/8/8/7K", true),
        ("kn6/8/8/8/8/8/8/7K", true),
        // Bishops on squares of one colour, then of both.
        ("kb6/8/8/8/8/8/8/5B1K", false),
        ("kb6/8/8/8/8/8/8/6BK", true),
        ("kb1b4/8/8/8/8/8/8/4B1BK", true),
        ("k7/8/8/8/8/8/8/5BBK", false),
        // A knight and any other minor piece can mate with help.
        ("k7/8/8/8/8/8/8/5NNK", false),
        ("kn6/8/8/8/8/8/8/6NK", false),
        ("kb6/8/8/8/8/8/8/6NK", false),
        ("k7/8/8/8/8/8/7P/7K", false),
        ("k7/8/8/8/8/8/8/6RK", false),
        ("k7/8/8/8/8/8/8/5Q1K", false),
    ] {
        let line = Line::from(&format!("{pieces} w - - 0 1"));
        assert_eq!(line.is_drawn(), drawn, "{pieces}");
    }
}

#[test]
fn castling_en_passant_and_promotion_as_uci_writes_them() {
    let line = Line::from("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for castle in ["e1g1", "e1c1"] {
        assert!(line.legal_text().iter().any(|text| text == castle));
    }
    assert_eq!(line.clone().play("e1g1").state.fen(), "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1");
    assert_eq!(line.clone().play("E1C1").state.fen(), "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1");
    let black = line.play("a1b1 e8c8");
    assert_eq!(black.state.fen(), "2kr3r/8/8/8/8/8/8/1R2K2R w K - 2 2");
    // A king that stands on e1 without rights, and a rook's move from e1, are nothing special.
    let rook = Line::from("3k4/8/8/8/8/8/K7/4R2R w - - 0 1");
    assert_eq!(rook.play("e1g1").state.fen(), "3k4/8/8/8/8/8/K7/6RR b - - 1 1");
    let line = Line::start().play("e2e4 a7a6 e4e5 d7d5 e5d6");
    assert_eq!(line.state.fen(), "rnbqkbnr/1pp1pppp/p2P4/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3");
    let line = Line::from("6k1/P7/8/8/8/8/8/K7 w - - 0 1");
    let promotions = ["a7a8n", "a7a8b", "a7a8r", "a7a8q"];
    assert_eq!(line.legal_text()[3..], promotions, "ascending by piece");
    assert_eq!(line.play("A7A8Q").state.fen(), "Q5k1/8/8/8/8/8/8/K7 b - - 0 1");
}

#[test]
fn text_that_is_no_move_is_refused() {
    let state = CHESS.start();
    for text in ["", "e", "e2e", "e9e4", "i2i4", "e2e4k", "e2e4p", "e2e4qq", "0000", "é2e4", "Xe4"]
    {
        let error = CHESS.parse_move(&state, text).expect_err(text);
        assert!(matches!(&error, GameError::BadMove { .. }), "{error}");
    }
    for text in
        ["e2e5", "e2e4q", "e1g1", "e1h1", "e7e5", "a1a1", "h8h8n", "e2", "e5", "O-O", "Bc4", "exd5"]
    {
        let mut line = Line::start();
        let error = CHESS.play_text(&mut line.state, &mut line.history, text).expect_err(text);
        assert!(matches!(error, GameError::IllegalMove { .. }), "{error}");
        assert_eq!(line.state, CHESS.start());
    }
}

#[test]
fn positions_read_back() {
    for (fen, _) in PERFT {
        assert_eq!(Line::from(fen).state.fen(), fen);
    }
    for (short, full) in [
        ("8/8/8/8/8/8/k6p/2K5 b - -", "8/8/8/8/8/8/k6p/2K5 b - - 0 1"),
        ("  8/8/8/8/8/8/k6p/2K5\tb - - 7 0 ", "8/8/8/8/8/8/k6p/2K5 b - - 7 1"),
        ("8/8/8/8/8/8/k6p/2K5 b - - 101 1", "8/8/8/8/8/8/k6p/2K5 b - - 100 1"),
        ("8/8/8/8/8/8/k6p/2K5 b - - 99999999999999999999 1", "8/8/8/8/8/8/k6p/2K5 b - - 100 1"),
    ] {
        assert_eq!(Line::from(short).state.fen(), full);
    }
}

#[test]
fn bad_positions_say_what_is_wrong() {
    for (fen, words) in [
        ("", "six fields"),
        ("startpos", "six fields"),
        ("8/8/8/8/8/8/k7/2K5 b - - 0", "six fields"),
        ("8/8/8/8/8/8/k7/2K5 b - - 0 1 1", "six fields"),
        ("8/8/8/8/8/k7/2K5 b - - 0 1", "eight ranks"),
        ("8/8/8/8/8/8/8/k7/2K5 b - - 0 1", "eight ranks"),
        ("8/8/8/8/8/8/k7/2K5 b - - -1 1", "counters"),
        ("8/8/8/8/8/8/k7/2K5 b - - 0 x", "counters"),
        // Nine pawns: the one rule that is broken, and none that is kept.
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "position: a side has at most eight pawns"),
        (
            "8/8/8/8/qqqqqqqq/qqqqqqqq/k7/2K5 b - - 0 1",
            "position: a side has at most sixteen pieces",
        ),
        ("4k3/8/8/8/8/8/8/2KK4 w - - 0 1", "position: each side has one king"),
        ("8/8/8/8/8/8/k7/2K5 b - - 0 65536", "65535"),
        ("8/8/8/8/8/8/k7/2K6 b - - 0 1", "eight squares"),
        ("8/8/8/8/8/8/k7/2K4 b - - 0 1", "eight squares"),
        ("8/8/8/8/8/8/k7/2X5 b - - 0 1", "eight squares"),
        ("8/8/8/8/8/8/8/2K5 b - - 0 1", "one king"),
        ("8/8/8/8/8/8/kk6/2K5 b - - 0 1", "one king"),
        ("P7/8/8/8/8/8/k7/2K5 b - - 0 1", "no pawn on the first"),
        ("8/8/8/8/8/8/k7/R1K5 w - - 0 1", "side that has moved"),
        ("8/8/8/8/8/8/kK6/8 w - - 0 1", "side by side"),
        ("8/8/8/8/8/8/k7/2K5 white - - 0 1", "w or b"),
        ("8/8/8/8/8/8/k7/2K5 b K - 0 1", "KQkq"),
        ("8/8/8/8/k7/8/8/4K2R w KK - 0 1", "KQkq"),
        ("8/8/8/8/1k6/8/8/R3K2R w HA - 0 1", "KQkq"),
        ("8/8/8/8/8/8/k7/5K1R w K - 0 1", "e file"),
        ("8/8/8/8/8/8/k7/2K5 b - e3 0 1", "two ranks"),
        ("8/8/8/8/8/8/k7/2K5 b - e4 0 1", "two ranks"),
        ("8/8/8/8/8/8/k7/2K5 b - x 0 1", "two ranks"),
        ("1QQQQQQ1/QQQQ4/8/8/7k/6pp/6pp/2K5 b - - 0 1", "pawns"),
        ("8/8/8/k7/8/8/PPPPPPPP/2KNNN2 w - - 0 1", "pawns"),
        ("8/8/8/8/8/8/k7/2K5 b - - 0 99999999999999999999", "65535"),
        ("8/8/8/8/8/8/k7/2K5 b - - \u{661} 1", "counters"),
        ("8/8/8/8/8/8/k7/2\u{212a}5 b - - 0 1", "eight squares"),
        ("99999999/8/8/8/8/8/k7/2K5 b - - 0 1", "eight squares"),
        ("8/8/8/8/8/8/k7/2K5 b Kq - 0 1", "KQkq"),
        ("r3k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "KQkq"),
        ("4k3/8/8/8/8/8/8/RN2K3 w K - 0 1", "KQkq"),
        ("4k3/8/8/8/8/8/4P3/4K3 b - e3 0 1", "two ranks"),
        ("4k3/8/8/8/4P3/4N3/8/4K3 b - e3 0 1", "two ranks"),
        ("4k3/8/8/8/4P3/8/4N3/4K3 b - e3 0 1", "two ranks"),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "two ranks"),
        ("4k3/8/8/4P3/8/8/8/4K3 b - e4 0 1", "two ranks"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e9 0 1", "two ranks"),
        ("4r1k1/8/8/8/7b/8/8/r3K3 w - - 0 1", "at most two pieces that give check"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "side that has moved"),
        ("8\n8/8/8/8/8/8/k7/2K5 b - - 0 1", "six fields"),
    ] {
        let error = CHESS.parse_position(fen).expect_err(fen);
        assert!(matches!(error, GameError::BadPosition { .. }), "{fen}: {error}");
        let message = error.to_string();
        assert!(message.contains(words) && !message.contains('\n'), "{fen}: {message}");
    }
    for text in ["8/".repeat(5000), "\u{1f600}".repeat(2500), "\n".repeat(10_000)] {
        let message = CHESS.parse_position(&text).expect_err("refused").to_string();
        assert!(message.chars().count() < 400 && message.contains("six fields"), "{message}");
    }
}

/// Whatever stands in a position's text, it is refused in one line, or it is a position that can be
/// played on, encoded and written.
#[test]
fn mutated_positions_never_panic() {
    let alphabet: Vec<char> = "12345678/KQRBNPkqrbnp wb-acefgh390é\0\n".chars().collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut accepted = 0;
    for round in 0..60_000 {
        let (fen, _) = PERFT[round % PERFT.len()];
        let mut text: Vec<char> = fen.chars().collect();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..text.len());
            let letter = alphabet[random.random_range(0..alphabet.len())];
            match random.random_range(0..4) {
                0 => text[at] = letter,
                1 => text.insert(at, letter),
                2 => drop(text.remove(at)),
                _ => {
                    let other = random.random_range(0..text.len());
                    text.swap(at, other);
                }
            }
        }
        let text: String = text.into_iter().collect();
        match CHESS.parse_position(&text) {
            Err(error) => assert!(!error.to_string().contains('\n'), "{text:?}"),
            Ok(state) => {
                accepted += 1;
                play_on(&Line { state, history: ChessHistory::default() }, &mut random);
            }
        }
    }
    assert!((1_000..59_000).contains(&accepted), "{accepted} of 60,000 are positions");
}

/// A few random plies from a position, each of them read back, printed and encoded.
fn play_on(line: &Line, random: &mut Xoshiro256PlusPlus) {
    let mut line = line.clone();
    for _ in 0..6 {
        let read = Line::from(&line.state.fen());
        assert_eq!(read.state, line.state, "{}", line.state.fen());
        let legal = line.legal();
        assert!(legal.len() <= CHESS.moves_max(), "{} moves", legal.len());
        check_slots(&line.state, &legal);
        let Some(&mv) = legal.get(random.random_range(0..legal.len().max(1))) else { return };
        CHESS.advance(&mut line.state, &mut line.history, mv);
    }
}

fn check_slots(state: &ChessState, legal: &[Move]) {
    let encoding = CHESS.encoding();
    let slot = |&mv| encoding.policy_index(state, mv, Symmetry::IDENTITY);
    let slots: BTreeSet<usize> = legal.iter().map(slot).collect();
    assert_eq!(slots.len(), legal.len(), "two moves share a slot in {}", state.fen());
    assert!(slots.last().is_none_or(|&slot| slot < encoding.policy_len()));
}

/// Kinds of moves by hand, and the same for Black in the mirrored position.
#[test]
fn policy_indices() {
    let encoding = CHESS.encoding();
    let slot = |fen: &str, text: &str| {
        let state = Line::from(fen).state;
        let mv = CHESS.parse_move(&state, text).expect("a move");
        encoding.policy_index(&state, mv, Symmetry::IDENTITY)
    };
    let square = |file: usize, rank: usize| (8 - rank) * 8 + file - 1;
    let start = PERFT[0].0;
    assert_eq!(slot(start, "e2e3"), square(5, 2));
    assert_eq!(slot(start, "e2e4"), 64 + square(5, 2));
    assert_eq!(slot(start, "g1h3"), 56 * 64 + square(7, 1));
    assert_eq!(slot(start, "g1f3"), 63 * 64 + square(7, 1));
    let white = "r3k2r/1P6/8/8/8/7q/8/R3K2R w KQkq - 0 1";
    let black = "r3k2r/8/7Q/8/8/8/1p6/R3K2R b KQkq - 0 1";
    for (text, mirrored, kind, from) in [
        ("e1g1", "e8g8", 7 * 2 + 1, square(5, 1)),
        ("e1c1", "e8c8", 7 * 6 + 1, square(5, 1)),
        ("a1a8", "a8a1", 6, square(1, 1)),
        ("b7a8q", "b2a1q", 7 * 7, square(2, 7)),
        ("b7b8q", "b2b1q", 0, square(2, 7)),
        ("b7a8n", "b2a1n", 64, square(2, 7)),
        ("b7b8b", "b2b1b", 68, square(2, 7)),
        ("b7c8r", "b2c1r", 72, square(2, 7)),
    ] {
        assert_eq!(slot(white, text), kind * 64 + from, "{text}");
        assert_eq!(slot(black, mirrored), kind * 64 + from, "{mirrored}");
    }
}

#[test]
fn keys_distinguish_what_the_future_depends_on() {
    // After a pawn's move the past is forgotten, whatever the order.
    let one = Line::start().play("e2e4 e7e5 d2d4");
    let other = Line::start().play("d2d4 e7e5 e2e4");
    assert_eq!(one.keys().1, other.keys().1);
    // Knights in another order have passed through other positions: seen alike, another future.
    let one = Line::start().play("g1f3 g8f6 b1c3");
    let other = Line::start().play("b1c3 g8f6 g1f3");
    assert_eq!(one.keys().0, other.keys().0);
    assert_ne!(one.keys().1, other.keys().1);
    assert_eq!(one.play("b8c6 e2e4").keys().1, other.play("b8c6 e2e4").keys().1);
    // A repeated position is another one, and so is one with another clock, right or mover.
    let fens = [
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 1 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    ];
    let keys: BTreeSet<Key> = fens.iter().map(|fen| Line::from(fen).keys().0).collect();
    assert_eq!(keys.len(), fens.len());
    let number = Line::from("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 40");
    assert_eq!(number.keys(), Line::from(fens[0]).keys(), "the number of the move does not count");
    let (first, again) = (Line::start(), Line::start().play("g1f3 g8f6 f3g1 f6g8"));
    assert_ne!(first.keys().0, again.keys().0);
    assert_ne!(first.state, again.state, "the clock is part of the state");
}

/// The planes of a position in `game`: a list of points for each, true where they are set.
fn planes(game: &Chess, line: &Line) -> Vec<Vec<bool>> {
    let encoding = game.encoding();
    let shape = encoding.planes();
    let (mut packed, mut globals) = (vec![0; shape.packed_bytes()], vec![0.0; shape.globals]);
    let mut writer = PlaneWriter::new(shape, &mut packed, &mut globals);
    encoding.encode(&line.state, &line.history, Symmetry::IDENTITY, &mut writer);
    let bit = |bit: usize| packed[bit / 8] >> (bit % 8) & 1 == 1;
    let points = |plane| (64 * plane..64 * (plane + 1)).map(bit).collect();
    (0..shape.channels).map(points).collect()
}

/// A past position is encoded as when it was the current one, but from today's side.
#[test]
fn past_positions_are_encoded() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    for count in [1, 2, 7usize] {
        let spec = format!("chess:history_planes={count}").parse().expect("a specification");
        let game = Chess::from_spec(&spec).expect("a game");
        assert_eq!(game.spec(), spec);
        assert_eq!(game.encoding().id(), format!("chess-v1:8x8,history_planes={count}"));
        let mut line = Line::from("7k/8/8/p7/P7/8/8/K6N w - - 0 1");
        let mut encoded: Vec<Vec<Vec<bool>>> = Vec::new();
        let mut repeated = 0;
        while !line.legal().is_empty() {
            let now = planes(&game, &line);
            assert_eq!(now[..19], planes(&CHESS, &line));
            for back in 1..=count {
                let shown = &now[19 + 13 * (back - 1)..19 + 13 * back];
                let Some(then) = encoded.len().checked_sub(back).map(|at| &encoded[at]) else {
                    assert!(shown.iter().flatten().all(|point| !point), "before the first ply");
                    continue;
                };
                let (own, other) = if back % 2 == 0 { (0, 6) } else { (6, 0) };
                for kind in 0..6 {
                    let seen = |plane: &[bool]| match back % 2 {
                        0 => plane.to_vec(),
                        _ => plane.chunks(8).rev().flatten().copied().collect(),
                    };
                    assert_eq!(shown[kind], seen(&then[own + kind]));
                    assert_eq!(shown[6 + kind], seen(&then[other + kind]));
                }
                assert_eq!(shown[12], then[17], "whether it had occurred before");
                repeated += usize::from(shown[12][0]);
            }
            encoded.push(now);
            let legal = line.legal();
            let mv = legal[random.random_range(0..legal.len())];
            game.advance(&mut line.state, &mut line.history, mv);
        }
        assert!(repeated > 0 && encoded.len() > 20, "{} plies", encoded.len());
    }
    for count in ["8", "-1", "x"] {
        let spec = format!("chess:history_planes={count}").parse().expect("a specification");
        let refused = Chess::from_spec(&spec).expect_err("refused").to_string();
        assert!(refused.ends_with("allowed: 0 to 7"), "{refused}");
    }
    assert_eq!(Chess::from_spec(&"chess:history_planes=0".parse().expect("text")), Ok(CHESS));
}

/// Lines that meet are one sight without history planes and two with them.
#[test]
fn keys_know_the_past_that_networks_see() {
    let spec = "chess:history_planes=1".parse().expect("a specification");
    let game = Chess::from_spec(&spec).expect("a game");
    let keys = |game: &Chess, moves: &str| {
        let mut line = Line::start();
        for text in moves.split(' ') {
            let played = game.play_text(&mut line.state, &mut line.history, text);
            played.expect("a legal move");
        }
        (game.eval_key(&line.state, &line.history), game.node_key(&line.state, &line.history))
    };
    let (one, other) = ("e2e4 e7e5 d2d4", "d2d4 e7e5 e2e4");
    assert_eq!(keys(&CHESS, one), keys(&CHESS, other));
    assert_ne!(keys(&game, one).0, keys(&game, other).0);
    assert_ne!(keys(&game, one).1, keys(&game, other).1);
    let (one, other) = ("e2e4 e7e5 d2d4 a7a6 a2a3", "d2d4 e7e5 e2e4 a7a6 a2a3");
    assert_eq!(keys(&game, one), keys(&game, other), "a ply later they meet");
    for count in [1, 3] {
        let spec = format!("chess:history_planes={count}").parse().expect("a specification");
        let game = Chess::from_spec(&spec).expect("a game");
        laws::check(&game, 20_261_124, 1).unwrap_or_else(|broken| panic!("{broken}"));
    }
}
