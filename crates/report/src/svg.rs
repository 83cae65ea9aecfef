//! Figures as files of their own, for documents outside of the page.

use crate::ReportError;
use crate::chart::WIDE;
use crate::elo::{Over, elo};
use crate::palette;
use crate::report::Report;
use crate::truth;

/// A figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SvgFile {
    /// What it shows: `elo`, `truth`.
    pub name: &'static str,
    /// The file.
    pub text: String,
}

impl Report {
    /// Elo over wall time, and value-preserving moves where the game is solved. They follow the
    /// reader's light or dark scheme if the viewer supports it.
    ///
    /// # Errors
    /// If a figure cannot be drawn.
    pub fn to_svgs(&self) -> Result<Vec<SvgFile>, ReportError> {
        let mut files = Vec::new();
        for (name, chart) in [("elo", elo(self, Over::Time)), ("truth", truth::truth(self))] {
            if chart.is_empty() {
                continue;
            }
            let drawn = dz_text::lines(&chart.svg(WIDE)?.0).into_owned();
            let (tag, body) = drawn.split_once('>').unwrap_or((&drawn, ""));
            let tag = tag.trim_start_matches("<svg");
            let style = palette::style();
            let text = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\"{tag}>\n<style>\n{style}</style>\n\
                 <rect width=\"100%\" height=\"100%\" style=\"fill:var(--page)\"/>{body}\n"
            );
            files.push(SvgFile { name, text });
        }
        Ok(files)
    }
}
