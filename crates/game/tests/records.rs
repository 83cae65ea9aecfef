//! Moves and roots as records write them: algebraic notation, SGF's points, swaps and passes.

use dz_game::{
    Game, GameError, Move, RecordFormat, SgfRoot,
    games::{Chess, ChessHistory, Go, Gomoku, GomokuRule, Hex, Othello},
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const CHESS: Chess = Chess::new();

const PLIES: usize = 100_000;

fn go(text: &str) -> Go {
    Go::from_spec(&text.parse().expect("a specification")).expect("a game")
}

fn root(game: &impl Game) -> SgfRoot {
    match game.record_format() {
        RecordFormat::Sgf(root) => root,
        other => panic!("{other:?}"),
    }
}

/// The notation in `fen` of the move that UCI calls `uci`; it must read back.
fn san(fen: &str, uci: &str) -> String {
    let state = CHESS.parse_position(fen).expect(fen);
    let mv = CHESS.parse_move(&state, uci).expect(uci);
    let text = CHESS.record_move(&state, mv).expect("chess leaves nothing out");
    assert_eq!(CHESS.parse_record_move(&state, &text), Ok(mv), "{text}");
    text
}

#[test]
fn algebraic_notation_by_hand() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for (fen, uci, expected) in [
        (start, "e2e4", "e4"),
        (start, "g1f3", "Nf3"),
        // Only one knight may go to d2 by the rules, the other one is pinned to its king.
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "b1d2", "Nbd2"),
        ("4k3/8/8/R7/8/8/8/R3K3 w - - 0 1", "a1a3", "R1a3"),
        ("3rk2r/8/8/8/8/8/8/4K3 b - - 0 1", "h8f8", "Rf8"),
        // Three queens: each letter and each number is shared with another one.
        ("5k2/8/8/8/4Q2Q/8/K7/7Q w - - 0 1", "h4e1", "Qh4e1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O"),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("3nk3/P3P3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q"),
        ("3nk3/P3P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+"),
        ("3nk3/P3P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8n", "exd8=N"),
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4", "Qh4#"),
    ] {
        assert_eq!(san(fen, uci), expected, "{fen} {uci}");
    }
}

#[test]
fn algebraic_notation_as_others_write_it() {
    let read = |fen: &str, text: &str| {
        let state = CHESS.parse_position(fen).unwrap();
        CHESS.parse_record_move(&state, text).map(|mv| CHESS.format_move(mv))
    };
    let promotion = "3nk3/P3P3/8/8/8/8/8/4K3 w - - 0 1";
    for text in ["exd8=Q+", "exd8Q", "ed8=q", "exd8(Q)!", "e7xd8/Q", "e7d8q", "e:d8Q!?", "ed8Q+"] {
        assert_eq!(read(promotion, text).as_deref(), Ok("e7d8q"), "{text}");
    }
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for text in ["O-O", "0-0", "o-o", "OO", "e1g1", "O-O!"] {
        assert_eq!(read(castling, text).as_deref(), Ok("e1g1"), "{text}");
    }
    assert_eq!(read(castling, "0-0-0").as_deref(), Ok("e1c1"));
    let passing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    for text in ["exd6", "exd6e.p.", "exd6 e.p.", "ed", "e5xd6"] {
        let found = read(passing, text);
        assert_eq!(found.is_ok(), text != "ed", "{text}: {found:?}");
    }
    let knights = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1";
    assert_eq!(read(knights, "Nb1-d2").as_deref(), Ok("b1d2"));
    let either = read(knights, "Nd2").unwrap_err();
    assert!(matches!(&either, GameError::AmbiguousMove { fits, .. } if fits == "Nbd2 Nfd2"));
    // A bishop is a capital letter, a file is not.
    let b = "4k3/8/8/8/8/2n5/1P1B4/4K3 w - - 0 1";
    assert_eq!(read(b, "bxc3").as_deref(), Ok("b2c3"));
    assert_eq!(read(b, "Bxc3").as_deref(), Ok("d2c3"));
    for text in
        ["", "e", "e9", "Kd9", "Ke2e", "--", "Z0", "♘f3", "Nf3Nf3Nf3", "=Q", "a8=", "O-O-O-O"]
    {
        let error = read(knights, text).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
    }
}

