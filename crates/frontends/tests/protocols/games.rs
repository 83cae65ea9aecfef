//! Engine against engine through the protocol, with a referee that knows the rules.

use crate::common::{Eyes, ask, gtp, gtp_resigning, say};
use dz_frontends::{Activity, Protocol, ResignRule, Resignation, converse};
use dz_game::{AnyGame, Game, GameSpec, Player, Status};

/// Plays a game in which both engines get every move, and checks legality and the result.
fn referee(game: &AnyGame, playouts: u32) {
    let spec = game.spec().to_string();
    let engine = |playouts| gtp(&spec, Eyes::Rollouts, playouts);
    let mut engines = [engine(playouts), engine(playouts + 3)];
    for engine in &mut engines {
        ask(engine, "kata-set-param resignThreshold -1");
    }
    let (mut state, mut history) = (game.start(), <AnyGame as Game>::History::default());
    for _ in 0..400 {
        let Status::ToMove(player) = game.status(&state, &history) else { break };
        let color = if player == Player::First { "b" } else { "w" };
        let (own, other) = (player.index(), player.opponent().index());
        let mv = ask(&mut engines[own], &format!("genmove {color}"));
        let known = game.parse_record_move(&state, &mv).or(game.parse_move(&state, &mv));
        let mut legal = Vec::new();
        game.legal_moves(&state, &history, &mut legal);
        let known = known.expect("a move");
        assert!(legal.contains(&known), "{spec}: {mv}");
        game.advance(&mut state, &mut history, known);
        ask(&mut engines[other], &format!("play {color} {mv}"));
    }
    let outcome = game.outcome(&state, &history).expect("the game ends");
    let letter = match outcome.winner {
        Some(Player::First) => "B+",
        Some(Player::Second) => "W+",
        None => "0",
    };
    for engine in &mut engines {
        assert!(ask(engine, "final_score").starts_with(letter), "{spec}");
    }
}

#[test]
fn engines_play_whole_games_and_agree_on_their_end() {
    for spec in ["go:size=5", "hex:size=4,swap=true", "othello:size=6", "connect4"] {
        let spec: GameSpec = spec.parse().expect("a spec");
        referee(&AnyGame::of(&spec).expect("a game"), 25);
    }
}

#[test]
fn an_interrupt_ends_a_search_and_other_lines_wait_for_its_answer() {
    let (sender, lines) = std::sync::mpsc::channel();
    let mut engine = gtp("go:size=9", Eyes::Rollouts, u32::MAX);
    for line in ["gogui-interrupt", "1 genmove b", "2 name", "# interrupt", "3 quit"] {
        sender.send(line.as_bytes().to_vec()).expect("it listens");
    }
    let mut out = Vec::new();
    converse(&mut engine, &lines, &mut out).expect("memory can be written");
    let text = String::from_utf8(out).expect("text");
    let answers: Vec<&str> = text.split("\n\n").collect();
    assert_eq!((answers[0], answers[2], answers[3]), ("=", "=2 DagZero", "=3"), "{text}");
    assert!(answers[1].starts_with("=1 ") && answers[1].len() <= 7, "{text}");
}

#[test]
fn moves_can_be_allowed_and_avoided() {
    let mut engine = gtp("go:size=3", Eyes::Rollouts, 60);
    let text = say(&mut engine, "kata-genmove_analyze b allow b A1,C3 9 avoid b C3 1 allow w B2 1");
    assert!(text.contains("play A1") && !text.contains("move B2"), "{text}");
    let text = say(&mut engine, "lz-genmove_analyze w avoid w pass,B2 1 avoid w B1 1");
    assert!(!text.contains("move B2") && !text.contains("move B1"), "{text}");
    assert!(text.contains("info move"), "{text}");
    let all = "A1,A2,A3,B1,B2,B3,C1,C2,C3,pass";
    let text = say(&mut engine, &format!("kata-analyze b avoid b {all} 1"));
    assert!(text.starts_with("? no legal move"), "{text}");
    assert!(
        say(&mut engine, "kata-analyze b avoid b Z9 1").starts_with("? syntax error"),
        "{text}"
    );
}

#[test]
fn a_hopeless_engine_resigns_after_three_moves() {
    // Black would need every point of the board.
    let mut engine = gtp("go:size=5,komi=24.5", Eyes::Rollouts, 60);
    for vertex in ["A2", "B2", "C2", "D2", "E2", "A4", "B4", "C4", "D4", "E4"] {
        ask(&mut engine, &format!("play w {vertex}"));
    }
    let mut moves = Vec::new();
    for _ in 0..3 {
        moves.push(ask(&mut engine, "genmove b"));
        if moves.len() < 3 {
            ask(&mut engine, "undo");
        }
    }
    assert_eq!(moves.last().map(String::as_str), Some("resign"), "{moves:?}");
    assert!(moves[..2].iter().all(|mv| mv != "resign"), "{moves:?}");
    ask(&mut engine, "kata-set-param resignThreshold -1");
    assert_ne!(ask(&mut engine, "genmove b"), "resign");
}

#[test]
fn an_engine_resigns_at_once_where_its_best_move_is_hopeless() {
    let resignation = |value| Resignation { value, rule: ResignRule::BestMove };
    // Black would need every point of the board.
    for (value, resigns) in [(-0.8, true), (-1.0, false)] {
        let mut engine =
            gtp_resigning("go:size=5,komi=24.5", Eyes::Rollouts, 60, resignation(value));
        for vertex in ["A2", "B2", "C2", "D2", "E2", "A4", "B4", "C4", "D4", "E4"] {
            ask(&mut engine, &format!("play w {vertex}"));
        }
        let said = ask(&mut engine, "genmove b");
        assert_eq!(said == "resign", resigns, "{said} below {value}");
    }
}

#[test]
fn an_engine_that_ponders_has_seen_the_answer() {
    let mut engine = gtp("go:size=5", Eyes::Uniform, 20);
    ask(&mut engine, "kata-set-param ponderingEnabled true");
    assert_eq!(ask(&mut engine, "kata-get-param ponderingEnabled"), "true");
    ask(&mut engine, "genmove b");
    for _ in 0..20 {
        assert_eq!((engine.activity(), engine.step()), (Activity::Interruptible, String::new()));
    }
    // The next line is answered as if nothing were going on, and ends it.
    let printed = ask(&mut engine, "kata-genmove_analyze w rootInfo true");
    let (_, rest) = printed.split_once("rootInfo visits ").expect("the root");
    let visits: u32 = rest.split(' ').next().expect("a number").parse().expect("a number");
    assert!(visits > 200, "{printed}");
    say(&mut engine, "name");
    assert_eq!(engine.activity(), Activity::Idle);
}

#[test]
fn what_a_search_found_serves_the_next_one() {
    let mut engine = gtp("go:size=5", Eyes::Uniform, 200);
    ask(&mut engine, "genmove b");
    let visits = |text: &str| -> u32 {
        let (_, rest) = text.split_once("rootInfo visits ").expect("the root");
        rest.split(' ').next().expect("a number").parse().expect("a number")
    };
    let printed = ask(&mut engine, "kata-genmove_analyze w rootInfo true");
    assert!(visits(&printed) > 200, "{printed}");
}
