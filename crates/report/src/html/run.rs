//! The end of the page: every candidate, and what is needed to reproduce the run.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::body::Body;
use super::escape;
use crate::count;
use crate::curve::MarkerKind;
use crate::report::Report;
use crate::sections;

impl Report {
    /// Every cycle's candidate, and the champions that came of them.
    pub(super) fn lineage(&self, out: &mut Body) {
        if self.cycles.iter().all(|facts| facts.network.is_none()) {
            return;
        }
        out.section("Lineage");
        out.push_str(
            "<p>A box a cycle: its candidate became the generation in the \
             box, or was refused. Each was trained on from the one before, accepted or not, and is the moving average of its \
             weights; self-play \
             is by the newest champion before it.</p>\n<ol class=\"lineage\" data-key=\"cycles\">",
        );
        for facts in &self.cycles {
            let (class, text, what) = match (&facts.verdict, facts.promoted) {
                (_, Some(generation)) => {
                    ("won", generation.to_string(), format!("generation {generation}"))
                }
                (Some(_), None) => ("lost", "✕".to_owned(), "refused".to_owned()),
                (None, None) => ("open", "…".to_owned(), "not judged yet".to_owned()),
            };
            let by =
                facts.generation.map_or(String::new(), |g| format!(", games by generation {g}"));
            let _ = write!(
                out,
                "<li class=\"{class}\" title=\"cycle {}: {what}{by}\">{text}</li>",
                facts.cycle
            );
        }
        out.push_str("</ol>\n");
        out.push_str(&sections::networks(self).html("No data yet: no network has been published."));
        out.push_str("</section>\n");
    }

    pub(super) fn reproducibility(&self, out: &mut Body) {
        out.section("Reproducibility");
        if self.run.entries == 0 {
            out.push_str("<p class=\"none\">No data yet: the ledger is empty.</p></section>\n");
            return;
        }
        let run = &self.run;
        let evaluators: BTreeSet<&str> = self
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
            (
                "openings",
                "random plies from the seed that stands in each match's file; two games an opening, \
                 colours swapped"
                    .to_owned(),
            ),
            (
                "beside this page",
                "dagzero report RUN --csv and --json: its numbers; dagzero export RUN: its games; dagzero \
                 verify RUN: its hashes"
                    .to_owned(),
            ),
            (
                "to repeat",
                "dagzero run CONFIG --dir DIR, with the configuration below as the file CONFIG; on \
                 the CPU and with the same evaluators the same bytes come out"
                    .to_owned(),
            ),
        ];
        out.push_str("<dl class=\"list\" data-key=\"run\">");
        for (name, value) in facts {
            let value = if value.is_empty() { "-" } else { &value };
            let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escape(value));
        }
        out.push_str("</dl>\n");
        let changes: Vec<_> =
            self.markers.iter().filter(|marker| marker.kind != MarkerKind::Refused).collect();
        if !changes.is_empty() {
            out.heading("Changed on the way");
            out.push_str("<ul data-key=\"markers\">");
            for change in changes {
                let text = escape(&change.text);
                let _ = write!(out, "<li>cycle {}: {text}</li>", change.cycle);
            }
            out.push_str("</ul>\n");
        }
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
