//! Go obeys the laws under every rule set; ko, suicide, komi, vertices and keys by hand.

use dz_game::{
    Encoding, Game, Key, Komi, Outcome, PlaneWriter, Player, Status, Symmetry,
    games::{Go, GoHistory, GoState},
    laws, unpack_planes,
};

fn go(text: &str) -> Go {
    Go::from_spec(&text.parse().expect("a specification")).expect("possible rules")
}

/// The position after `moves`, which are legal.
fn after(game: &Go, moves: &str) -> (GoState, GoHistory) {
    let (mut state, mut history) = (game.start(), GoHistory::default());
    for text in moves.split_whitespace() {
        game.play_text(&mut state, &mut history, text)
            .unwrap_or_else(|error| panic!("{text} of {moves}: {error}"));
    }
    (state, history)
}

fn is_legal(game: &Go, moves: &str, text: &str) -> bool {
    let (mut state, mut history) = after(game, moves);
    game.play_text(&mut state, &mut history, text).is_ok()
}

#[test]
fn laws_hold_under_every_rule_set() {
    for superko in ["positional", "situational", "simple"] {
        for suicide in [false, true] {
            // At most twelve points: node keys are exact, so one step of bisimulation is, too.
            for (size, games) in [(2, 60), (3, 12), (4, 4), (5, 3), (7, 1)] {
                let text = format!("go:size={size},superko={superko},suicide={suicide}");
                // Above that, the past is forgotten only where it cannot come back in 255 plies.
                let text = if size > 3 { format!("{text},repetition_bound=255") } else { text };
                let checked = laws::check(&go(&text), 11, games);
                checked.unwrap_or_else(|broken| panic!("{text}: {broken}"));
            }
        }
    }
}

/// Keys distinguish past positions as far as networks see them.
#[test]
fn laws_hold_with_past_positions() {
    for (text, games) in [
        ("go:size=2,history_planes=7,suicide=true", 30),
        ("go:size=3,history_planes=1,superko=situational", 6),
        ("go:size=5,history_planes=3,repetition_bound=255", 3),
    ] {
        let checked = laws::check(&go(text), 12, games);
        checked.unwrap_or_else(|broken| panic!("{text}: {broken}"));
    }
}

/// Own and opponent's stones of a past position, as the mover sees them now.
#[test]
fn planes_of_the_past_are_those_of_its_positions() {
    let game = go("go:size=5,history_planes=7");
    let (shape, plain) = (game.encoding().planes(), go("go:size=5").encoding().planes());
    assert_eq!(shape.channels, plain.channels + 14);
    let mut past = Vec::new();
    for moves in 0..=12 {
        let moves: Vec<&str> = MANY.split(' ').take(moves).collect();
        let (state, history) = after(&game, &moves.join(" "));
        let mut packed = vec![0; shape.packed_bytes()];
        let mut globals = vec![0.0; shape.globals];
        let mut planes = vec![0.0; shape.bits()];
        let mut writer = PlaneWriter::new(shape, &mut packed, &mut globals);
        game.encoding().encode(&state, &history, Symmetry::IDENTITY, &mut writer);
        unpack_planes(shape, &packed, &mut planes);
        let planes: Vec<&[f32]> = planes.chunks(shape.area()).collect();
        for plies in 1..=7 {
            let seen = &planes[plain.channels + 2 * (plies - 1)..][..2];
            let none = vec![0.0; shape.area()];
            // Stones of the first player, then of the second.
            let expected = past.iter().rev().nth(plies - 1).cloned();
            let [first, second] = expected.unwrap_or_else(|| [none.clone(), none.clone()]);
            let black = game.to_move(&state, &history) == Some(Player::First);
            let expected = if black { [first, second] } else { [second, first] };
            assert_eq!(seen, expected, "{plies} plies before {moves:?}");
        }
        let points = |player| {
            let stone = |point| game.stone_at(&state, point) == Some(player);
            (0..25).map(|point| f32::from(stone(point))).collect::<Vec<f32>>()
        };
        past.push(Player::BOTH.map(points));
    }
}

