//! Gomoku: numbers of move sequences, rows of five and more, draws, notation, the printed board,
//! laws.

use dz_game::{
    Encoding, Game, GameError, GameSpec, Move, Outcome, PlaneWriter, Player, Status, Symmetry,
    games::{Gomoku, GomokuOpening, GomokuRule, GomokuState},
    laws, perft,
};

fn gomoku(size: u8, rule: GomokuRule) -> Gomoku {
    Gomoku::new(size, rule).expect("a possible size")
}

/// The position after `moves`, which are legal.
fn after(game: &Gomoku, moves: &str) -> GomokuState {
    let mut state = game.start();
    for text in moves.split_whitespace() {
        game.play_text(&mut state, &mut (), text).expect("a legal move");
    }
    state
}

fn legal(game: &Gomoku, state: &GomokuState) -> Vec<Move> {
    let mut legal = Vec::new();
    game.legal_moves(state, &(), &mut legal);
    legal
}

fn won_by(player: Player) -> Status {
    Status::Over(Outcome::win_of(player))
}

/// Before the ninth ply nobody has five stones, so every point that is open can be played.
#[test]
fn move_sequences_are_products_until_somebody_can_win() {
    for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
        let game = gomoku(15, rule);
        let counts = perft(&game, &game.start(), &(), 4);
        assert_eq!(counts, [1, 225, 225 * 224, 225 * 224 * 223, 225 * 224 * 223 * 222]);
        let game = gomoku(6, rule);
        assert_eq!(perft(&game, &game.start(), &(), 4)[4], 36 * 35 * 34 * 33);
    }
}

/// A board of n rows has 2n(n-4) + 2(n-4)^2 places for five stones in line. All 376,992 sets of
/// five stones on six rows are played.
#[test]
fn every_line_of_five_wins_and_nothing_else_does() {
    let game = gomoku(6, GomokuRule::Freestyle);
    let mut wins = 0;
    let mut play = |chosen: [u16; 5]| {
        let mut state = game.start();
        // The second player's stones lie where the first player's do not; four never win.
        let mut others = (0..36).filter(|point| !chosen.contains(point));
        for (index, &point) in chosen.iter().enumerate() {
            game.play(&mut state, Move(point));
            if index < 4 {
                game.play(&mut state, Move(others.next().expect("31 other points")));
            }
        }
        wins += usize::from(game.status(&state, &()) == won_by(Player::First));
    };
    for a in 0..36 {
        for b in a + 1..36 {
            for c in b + 1..36 {
                for d in c + 1..36 {
                    for e in d + 1..36 {
                        // The last stone is not always the one at the end.
                        let mut chosen = [a, e, c, b, d];
                        chosen.rotate_left(usize::from((a + b + c + d + e) % 5));
                        play(chosen);
                    }
                }
            }
        }
    }
    assert_eq!(wins, 2 * 6 * 2 + 2 * 2 * 2);
}

#[test]
fn five_in_line_win_for_either_player_in_either_rule() {
    for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
        let game = gomoku(15, rule);
        for (moves, winner) in [
            ("h8 a1 i8 a2 j8 a3 l8 a4 k8", Player::First),
            ("h8 a1 h9 b2 h10 c3 h7 e5 a15 d4", Player::Second),
            ("k11 o1 l12 n2 m13 m3 n14 k5 a1 l4", Player::Second),
            ("a11 c3 a12 d3 a13 e3 a14 f3 a15", Player::First),
        ] {
            assert_eq!(game.status(&after(&game, moves), &()), won_by(winner), "{moves}");
            let before = after(&game, &moves[..moves.rfind(' ').expect("many moves")]);
            assert_eq!(game.status(&before, &()), Status::ToMove(winner), "{moves}");
        }
        // Five stones that only seem to follow one another: they go over the board's edge.
        let around = after(&game, "m1 a15 n1 c15 o1 e15 a2 g15 b2");
        assert_eq!(game.status(&around, &()), Status::ToMove(Player::Second));
    }
}

