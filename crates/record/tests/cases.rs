//! The records of `tests/cases`, each of a kind that was misread once.

use std::{fs, path::Path};

use crate::common::spec;
use dz_game::{Game, games::Go, with_game};
use dz_record::{BreakCause, Played, RecordEnd, Sheet, Winner, annotated, decode, read};

fn bytes(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name)).expect(name)
}

/// The decoded text and the games of a case.
fn case(name: &str) -> (String, Vec<Sheet>) {
    let decoded = decode(&bytes(name));
    let sheets = read(&decoded.text).unwrap_or_else(|error| panic!("{name}: {error}"));
    (decoded.text, sheets)
}

/// The game of a sheet as the sheet names it, and its moves by name.
fn play<G: Game>(sheet: &Sheet, game: &G) -> (Played, Vec<String>) {
    let played = sheet.play(game).unwrap_or_else(|error| panic!("{error}"));
    let names = played.record.moves.iter().map(|m| game.format_move(m.mv)).collect();
    (played, names)
}

fn played(sheet: &Sheet) -> (Played, Vec<String>) {
    with_game!(sheet.game.as_ref().expect("a game"), |game| play(sheet, &game)).expect("a game")
}

fn first(name: &str) -> (Sheet, Played, Vec<String>) {
    let sheet = case(name).1.swap_remove(0);
    let (played, names) = played(&sheet);
    (sheet, played, names)
}

#[test]
fn c01_scaled_komi() {
    for name in ["c01-fox-komi-325.sgf", "c01-fox-komi-650.sgf"] {
        let (sheet, played, names) = first(name);
        assert_eq!(
            sheet.game.as_ref().and_then(|game| game.parameter("komi")),
            Some("6.5"),
            "{name}"
        );
        assert_eq!(names, ["E5", "C7"]);
        assert!(played.notes.lines()[0].contains("is read as 6.5 points"), "{:?}", played.notes);
    }
}

#[test]
fn c02_nothing_is_set_up() {
    let (_, played, names) = first("c02-empty-AB.sgf");
    assert_eq!((played.record.start, names), (None, vec!["E5".into(), "C7".into(), "G3".into()]));
    assert_eq!(played.notes.lines(), ["line 1: AB[] sets nothing up"]);
}

#[test]
fn c03_c04_play_goes_on_after_the_end() {
    let (sheet, played, names) = first("c03-moves-after-two-passes.sgf");
    assert_eq!(names, ["E5", "C7", "pass", "pass", "D6", "F6", "G3"]);
    assert_eq!((played.moves_after_end, played.record.breaks.len()), (0, 1));
    assert_eq!(
        (played.record.breaks[0].ply, played.record.breaks[0].cause),
        (4, BreakCause::AfterEnd)
    );
    assert!(
        played.notes.lines()[0].contains("is played on: read on from the position after move 4")
    );
    assert_eq!(sheet.score.to_string(), "first wins by resignation");
    let (_, played, names) = first("c03-three-passes.sgf");
    assert_eq!(names, ["E5", "C7", "pass", "pass", "pass"]);
    assert_eq!(played.stated.to_string(), "second wins by 3");
    let (_, played, names) = first("c04-played-past-threefold.pgn");
    assert_eq!((names.len(), names[14].as_str()), (15, "h5f7"));
    assert_eq!(played.record.breaks[0].ply, 8);
    assert!(matches!(played.record.end, RecordEnd::Rules(outcome) if outcome.winner.is_some()));
}

#[test]
fn moves_that_no_position_leads_to_are_counted() {
    for (text, kept, left) in [
        ("game: connect4\nmoves: 1 2 1 2 1 2 1 3 4\n", 7, 2),
        ("game: connect4\nmoves: 121212134\n", 7, 2),
        ("game: tictactoe\nmoves: 1 4 2 5 3 6\n", 5, 1),
        ("(;GM[11]SZ[2];B[a1];W[b1];B[a2];W[b2])", 3, 1),
        ("(;GM[4]SZ[6];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea];W[eb];B[fa])", 9, 2),
        ("1. f3 e5 2. g4 Qh4# 3. a3 a6 *", 4, 2),
        ("[FEN \"8/8/8/8/8/8/k7/2K5 w - - 0 1\"]\n\n1. Kd2 Kb2 *", 0, 2),
    ] {
        let sheet = &read(text).expect(text)[0];
        let (played, names) = played(sheet);
        assert_eq!((names.len(), played.moves_after_end), (kept, left), "{text}");
        let note =
            format!("the rules end the game after move {kept}; {left} more moves are left out");
        assert!(
            played.notes.lines().iter().any(|line| line.ends_with(&note)),
            "{:?}",
            played.notes
        );
    }
    // Fifty moves: the count begins anew.
    let fen = "[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - 99 80\"]\n\n80. Ra2 Kd7 81. Ra3 *";
    let (played, names) = played(&read(fen).expect("PGN")[0]);
    assert_eq!((names.len(), played.record.breaks[0].ply), (3, 1));
}

