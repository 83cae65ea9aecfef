//! Chess: perft where rules are easily got wrong, and deeper than each change can wait for.
//!
//! Counts of M. Sedlak's test positions (talkchess.com, 2012) and of the Chess Programming Wiki's
//! page "Perft Results".

use dz_game::{Game, games::Chess, games::ChessHistory, perft};

fn check(positions: &[(&str, u32, u64)]) {
    let game = Chess::new();
    for &(fen, depth, count) in positions {
        let state = game.parse_position(fen).unwrap_or_else(|error| panic!("{error}"));
        let counts = perft(&game, &state, &ChessHistory::default(), depth);
        assert_eq!(counts.last(), Some(&count), "{fen}");
    }
}

#[test]
fn en_passant() {
    check(&[
        // The capture would open a line to the king.
        ("8/5bk1/8/2Pp4/8/1K6/8/8 w - d6 0 1", 6, 824_064),
        ("8/8/1k6/8/2pP4/8/5BK1/8 b - d3 0 1", 6, 824_064),
        // The capture gives check.
        ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1_440_467),
        ("8/5k2/8/2Pp4/2B5/1K6/8/8 w - d6 0 1", 6, 1_440_467),
    ]);
}

#[test]
fn castling() {
    check(&[
        // Castling gives check.
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6, 661_072),
        ("4k2r/8/8/8/8/8/8/5K2 b k - 0 1", 6, 661_072),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6, 803_711),
        ("r3k3/8/8/8/8/8/8/3K4 b q - 0 1", 6, 803_711),
        // Rights end with the rook.
        ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 4, 1_274_206),
        ("r3k2r/7b/8/8/8/8/1B4BQ/R3K2R b KQkq - 0 1", 4, 1_274_206),
        // The way is attacked.
        ("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 4, 1_720_476),
        ("r3k2r/8/5Q2/8/8/3q4/8/R3K2R w KQkq - 0 1", 4, 1_720_476),
    ]);
}

#[test]
fn promotion() {
    check(&[
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5, 3_605_103),
        // Out of check.
        ("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6, 3_821_001),
        ("3K4/8/8/8/8/8/4p3/2k2R2 b - - 0 1", 6, 3_821_001),
        // With check.
        ("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6, 217_342),
        ("8/k7/8/8/8/8/1p6/4K3 b - - 0 1", 6, 217_342),
        // To a lesser piece.
        ("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6, 92_683),
        ("8/8/8/8/8/k7/p1K5/8 b - - 0 1", 6, 92_683),
    ]);
}

#[test]
fn checks_and_ends() {
    check(&[
        // A discovered check.
        ("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5, 1_004_658),
        ("5K2/8/1Q6/2N5/8/1p2k3/8/8 w - - 0 1", 5, 1_004_658),
        // Stalemate of oneself.
        ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6, 2_217),
        ("8/8/8/8/8/p7/8/k1K5 b - - 0 1", 6, 2_217),
        // Mate and stalemate.
        ("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7, 567_584),
        ("8/8/8/8/1k6/8/K1p5/8 b - - 0 1", 7, 567_584),
        // Two checks at once.
        ("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4, 23_527),
        ("8/5k2/8/5N2/5Q2/2K5/8/8 w - - 0 1", 4, 23_527),
    ]);
}

#[test]
#[ignore = "half a minute; run with --release -- --ignored"]
fn published_counts_a_ply_deeper() {
    check(&[
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 7, 3_195_901_860),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 193_690_690),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 178_633_661),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6, 706_045_033),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 89_941_194),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            5,
            164_075_551,
        ),
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 6, 71_179_139),
    ]);
}
