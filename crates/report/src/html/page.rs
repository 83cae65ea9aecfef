//! The page, from top to bottom.

use std::fmt::Write as _;

use super::body::Body;
use super::escape;
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
        let title = format!("{} - DagZero report", names.join(" and "));
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n<main>\n",
            escape(&title),
            palette::style(),
        );
        self.head(&mut out);
        let mut body = Body::default();
        self.sections(&mut body)?;
        self.data(&mut body)?;
        out.push_str(&body.contents());
        out.push_str(body.html());
        out.push_str("</main>\n</body>\n</html>\n");
        Ok(out)
    }

    /// The parts of a page whose figures a script draws. The markup is that of
    /// [`Report::to_html`], with an empty element in the place of each figure.
    ///
    /// # Errors
    /// As [`Report::to_html`].
    pub fn to_live_page(&self) -> Result<LivePage, ReportError> {
        let mut head = String::new();
        self.head(&mut head);
        let mut body = Body::with_live_figures();
        self.sections(&mut body)?;
        let contents = body.contents();
        let (body, figures) = body.into_parts();
        // HTML implies these ends. In the tables of a long run they are a sixth of the page.
        let body = body.replace("</td>", "").replace("</tr>\n", "");
        let cycles = spent(&self.cycles);
        Ok(LivePage { head, contents, body, figures, cycles })
    }

    fn sections(&self, body: &mut Body) -> Result<(), ReportError> {
        self.ratings(body)?;
        self.truth(body)?;
        self.samples(body);
        self.gates(body)?;
        self.training(body)?;
        self.selfplay(body)?;
        self.speed(body)?;
        self.storage(body);
        self.checks(body);
        self.lineage(body);
        self.reproducibility(body);
        Ok(())
    }

    /// The numbers themselves, unless there are so many that the page would be slow to open on a
    /// phone.
    fn data(&self, out: &mut Body) -> Result<(), ReportError> {
        out.section("Data");
        out.push_str(
            "<p>Figures and tables name the JSON key of their numbers in the attribute data-key; \
             cycles[].records has the numbers of the ledger's records that they are from.</p>\n",
        );
        let json = self.to_json()?;
        if json.len() > JSON_BYTES_MAX {
            let _ = writeln!(
                out,
                "<p><code>dagzero report RUN --json</code> prints them, {}.</p></section>",
                count::bytes(json.len() as u64)
            );
            return Ok(());
        }
        // Within an element quotes stand for themselves, and there is one in ten characters here.
        let json = json.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            out,
            "<details class=\"data\"><summary>Everything above, as JSON ({})</summary>\n\
             <pre id=\"data\">{json}</pre></details></section>",
            count::bytes(json.len() as u64),
        );
        Ok(())
    }

    /// All that the page shows, as one JSON object.
    pub fn to_json(&self) -> Result<String, ReportError> {
        Ok(serde_json::to_string(self)?)
    }

    fn title(&self) -> &str {
        if self.run.name.is_empty() { "run" } else { &self.run.name }
    }

    fn head(&self, out: &mut String) {
        let _ = writeln!(out, "<header><h1>{}</h1>", escape(self.title()));
        if self.run.entries > 0 {
            let _ = writeln!(
                out,
                "<p class=\"sub\">{}, seed {}, begun {}, newest entry {}</p>",
                escape(&self.run.game),
                self.run.seed,
                dz_store::utc(self.run.started_unix_ms),
                dz_store::utc(self.run.newest_unix_ms),
            );
        }
        let _ = writeln!(out, "<p class=\"verdict\">{}</p>\n</header>", escape(&self.verdict()));
        self.alarms(out);
        self.lacks(out);
        let Some(last) = self.cycles.last() else { return };
        let summaries = || self.cycles.iter().filter_map(|cycle| cycle.selfplay.as_ref());
        let champion = self.champion();
        let of = match champion.and_then(|player| player.generation) {
            Some(rated) if rated < self.generation() => format!(" of generation {rated}"),
            _ => String::new(),
        };
        let against = self
            .zero_anchor()
            .map_or(String::new(), |zero| format!(" against {}", escape(&zero.name)));
        let elo = format!("Elo{of}{against}, ± 95 %");
        let final_match = self.final_match.as_ref().map(|played| {
            (format!("against {}, final match", escape(&played.opponent)), played.score_text())
        });
        let mut facts = vec![
            ("generation", "curve", self.generation().to_string()),
            (
                elo.as_str(),
                "curve",
                champion.map_or("-".to_owned(), |p| count::elo_error(p.elo, p.error95)),
            ),
            ("cycles", "cycles", self.cycles.len().to_string()),
            ("running time", "cycles.elapsed_ms", count::duration(last.elapsed_ms)),
            ("games", "cycles.selfplay", count::whole(summaries().map(|s| s.games).sum())),
            (
                "positions recorded",
                "cycles.selfplay",
                count::whole(summaries().map(|s| s.positions).sum()),
            ),
        ];
        if let Some((name, score)) = &final_match {
            facts.insert(0, (name.as_str(), "final_match", score.clone()));
        }
        out.push_str("<dl class=\"facts\">");
        for (name, key, value) in facts {
            let value = escape(&value);
            let _ = write!(out, "<div data-key=\"{key}\"><dt>{name}</dt><dd>{value}</dd></div>");
        }
        out.push_str("</dl>\n");
    }

    /// What goes wrong in silence.
    fn alarms(&self, out: &mut String) {
        if self.troubles().next().is_none() {
            return;
        }
        out.push_str(
            "<div class=\"lacks alarms\" data-key=\"findings\"><b>What to look at</b><ul>",
        );
        for finding in self.troubles() {
            let word = finding.severity.word();
            let line = escape(&finding.line());
            let _ = write!(out, "<li><b>{word}</b> {line}</li>");
        }
        out.push_str("</ul></div>\n");
    }

    /// What the run does not have.
    fn lacks(&self, out: &mut String) {
        let refused = self.compared.iter().filter_map(|other| {
            let why = other.refused.as_ref()?;
            Some(format!("{} is not drawn over this run: {why}.", other.name))
        });
        let said: Vec<String> = self.missing.iter().cloned().chain(refused).collect();
        if said.is_empty() {
            return;
        }
        out.push_str("<div class=\"lacks\" data-key=\"missing\"><b>What is missing</b><ul>");
        for sentence in &said {
            let _ = write!(out, "<li>{}</li>", escape(sentence));
        }
        out.push_str("</ul></div>\n");
    }
}
