//! What we write, read by libraries of others: SGF by sgfmill (Go with all that it knows, the other
//! games' structure and moves), PGN by python-chess.
//!
//! Needs Python with both (`pip install sgfmill chess`; `DAGZERO_PYTHON` names the interpreter).
//! Without them the test says so and passes. `DAGZERO_PEER_GAMES` is the number of games of each
//! game (40).

use std::{env, path::Path, process::Command};

use crate::common::{random_record, spec};
use dz_game::{Game, RecordFormat, with_game};
use dz_record::{Format, RecordEnd};
use dz_testkit::{output_with_input, python_with};
use serde_json::{Value, json};

const GAMES: [&str; 14] = [
    "go:size=5,komi=0.5",
    "go:size=9,komi=7",
    "go:size=7,komi=-3.5,suicide=true",
    "go:size=6,komi=6,suicide=true,superko=situational",
    "go:size=13,komi=7.5,superko=simple",
    "hex:size=5",
    "hex:size=11,swap=true",
    "othello",
    "othello:size=6",
    "othello:size=10",
    "gomoku",
    "gomoku:size=7,rule=exact",
    "gomoku:size=19",
    "chess",
];

/// Writes records into a folder, a file a game, and says what readers should find.
fn write_all<G: Game>(game: &G, folder: &Path, count: u64) -> Vec<Value> {
    let format = Format::of(game);
    let name = game.spec().to_string().replace([':', ',', '='], "-");
    let fact = |seed| {
        let record = random_record(game, seed);
        let sheet = record.sheet(game, format).expect("a legal game");
        let file = folder.join(format!("{name}-{seed}.{}", format.extension()));
        std::fs::write(&file, sheet.to_string()).expect("a file can be written");
        let own = game.spec().name() == "go" || format == Format::Pgn;
        let played = record.moves.iter().map(|m| game.format_move(m.mv));
        let written: Vec<&str> = sheet.moves.iter().map(|m| m.text.as_str()).collect();
        let (komi, size, margin) = match (game.record_format(), record.end) {
            (RecordFormat::Sgf(root), RecordEnd::Rules(outcome)) => {
                (f64::from(root.komi_halves) / 2.0, root.size, outcome.margin)
            }
            (RecordFormat::Sgf(root), _) => (f64::from(root.komi_halves) / 2.0, root.size, None),
            _ => (0.0, 8, None),
        };
        json!({
            "file": file, "game": game.spec().to_string(), "size": size, "komi": komi, "margin": margin,
            "players": record.header.players, "over": matches!(record.end, RecordEnd::Rules(_)),
            "result": result_of(&record.score(game), format),
            "moves": if own { played.collect() } else {
                written.iter().map(|&text| text.to_owned()).collect::<Vec<_>>()
            },
            "written": written,
        })
    };
    (0..count).map(fact).collect()
}

/// The result as the format has it, spelled out here once more.
fn result_of(score: &dz_record::Score, format: Format) -> String {
    use dz_record::{By, Winner};
    let first = match score.winner {
        Winner::Unknown if format == Format::Pgn => return "*".to_owned(),
        Winner::Unknown => return String::new(),
        Winner::Draw if format == Format::Pgn => return "1/2-1/2".to_owned(),
        Winner::Draw => return "0".to_owned(),
        Winner::Player(player) => player == dz_game::Player::First,
    };
    if format == Format::Pgn {
        return if first { "1-0" } else { "0-1" }.to_owned();
    }
    let by = match score.by {
        By::Points { halves } => (f64::from(halves) / 2.0).to_string(),
        By::Resignation => "R".to_owned(),
        _ => String::new(),
    };
    format!("{}+{by}", if first { "B" } else { "W" })
}

#[test]
fn other_libraries_read_what_we_write() {
    let Some(python) = python_with("sgfmill, chess.pgn") else { return };
    let count = env::var("DAGZERO_PEER_GAMES").map_or(40, |text| text.parse().expect("a number"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut input = String::new();
    for game in GAMES {
        let facts =
            with_game!(&spec(game), |game| write_all(&game, folder.path(), count)).expect(game);
        for fact in facts {
            input += &fact.to_string();
            input.push('\n');
        }
    }
    // It ends at the first fault, and says which one.
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers.py");
    let output = output_with_input(Command::new(&python).arg(script), &input);
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}");
    assert_eq!(text.lines().filter(|l| l.starts_with(&format!("{count} "))).count(), GAMES.len());
}
