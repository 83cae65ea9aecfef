//! SGF's main lines as sheets, and back.

use std::fmt;

use dz_game::{Player, SgfRoot};

use super::{Collection, Node, Property, parse, spec};
use crate::{
    By, Format, RecordError, Score, Sheet, Winner,
    sheet::{known, one_line},
};

/// Properties of the root that a [`crate::Header`] or the sheet holds.
const HEADER: [&str; 10] = ["FF", "CA", "AP", "PB", "PW", "EV", "RO", "DT", "RE", "GC"];

/// The root's properties that the rules decide.
pub(crate) fn tags(root: &SgfRoot) -> Vec<(String, Vec<String>)> {
    let (game, size) = (root.game.to_string(), root.size.to_string());
    let own = [("GM", vec![game]), ("SZ", vec![size])];
    let all = own.into_iter().chain(root.properties.iter().cloned());
    all.map(|(name, values)| (name.to_owned(), values)).collect()
}

/// Reads the main line of every game.
pub(crate) fn read(text: &str) -> Result<Vec<Sheet>, RecordError> {
    let games = parse(text)?;
    games.roots.iter().map(|&root| sheet(&games, root)).collect()
}

fn sheet(games: &Collection, root: usize) -> Result<Sheet, RecordError> {
    let first = &games.nodes[root];
    let mut sheet = Sheet::new(Format::Sgf, first.line);
    read_header(first, &mut sheet);
    for node in games.main_line(root) {
        for Property { name, values } in &node.properties {
            let player = match name.as_str() {
                "B" => Player::First,
                "W" => Player::Second,
                "C" => {
                    for value in values {
                        sheet.comment(value);
                    }
                    continue;
                }
                "AB" | "AW" | "AE" if !std::ptr::eq(node, first) => {
                    let what = format!("{name} changes the board in the middle of the game");
                    return Err(RecordError::syntax(Format::Sgf, node.line, what));
                }
                _ => continue,
            };
            for value in values {
                let text = value.trim();
                if text.eq_ignore_ascii_case("resign") || text.eq_ignore_ascii_case("forfeit") {
                    give_up(&mut sheet, player, text);
                } else {
                    sheet.push(Some(player), text, node.line);
                }
            }
        }
    }
    let swaps = sheet.moves.iter().any(|mv| mv.text.to_ascii_lowercase().starts_with("swap"));
    sheet.game = Some(spec::of(first, swaps)?);
    Ok(sheet)
}

fn read_header(root: &Node, sheet: &mut Sheet) {
    let value = |name| root.value(name).and_then(|value| known(&one_line(value)));
    sheet.header.players = [value("PB"), value("PW")];
    sheet.header.event = value("EV");
    sheet.header.round = value("RO");
    sheet.header.date = value("DT");
    sheet.score = root.value("RE").map_or(Score::UNKNOWN, Score::of_sgf);
    if let Some(note) = root.value("GC") {
        let own = spec::noted(note).is_some();
        let lines: Vec<&str> = note.lines().skip(usize::from(own)).collect();
        sheet.header.note = known(&lines.join("\n"));
    }
    let moves_or_text = |name: &str| matches!(name, "B" | "W" | "C");
    let others = root
        .properties
        .iter()
        .filter(|Property { name, .. }| !HEADER.contains(&name.as_str()) && !moves_or_text(name));
    sheet.tags = others.map(|p| (p.name.clone(), p.values.clone())).collect();
}

/// Hex has moves with which a player gives the game up.
fn give_up(sheet: &mut Sheet, player: Player, word: &str) {
    if sheet.score.winner == Winner::Unknown {
        let by = if word.eq_ignore_ascii_case("resign") { By::Resignation } else { By::Forfeit };
        sheet.score = Score { winner: Winner::Player(player.opponent()), by };
    }
}

/// Writes a game.
pub(crate) fn write(sheet: &Sheet, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "({}", header(sheet))?;
    for mv in &sheet.moves {
        let name = if mv.player == Some(Player::Second) { "W" } else { "B" };
        let mut properties = vec![Property::new(name, mv.text.clone())];
        properties
            .extend(mv.comment.as_ref().map(|comment| Property::new("C", printable(comment))));
        writeln!(f, "{}", Node { properties, ..Node::default() })?;
    }
    f.write_str(")\n")
}

fn header(sheet: &Sheet) -> Node {
    let header = &sheet.header;
    let program = concat!("DagZero:", env!("CARGO_PKG_VERSION"));
    let mut properties = vec![Property::new("FF", "4")];
    // GM comes early, as most programs write it.
    let tag = |(name, values): &(String, Vec<String>)| Property {
        name: name.clone(),
        values: values.clone(),
    };
    properties.extend(sheet.tags.iter().map(tag));
    properties.extend([Property::new("CA", "UTF-8"), Property::new("AP", program)]);
    let [black, white] = &header.players;
    let score = sheet.score.sgf();
    for (name, value) in [
        ("PB", black.as_deref()),
        ("PW", white.as_deref()),
        ("EV", header.event.as_deref()),
        ("RO", header.round.as_deref()),
        ("DT", header.date.as_deref()),
        ("RE", Some(score.as_str()).filter(|score| !score.is_empty())),
    ] {
        properties.extend(value.map(|value| Property::new(name, one_line(value))));
    }
    let game = sheet.game.as_ref().map(|game| format!("game: {game}"));
    let note: Vec<String> = game.into_iter().chain(header.note.clone()).collect();
    if !note.is_empty() {
        properties.push(Property::new("GC", printable(&note.join("\n"))));
    }
    Node { properties, ..Node::default() }
}

/// The text without control characters, line ends apart.
fn printable(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n', " ")
}