/// Captures, a ko and a pass.
const MANY: &str = "C4 D4 B3 E3 C2 D2 D3 C3 pass A5 D3 A1";

/// White has just taken at C3; black may not take back at once, in any rule set.
const KO: &str = "C4 D4 B3 E3 C2 D2 D3 C3";

#[test]
fn a_ko_is_not_retaken_at_once() {
    for superko in ["positional", "situational", "simple"] {
        let game = go(&format!("go:size=5,superko={superko}"));
        assert!(!is_legal(&game, KO, "D3"), "{superko}");
        let threat = format!("{KO} A5 A1");
        assert!(is_legal(&game, &threat, "D3"), "{superko}");
        let (state, history) = after(&game, KO);
        let (other, old) = after(&game, "B3 E3 C4 D4 C2 D2 D3 C3");
        assert_eq!(game.eval_key(&state, &history), game.eval_key(&other, &old));
        let passed = after(&game, &format!("{KO} A5 A1"));
        assert_ne!(game.eval_key(&passed.0, &passed.1), game.eval_key(&state, &history));
    }
}

#[test]
fn suicide_is_an_option_and_never_repeats_a_board_under_positional_superko() {
    for (superko, legal) in [("positional", false), ("situational", true), ("simple", true)] {
        let game = go(&format!("go:size=3,suicide=true,superko={superko}"));
        // White's single stone in black's corner dies at once and leaves the board as it was.
        assert_eq!(is_legal(&game, "A2 pass B1", "A1"), legal, "{superko}");
    }
    assert!(!is_legal(&go("go:size=3"), "A2 pass B1", "A1"));
    let two = "A2 A1 B2 pass C1";
    assert!(is_legal(&go("go:size=3,suicide=true"), two, "B1"), "two stones die");
    assert!(!is_legal(&go("go:size=3"), two, "B1"));
}

#[test]
fn komi_decides_and_the_margin_never_counts_it() {
    let outcome = |komi: &str, moves: &str| {
        let game = go(&format!("go:size=3,komi={komi}"));
        let (state, history) = after(&game, moves);
        game.status(&state, &history)
    };
    let over = |winner, margin| Status::Over(Outcome { winner, margin: Some(margin) });
    assert_eq!(outcome("0", "pass pass"), over(None, 0));
    assert_eq!(outcome("0.5", "pass pass"), over(Some(Player::Second), 0));
    assert_eq!(outcome("-0.5", "pass pass"), over(Some(Player::First), 0));
    assert_eq!(outcome("8.5", "B2 pass pass"), over(Some(Player::First), 9));
    assert_eq!(outcome("9", "B2 pass pass"), over(None, 9));
    assert_eq!(outcome("9.5", "B2 pass pass"), over(Some(Player::Second), 9));
    assert_eq!(outcome("7", "B2 pass"), Status::ToMove(Player::First));
}

/// What a position is to the rules and to networks: outcome or mover, keys, globals.
fn seen(game: &Go, state: &GoState, history: &GoHistory) -> (Status, [Key; 2], Vec<f32>) {
    let shape = game.encoding().planes();
    let (mut packed, mut globals) = (vec![0; shape.packed_bytes()], vec![0.0; shape.globals]);
    let mut writer = PlaneWriter::new(shape, &mut packed, &mut globals);
    game.encoding().encode(state, history, Symmetry::IDENTITY, &mut writer);
    let keys = [game.eval_key(state, history), game.node_key(state, history)];
    (game.status(state, history), keys, globals)
}

