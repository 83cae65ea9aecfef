//! The end of the page: every candidate, and what is needed to reproduce the run.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::section::{Section, Title};
use crate::count;
use crate::curve::MarkerKind;
use crate::facts::CycleFacts;
use crate::report::Report;
use crate::sections;

impl Report {
    /// Every cycle's candidate, and the champions that came of them.
    pub(super) fn lineage(&self) -> Option<Section> {
        if self.cycles.iter().all(|facts| facts.network.is_none()) {
            return None;
        }
        let content = html! {
            p {
                "A box a cycle: its candidate became the generation in the box, or was refused. \
                 Each was trained on from the one before, accepted or not, and is the moving \
                 average of its weights; self-play is by the newest champion before it."
            }
            ol.lineage data-key="cycles" { @for facts in &self.cycles { (candidate(facts)) } }
            (sections::networks(self).html("No data yet: no network has been published."))
        };
        Some(Title("Lineage").section(content))
    }

    pub(super) fn reproducibility(&self) -> Section {
        let section = Title("Reproducibility");
        if self.run.entries == 0 {
            return section.section(html! { p.none { "No data yet: the ledger is empty." } });
        }
        let changes: Vec<_> =
            self.markers.iter().filter(|marker| marker.kind != MarkerKind::Refused).collect();
        section.section(html! {
            dl.list data-key="run" {
                @for (name, value) in self.what_made_it() {
                    dt { (name) } dd { @if value.is_empty() { "-" } @else { (value) } }
                }
            }
            @if !changes.is_empty() {
                (section.heading("Changed on the way"))
                ul data-key="markers" {
                    @for change in changes { li { "cycle " (change.cycle) ": " (change.text) } }
                }
            }
            @if let Some(config) = &self.run.config_toml {
                details { summary { "Effective configuration" } pre { (config) } }
            }
        })
    }

    /// Names and values of what the run was made with and how to repeat it.
    fn what_made_it(&self) -> [(&'static str, String); 10] {
        let run = &self.run;
        let evaluators: BTreeSet<&str> = self
            .cycles
            .iter()
            .filter_map(|cycle| Some(cycle.selfplay.as_ref()?.evaluator.as_str()))
            .collect();
        let evaluators: Vec<&str> = evaluators.into_iter().collect();
        [
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
        ]
    }
}

/// The box of a cycle.
fn candidate(facts: &CycleFacts) -> Markup {
    let (class, text, what) = match (&facts.verdict, facts.promoted) {
        (_, Some(generation)) => {
            ("won", generation.to_string(), format!("generation {generation}"))
        }
        (Some(_), None) => ("lost", "✕".to_owned(), "refused".to_owned()),
        (None, None) => ("open", "…".to_owned(), "not judged yet".to_owned()),
    };
    let by = facts.generation.map_or(String::new(), |g| format!(", games by generation {g}"));
    html! {
        li class=(class) title={ "cycle " (facts.cycle) ": " (what) (by) } { (text) }
    }
}