/// What people type: both notations, small letters, numbers of moves; protocols read UCI alone.
#[test]
fn typed_moves_are_read_in_both_notations() {
    let read = |fen: &str, text: &str| {
        let state = CHESS.parse_position(fen).unwrap();
        CHESS.parse_move(&state, text).map(|mv| CHESS.format_move(mv))
    };
    let start = CHESS.position_text(&CHESS.start()).unwrap();
    for text in ["e2e4", "e4", "E2E4", "E4", "e4!"] {
        assert_eq!(read(&start, text).as_deref(), Ok("e2e4"), "{text}");
    }
    for text in ["Nf3", "nf3", "g1f3", "Ngf3"] {
        assert_eq!(read(&start, text).as_deref(), Ok("g1f3"), "{text}");
    }
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert_eq!(read(castling, "O-O").as_deref(), Ok("e1g1"));
    assert_eq!(read(castling, "0-0-0").as_deref(), Ok("e1c1"));
    let promotion = "3nk3/P3P3/8/8/8/8/8/4K3 w - - 0 1";
    assert_eq!(read(promotion, "exd8=Q+").as_deref(), Ok("e7d8q"));
    // A small b is a file where a pawn can go, else the bishop.
    let both = "4k3/8/8/8/8/2n5/1P1B4/4K3 w - - 0 1";
    assert_eq!(read(both, "bxc3").as_deref(), Ok("b2c3"));
    assert_eq!(read("4k3/8/8/8/8/2n5/3B4/4K3 w - - 0 1", "bxc3").as_deref(), Ok("d2c3"));
    let either = read("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "nd2").unwrap_err().to_string();
    assert_eq!(either, "'Nd2' may be any of these moves: Nbd2 Nfd2");
    assert_eq!(CHESS.split_moves("1. e4 e5 2.Nf3 2... Nc6 0-0"), ["e4", "e5", "Nf3", "Nc6", "0-0"]);
    assert!(CHESS.parse_protocol_move(&CHESS.start(), "Nf3").is_err(), "protocols read UCI alone");
}

/// No two moves of a position have one name, and each name reads back to its move.
#[test]
fn algebraic_notation_reads_back_over_random_plies() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut state, mut history) = (CHESS.start(), ChessHistory::default());
    let mut legal = Vec::new();
    for _ in 0..PLIES {
        CHESS.legal_moves(&state, &history, &mut legal);
        if legal.is_empty() {
            (state, history) = (CHESS.start(), ChessHistory::default());
            continue;
        }
        let mv = legal[random.random_range(0..legal.len())];
        let text = CHESS.record_move(&state, mv).unwrap();
        assert_eq!(CHESS.parse_record_move(&state, &text), Ok(mv), "{text} in {}", state.fen());
        CHESS.advance(&mut state, &mut history, mv);
    }
}

