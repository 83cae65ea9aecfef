//! What a game's tags say.

use crate::{By, Score, Sheet, Winner, sheet::known};

/// Names of the tag `Variant` for chess by its usual rules (python-chess, `chess.Board.aliases`).
const USUAL: [&str; 6] = ["standard", "chess", "classical", "normal", "illegal", "from position"];

/// Fills the header from the tags; those that are not known stay tags.
pub(super) fn read_tags(sheet: &mut Sheet) {
    let mut termination = String::new();
    let mut stated = None;
    for (name, values) in std::mem::take(&mut sheet.tags) {
        let value = values.concat();
        let line = sheet.line;
        check_name(&name, sheet);
        let header = &mut sheet.header;
        let twice = match name.to_ascii_lowercase().as_str() {
            "event" => set(&mut header.event, known(&value)),
            "round" => set(&mut header.round, known(&value).filter(|round| round != "-")),
            "white" => set(&mut header.players[0], known(&value)),
            "black" => set(&mut header.players[1], known(&value)),
            "date" => {
                let date = known(&value).filter(|date| !date.contains('?'));
                set(&mut header.date, date.map(|date| date.replace('.', "-")))
            }
            "fen" => set(&mut sheet.start, known(&value)),
            "result" => {
                let found = Score::of_pgn(value.trim());
                if found.is_none() && known(&value).is_some() {
                    sheet.notes.add(line, format!("the tag Result is no result: {value}"));
                }
                stated.replace(found).is_some()
            }
            "termination" => {
                termination = value.to_ascii_lowercase();
                false
            }
            // Our own tag for chess with other parameters. In files of others it is anything.
            "game" if names_chess(&value) => {
                sheet.game = value.parse().ok();
                false
            }
            "variant" => {
                let usual = USUAL.contains(&value.trim().to_ascii_lowercase().as_str());
                sheet.variant = (!usual).then(|| known(&value)).flatten();
                false
            }
            // Draughts and other games have PGN, too; chess is number 0.
            "gametype" if !value.trim().starts_with('0') => {
                sheet.variant = Some(format!("of GameType {value}"));
                false
            }
            "setup" => false,
            "site" if known(&value).is_none() => false,
            _ => {
                sheet.tags.push((name, values));
                continue;
            }
        };
        if twice {
            sheet.notes.add(line, format!("the tag {name} stands twice; the last one counts"));
        }
    }
    read_score(sheet, stated.flatten(), &termination);
    if sheet.game.is_none() && sheet.variant.is_none() {
        sheet.game = "chess".parse().ok();
    }
}

/// Sets the value of a tag. Returns true if another tag had set another value before.
fn set(slot: &mut Option<String>, value: Option<String>) -> bool {
    let twice = slot.is_some() && *slot != value;
    *slot = value;
    twice
}

/// Notes names that are known but for their case.
fn check_name(name: &str, sheet: &mut Sheet) {
    const KNOWN: [&str; 10] = [
        "Event",
        "Round",
        "White",
        "Black",
        "Date",
        "FEN",
        "Result",
        "Termination",
        "Variant",
        "SetUp",
    ];
    let same = |known: &&&str| known.eq_ignore_ascii_case(name) && **known != name;
    if let Some(known) = KNOWN.iter().find(same) {
        let line = sheet.line;
        sheet.notes.add(line, format!("the tag {name} is read as {known}"));
    }
}

fn names_chess(value: &str) -> bool {
    value == "chess" || value.starts_with("chess:")
}

/// The result: that of the tag, as python-chess has it, else that after the moves.
fn read_score(sheet: &mut Sheet, stated: Option<Score>, termination: &str) {
    let line = sheet.line;
    let stated = stated.filter(|score| score.winner != Winner::Unknown);
    if let Some(stated) = stated {
        let written = sheet.score;
        if written.winner != Winner::Unknown && written.winner != stated.winner {
            let tag = stated.pgn();
            let word = written.pgn();
            let what =
                format!("the tag Result is {tag}, the end of the moves {word}: the tag counts");
            sheet.notes.add(line, what);
        }
        sheet.score = stated;
    }
    if sheet.score.winner != Winner::Unknown {
        sheet.score.by = match termination {
            "adjudication" => By::Adjudication,
            "rules infraction" => By::Forfeit,
            late if late.starts_with("time") => By::Time,
            _ => By::Rules,
        };
    }
}
