//! Text broken into lines.

/// Returns lines of at most `columns` characters, broken between words. A longer word has a line of
/// its own.
///
/// ```
/// assert_eq!(dz_text::wrapped("one two three", 8), ["one two", "three"]);
/// ```
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > columns {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