#[test]
fn roots_say_what_readers_need() {
    let go_root = root(&go("go:size=19,komi=7.5,suicide=true"));
    assert_eq!((go_root.game, go_root.size, go_root.komi_halves), (1, 19, 15));
    let value = |root: &SgfRoot, name: &str| {
        root.properties.iter().find(|(key, _)| *key == name).map(|(_, values)| values.join(" "))
    };
    assert_eq!(value(&go_root, "KM").as_deref(), Some("7.5"));
    for (spec, rules) in [
        ("go:suicide=true", "Tromp-Taylor"),
        ("go:suicide=true,superko=situational", "NZ"),
        ("go", "koPOSITIONALscoreAREAtaxNONEsui0"),
        ("go:superko=situational", "koSITUATIONALscoreAREAtaxNONEsui0"),
        ("go:superko=simple,suicide=true", "koSIMPLEscoreAREAtaxNONEsui1"),
    ] {
        assert_eq!(value(&root(&go(spec)), "RU").as_deref(), Some(rules));
    }
    let othello = root(&Othello::new(8).unwrap());
    assert_eq!((othello.game, othello.size), (2, 8));
    assert_eq!(value(&othello, "AB").as_deref(), Some("e4 d5"));
    assert_eq!(value(&othello, "AW").as_deref(), Some("d4 e5"));
    let hex = [false, true].map(|swap| root(&Hex::new(11, swap).unwrap()));
    assert_eq!(hex.each_ref().map(|root| (root.game, root.size)), [(11, 11); 2]);
    assert_eq!(hex.each_ref().map(|root| value(root, "RU")), [None, Some("swap".to_owned())]);
    let gomoku = root(&Gomoku::new(15, GomokuRule::Exact).unwrap());
    assert_eq!((gomoku.game, value(&gomoku, "RU").as_deref()), (4, Some("exact")));
}

#[test]
fn points_count_from_the_top_left() {
    let go = go("go:size=19");
    let start = go.start();
    for (vertex, sgf) in [("D16", "dd"), ("A19", "aa"), ("T1", "ss"), ("J10", "ij"), ("pass", "")] {
        let mv = go.parse_move(&start, vertex).unwrap();
        assert_eq!(go.record_move(&start, mv).as_deref(), Some(sgf));
        assert_eq!(go.parse_record_move(&start, sgf), Ok(mv));
        assert_eq!(go.parse_record_move(&start, &sgf.to_uppercase()), Ok(mv));
    }
    assert_eq!(go.parse_record_move(&start, "tt"), go.parse_move(&start, "pass"));
    for text in ["a", "ta", "aaa", "é", "1a", "  "] {
        assert!(go.parse_record_move(&start, text).is_err(), "{text}");
    }
    let gomoku = Gomoku::new(15, GomokuRule::Freestyle).unwrap();
    let start = gomoku.start();
    let middle = gomoku.parse_move(&start, "h8").unwrap();
    assert_eq!(gomoku.record_move(&start, middle).as_deref(), Some("hh"));
    let corner = gomoku.parse_move(&start, "b1").unwrap();
    assert_eq!(gomoku.record_move(&start, corner).as_deref(), Some("ba"));
    assert!(gomoku.parse_record_move(&start, "pp").is_err());
}

#[test]
fn hex_swaps_pieces() {
    let hex = Hex::new(5, true).unwrap();
    let (mut state, mut history) = (hex.start(), ());
    hex.play_text(&mut state, &mut history, "b4").unwrap();
    let swap = hex.parse_move(&state, "swap").unwrap();
    assert_eq!(hex.record_move(&state, swap).as_deref(), Some("swap-pieces"));
    for text in ["swap-pieces", "SWAP-PIECES", "swap"] {
        assert_eq!(hex.parse_record_move(&state, text), Ok(swap));
    }
    let sides = hex.parse_record_move(&state, "swap-sides").unwrap_err();
    assert!(sides.to_string().contains("swap-pieces"), "{sides}");
    assert!(Hex::new(5, false).unwrap().parse_record_move(&state, "swap-pieces").is_err());
}

#[test]
fn othello_leaves_passes_out() {
    let othello = Othello::new(8).unwrap();
    let start = othello.start();
    let pass = othello.parse_move(&start, "pass").unwrap();
    assert_eq!(othello.record_move(&start, pass), None);
    for text in ["", "pass", "PA", "@@@@"] {
        assert_eq!(othello.parse_record_move(&start, text), Ok(pass));
    }
    let d3 = othello.parse_record_move(&start, "D3").unwrap();
    assert_eq!((d3, othello.record_move(&start, d3).as_deref()), (Move(19), Some("d3")));
}
