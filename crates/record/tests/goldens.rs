//! One small record of each game and format.
//! `UPDATE_GOLDEN=1 cargo test -p dz-record goldens` writes them anew; read the difference
//! before you commit it.

use crate::common;
use std::path::Path;

use crate::common::bare;
use dz_game::{Game, with_game};
use dz_record::{Format, Header, RecordEnd};
use dz_testkit::golden;

fn write<G: Game>(game: &G, moves: &str, format: Option<Format>) -> (String, Format) {
    let mut record = bare(game, moves);
    record.header = Header {
        players: [Some("generation 1".to_owned()), Some("rollout-100".to_owned())],
        event: Some("a match".to_owned()),
        round: Some("1".to_owned()),
        date: Some("2026-01-31".to_owned()),
        note: Some("seed 7".to_owned()),
    };
    if record.end == RecordEnd::Open {
        let loser = game.to_move(&game.start(), &G::History::default()).expect("a start");
        record.end = RecordEnd::Resigned { loser };
    }
    if let Some(second) = record.moves.get_mut(1) {
        second.comment = Some("value -0.21, 100 visits [a \\ b]".to_owned());
    }
    let format = format.unwrap_or(Format::of(game));
    (record.sheet(game, format).expect("a legal game").to_string(), format)
}

fn check(name: &str, game: &str, moves: &'static str, format: Option<Format>) {
    let (written, format) =
        with_game!(&common::spec(game), |game| write(&game, moves, format)).expect(game);
    let file = format!("{name}.{}", format.extension());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(&file);
    assert_eq!(written, golden(&path, &written), "{file}; see tests/goldens.rs");
}

const CHESS: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 f3g5 d7d5 e4d5 f6d5 g5f7 e8f7 d1f3 f7e6 b1c3 c6e7 \
                     e1g1 c7c6 f1e1 e6d6 d2d4 e7f5 c3d5 c6d5 c1f4";

#[test]
fn community_formats() {
    check("go", "go:size=5,komi=0.5", "C3 D3 C2 D2 C4 D4 C1 D1 C5 D5 pass pass", None);
    check("chess", "chess", CHESS, None);
    check("othello", "othello:size=4", "c4 d4 b1 a3 a2 c1 a4 b4 d1 d2 d3 pass a1", None);
    check("hex", "hex:size=3,swap=true", "a2 swap b2 a1 c1 b3 a3", None);
    check("gomoku", "gomoku:size=15", "h8 a1 h9 a2 h10 a3 h11 a4 h12", None);
}

#[test]
fn plain_lines() {
    check("connect4", "connect4", "4453421", None);
    check("tictactoe", "tictactoe", "5 1 9 3 2 8 4 6 7", None);
    check("shuttle", "shuttle", "right left", None);
    check("go-plain", "go:size=5,komi=0.5", "C3 D3 pass pass", Some(Format::Plain));
}

#[test]
fn json_lines() {
    check("connect4-json", "connect4", "4453421", Some(Format::Json));
    check("chess-json", "chess", "f2f3 e7e5 g2g4 d8h4", Some(Format::Json));
}