#[test]
fn c05_letters_of_two_bytes() {
    let decoded = decode(&bytes("c05-shift-jis-comments.sgf"));
    assert_eq!((decoded.encoding, decoded.note), ("Shift_JIS", None));
    let (_, played, names) = first("c05-shift-jis-comments.sgf");
    assert_eq!(names, ["E5", "C7", "G3", "G7"]);
    let comments: Vec<_> = played.record.moves.iter().map(|m| m.comment.as_deref()).collect();
    assert_eq!(comments, [Some("良い手表"), Some("表"), Some("ok"), None]);
}

#[test]
fn c06_what_is_set_up() {
    let (_, played, names) = first("c06-compressed-points.sgf");
    assert_eq!(played.record.start.as_deref(), Some("9/9/2XXXXX2/9/9/9/9/9/9 w"));
    assert_eq!((names, played.record.breaks), (vec!["E5".to_owned()], vec![]));
    let (_, played, names) = first("c06-free-handicap-as-moves.sgf");
    assert_eq!((names.join(" ").as_str(), played.record.start), ("C7 G3 E5", None));
    assert_eq!((played.record.breaks[0].ply, played.record.breaks[0].cause), (1, BreakCause::Turn));
    let (_, played, names) = first("c06-white-first.sgf");
    assert_eq!(played.record.start.as_deref(), Some("9/9/9/9/9/9/9/9/9 w"));
    assert_eq!((names.join(" ").as_str(), played.notes.is_empty()), ("E5 C7", true));
}

