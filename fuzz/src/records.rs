//! Records of games: any text is games or an error of one line, and what was played reads back.

use dz_game::{Game, GameSpec, with_game};
use dz_record::{Format, RecordError, Sheet, annotated, decode, read, read_as};

/// The longest input that is looked at.
const BYTES_MAX: usize = 20_000;

/// A text that may be records, in each format.
pub fn records(data: &[u8]) {
    let text = decode(&data[..data.len().min(BYTES_MAX)]).text;
    if let Err(error) = read(&text) {
        check_error(&error);
    }
    for format in Format::ALL {
        match read_as(format, &text) {
            Err(error) => check_error(&error),
            Ok(sheets) => sheets.iter().take(4).for_each(check_sheet),
        }
    }
}

fn check_sheet(sheet: &Sheet) {
    let default = if sheet.format == Format::Pgn { "chess" } else { "go:size=5" };
    let spec: GameSpec = default.parse().expect("a name");
    // A game that does not exist has no rules to play by.
    let _ = with_game!(sheet.game.as_ref().unwrap_or(&spec), |game| check_played(&game, sheet));
}

fn check_played<G: Game>(game: &G, sheet: &Sheet) {
    let played = match sheet.play(game) {
        Err(error) => return check_error(&error),
        Ok(played) => played,
    };
    for note in played.notes.lines() {
        assert!(!note.chars().any(char::is_control), "{note:?}");
    }
    let record = played.record;
    for format in [Format::of(game), Format::Plain, Format::Json] {
        let text = match record.sheet(game, format) {
            // Only the community's format has set-ups among the moves.
            Err(RecordError::Break { .. }) if format != Format::Sgf => continue,
            sheet => sheet.expect("it was played").to_string(),
        };
        let again = read_as(format, &text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let again = again[0].play(game).unwrap_or_else(|error| panic!("{error}: {text}"));
        let moves = |record: &dz_record::Record| {
            record.moves.iter().map(|recorded| recorded.mv).collect::<Vec<_>>()
        };
        assert_eq!(moves(&again.record), moves(&record), "{text}");
    }
}

fn check_error(error: &RecordError) {
    let message = error.to_string();
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

/// Bytes in any encoding, with all that a command does with them: decoded, read, and written again
/// with comments that change nothing else.
pub fn encodings(data: &[u8]) {
    let decoded = decode(&data[..data.len().min(BYTES_MAX)]);
    let note = decoded.note.unwrap_or_default();
    assert!(!note.chars().any(char::is_control), "{note:?}");
    let text = decoded.text;
    assert!(!text.contains('\r'), "line ends are one sign");
    let sheets = match read(&text) {
        Err(error) => return check_error(&error),
        Ok(sheets) => sheets,
    };
    for sheet in sheets.iter().take(4) {
        for note in sheet.notes.lines() {
            assert!(!note.chars().any(char::is_control), "{note:?}");
        }
        let comments: Vec<(usize, String)> =
            (0..sheet.moves.len()).map(|at| (at, format!("our {at}"))).collect();
        let out = annotated(&text, sheet, &comments);
        let again = read_as(sheet.format, &out).unwrap_or_else(|error| panic!("{error}: {out}"));
        let Some(again) = again.first() else { panic!("the game is lost: {out}") };
        let moves =
            |sheet: &Sheet| sheet.moves.iter().map(|mv| mv.text.clone()).collect::<Vec<String>>();
        assert_eq!(moves(again), moves(sheet), "{out}");
        assert_eq!(again.header.players, sheet.header.players, "{out}");
        check_sheet(sheet);
    }
}