/// Filling the gap of three and two stones makes six.
#[test]
fn six_win_in_freestyle_only() {
    let six = "c3 a1 d3 a2 e3 a4 g3 a5 h3 a7 f3";
    let free = gomoku(15, GomokuRule::Freestyle);
    assert_eq!(free.status(&after(&free, six), &()), won_by(Player::First));
    let exact = gomoku(15, GomokuRule::Exact);
    let state = after(&exact, six);
    assert_eq!(exact.status(&state, &()), Status::ToMove(Player::Second));
    // The row stays without effect; a five elsewhere, even through it, wins.
    let crossed = after(&exact, &format!("{six} o1 f4 o2 f5 o4 f6 o5 f7"));
    assert_eq!(exact.status(&crossed, &()), won_by(Player::First));
    // A stone may make a six and a five at once, and that wins.
    let both = "c3 a1 d3 a2 e3 a4 g3 a5 h3 a7 f4 a8 f5 a10 f6 a11 f7 a13 f3";
    assert_eq!(exact.status(&after(&exact, both), &()), won_by(Player::First));
}

/// Colours alternate along rows and change every second row, which leaves nobody five in line.
#[test]
fn a_full_board_is_a_draw() {
    let game = gomoku(6, GomokuRule::Freestyle);
    let mut points: [Vec<u16>; 2] = [Vec::new(), Vec::new()];
    for (row, signs) in
        ["XOXOXO", "XOXOXO", "OXOXOX", "OXOXOX", "XOXOXO", "XOXOXO"].iter().enumerate()
    {
        for (column, sign) in signs.chars().enumerate() {
            points[usize::from(sign == 'O')].push((row * 6 + column) as u16);
        }
    }
    let mut state = game.start();
    for ply in 0..36 {
        assert!(matches!(game.status(&state, &()), Status::ToMove(_)), "{}", game.render(&state));
        game.play(&mut state, Move(points[ply % 2][ply / 2]));
    }
    assert_eq!(game.status(&state, &()), Status::Over(Outcome::DRAW));
    assert_eq!(legal(&game, &state), []);
}

#[test]
fn points_are_read_and_written() {
    let game = gomoku(19, GomokuRule::Freestyle);
    let start = game.start();
    for (text, point) in [("a1", 0), ("i1", 8), ("J1", 9), ("s1", 18), ("a2", 19), ("S19", 360)] {
        assert_eq!(game.parse_move(&start, text), Ok(Move(point)));
        assert_eq!(game.format_move(Move(point)), text.to_lowercase());
    }
    let game = gomoku(15, GomokuRule::Exact);
    for text in
        ["", "a", "1", "1a", "a0", "p1", "a16", "a-1", "a+1", "a1b", "\u{e9}1", "pass", "a999999"]
    {
        let refused = game.parse_move(&start, text).expect_err("no move").to_string();
        assert_eq!(refused, format!("'{text}' is not a move; write a point, a1 to o15"));
    }
    let mut state = after(&game, "h8");
    let refused = game.play_text(&mut state, &mut (), "H8").expect_err("taken");
    assert!(refused.to_string().starts_with("move 'H8' is not legal here; legal moves: a1 b1 "));
    assert_eq!(state, after(&game, "h8"));
    let mut over = after(&game, "h8 a1 i8 a2 j8 a3 l8 a4 k8");
    let refused = game.play_text(&mut over, &mut (), "o15");
    assert!(matches!(refused, Err(GameError::IllegalMove { .. })), "{refused:?}");
}

#[test]
fn names_with_impossible_parameters_are_refused() {
    let read = |text: &str| {
        let spec: GameSpec = text.parse().expect("a specification");
        Gomoku::from_spec(&spec).map(|game| game.spec().to_string())
    };
    for text in ["gomoku", "gomoku:size=15", "gomoku:rule=freestyle,size=15"] {
        assert_eq!(read(text).as_deref(), Ok("gomoku:size=15,rule=freestyle"));
    }
    assert_eq!(read("gomoku:rule=exact").as_deref(), Ok("gomoku:size=15,rule=exact"));
    assert_eq!(read("gomoku:opening=none").as_deref(), Ok("gomoku:size=15,rule=freestyle"));
    let unusual = "gomoku:size=9,rule=exact,opening=swap2";
    assert_eq!(read(unusual).as_deref(), Ok(unusual));
    for (text, expected) in [
        ("gomoku:size=5", "gomoku: size=5 is not possible; allowed: 6 to 19"),
        ("gomoku:size=20", "gomoku: size=20 is not possible; allowed: 6 to 19"),
        ("gomoku:size=x", "gomoku: size=x is not possible; allowed: 6 to 19"),
        ("gomoku:rule=renju", "gomoku: rule=renju is not possible; allowed: freestyle, exact"),
        ("gomoku:opening=true", "gomoku: opening=true is not possible; allowed: none, swap, swap2"),
        ("gomoku:swap=true", "gomoku has no parameter 'swap'; it has: size, rule, opening"),
    ] {
        assert_eq!(read(text).expect_err("refused").to_string(), expected);
    }
}

