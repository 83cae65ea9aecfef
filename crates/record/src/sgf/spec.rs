//! Which game an SGF's root means.

use dz_game::GameSpec;

use super::{Node, komi};
use crate::{RecordError, Sheet, error::short};

/// Games by number (<https://www.red-bean.com/sgf/properties.html#GM>), as far as they have one
/// here, with the size that files leave out.
const GAMES: [(&str, &str, u16); 4] =
    [("1", "go", 19), ("2", "othello", 8), ("4", "gomoku", 15), ("11", "hex", 11)];

/// Names of games that are not played here, from the same list.
const OTHERS: [(&str, &str); 14] = [
    ("3", "chess"),
    ("5", "nine men's morris"),
    ("6", "backgammon"),
    ("7", "Chinese chess"),
    ("8", "shogi"),
    ("9", "lines of action"),
    ("10", "ataxx"),
    ("12", "jungle"),
    ("13", "neutron"),
    ("14", "philosopher's football"),
    ("15", "quadrature"),
    ("16", "trax"),
    ("17", "tantrix"),
    ("18", "amazons"),
];

/// The game that the root names: by our note in `GC`, else by number, size, komi and rules. `swaps`
/// says that a swap is played. What is guessed goes to the notes of `sheet`.
pub(super) fn of(root: &Node, swaps: bool, sheet: &mut Sheet) -> Result<GameSpec, RecordError> {
    if let Some(spec) = root.value("GC").and_then(noted) {
        return Ok(spec);
    }
    let error = |what: String| RecordError::Game { line: root.line, what: short(&what) };
    let number = root.value("GM").unwrap_or("1").trim();
    let number = if number.is_empty() {
        sheet.notes.add(root.line, "GM[] names no game; Go is meant");
        "1"
    } else {
        number
    };
    let known = GAMES.iter().find(|(known, ..)| *known == number);
    let Some(&(_, name, usual)) = known else {
        let known = GAMES.map(|(number, name, _)| format!("{number} is {name}")).join(", ");
        let other = OTHERS.iter().find(|(other, _)| *other == number);
        let other = other.map_or(String::new(), |(_, name)| format!(", it is {name}"));
        let number: String = number.chars().take(8).collect();
        return Err(error(format!("GM[{number}] is no game that is played here{other}; {known}")));
    };
    let size = root.value("SZ").map_or(Ok(usual), size).map_err(error)?;
    if root.value("SZ").is_none() {
        sheet.notes.add(root.line, format!("SZ is missing, which means a size of {usual}"));
    }
    let mut parameters = vec![("size", size.to_string())];
    let rules = root.value("RU").unwrap_or_default().trim().to_ascii_lowercase();
    match name {
        "go" => {
            let (komi, note) = komi::of(root).map_err(error)?;
            if let Some(note) = note {
                sheet.notes.add(root.line, note);
            }
            parameters.extend(komi.map(|komi| ("komi", komi)));
            parameters.extend(go_rules(&rules));
        }
        "hex" if swaps || rules.contains("swap") => parameters.push(("swap", "true".to_owned())),
        "gomoku" if rules == "exact" || rules == "standard" => {
            parameters.push(("rule", "exact".to_owned()));
        }
        _ => {}
    }
    Ok(GameSpec::new(name, &parameters))
}

/// The line `game: SPEC` with which our files begin their note.
pub(super) fn noted(note: &str) -> Option<GameSpec> {
    note.lines().next()?.strip_prefix("game: ")?.trim().parse().ok()
}

/// `9` or `9:9`.
fn size(text: &str) -> Result<u16, String> {
    let bad = || {
        let text: String = text.escape_debug().take(16).collect();
        format!("SZ[{text}] is no size that is played here; boards are square, for example SZ[9]")
    };
    let (columns, rows) = text.split_once(':').unwrap_or((text, text));
    let columns: u16 = columns.trim().parse().map_err(|_| bad())?;
    if rows.trim().parse() == Ok(columns) { Ok(columns) } else { Err(bad()) }
}

/// Ko and suicide by the names of rules: those that `KataGo` lists (`docs/GTP_Extensions.md`,
/// kata-set-rules) with its reading of them. Scoring is always by area, even if a record states
/// otherwise.
fn go_rules(rules: &str) -> Vec<(&'static str, String)> {
    let (superko, suicide) = match rules {
        "tromp-taylor" => ("positional", true),
        "nz" | "new zealand" => ("situational", true),
        "aga" | "bga" | "french" => ("situational", false),
        "japanese" | "korean" | "chinese" | "stone-scoring" => ("simple", false),
        described if described.starts_with("ko") => {
            let ko = ["positional", "situational", "simple"];
            let Some(ko) = ko.into_iter().find(|ko| described[2..].starts_with(ko)) else {
                return Vec::new();
            };
            (ko, described.contains("sui1"))
        }
        _ => return Vec::new(),
    };
    vec![("suicide", suicide.to_string()), ("superko", superko.to_owned())]
}
