//! Characters that HTML forbids, and text that is long.

use maud::{Markup, PreEscaped, Render};

/// The markup with control characters shown as escapes such as `\u{1b}`; line feeds and tabs stay.
///
/// HTML forbids control characters, and names may hold them. The escapes are the same in markup and
/// in text, so this is done once for a whole part of the page.
pub(super) fn visible(markup: Markup) -> Markup {
    match dz_text::lines(&markup.0) {
        std::borrow::Cow::Borrowed(_) => markup,
        std::borrow::Cow::Owned(shown) => PreEscaped(shown),
    }
}

/// Text within an element, where quotes stand for themselves. In the page's JSON, one character in
/// ten is a quote. It must not stand in an attribute.
pub(super) struct ElementText<'a>(pub(super) &'a str);

impl Render for ElementText<'_> {
    fn render_to(&self, page: &mut String) {
        for c in self.0.chars() {
            match c {
                '&' => page.push_str("&amp;"),
                '<' => page.push_str("&lt;"),
                c => page.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    #[test]
    fn markup_and_control_characters_do_not_reach_the_page() {
        let text = |text: &str| visible(html! { p title=(text) { (text) } }).into_string();
        assert_eq!(
            text("<b a=\"'&\">"),
            "<p title=\"&lt;b a=&quot;'&amp;&quot;&gt;\">&lt;b a=&quot;'&amp;&quot;&gt;</p>"
        );
        let shown = "a\\u{1b}[31m\\u{202e}b\\u{0}\nc\td";
        assert_eq!(
            text("a\u{1b}[31m\u{202e}b\u{0}\nc\td"),
            format!("<p title=\"{shown}\">{shown}</p>")
        );
        let json = html! { pre { (ElementText("{\"a\":\"</pre>&\"}")) } };
        assert_eq!(json.into_string(), "<pre>{\"a\":\"&lt;/pre>&amp;\"}</pre>");
    }
}
