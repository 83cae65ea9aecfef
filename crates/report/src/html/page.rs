//! The page, from top to bottom.

use maud::{DOCTYPE, PreEscaped, html};

use super::figure::Figures;
use super::section::{Section, Title, contents};
use super::{ElementText, visible};
use crate::ReportError;
use crate::count;
use crate::live::{LivePage, spent};
use crate::palette;
use crate::report::Report;

/// Most JSON that the page carries.
const JSON_BYTES_MAX: usize = 300_000;

const STYLE: &str = include_str!("style.css");

/// The style sheet of the page: colours of both schemes, then everything else.
pub fn page_style() -> String {
    palette::style() + STYLE
}

impl Report {
    /// One self-contained HTML page: no script, and nothing to fetch. Every figure and table
    /// carries the key of its numbers in [`Report::to_json`] as `data-key`.
    pub fn to_html(&self) -> Result<String, ReportError> {
        let others = self.compared.iter().map(|other| other.name.as_str());
        let names: Vec<&str> = std::iter::once(self.title()).chain(others).collect();
        let title = visible(html! { (names.join(" and ")) " - DagZero report" });
        let mut sections = self.sections(&mut Figures::Drawn)?;
        sections.push(self.data()?);
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (title) }
                    style { (PreEscaped(page_style())) }
                }
                body {
                    main {
                        (visible(self.head()))
                        (contents(&sections))
                        @for section in &sections { (section.markup()) }
                    }
                }
            }
        };
        Ok(page.into_string())
    }

    /// The parts of a page whose figures a script draws. The markup is that of
    /// [`Report::to_html`], with an empty element in the place of each figure.
    ///
    /// # Errors
    /// As [`Report::to_html`].
    pub fn to_live_page(&self) -> Result<LivePage, ReportError> {
        let mut figures = Vec::new();
        let sections = self.sections(&mut Figures::Live(&mut figures))?;
        let body = html! { @for section in &sections { (section.markup()) } };
        // HTML implies these ends. In the tables of a long run they are a sixth of the page.
        let body = body.into_string().replace("</td>", "").replace("</tr>", "");
        Ok(LivePage {
            head: visible(self.head()).into_string(),
            contents: contents(&sections).into_string(),
            body,
            figures,
            cycles: spent(&self.cycles),
        })
    }

    fn sections(&self, figures: &mut Figures<'_>) -> Result<Vec<Section>, ReportError> {
        let sections = [
            Some(self.ratings(figures)?),
            self.truth(figures)?,
            self.samples(),
            Some(self.gates(figures)?),
            Some(self.training(figures)?),
            Some(self.selfplay(figures)?),
            Some(self.speed(figures)?),
            Some(self.storage()),
            self.checks(),
            self.lineage(),
            Some(self.reproducibility()),
        ];
        Ok(sections.into_iter().flatten().collect())
    }

    /// The numbers themselves, unless there are so many that the page would be slow to open on a
    /// phone.
    fn data(&self) -> Result<Section, ReportError> {
        let json = self.to_json()?;
        let size = count::bytes(json.len() as u64);
        let content = html! {
            p {
                "Figures and tables name the JSON key of their numbers in the attribute data-key; \
                 cycles[].records has the numbers of the ledger's records that they are from."
            }
            @if json.len() > JSON_BYTES_MAX {
                p { code { "dagzero report RUN --json" } " prints them, " (size) "." }
            } @else {
                details.data {
                    summary { "Everything above, as JSON (" (size) ")" }
                    pre id="data" { (ElementText(&json)) }
                }
            }
        };
        Ok(Title("Data").verbatim(&content))
    }

    /// All that the page shows, as one JSON object.
    pub fn to_json(&self) -> Result<String, ReportError> {
        Ok(serde_json::to_string(self)?)
    }

    pub(super) fn title(&self) -> &str {
        if self.run.name.is_empty() { "run" } else { &self.run.name }
    }
}
