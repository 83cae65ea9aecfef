//! Which game an SGF's root means.

use dz_game::GameSpec;

use super::Node;
use crate::{RecordError, error::short};

/// Games by number (<https://www.red-bean.com/sgf/properties.html#GM>), as far as they have one here,
/// with the size that files leave out.
const GAMES: [(&str, &str, u16); 4] =
    [("1", "go", 19), ("2", "othello", 8), ("4", "gomoku", 15), ("11", "hex", 11)];

/// The game that the root names: by our own note in `GC`, else by number, size, komi and rules. `swaps`
/// says that a swap is played.
pub(super) fn of(root: &Node, swaps: bool) -> Result<GameSpec, RecordError> {
    if let Some(spec) = root.value("GC").and_then(noted) {
        return Ok(spec);
    }
    let error = |what: String| RecordError::Game { line: root.line, what: short(&what) };
    let number = root.value("GM").unwrap_or("1").trim();
    let known = GAMES.iter().find(|(known, ..)| *known == number);
    let Some(&(_, name, usual)) = known else {
        let known = GAMES.map(|(number, name, _)| format!("{number} is {name}")).join(", ");
        let number: String = number.chars().take(8).collect();
        return Err(error(format!("GM[{number}] is no game that is played here; {known}")));
    };
    let size = root.value("SZ").map_or(Ok(usual), size).map_err(error)?;
    let mut parameters = vec![("size", size.to_string())];
    let rules = root.value("RU").unwrap_or_default().trim().to_ascii_lowercase();
    match name {
        "go" => {
            if let Some(komi) = root.value("KM").filter(|komi| !komi.trim().is_empty()) {
                parameters.push(("komi", komi_of(komi).map_err(error)?));
            }
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

/// The line `game: SPEC` with which our own files begin their note.
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

/// Komi in half points. Some servers write hundredths of Chinese stones, each worth two points: 375.
fn komi_of(text: &str) -> Result<String, String> {
    let number: Option<f64> = text.trim().replace(',', ".").parse().ok();
    let komi = number.map(|komi| if komi.abs() > 361.0 { komi / 50.0 } else { komi });
    let halves = |komi: &f64| komi.abs() <= 361.0 && (2.0 * komi).fract() == 0.0;
    // Minus zero is zero.
    komi.filter(halves).map(|komi| (komi + 0.0).to_string()).ok_or_else(|| {
        let text: String = text.escape_debug().take(16).collect();
        format!("KM[{text}] is no komi; write whole or half points, for example KM[7.5]")
    })
}

/// Ko and suicide by the names of rules: those that `KataGo` lists (`docs/GTP_Extensions.md`, kata-set-rules)
/// with its reading of them. Scoring is by area, whatever a record says.
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
