//! SGF's main lines as sheets, and back.

use std::fmt;

use dz_game::{Player, SgfRoot};

use super::{Collection, Node, Property, parse, spec};
use crate::{
    By, Format, RecordError, Score, SetUp, Sheet, Winner,
    error::check_count,
    sheet::{known, one_line},
};

/// Properties of the root that a [`crate::Header`] or the sheet holds.
const HEADER: [&str; 10] = ["FF", "CA", "AP", "PB", "PW", "EV", "RO", "DT", "RE", "GC"];

/// The root's properties that the rules decide.
pub(crate) fn tags(root: &SgfRoot) -> Vec<(String, Vec<String>)> {
    let game = root.game.to_string();
    let size = root.size.to_string();
    let own = [("GM", vec![game]), ("SZ", vec![size])];
    let all = own.into_iter().chain(root.properties.iter().cloned());
    all.map(|(name, values)| (name.to_owned(), values)).collect()
}

/// Reads the main line of every game.
pub(crate) fn read(text: &str) -> Result<Vec<Sheet>, RecordError> {
    let games = parse(text)?;
    check_count(games.roots.len(), text.len())?;
    let mut sheets = Vec::with_capacity(games.roots.len());
    for (&root, span) in games.roots.iter().zip(&games.spans) {
        sheets.push(Sheet { span: span.clone(), ..sheet(&games, root)? });
    }
    Ok(sheets)
}

fn sheet(games: &Collection, root: usize) -> Result<Sheet, RecordError> {
    let first = &games.nodes[root];
    let mut sheet = Sheet::new(Format::Sgf, first.line);
    read_header(first, &mut sheet);
    for node in games.main_line(root) {
        sheet.variations += node.children.len().saturating_sub(1);
        let is_root = std::ptr::eq(node, first);
        // What a node sets up comes before its move, wherever it stands.
        for property in &node.properties {
            set_up(property, node, is_root, &mut sheet);
        }
        for property in &node.properties {
            read_property(property, node, is_root, &mut sheet);
        }
        check_node(node, &mut sheet);
    }
    check_handicap(first, &mut sheet);
    let swaps = sheet.moves.iter().any(|mv| mv.text.to_ascii_lowercase().starts_with("swap"));
    sheet.game = Some(spec::of(first, swaps, &mut sheet)?);
    Ok(sheet)
}

/// Takes a property that sets stones up or says whose turn it is.
fn set_up(property: &Property, node: &Node, is_root: bool, sheet: &mut Sheet) {
    let Property { name, values } = property;
    if !matches!(name.as_str(), "AB" | "AW" | "AE" | "PL") {
        return;
    }
    let line = node.line;
    let values: Vec<String> = values.iter().filter(|v| !v.trim().is_empty()).cloned().collect();
    if values.is_empty() {
        sheet.notes.add(line, format!("{name}[] sets nothing up"));
        return;
    }
    let before = sheet.moves.len();
    let name = name.clone();
    sheet.setups.push(SetUp { before, in_root: is_root, name, values, line });
}

/// Notes what stands together in a node though it should not.
fn check_node(node: &Node, sheet: &mut Sheet) {
    let has = |name: &str| node.value(name).is_some();
    let black = has("B");
    let white = has("W");
    if black && white {
        sheet.notes.add(node.line, "B and W stand in one node; they are two moves");
    }
    if (black || white) && (has("AB") || has("AW") || has("AE")) {
        let what = "a move and stones that are set up stand in one node; the stones come first";
        sheet.notes.add(node.line, what);
    }
}

/// Notes a handicap that is not there.
fn check_handicap(root: &Node, sheet: &mut Sheet) {
    let stones = root.value("HA").and_then(|text| text.trim().parse().ok()).unwrap_or(0_u32);
    let white_first = sheet.moves.first().is_some_and(|mv| mv.player == Some(Player::Second));
    if stones > 1 && white_first && sheet.setups.iter().all(|set_up| set_up.name != "AB") {
        sheet
            .notes
            .add(root.line, format!("HA[{stones}] names a handicap, and no stones are set up"));
    }
}

/// Takes a move or a comment.
fn read_property(property: &Property, node: &Node, is_root: bool, sheet: &mut Sheet) {
    let Property { name, values } = property;
    let player = match name.as_str() {
        "B" => Player::First,
        "W" => Player::Second,
        "C" => {
            for value in values {
                sheet.comment(value);
            }
            return;
        }
        "SZ" | "KM" | "GM" | "HA" | "RU" if !is_root => {
            let what = format!("{name} stands outside the first node and is not read");
            sheet.notes.add(node.line, what);
            return;
        }
        _ => return,
    };
    if values.len() > 1 {
        let what = format!("{name} has {} values; the first one is the move", values.len());
        sheet.notes.add(node.line, what);
    }
    let text = values.first().map_or("", |value| value.trim());
    if text.eq_ignore_ascii_case("resign") || text.eq_ignore_ascii_case("forfeit") {
        give_up(sheet, player, text);
        return;
    }
    sheet.push(Some(player), text, node.line);
    if let Some(last) = sheet.moves.last_mut() {
        (last.place, last.in_comment) = (node.place as usize, node.has_comment);
    }
}

fn read_header(root: &Node, sheet: &mut Sheet) {
    let value = |name| root.value(name).and_then(|value| known(&one_line(value)));
    sheet.header.players = [value("PB"), value("PW")];
    sheet.header.event = value("EV");
    sheet.header.round = value("RO");
    sheet.header.date = value("DT");
    sheet.charset = value("CA");
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
    let later = |set_up: &&SetUp| !set_up.in_root;
    let mut setups = sheet.setups.iter().filter(later).peekable();
    for index in 0..=sheet.moves.len() {
        let mut properties = Vec::new();
        while let Some(SetUp { name, values, .. }) = setups.next_if(|s| s.before == index) {
            properties.push(Property { name: name.clone(), values: values.clone() });
        }
        if !properties.is_empty() {
            writeln!(f, "{}", Node { properties, ..Node::default() })?;
        }
        let Some(mv) = sheet.moves.get(index) else { continue };
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