#[test]
fn the_board_is_printed() {
    let game = gomoku(6, GomokuRule::Freestyle);
    let picture = "   a b c d e f
 1 . . . . . X
 2 . O . . . .
 3 . . . . . .
 4 . . . . . .
 5 . . . . . .
 6 X . . . . .
";
    assert_eq!(game.render(&after(&game, "f1 b2 a6")), picture);
}

/// Own stones come first whoever moves, and every symmetry shows a board of its own.
#[test]
fn planes_are_encoded_from_the_movers_side() {
    let game = gomoku(8, GomokuRule::Freestyle);
    let encoding = game.encoding();
    let encode = |state: &GomokuState, symmetry| {
        let mut planes = vec![0; encoding.planes().packed_bytes()];
        let mut writer = PlaneWriter::new(encoding.planes(), &mut planes, &mut []);
        encoding.encode(state, &(), symmetry, &mut writer);
        planes
    };
    // A plane of eight rows is eight bytes, a row a byte, column a its lowest bit.
    let state = after(&game, "a2 h1 c3");
    let (own, other, board) = ([128, 0, 0, 0, 0, 0, 0, 0], [0, 1, 4, 0, 0, 0, 0, 0], [255; 8]);
    assert_eq!(encode(&state, Symmetry::IDENTITY), [own, other, board].concat());
    let next = encode(&after(&game, "a2 h1 c3 h2"), Symmetry::IDENTITY);
    assert_eq!(next[..16], [[0, 1, 4, 0, 0, 0, 0, 0], [128, 128, 0, 0, 0, 0, 0, 0]].concat());
    let mut views: Vec<Vec<u8>> = (0..8).map(|s| encode(&state, Symmetry(s))).collect();
    views.sort_unstable();
    views.dedup();
    assert_eq!(views.len(), 8);
}

fn with_opening(opening: GomokuOpening) -> Gomoku {
    gomoku(6, GomokuRule::Freestyle).with_opening(opening)
}

/// Who moves after each list, and which moves place no stone there.
#[test]
fn colours_are_chosen_after_three_or_five_stones() {
    let (first, second) = (Player::First, Player::Second);
    for (opening, moves, mover, choices) in [
        (GomokuOpening::Swap, "", first, ""),
        (GomokuOpening::Swap, "a1 b1", first, ""),
        (GomokuOpening::Swap, "a1 b1 c1", second, "swap"),
        (GomokuOpening::Swap, "a1 b1 c1 d1", first, ""),
        (GomokuOpening::Swap, "a1 b1 c1 swap", first, ""),
        (GomokuOpening::Swap, "a1 b1 c1 SWAP d1", second, ""),
        (GomokuOpening::Swap2, "a1 b1 c1", second, "swap more"),
        (GomokuOpening::Swap2, "a1 b1 c1 d1", first, ""),
        (GomokuOpening::Swap2, "a1 b1 c1 swap d1", second, ""),
        (GomokuOpening::Swap2, "a1 b1 c1 more", second, ""),
        (GomokuOpening::Swap2, "a1 b1 c1 More d1", second, ""),
        (GomokuOpening::Swap2, "a1 b1 c1 more d1 e1", first, "swap"),
        (GomokuOpening::Swap2, "a1 b1 c1 more d1 e1 f1", second, ""),
        (GomokuOpening::Swap2, "a1 b1 c1 more d1 e1 swap", second, ""),
        (GomokuOpening::Swap2, "a1 b1 c1 more d1 e1 swap f1", first, ""),
    ] {
        let game = with_opening(opening);
        let state = after(&game, moves);
        assert_eq!(game.status(&state, &()), Status::ToMove(mover), "{moves}");
        let names = legal(&game, &state).into_iter().filter(|mv| mv.0 >= 36);
        let names: Vec<String> = names.map(|mv| game.format_move(mv)).collect();
        assert_eq!(names.join(" "), choices, "{moves}");
        // Colours take turns, whoever places them.
        let stones = moves.split(' ').filter(|text| text.len() == 2).count();
        let colour = |point| game.stone_at(&state, point);
        assert!((0..stones as u16).all(|p| colour(p) == Some(Player::BOTH[usize::from(p % 2)])));
    }
    let refused = after_refusal(GomokuOpening::None, "swap");
    assert_eq!(refused, "'swap' is not a move; write a point, a1 to f6");
    let refused = after_refusal(GomokuOpening::Swap, "more");
    assert_eq!(refused, "'more' is not a move; write a point, a1 to f6, or swap");
    let refused = after_refusal(GomokuOpening::Swap2, "more");
    assert!(refused.starts_with("move 'more' is not legal here; legal moves: a1 b1"), "{refused}");
}

