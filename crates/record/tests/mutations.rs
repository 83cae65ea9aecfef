//! Records as people and programs write them, some thirty of each kind: we read the same as
//! python-chess and sgfmill, or a note or an error reports the difference. No difference is silent.
//!
//! Needs Python with both (`pip install sgfmill chess`; `DAGZERO_PYTHON` names the interpreter).
//! Without them the expected result of each kind is still checked, and the comparison is skipped
//! with a message.

#[path = "mutations/kinds.rs"]
mod kinds;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use dz_game::{Game, Player, with_game};
use dz_record::{Played, Sheet, decode, read};
use dz_testkit::{output_with_input, python_with};
use kinds::{Input, Kind};
use serde_json::{Value, json};

/// What we make of a file: the games, or nothing, and what we say about it.
struct Ours {
    games: Vec<Value>,
    reported: Vec<String>,
}

fn play<G: Game>(sheet: &Sheet, game: &G) -> Result<(Played, Vec<String>, Value), String> {
    let played = sheet.play(game).map_err(|error| error.to_string())?;
    let names: Vec<String> = played.record.moves.iter().map(|m| game.format_move(m.mv)).collect();
    let start = played.record.start.as_deref().map(|text| game.parse_position(text));
    let stones = start.and_then(Result::ok).and_then(|state| game.stones(&state));
    let point = |(at, player): (usize, &Option<Player>)| {
        let colour = if (*player)? == Player::First { "b" } else { "w" };
        Some(json!([colour, game.format_move(dz_game::Move(at as u16))]))
    };
    let stones = stones.unwrap_or_default();
    let mut setup: Vec<Value> = stones.iter().enumerate().filter_map(point).collect();
    setup.sort_by_key(ToString::to_string);
    Ok((played, names, Value::Array(setup)))
}

fn ours(bytes: &[u8]) -> Ours {
    let decoded = decode(bytes);
    let mut reported: Vec<String> = decoded.note.into_iter().collect();
    let sheets = match read(&decoded.text) {
        Ok(sheets) => sheets,
        Err(error) => return Ours { games: Vec::new(), reported: vec![error.to_string()] },
    };
    let mut games = Vec::new();
    for sheet in &sheets {
        let spec = sheet.game.clone().unwrap_or_else(|| "chess".parse().expect("a name"));
        let played =
            with_game!(&spec, |game| play(sheet, &game)).map_err(|error| error.to_string());
        match played.and_then(|played| played) {
            Err(error) => reported.push(error),
            Ok((played, names, setup)) => {
                reported.extend(played.notes.lines());
                let name = |at: usize| sheet.header.players[at].clone();
                let pgn = sheet.format == dz_record::Format::Pgn;
                let colour = |at: usize| match sheet.moves.get(at).and_then(|mv| mv.player) {
                    Some(Player::Second) => "w",
                    _ => "b",
                };
                let colour_of =
                    |ply: usize| played.sources[ply].map_or("b", |at| colour(at as usize));
                let moves: Vec<Value> = names
                    .iter()
                    .enumerate()
                    .map(
                        |(ply, name)| if pgn { json!(name) } else { json!([colour_of(ply), name]) },
                    )
                    .collect();
                let komi =
                    spec.parameter("komi").map(|komi| komi.parse::<f64>().expect("a number"));
                let size =
                    spec.parameter("size").map(|size| size.parse::<u32>().expect("a number"));
                games.push(if pgn {
                    let or_unknown = |name: Option<String>| name.unwrap_or_else(|| "?".to_owned());
                    json!({"white": or_unknown(name(0)), "black": or_unknown(name(1)), "moves": moves})
                } else {
                    json!({"size": size, "komi": komi, "black": name(0), "white": name(1),
                           "setup": setup, "moves": moves})
                });
            }
        }
    }
    Ours { games, reported }
}

/// The same games, as far as both sides report them.
fn same(ours: &[Value], theirs: &[Value]) -> bool {
    let fields = ["white", "black", "moves", "size", "komi", "setup"];
    ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|(ours, theirs)| {
            let chess = ours.get("size").is_none();
            let variant = theirs.get("variant").is_none_or(|variant| variant == "Board");
            variant
                && fields.iter().filter(|field| !chess || ours.get(**field).is_some()).all(
                    |field| {
                        let (own, other) = (&ours[*field], &theirs[*field]);
                        own == other || known(own) == known(other)
                    },
                )
        })
}

/// Names that nobody knows are all the same.
fn known(value: &Value) -> Value {
    match value.as_str().map(str::trim) {
        Some("" | "?") => Value::Null,
        Some(text) => Value::from(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        None => value.clone(),
    }
}

fn write_all(folder: &Path, kind: &Kind) -> Vec<PathBuf> {
    let name = |(number, input): (usize, &Input)| {
        let path = folder.join(format!("{}-{number}.{}", kind.name, kind.extension));
        fs::write(&path, input.for_peer.as_ref().unwrap_or(&input.bytes)).expect("written");
        path
    };
    kind.inputs.iter().enumerate().map(name).collect()
}

/// What the libraries make of files, in order.
fn peers(python: &str, paths: &[PathBuf]) -> Vec<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mutations.py");
    let list: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let output = output_with_input(Command::new(python).arg(script), &list.join("\n"));
    assert!(output.status.success(), "python reads all");
    let text = String::from_utf8(output.stdout).expect("JSON");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn every_kind_comes_to_what_it_must() {
    let mut wrong = Vec::new();
    for kind in kinds::all() {
        assert!(kind.inputs.len() >= 30, "{} has {} inputs", kind.name, kind.inputs.len());
        for Input { bytes, expected, .. } in &kind.inputs {
            let found = ours(bytes);
            let shown = String::from_utf8_lossy(bytes);
            let moves = |game: &Value| game["moves"].as_array().map_or(0, Vec::len);
            let plies: Vec<usize> = found.games.iter().map(moves).collect();
            let right = match expected {
                Some(expected) => plies == *expected,
                None => !found.reported.is_empty(),
            };
            if !right {
                wrong.push(format!("{}: {shown}\n  {plies:?} {:?}", kind.name, found.reported));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_difference_from_other_readers_is_silent() {
    let Some(python) = python_with("sgfmill, chess.pgn") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut silent = Vec::new();
    for kind in kinds::all() {
        let paths = write_all(folder.path(), &kind);
        let theirs = peers(&python, &paths);
        assert_eq!(theirs.len(), paths.len());
        let (mut equal, mut reported, mut refused) = (0, 0, 0);
        for (input, theirs) in kind.inputs.iter().zip(theirs) {
            let found = ours(&input.bytes);
            let Some(games) = theirs["games"].as_array() else {
                refused += 1;
                continue;
            };
            if same(&found.games, games) {
                equal += 1;
            } else if found.reported.is_empty() {
                let shown = String::from_utf8_lossy(&input.bytes).into_owned();
                silent.push(format!(
                    "{}: {shown}\n  ours   {:?}\n  theirs {theirs}",
                    kind.name, found.games
                ));
            } else {
                reported += 1;
            }
        }
        println!(
            "{}: {equal} equal, {reported} reported, {refused} that the other library refuses",
            kind.name
        );
    }
    assert!(silent.is_empty(), "{} silent differences:\n{}", silent.len(), silent.join("\n"));
}
