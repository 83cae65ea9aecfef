//! The page, from top to bottom.

use std::fmt::Write as _;

use crate::ReportError;
use crate::chart::{Chart, CurveStyle, NARROW, WIDE};
use crate::count;
use crate::facts::Report;
use crate::figures::{self, LossPart, Over};
use crate::palette;
use crate::sections;

const STYLE: &str = include_str!("style.css");

impl Report {
    /// One self-contained HTML page: no script, and nothing to fetch.
    pub fn to_html(&self) -> Result<String, ReportError> {
        let title = format!("{} - DagZero report", self.title());
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n<main>\n",
            escape(&title),
            palette::style(),
        );
        self.head(&mut out);
        self.ratings(&mut out)?;
        self.gates(&mut out)?;
        self.training(&mut out)?;
        self.selfplay(&mut out)?;
        self.window(&mut out)?;
        self.reproducibility(&mut out);
        let data = serde_json::to_string(self)?;
        let _ = writeln!(
            out,
            "<section class=\"data\"><h2>Data</h2>\n\
             <details><summary>Everything above, as JSON</summary>\n\
             <pre id=\"data\">{}</pre></details></section>\n</main>\n</body>\n</html>",
            escape(&data),
        );
        Ok(out)
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
        let Some(last) = self.cycles.last() else { return };
        let summaries = || self.cycles.iter().filter_map(|cycle| cycle.selfplay.as_ref());
        let champion = self.champion();
        let facts = [
            ("generation", self.generation().to_string()),
            (
                "Elo, ± 95 %",
                champion.map_or("-".to_owned(), |p| count::elo_error(p.elo, p.error95)),
            ),
            ("cycles", self.cycles.len().to_string()),
            ("running time", count::duration(last.elapsed_ms)),
            ("games", count::whole(summaries().map(|s| s.games).sum())),
            ("positions", count::whole(summaries().map(|s| s.positions).sum())),
        ];
        out.push_str("<dl class=\"facts\">");
        for (name, value) in facts {
            let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
        }
        out.push_str("</dl>\n");
    }

    fn ratings(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Ratings</h2>\n");
        out.push_str(
            "<p>One Bradley-Terry fit over all rating games; gate games are no part of it. \
             The anchors are fixed \
             opponents that pin the scale.</p>\n",
        );
        for over in [Over::Cycles, Over::Time] {
            figure(out, &figures::elo(self, over))?;
        }
        out.push_str("<h3>Players</h3>\n");
        out.push_str(&sections::players(self).html("No data yet: nobody is rated."));
        if let (Some(first), Some(draws)) = (self.first_mover_elo, self.draw_rate) {
            let _ = writeln!(
                out,
                "<p>Moving first is worth {} Elo; between equal players {} of games are drawn.</p>",
                count::elo(first),
                count::percent(draws),
            );
        }
        out.push_str("</section>\n");
        Ok(())
    }

    fn gates(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Gate</h2>\n");
        figure(out, &figures::gate(self))?;
        out.push_str(&sections::gates(self).html("No data yet: no candidate has been judged."));
        out.push_str("</section>\n");
        Ok(())
    }

    fn training(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Training</h2>\n<div class=\"pair\">\n");
        for part in [LossPart::Policy, LossPart::Value] {
            figure(out, &figures::losses(self, part))?;
        }
        out.push_str("</div>\n");
        out.push_str(&sections::losses(self).html("No data yet: nothing has been trained."));
        out.push_str("</section>\n");
        Ok(())
    }

    fn selfplay(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Self-play</h2>\n<div class=\"pair\">\n");
        figure(out, &figures::results(self))?;
        figure(out, &figures::plies(self))?;
        out.push_str("</div>\n");
        out.push_str("<h3>Games</h3>\n");
        out.push_str(&sections::games(self).html("No data yet: no games have been played."));
        out.push_str("<h3>Speed</h3>\n");
        out.push_str(&sections::speed(self).html("No data yet: no games have been played."));
        out.push_str("</section>\n");
        Ok(())
    }

    fn window(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Window and rows</h2>\n");
        figure(out, &figures::window(self))?;
        out.push_str(&sections::window(self).html("No data yet: no rows have been made."));
        out.push_str("</section>\n<section><h2>Time</h2>\n");
        out.push_str(&sections::times(self).html("No data yet: no cycle is over."));
        out.push_str("</section>\n");
        Ok(())
    }

    fn reproducibility(&self, out: &mut String) {
        out.push_str("<section><h2>Reproducibility</h2>\n");
        if self.run.entries == 0 {
            out.push_str("<p class=\"none\">No data yet: the ledger is empty.</p></section>\n");
            return;
        }
        let run = &self.run;
        let evaluators: std::collections::BTreeSet<&str> = self
            .cycles
            .iter()
            .filter_map(|cycle| Some(cycle.selfplay.as_ref()?.evaluator.as_str()))
            .collect();
        let evaluators: Vec<&str> = evaluators.into_iter().collect();
        let facts = [
            ("seed", run.seed.to_string()),
            ("game", run.game.clone()),
            ("encoding", run.encoding.clone()),
            ("configuration", run.config_hash.clone()),
            ("program", format!("{}, run format {}", run.version, run.format)),
            ("evaluators", evaluators.join(", ")),
            ("ledger", format!("{} entries", count::whole(run.entries))),
        ];
        out.push_str("<dl class=\"list\">");
        for (name, value) in facts {
            let value = if value.is_empty() { "-" } else { &value };
            let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escape(value));
        }
        out.push_str("</dl>\n");
        if !run.config_changes.is_empty() {
            out.push_str("<h3>Changed on the way</h3>\n<ul>");
            for change in &run.config_changes {
                let _ = write!(out, "<li>{}</li>", escape(change));
            }
            out.push_str("</ul>\n");
        }
        out.push_str("<h3>Networks</h3>\n");
        out.push_str(&sections::networks(self).html("No data yet: no network has been published."));
        if let Some(config) = &run.config_toml {
            let _ = writeln!(
                out,
                "<details><summary>Effective configuration</summary>\n<pre>{}</pre></details>",
                escape(config),
            );
        }
        out.push_str("</section>\n");
    }
}

/// A figure in both sizes with its key. Nothing where there are no points: the table beside it says
/// so.
fn figure(out: &mut String, chart: &Chart) -> Result<(), ReportError> {
    if chart.is_empty() {
        return Ok(());
    }
    let title = escape(&chart.title);
    let _ = write!(out, "<figure><figcaption><b>{title}</b><span class=\"key\">");
    let mut key = |sign: &str, colour: &str, name: &str| {
        let _ = write!(out, "<span><i class=\"key-{colour}\">{sign}</i> {}</span>", escape(name));
    };
    for curve in chart.curves.iter().filter(|curve| !curve.points.is_empty()) {
        let sign = if curve.style == CurveStyle::Dashed { "╌●╌" } else { "─●─" };
        let sign = if curve.style == CurveStyle::Bars { "●" } else { sign };
        key(sign, curve.colour.name(), &curve.name);
    }
    for level in &chart.levels {
        key("┄┄┄", level.colour.name(), &level.name);
    }
    if !chart.crosses.is_empty() {
        key("✕", "red", "candidate refused");
    }
    out.push_str("</span></figcaption>\n");
    for (class, size) in [("wide", WIDE), ("narrow", NARROW)] {
        let _ = writeln!(out, "<div class=\"{class}\">{}</div>", chart.svg(size)?);
    }
    out.push_str("</figure>\n");
    Ok(())
}

/// Text as HTML, inside elements and quoted attributes.
pub(crate) fn escape(text: &str) -> String {
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
