//! Tags: `[Name "value"]`.

/// A tag and how far it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Before the value.
    pub name: &'a str,
    /// Without its quotes, and without the backslashes before quotes and backslashes.
    pub value: String,
    /// Bytes from after the opening bracket to the end of the tag.
    pub end: usize,
    /// What is unusual about it and did not keep it from being read.
    pub note: Option<&'static str>,
}

/// Reads a tag from the text after its opening bracket. Looks no further than to the end of the
/// line.
///
/// Quotes and backslashes in a value are escaped by backslashes (PGN standard, section 7). Programs
/// that do not know this write `[White "level 6\"]`; a quote that ends the line, or stands before
/// the next tag, ends the value in any case. A backslash before another sign is one of the value's
/// own.
///
/// # Errors
/// What is wrong with it, for people; the name is part of it.
pub fn tag(text: &str) -> Result<Tag<'_>, String> {
    let shown = |name: &str| {
        let name: String = name.trim().chars().take(30).collect();
        if name.is_empty() { "a tag without a name".to_owned() } else { format!("the tag {name}") }
    };
    // A line may have many tags, so none of them looks at more of it than it needs.
    let quote = text.find(['"', '\n']).unwrap_or(text.len());
    let written = &text[..quote];
    if !text[quote..].starts_with('"') {
        let name = written.split(|c: char| c.is_whitespace() || c == ']').next();
        return Err(format!("{} has no value in quotes", shown(name.unwrap_or_default())));
    }
    let name = written.trim();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_+#=:-".contains(c))
    };
    if !is_name(name) {
        return Err(format!("{} has a name that no tag can have", shown(name)));
    }
    let Some((close, end)) = close_of(text, quote + 1) else {
        return Err(format!("the value of {} has no end", shown(name)));
    };
    let bracket = text[..end].ends_with(']');
    let note = if !bracket {
        Some("lacks its closing bracket")
    } else if written.len() == name.len() {
        Some("lacks the blank before its value")
    } else if written.starts_with(char::is_whitespace) || close + 2 != end {
        Some("has blanks beside its brackets")
    } else {
        None
    };
    Ok(Tag { name, value: plain(&text[quote + 1..close]), end, note })
}

/// Where the closing quote stands, and where the tag ends after it.
fn close_of(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut escaped = false;
    let mut last = None;
    for (at, sign) in text[from..].char_indices().map(|(at, sign)| (from + at, sign)) {
        match sign {
            '\n' => break,
            '"' => {}
            _ => {
                escaped = sign == '\\' && !escaped;
                continue;
            }
        }
        let rest = &text[at + 1..];
        let after = blank(rest).strip_prefix(']');
        match after {
            Some(after) if !escaped || is_line_end(after) || begins_tag(after) => {
                return Some((at, text.len() - after.len()));
            }
            None if !escaped && begins_tag(rest) => return Some((at, at + 1)),
            None if !escaped => last = Some((at, at + 1)),
            _ => {}
        }
        escaped = false;
    }
    last
}

/// The text without blanks before it; a line's end is none.
fn blank(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() && c != '\n')
}

fn is_line_end(text: &str) -> bool {
    let rest = blank(text);
    rest.is_empty() || rest.starts_with('\n')
}

/// Whether the line goes on with another tag.
fn begins_tag(text: &str) -> bool {
    let Some(inside) = blank(text).strip_prefix('[') else { return false };
    let name = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    name.len() < inside.len() && blank(name).starts_with('"')
}

/// The value without the backslashes that escape.
fn plain(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut signs = value.chars().peekable();
    while let Some(sign) = signs.next() {
        let escaped = signs.next_if(|next| sign == '\\' && matches!(next, '"' | '\\'));
        text.push(escaped.unwrap_or(sign));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_they_are_meant_to() {
        for (text, name, value, end, note) in [
            (r#"White "a"]"#, "White", "a", 10, None),
            (r#"White "Prog /Level 6\"]"#, "White", r"Prog /Level 6\", 23, None),
            (r#"White "a \"x\" \\"]"#, "White", r#"a "x" \"#, 19, None),
            (r#"White "C:\x\y"]"#, "White", r"C:\x\y", 15, None),
            (r#"White "a "x" b"]"#, "White", r#"a "x" b"#, 16, None),
            (r#"White "6\"] [Black "b"]"#, "White", r"6\", 11, None),
            (r#"White "a\"] b"]"#, "White", r#"a"] b"#, 15, None),
            (r#"BlackType: "x"] rest"#, "BlackType:", "x", 15, None),
            (r#"White"a"]"#, "White", "a", 9, Some("lacks the blank before its value")),
            (r#" White "a" ]"#, "White", "a", 12, Some("has blanks beside its brackets")),
            (r#"White "a" [Black "b"]"#, "White", "a", 9, Some("lacks its closing bracket")),
            ("White \"a\"\nx]", "White", "a", 9, Some("lacks its closing bracket")),
        ] {
            let expected = Tag { name, value: value.to_owned(), end, note };
            assert_eq!(tag(text), Ok(expected), "{text}");
        }
        for (text, what) in [
            ("Event]", "the tag Event has no value in quotes"),
            ("Event \"x\n\"]", "the value of the tag Event has no end"),
            ("Eve nt \"x\"]", "the tag Eve nt has a name that no tag can have"),
            ("\"x\"]", "a tag without a name has a name that no tag can have"),
        ] {
            assert_eq!(tag(text).expect_err(text), what);
        }
    }
}
