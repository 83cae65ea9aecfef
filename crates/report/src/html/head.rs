//! The head of the page: title, verdict, what to look at, key figures.

use maud::{Markup, html};

use crate::count;
use crate::report::Report;

/// A key figure.
struct KeyFigure {
    name: String,
    /// Key of the number in the report's JSON.
    key: &'static str,
    value: String,
}

impl Report {
    pub(super) fn head(&self) -> Markup {
        html! {
            header {
                h1 { (self.title()) }
                @if self.run.entries > 0 {
                    p.sub {
                        (self.run.game) ", seed " (self.run.seed)
                        ", begun " (dz_store::utc(self.run.started_unix_ms))
                        ", newest entry " (dz_store::utc(self.run.newest_unix_ms))
                    }
                }
                p.verdict { (self.verdict()) }
            }
            (self.alarms())
            (self.lacks())
            @if !self.cycles.is_empty() {
                dl.facts {
                    @for KeyFigure { name, key, value } in self.key_figures() {
                        div data-key=(key) { dt { (name) } dd { (value) } }
                    }
                }
            }
        }
    }

    fn key_figures(&self) -> Vec<KeyFigure> {
        let summaries = || self.cycles.iter().filter_map(|cycle| cycle.selfplay.as_ref());
        let champion = self.champion();
        let of = match champion.and_then(|player| player.generation) {
            Some(rated) if rated < self.generation() => format!(" of generation {rated}"),
            _ => String::new(),
        };
        let against =
            self.zero_anchor().map_or(String::new(), |zero| format!(" against {}", zero.name));
        let elo = champion.map_or("-".to_owned(), |p| count::elo_error(p.elo, p.error95));
        let time = self.cycles.last().map_or(0, |last| last.elapsed_ms);
        let games = summaries().map(|s| s.games).sum();
        let positions = summaries().map(|s| s.positions).sum();
        let final_match = self.final_match.as_ref().map(|played| KeyFigure {
            name: format!("against {}, final match", played.opponent),
            key: "final_match",
            value: played.score_text(),
        });
        let figure = |name: &str, key, value| KeyFigure { name: name.to_owned(), key, value };
        let others = [
            figure("generation", "curve", self.generation().to_string()),
            figure(&format!("Elo{of}{against}, ± 95 %"), "curve", elo),
            figure("cycles", "cycles", self.cycles.len().to_string()),
            figure("running time", "cycles.elapsed_ms", count::duration(time)),
            figure("games", "cycles.selfplay", count::whole(games)),
            figure("positions recorded", "cycles.selfplay", count::whole(positions)),
        ];
        final_match.into_iter().chain(others).collect()
    }

    /// What goes wrong in silence.
    fn alarms(&self) -> Markup {
        let mut troubles = self.troubles().peekable();
        if troubles.peek().is_none() {
            return Markup::default();
        }
        html! {
            div.lacks.alarms data-key="findings" {
                b { "What to look at" }
                ul {
                    @for finding in troubles {
                        li { b { (finding.severity.word()) } " " (finding.line()) }
                    }
                }
            }
        }
    }

    /// What the run does not have.
    fn lacks(&self) -> Markup {
        let refused = self.compared.iter().filter_map(|other| {
            let why = other.refused.as_ref()?;
            Some(format!("{} is not drawn over this run: {why}.", other.name))
        });
        let said: Vec<String> = self.missing.iter().cloned().chain(refused).collect();
        if said.is_empty() {
            return Markup::default();
        }
        html! {
            div.lacks data-key="missing" {
                b { "What is missing" }
                ul { @for sentence in &said { li { (sentence) } } }
            }
        }
    }
}
