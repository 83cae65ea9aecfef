//! Text in HTML.

/// Text as HTML, inside elements and quoted attributes.
///
/// Control characters, which HTML forbids, are shown as escapes; line feeds and tabs stay.
pub(crate) fn escape(text: &str) -> String {
    let text = dz_text::lines(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn markup_and_control_characters_do_not_reach_the_page() {
        assert_eq!(escape("<b a=\"'&\">"), "&lt;b a=&quot;&#39;&amp;&quot;&gt;");
        assert_eq!(escape("a\u{1b}[31m\u{202e}b\u{0}\nc\td"), "a\\u{1b}[31m\\u{202e}b\\u{0}\nc\td");
    }
}