#[test]
fn what_is_set_up_later_and_taken_away() {
    let text = "(;GM[1]SZ[3];B[aa];AW[ca]AE[aa]PL[W];W[bb];AB[ac:cc])";
    let (played, names) = played(&read(text).expect("SGF")[0]);
    assert_eq!(names, ["A3", "B2"]);
    let breaks: Vec<_> =
        played.record.breaks.iter().map(|b| (b.ply, b.position.as_str())).collect();
    assert_eq!(breaks, [(1, "2O/3/3 w"), (2, "2O/1O1/XXX b")]);
    let go = Go::from_spec(&spec("go:size=3")).expect("a game");
    let written =
        played.record.sheet(&go, dz_record::Format::Sgf).expect("SGF holds it").to_string();
    let again = read(&written).expect("ours")[0].play(&go).expect("legal");
    assert_eq!(again.record.breaks, played.record.breaks, "{written}");
    let error = played.record.sheet(&go, dz_record::Format::Json).expect_err("no place for it");
    assert_eq!(
        error.to_string(),
        "ply 1: JSON records cannot express that stones are set up in the middle of the game; use SGF"
    );
    for (text, words) in [
        ("(;GM[1]SZ[3]AB[dd])", "line 1: AB[dd] names no point of a board of size 3"),
        ("(;GM[1]SZ[3]AB[cc:aa])", "AB[cc:aa] names no point"),
        ("(;GM[1]SZ[3]AB[tt])", "AB[tt] names no point"),
        ("(;GM[1]SZ[3]PL[x]AB[aa])", "PL[x] names no player"),
        ("(;GM[1]SZ[3]AB[aa]AW[ab][ba])", "no liberty"),
    ] {
        let error = read(text).expect("SGF")[0].play(&go).expect_err(text).to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn c07_the_game_of_a_record_is_known() {
    assert_eq!(case("c07-connect4-nine-wide.txt").1[0].game, Some(spec("connect4:width=9")));
    assert_eq!(case("c07-nine-by-nine.sgf").1[0].game, Some(spec("go:size=9,komi=0.5")));
    let chess = dz_game::games::Chess::new();
    for variant in
        ["Chess960", "Fischerandom", "Atomic", "Three-check", "King of the Hill", "crazyhouse"]
    {
        let text = format!("[Variant \"{variant}\"]\n\n1. e4 e5 *");
        let error = read(&text).expect("PGN")[0].play(&chess).expect_err(variant).to_string();
        assert!(error.ends_with(&format!("not played here: {variant}")), "{error}");
    }
    for usual in ["Standard", "chess", "From Position", "Normal", ""] {
        let text = format!("[Variant \"{usual}\"]\n\n1. e4 e5 *");
        assert_eq!(read(&text).expect("PGN")[0].game, Some(spec("chess")), "{usual}");
    }
    let error = read("(;GM[7])").expect_err("another game").to_string();
    assert!(error.contains("GM[7] is no game that is played here, it is Chinese chess"), "{error}");
}

#[test]
fn c08_handicap_and_everything_else_is_kept() {
    let (text, sheets) = case("c08-handicap-four.sgf");
    let (played, names) = played(&sheets[0]);
    assert_eq!(names, ["E5", "E7", "E3", "C5"]);
    assert_eq!(played.record.start.as_deref(), Some("9/9/2X3X2/9/9/9/2X3X2/9/9 w"));
    let out = annotated(&text, &sheets[0], &[(0, "one ]".to_owned()), (3, "four".to_owned())]);
    assert_eq!(
        out,
        "(;FF[4]GM[1]SZ[9]KM[0.5]HA[4]AB[cc][gg][gc][cg]BR[3d]WR[5d]PC[Town]TM[600];W[ee]C[one \\]];B[ec];W[eg];\
         B[ce]C[four])\n"
    );
}

#[test]
fn what_we_do_not_know_is_kept_where_comments_are_added() {
    let sgf = "(;GM[1]SZ[9]CA[windows-1252]XX[a\\:b];B[ee]C[é]\n(;W[cc]LB[aa:1])(;W[dd]))";
    let sheet = &read(sgf).expect("SGF")[0];
    let out = annotated(sgf, sheet, &[(0, "one".to_owned()), (1, "two".to_owned())]);
    assert_eq!(
        out,
        "(;GM[1]SZ[9]CA[UTF-8]XX[a\\:b];B[ee]C[é\none]\n(;W[cc]LB[aa:1]C[two])(;W[dd]))\n"
    );
    let sgf = "(;GM[1]SZ[9]PB[é];B[ee]W[cc])";
    let sheet = &read(sgf).expect("SGF")[0];
    let out = annotated(sgf, sheet, &[(0, "one".to_owned()), (1, "two".to_owned())]);
    assert_eq!(out, "(;CA[UTF-8]GM[1]SZ[9]PB[é];B[ee]W[cc]C[one\ntwo])\n");
    let pgn = "[Event \"a\"]\n[odd \"b\"]\n\n1. e4! $1 {said} (1. d4 d5) e5 ; to the end\n2. Nf3± *\n\n[Event \"c\"]\n\n1. d4 *\n";
    let sheets = read(pgn).expect("PGN");
    let comments: Vec<_> = (0..3).map(|at| (at, format!("c{at}"))).collect();
    assert_eq!(
        annotated(pgn, &sheets[0], &comments),
        "[Event \"a\"]\n[odd \"b\"]\n\n1. e4! $1 {said} {c0} (1. d4 d5) e5 {c1} ; to the end\n2. Nf3± {c2} *\n"
    );
    assert_eq!(annotated(pgn, &sheets[1], &comments[..1]), "[Event \"c\"]\n\n1. d4 {c0} *\n");
    let json = "{\"moves\":[\"4\"],\"other\":{\"a\":[1]}}";
    let out = annotated(json, &read(json).expect("JSON")[0], &[(0, "x".to_owned())]);
    assert!(
        out.contains("\"other\":{\"a\":[1]}") && out.contains("\"comments\":{\"1\":\"x\"}"),
        "{out}"
    );
}

#[test]
fn c15_c16_c17_c19_c20_tags_names_and_signs() {
    let decoded = decode(&bytes("c15-latin1-names.pgn"));
    assert!(decoded.note.is_some_and(|note| note.contains("read as Windows-1252")));
    let names = |name: &str| -> Vec<Option<String>> {
        case(name).1.iter().map(|sheet| sheet.header.players[0].clone()).collect()
    };
    assert_eq!(
        names("c15-latin1-names.pgn")[..3],
        ["Müller", "Gast", "Möller"].map(|n| Some(n.into()))
    );
    assert_eq!(names("c16-name-backslash.pgn"), ["Prog /Level 6\\", "B"].map(|n| Some(n.into())));
    let (_, sheets) = case("c16-tag-name-colon.pgn");
    assert_eq!((sheets.len(), sheets[0].tag("BlackType:")), (3, Some("x")));
    assert!(
        sheets.iter().all(|sheet| sheet.notes.is_empty() && sheet.score.winner != Winner::Unknown)
    );
    let (sheet, _, names) = first("c17-symbols.pgn");
    assert_eq!(names, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]);
    assert!(sheet.notes.is_empty());
    let (sheet, _, names) = first("c19-game-tag.pgn");
    assert_eq!(
        (names.len(), sheet.tag("Game"), &sheet.game),
        (2, Some("12"), &Some(spec("chess")))
    );
    let (sheet, _, names) = first("c20-no-first-semicolon.sgf");
    assert_eq!((names.join(" ").as_str(), sheet.tag("RD")), ("E5 C7", Some("2018-04-24")));
    let (_, sheets) = case("ansi.pgn");
    assert_eq!(sheets[0].header.players[0].as_deref(), Some("A\u{1b}[31mred"));
}