/// A variant is the game of its komi, and the game that it is a variant of says the same of its
/// positions.
#[test]
fn variants_of_komi_are_games_of_their_own_that_share_rules_and_encoding() {
    let base = go("go:size=3,komi=7,superko=situational");
    let mut met = Vec::new();
    for halves in [-5, 0, 13, 14, 15, 19] {
        let variant = base.with_komi(Komi { halves }).expect("a game with komi");
        let direct = go(&format!("go:size=3,komi={},superko=situational", Komi { halves }));
        assert_eq!((variant.komi(), variant.spec()), (Some(Komi { halves }), direct.spec()));
        assert_eq!(variant.record_format(), direct.record_format());
        laws::check(&variant, 5, 6).unwrap_or_else(|broken| panic!("{halves}: {broken}"));
        for moves in ["", "B2", "B2 A1", "B2 pass pass", "B2 A1 A2 pass pass"] {
            let [(state, history), (plain, past)] = [&variant, &direct].map(|go| after(go, moves));
            let found = seen(&variant, &state, &history);
            assert_eq!(found, seen(&base, &state, &history), "{halves}, {moves}");
            let (status, keys, globals) = seen(&direct, &plain, &past);
            assert_eq!((&found.0, &found.2), (&status, &globals), "{halves}, {moves}");
            // No key of another komi or position; only the configured komi has the keys of a game
            // by itself.
            assert_eq!(found.1 == keys, halves == 14);
            assert!(found.1.iter().all(|key| !met.contains(key)), "{halves}, {moves}");
            met.extend(found.1);
        }
        let again = variant.with_komi(Komi { halves: 14 }).expect("a game with komi");
        assert_eq!((again.start(), again.spec()), (base.start(), base.spec()));
    }
    // Points of the board and 20 more, as KataGo clips, unless the rules have more themselves.
    let clipped = |text: &str, halves| go(text).with_komi(Komi { halves }).and_then(|go| go.komi());
    assert_eq!(clipped("go:size=3", 700), Some(Komi { halves: 58 }));
    assert_eq!(clipped("go:size=3", -700), Some(Komi { halves: -58 }));
    assert_eq!(clipped("go:size=3,komi=40", 79), Some(Komi { halves: 79 }));
    assert!(dz_game::games::TicTacToe.with_komi(Komi { halves: 1 }).is_none());
}

#[test]
fn points_are_gtp_vertices() {
    let game = go("go:size=19");
    let start = game.start();
    for (text, point) in [("A19", 0), ("J19", 8), ("T1", 360), ("h1", 349), ("PASS", 361)] {
        let mv = game.parse_move(&start, text).expect("a vertex");
        assert_eq!(mv.0, point);
        assert_eq!(game.format_move(mv).to_lowercase(), text.to_lowercase());
    }
    for text in ["", "I5", "A0", "A20", "U1", "A", "5", "A-1", "A+1", "A1b", "\u{e9}1", "resign"] {
        let refused = game.parse_move(&start, text).expect_err("no vertex").to_string();
        assert!(refused.contains("A1 to T19"), "{refused}");
    }
}

/// Moves in another order: the same position, and the same node where chains have room.
#[test]
fn the_past_is_forgotten_where_it_cannot_come_back() {
    let keys = |text: &str, moves: &str| -> (Key, Key) {
        let game = go(text);
        let (state, history) = after(&game, moves);
        (game.eval_key(&state, &history), game.node_key(&state, &history))
    };
    let (one, two) = ("D4 F6 E3 G7", "E3 G7 D4 F6");
    assert_eq!(keys("go", one), keys("go", two));
    let (first, second) =
        (keys("go:repetition_bound=255", one), keys("go:repetition_bound=255", two));
    assert_eq!(first.0, second.0);
    assert_ne!(first.1, second.1, "within 255 plies anything may come back");
    let passed = ["D4 F6 E3 G7 pass", "E3 G7 D4 F6 pass"].map(|moves| keys("go", moves));
    assert_eq!(passed[0], passed[1], "what was forgotten before the pass");
    let order = ["pass D4 pass", "pass E3 pass D4"].map(|moves| keys("go", moves).1);
    assert_ne!(order[0], order[1]);
    // Simple ko has no memory beyond one ply.
    assert_eq!(
        keys("go:superko=simple,size=3", "A1 B2 C3"),
        keys("go:superko=simple,size=3", "C3 B2 A1")
    );
}
