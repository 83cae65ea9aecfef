//! Sections of the page, and the headings that its contents list.

use maud::{Markup, html};

use super::visible;

/// The title of a section. Headings within the section are made from it, because sections share
/// words.
#[derive(Clone, Copy)]
pub(super) struct Title(pub(super) &'static str);

/// A section with its heading.
pub(super) struct Section {
    title: Title,
    markup: Markup,
}

impl Title {
    /// The section. Control characters in it are shown as escapes.
    pub(super) fn section(self, content: Markup) -> Section {
        self.verbatim(&visible(content))
    }

    /// The section with all characters as they are.
    pub(super) fn verbatim(self, content: &Markup) -> Section {
        let anchor = anchor(self.0);
        let markup = html! {
            section {
                h2 id=(anchor) { (self.0) " " (link(&anchor, self.0)) }
                (content)
            }
        };
        Section { title: self, markup }
    }

    /// A heading within the section. Its anchor begins with that of the section.
    pub(super) fn heading(self, title: &str) -> Markup {
        let anchor = format!("{}-{}", anchor(self.0), anchor(title));
        html! { h3 id=(anchor) { (title) " " (link(&anchor, title)) } }
    }
}

impl Section {
    /// The section's element.
    pub(super) fn markup(&self) -> &Markup {
        &self.markup
    }
}

/// The list of sections as links.
pub(super) fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for Section { title, .. } in sections {
                    li { a href={ "#" (anchor(title.0)) } { (title.0) } }
                }
            }
        }
    }
}

/// The link of a heading to itself.
fn link(anchor: &str, title: &str) -> Markup {
    html! { a href={ "#" (anchor) } aria-label={ "Link to " (title) } { "#" } }
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
        let first = Title("Self-play");
        let second = Title("Time and throughput");
        let sections = [
            first.section(first.heading("How games open")),
            second.section(second.heading("Self-play")),
        ];
        let page = sections.iter().map(|section| section.markup().0.as_str()).collect::<String>();
        for id in ["self-play", "self-play-how-games-open", "time-and-throughput-self-play"] {
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
        let contents = contents(&sections).into_string();
        assert_eq!(contents.matches("<li>").count(), 2);
        assert!(contents.contains("<a href=\"#time-and-throughput\">Time and throughput</a>"));
    }
}
