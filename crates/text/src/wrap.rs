//! Text broken into lines.

/// Returns lines of at most `columns` characters, broken between words. A longer word has a line of
/// its own, and a number stays with its percent sign.
///
/// ```
/// assert_eq!(dz_text::wrapped("one two three", 8), ["one two", "three"]);
/// assert_eq!(dz_text::wrapped("about 95 %", 8), ["about", "95 %"]);
/// ```
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut words = text.split_whitespace().peekable();
    let mut lines = vec![String::new()];
    while let Some(word) = words.next() {
        let mut whole = word.to_owned();
        while let Some(sign) = words.next_if(|next| next.starts_with('%')) {
            whole = format!("{whole} {sign}");
        }
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + whole.chars().count() > columns {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&whole);
        }
    }
    lines
}
