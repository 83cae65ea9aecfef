//! Bytes to text, by the encoding that the text itself declares.

use std::{borrow::Cow, ops::Range};

use dz_text::Decoded;

/// Returns the text of a file of records, with `\n` as its only line end.
///
/// The encoding is that of the byte-order mark, else that of SGF's property `CA`, else UTF-8. Text
/// that fits none of these is read as Windows-1252, which is Latin-1 and more, and the note says
/// so. Each game of an SGF may have its own `CA`. Before an SGF that declares another
/// encoding and is not in UTF-8, the mark of UTF-8 counts for nothing.
pub fn decode(bytes: &[u8]) -> Decoded {
    let mut decoded = decode_bytes(bytes);
    if let Cow::Owned(text) = unix_lines(&decoded.text) {
        decoded.text = text;
    }
    decoded
}

/// The text with `\n` for every `\r\n` and every `\r`.
pub(crate) fn unix_lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

fn decode_bytes(bytes: &[u8]) -> Decoded {
    let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf");
    let bytes = unmarked.filter(|rest| is_marked_wrongly(rest)).unwrap_or(bytes);
    // UTF-16 without a mark begins with an ASCII sign and a zero byte, in one order or the other.
    let wide = match bytes {
        [0, 1..=0x7f, 0, ..] => Some("UTF-16BE"),
        [1..=0x7f, 0, 1..=0x7f, 0, ..] => Some("UTF-16LE"),
        _ => None,
    };
    let marked = [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"];
    if wide.is_some() || marked.iter().any(|mark| bytes.starts_with(mark)) || !is_sgf(bytes) {
        return dz_text::decode(bytes, wide);
    }
    let mut labels = charsets(bytes).map(|range| label(&bytes[range]));
    let first = labels.next().unwrap_or_default();
    if labels.all(|label| label.eq_ignore_ascii_case(&first)) {
        return decode_as(bytes, &first);
    }
    decode_games(bytes, &first)
}

/// True if an SGF declares another encoding than UTF-8 and is not in UTF-8.
fn is_marked_wrongly(sgf: &[u8]) -> bool {
    let other = |range| !label(&sgf[range]).to_ascii_lowercase().starts_with("utf");
    is_sgf(sgf) && str::from_utf8(sgf).is_err() && charsets(sgf).any(other)
}

/// True where the first sign is that of a game tree.
fn is_sgf(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    text.starts_with(b"(") || !text.starts_with(b"[") && bytes.windows(2).any(|two| two == b"(;")
}

fn label(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// As [`dz_text::decode`]. A declaration that could be read byte by byte is not in UTF-16.
fn decode_as(bytes: &[u8], label: &str) -> Decoded {
    let name = label.to_ascii_lowercase();
    if !(name.starts_with("utf-16") || name.starts_with("utf16") || name.starts_with("unicode")) {
        let mut decoded = dz_text::decode(bytes, Some(label));
        let guessed = decoded.encoding == "windows-1252" && decoded.note.is_some();
        let halves = |two: &[u8]| two[0] >= 0x81 && two[1] == b'\\';
        if let Some(note) =
            decoded.note.as_mut().filter(|_| guessed && bytes.windows(2).any(halves))
        {
            note.push_str(
                "; backslashes there may be halves of letters and hide the end of a text: \
                 declare the encoding with CA",
            );
        }
        return decoded;
    }
    let mut decoded = dz_text::decode(bytes, None);
    let label = dz_text::line(label);
    let read = decoded.encoding;
    decoded.note = Some(format!("the text declares {label} and is not; read as {read}"));
    decoded
}

/// Decodes each game by its own declaration. A game without one that is not UTF-8 has the encoding
/// of the game before it.
fn decode_games(bytes: &[u8], first: &str) -> Decoded {
    let mut text = String::with_capacity(bytes.len());
    let (mut notes, mut encodings): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut current = first.to_owned();
    let mut declared = charsets(bytes).peekable();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        while declared.next_if(|range| range.start < at).is_some() {}
        // A declaration is the game's own if it stands before the game's end.
        let own = declared.peek().and_then(|range| {
            let label = label(&bytes[range.clone()]);
            let length = game_length(rest, &label);
            (range.end <= at + length).then_some((label, length))
        });
        let (label, length) = own.unwrap_or_else(|| {
            let length = game_length(rest, &current);
            let is_utf8 = str::from_utf8(&rest[..length]).is_ok();
            (if is_utf8 { "UTF-8".to_owned() } else { current.clone() }, length)
        });
        let decoded = decode_as(&rest[..length], &label);
        if decoded.text.trim().len() > 1 && !encodings.contains(&decoded.encoding) {
            encodings.push(decoded.encoding);
        }
        if let Some(note) = decoded.note.filter(|note| notes.len() < 4 && !notes.contains(note)) {
            notes.push(note);
        }
        text.push_str(&decoded.text);
        if label != "UTF-8" {
            current = label;
        }
        at += length;
    }
    let names = encodings.join(" and ");
    notes.insert(0, format!("the games are in different encodings: {names}"));
    let encoding = encodings.first().copied().unwrap_or("UTF-8");
    Decoded { text, encoding, note: Some(notes.join("; ")) }
}

/// The labels of all properties `CA`, which stand where a property begins.
///
/// Every encoding that such a declaration can be found in has ASCII bytes for ASCII signs. Some
/// have such bytes as the second half of other signs, so values cannot be distinguished from
/// properties before the encoding is known. To mislead this search, though, a `]` just before `CA[`
/// would have to be such a half.
pub(crate) fn charsets(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    const LABEL_MAX: usize = 64;
    let at = memchr_pairs(bytes);
    at.filter_map(move |at| {
        let before = bytes[..at].trim_ascii_end().last();
        if !matches!(before, Some(b']' | b';' | b'(')) {
            return None;
        }
        let rest = &bytes[at + 2..];
        let blanks = rest.len() - rest.trim_ascii_start().len();
        let value = at + 2 + blanks;
        if bytes.get(value) != Some(&b'[') {
            return None;
        }
        let end = bytes[value + 1..].iter().take(LABEL_MAX).position(|&byte| byte == b']')?;
        Some(value + 1..value + 1 + end)
    })
}

/// Where `CA` stands.
fn memchr_pairs(bytes: &[u8]) -> impl Iterator<Item = usize> {
    bytes.windows(2).enumerate().filter(|(_, pair)| *pair == b"CA").map(|(at, _)| at)
}

/// Bytes up to the end of the first game of `bytes`, which are in the encoding of this label.
fn game_length(bytes: &[u8], label: &str) -> usize {
    let halves = Halves::of(label);
    let mut depth = 0_usize;
    let mut in_value = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += halves.sign_length(&bytes[at..]);
        match byte {
            b'\\' if in_value => {
                at += bytes.get(at..).map_or(0, |rest| halves.sign_length(rest));
            }
            b']' => in_value = false,
            b'[' if depth > 0 => in_value = true,
            b'(' if !in_value => depth += 1,
            b')' if !in_value && depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return at.min(bytes.len());
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

/// How signs of two and more bytes are recognised in an encoding that has ASCII bytes among the
/// later ones.
#[derive(Clone, Copy)]
enum Halves {
    /// No byte of a longer sign is an ASCII byte, or all bytes are signs.
    None,
    /// A byte from 0x81 on begins a pair, but for the katakana of `Shift_JIS` (0xa1 to 0xdf).
    ShiftJis,
    /// A byte from 0x81 on begins a pair.
    Pairs,
    /// An escape begins a run of pairs.
    Escapes,
}

impl Halves {
    fn of(label: &str) -> Self {
        match dz_text::decode(b"", Some(label)).encoding {
            "Shift_JIS" => Self::ShiftJis,
            "GBK" | "gb18030" | "Big5" | "EUC-KR" => Self::Pairs,
            "ISO-2022-JP" => Self::Escapes,
            _ => Self::None,
        }
    }

    /// Bytes of the first sign, at least 1.
    fn sign_length(self, bytes: &[u8]) -> usize {
        let lead = bytes.first().copied().unwrap_or_default();
        match self {
            Self::ShiftJis if matches!(lead, 0x81..=0x9f | 0xe0..) => 2,
            Self::Pairs if lead >= 0x81 => 2,
            Self::Escapes if bytes.starts_with(b"\x1b$") => {
                let end = bytes.windows(2).position(|two| two == b"\x1b(");
                end.map_or(bytes.len(), |end| end + 3)
            }
            _ => 1,
        }
    }
}