fn after_refusal(opening: GomokuOpening, text: &str) -> String {
    let game = with_opening(opening);
    game.play_text(&mut game.start(), &mut (), text).expect_err("refused").to_string()
}

/// Black makes five in each line; who has black stands below the board.
#[test]
fn whoever_has_the_colour_wins() {
    let picture = "   a b c d e f
 1 X X X X X .
 2 O O O O . .
 3 . . . . . .
 4 . . . . . .
 5 . . . . . .
 6 . . . . . .
";
    for (opening, moves, winner) in [
        (GomokuOpening::None, "a1 a2 b1 b2 c1 c2 d1 d2 e1", Player::First),
        (GomokuOpening::Swap, "a1 a2 b1 b2 c1 c2 d1 d2 e1", Player::First),
        (GomokuOpening::Swap, "a1 a2 b1 swap b2 c1 c2 d1 d2 e1", Player::Second),
        (GomokuOpening::Swap2, "a1 a2 b1 more b2 c1 swap c2 d1 d2 e1", Player::First),
        (GomokuOpening::Swap2, "a1 a2 b1 more b2 c1 c2 d1 d2 e1", Player::Second),
    ] {
        let game = with_opening(opening);
        let state = after(&game, moves);
        assert_eq!(game.status(&state, &()), won_by(winner), "{moves}");
        let colours = match opening {
            GomokuOpening::None => String::new(),
            _ => format!("{} has black\n", winner.name()),
        };
        assert_eq!(game.render(&state), picture.to_owned() + &colours);
    }
    let shown = |moves: &str| {
        let game = with_opening(GomokuOpening::Swap2);
        game.render(&after(&game, moves)).lines().last().map(str::to_owned)
    };
    assert_eq!(shown("a1").as_deref(), Some("first places white, colours are chosen later"));
    assert_eq!(shown("a1 b1 c1").as_deref(), Some("second chooses a colour"));
    assert_eq!(
        shown("a1 b1 c1 more").as_deref(),
        Some("second places white, colours are chosen later")
    );
}

/// The same stones with other colours or another choice to make are other positions.
#[test]
fn keys_know_who_has_black() {
    let game = with_opening(GomokuOpening::Swap2);
    let lists =
        ["a1 b1 c1 d1 e1", "a1 b1 c1 swap d1 e1", "a1 b1 c1 more d1 e1", "a1 b1 e1 more d1 c1"];
    let keys: Vec<_> = lists.map(|moves| game.node_key(&after(&game, moves), &())).to_vec();
    assert_eq!(keys[2], keys[3]);
    assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
    let settled = ["a1 b1 c1 more d1 e1 f1", "a1 b1 c1 swap d1 e1 f1"];
    let settled = settled.map(|moves| game.node_key(&after(&game, moves), &()));
    assert_eq!(settled[0], settled[1], "by either way the second player has black");
}

/// Smallest, largest, and around the size at which a board needs a third word. The laws' own test
/// plays the default.
#[test]
fn laws_hold_on_many_sizes() {
    for (size, games) in [(6, 6), (7, 2), (10, 1)] {
        for rule in [GomokuRule::Freestyle, GomokuRule::Exact] {
            let game = gomoku(size, rule);
            laws::check(&game, 20_261_122, games).unwrap_or_else(|broken| panic!("{broken}"));
        }
    }
    let largest = gomoku(19, GomokuRule::Exact);
    laws::check(&largest, 20_261_122, 1).unwrap_or_else(|broken| panic!("{broken}"));
    for (opening, games) in [(GomokuOpening::Swap, 6), (GomokuOpening::Swap2, 10)] {
        let game = with_opening(opening);
        laws::check(&game, 20_261_123, games).unwrap_or_else(|broken| panic!("{broken}"));
    }
}
