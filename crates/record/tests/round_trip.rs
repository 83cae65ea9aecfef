//! What is written reads back, for every game and format.

use crate::common::{GAMES, random_record, spec};
use dz_game::{Game, Move, Outcome, Player, with_game};
use dz_record::{BreakCause, Format, Record, RecordEnd, RecordError, Sheet, read, read_as};

const RECORDS: u64 = 12;

fn round_trip<G: Game>(game: &G) {
    let own = Format::of(game);
    for format in [own, Format::Plain, Format::Json] {
        let records: Vec<Record> = (0..RECORDS).map(|seed| random_record(game, seed)).collect();
        let sheets = records.iter().map(|r| r.sheet(game, format).expect("a legal game"));
        let texts: Vec<String> = sheets.map(|sheet| sheet.to_string()).collect();
        let text = texts.join(format.separator());
        let read = read(&text).expect("what we write");
        assert_eq!(read.len(), records.len(), "{} {}", game.spec(), format.name());
        for (sheet, record) in read.iter().zip(&records) {
            check(game, sheet, record, format);
        }
        // A sheet that was read writes the same text.
        for (sheet, text) in read.iter().zip(&texts) {
            let players = sheet.moves.iter().all(|mv| mv.player.is_some());
            if players || format != Format::Sgf {
                assert_eq!(&sheet.to_string(), text);
            }
        }
    }
}

fn check<G: Game>(game: &G, sheet: &Sheet, record: &Record, format: Format) {
    assert_eq!((sheet.format, sheet.game.as_ref()), (format, Some(&game.spec())));
    let played = sheet.play(game).expect("a legal game");
    let moves = |record: &Record| record.moves.iter().map(|m| m.mv).collect::<Vec<Move>>();
    let mut expected = moves(record);
    // A pass that is left out is not seen at the end of a game that was broken off.
    if game.spec().name() == "othello" && expected.len() == played.record.moves.len() + 1 {
        assert_eq!(game.format_move(expected.pop().expect("a move")), "pass");
    }
    assert_eq!(moves(&played.record), expected);
    assert_eq!(played.moves_after_end, 0);
    assert_eq!(played.record.header, record.header, "{}", format.name());
    assert_eq!(played.record.end, record.end);
    for (read, written) in played.record.moves.iter().zip(&record.moves) {
        // Braces end comments of PGN; a pass that is left out takes its comment along.
        let clean = |text: &String| text.replace('{', "(").replace('}', ")");
        if read.comment.is_some() || game.spec().name() != "othello" {
            assert_eq!(read.comment.as_ref().map(clean), written.comment.as_ref().map(clean));
        }
    }
}

#[test]
fn every_game_in_every_format() {
    for game in GAMES {
        with_game!(&spec(game), |game| round_trip(&game)).expect(game);
    }
}

fn refused<G: Game>(game: &G) {
    let record = random_record(game, 0);
    for format in [Format::Sgf, Format::Pgn].into_iter().filter(|&f| f != Format::of(game)) {
        let error = record.sheet(game, format).expect_err("another game's format");
        assert!(matches!(error, RecordError::WrongFormat { .. }), "{error}");
    }
    let mut wrong = record;
    wrong.moves.insert(0, dz_record::RecordedMove { mv: Move(u16::MAX), comment: None });
    let error = wrong.sheet(game, Format::Json).expect_err("an illegal move");
    assert!(matches!(error, RecordError::Illegal { ply: 0, .. }), "{error}");
}

#[test]
fn formats_of_other_games_and_illegal_moves_are_refused() {
    for game in GAMES {
        with_game!(&spec(game), |game| refused(&game)).expect(game);
    }
}

#[test]
fn chess_from_a_position() {
    let game = dz_game::games::Chess::new();
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40";
    let text = format!(
        "[White \"w\"]\n[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n40... Kd7 {{why}} 41. e4 (41. e3 Kc6 (41... Kd6)) \
         41... Kd6 $1 *\n"
    );
    let sheets = read_as(Format::Pgn, &text).unwrap();
    assert_eq!(sheets[0].start.as_deref(), Some(fen));
    let played = sheets[0].play(&game).unwrap();
    assert_eq!((played.record.moves.len(), played.record.end), (3, RecordEnd::Open));
    let again = played.record.sheet(&game, Format::Pgn).unwrap().to_string();
    assert!(again.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")), "{again}");
    assert!(again.ends_with("\n40... Kd7 {why} 41. e4 Kd6 *\n"), "{again}");
}

#[test]
fn what_is_stated_stays_beside_the_result_by_the_rules() {
    let game = dz_game::games::Chess::new();
    let mate = "1. f3 e5 2. g4 Qh4# 1-0";
    let played = read(mate).unwrap()[0].play(&game).unwrap();
    assert_eq!(played.record.end, RecordEnd::Rules(Outcome::win_of(Player::Second)));
    assert_eq!(played.stated.to_string(), "first wins");
    assert!(played.notes.lines()[0].contains("by the rules it is second wins"));
    // Played on after the third repetition.
    let text = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 e5 0-1";
    let played = read(text).unwrap()[0].play(&game).unwrap();
    assert_eq!((played.record.moves.len(), played.moves_after_end), (10, 0));
    assert_eq!(
        (played.record.breaks[0].ply, played.record.breaks[0].cause),
        (8, BreakCause::AfterEnd)
    );
    assert_eq!(played.record.end, RecordEnd::Resigned { loser: Player::First });
    // Ended by it.
    let text = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 0-1";
    let played = read(text).unwrap()[0].play(&game).unwrap();
    assert_eq!(played.record.end, RecordEnd::Rules(Outcome::DRAW));
}
