//! The page's body while it is written, with the headings that its contents list.

use std::fmt;

use super::escape;
use crate::live::Figure;

/// Markup, and the sections in it.
#[derive(Default)]
pub(super) struct Body {
    html: String,
    /// Anchor and title of each section.
    sections: Vec<(String, &'static str)>,
    /// Numbers of the figures that a script draws; none where figures are drawn here.
    figures: Option<Vec<Figure>>,
}

impl Body {
    /// A body whose figures are left to a script: it holds their numbers and a place for each.
    pub(super) fn with_live_figures() -> Self {
        Self { figures: Some(Vec::new()), ..Self::default() }
    }

    /// The numbers of the figures, where a script draws them.
    pub(super) fn live_figures(&mut self) -> Option<&mut Vec<Figure>> {
        self.figures.as_mut()
    }

    /// Markup and figures.
    pub(super) fn into_parts(self) -> (String, Vec<Figure>) {
        (self.html, self.figures.unwrap_or_default())
    }

    /// Appends markup.
    pub(super) fn push_str(&mut self, markup: &str) {
        self.html.push_str(markup);
    }

    /// Begins a section. Its heading is in the contents and can be linked to.
    pub(super) fn section(&mut self, title: &'static str) {
        let anchor = anchor(title);
        self.push_str("<section>");
        self.linked(2, &anchor, title);
        self.sections.push((anchor, title));
    }

    /// A heading within the section. Its anchor begins with that of the section, because sections
    /// share words.
    pub(super) fn heading(&mut self, title: &str) {
        let own = anchor(title);
        let id =
            self.sections.last().map_or(own.clone(), |(section, _)| format!("{section}-{own}"));
        self.linked(3, &id, title);
    }

    fn linked(&mut self, level: u8, id: &str, title: &str) {
        let title = escape(title);
        self.push_str(&format!(
            "<h{level} id=\"{id}\">{title} <a href=\"#{id}\" aria-label=\"Link to {title}\">#</a></h{level}>\n"
        ));
    }

    /// The list of sections as links.
    pub(super) fn contents(&self) -> String {
        let links = self.sections.iter();
        let links = links.map(|(id, title)| format!("<li><a href=\"#{id}\">{title}</a></li>"));
        format!("<nav aria-label=\"Contents\"><ul>{}</ul></nav>\n", links.collect::<String>())
    }

    /// The markup.
    pub(super) fn html(&self) -> &str {
        &self.html
    }
}

impl fmt::Write for Body {
    fn write_str(&mut self, markup: &str) -> fmt::Result {
        self.html.write_str(markup)
    }
}

/// Words joined by hyphens: `Time and throughput` as `time-and-throughput`.
fn anchor(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_anchored_and_sections_listed() {
        let mut body = Body::default();
        body.section("Self-play");
        body.heading("How games open");
        body.section("Time and throughput");
        body.heading("Self-play");
        for id in ["self-play", "self-play-how-games-open", "time-and-throughput-self-play"] {
            assert_eq!(body.html().matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
        let contents = body.contents();
        assert_eq!(contents.matches("<li>").count(), 2);
        assert!(contents.contains("<a href=\"#time-and-throughput\">Time and throughput</a>"));
    }
}
