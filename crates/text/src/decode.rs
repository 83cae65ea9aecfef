//! Bytes to text.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Text and the encoding that it was read in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without a byte-order mark.
    pub text: String,
    /// The encoding's name in the Encoding Standard, such as `UTF-8` or `Shift_JIS`.
    pub encoding: &'static str,
    /// What a reader should know, in one line: the encoding was guessed, or some bytes did not fit
    /// it.
    pub note: Option<String>,
}

/// Decodes bytes by their byte-order mark, else by the declared encoding, else as UTF-8.
///
/// `declared` is a label such as SGF's `CA[Shift_JIS]`; the labels are those of the WHATWG Encoding
/// Standard, in any case. Text without a declaration that is not UTF-8 is read as Windows-1252, the
/// superset of Latin-1 in which no two byte strings give the same text, and the note says so.
/// Bytes that do not fit a declared encoding become U+FFFD, and the note counts them.
pub fn decode(bytes: &[u8], declared: Option<&str>) -> Decoded {
    if let Some((encoding, mark_bytes)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[mark_bytes..]);
    }
    let label = declared.map(str::trim).filter(|label| !label.is_empty());
    let known = label.and_then(find);
    match (label, known) {
        // A file that declares UTF-8 and is not is older text under a wrong label.
        (_, Some(encoding)) if encoding != UTF_8 || str::from_utf8(bytes).is_ok() => {
            decode_as(encoding, bytes)
        }
        (None, _) => guess(bytes, None),
        (Some(label), _) => {
            let problem = match known {
                Some(_) => "the text is not in UTF-8, which it declares".to_owned(),
                None => format!("the encoding {} is unknown", crate::line(label)),
            };
            guess(bytes, Some(problem))
        }
    }
}

/// Whether [`decode`] knows an encoding by this label.
pub fn is_known_encoding(label: &str) -> bool {
    find(label).is_some()
}

/// The encoding of a label. `replacement` encodings, which the standard refuses to read, are
/// unknown.
fn find(label: &str) -> Option<&'static Encoding> {
    let label = label.trim();
    // Names that programs write beside those of the standard.
    let label = match label.to_ascii_lowercase().as_str() {
        "cp932" | "shiftjis" | "shift jis" => "shift_jis",
        "cp936" | "ms936" | "gb-2312" => "gbk",
        "gb-18030" => "gb18030",
        "cp949" | "ms949" | "uhc" | "euckr" => "euc-kr",
        "cp950" | "ms950" | "big-5" => "big5",
        "eucjp" => "euc-jp",
        "latin-1" => "latin1",
        _ => label,
    };
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// Decodes by one encoding and counts what did not fit.
fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    let note = had_errors.then(|| {
        let count = text.matches('\u{fffd}').count();
        format!(
            "{count} places do not fit the encoding {} and are shown as \u{fffd}",
            encoding.name()
        )
    });
    Decoded { text: text.into_owned(), encoding: encoding.name(), note }
}

/// Decodes text whose encoding is not known: as UTF-8, else as Windows-1252.
fn guess(bytes: &[u8], problem: Option<String>) -> Decoded {
    if let Ok(text) = str::from_utf8(bytes) {
        let note = problem.map(|problem| format!("{problem}; read as UTF-8"));
        return Decoded { text: text.to_owned(), encoding: UTF_8.name(), note };
    }
    let problem =
        problem.unwrap_or_else(|| "the text is not UTF-8 and declares no encoding".to_owned());
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Decoded {
        text: text.into_owned(),
        encoding: WINDOWS_1252.name(),
        note: Some(format!("{problem}; read as Windows-1252")),
    }
}
