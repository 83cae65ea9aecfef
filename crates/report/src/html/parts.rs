//! The page's other sections with figures and tables: truth, gate, training, self-play, speed,
//! storage, checks.

use maud::{Markup, html};

use super::figure::Figures;
use super::section::{Section, Title};
use crate::ReportError;
use crate::count;
use crate::figures::{self, LossPart};
use crate::report::Report;
use crate::tree::tree_svg;
use crate::{gates, sections, truth};

impl Report {
    pub(super) fn truth(&self, drawn: &mut Figures<'_>) -> Result<Option<Section>, ReportError> {
        if self.measures.truth.is_empty() {
            return Ok(None);
        }
        let charts = [truth::truth(self), truth::truth_value(self), truth::truth_by_ply(self)];
        Ok(Some(Title("Ground truth").section(html! {
            p {
                "Positions that a solver knows: how often the move keeps the value of the game, \
                 where some legal move loses it, and how often the outcome that the network or its \
                 search holds most likely is the true one."
            }
            (drawn.pair(&charts)?)
        })))
    }

    pub(super) fn gates(&self, drawn: &mut Figures<'_>) -> Result<Section, ReportError> {
        let section = Title("Gate");
        let tests = gates::tests(self);
        Ok(section.section(html! {
            (drawn.pair(&[figures::gate(self), figures::traces(self)])?)
            @if !tests.is_empty() {
                (section.heading("Tests"))
                p {
                    "Each gate tests the difference that is not enough against the one that is, in \
                     normalised Elo; a candidate as weak as the first is accepted, one as good as \
                     the second refused, with the probabilities shown. The estimate is \
                     median-unbiased: it takes into account that the test chose when to stop. \
                     Gate games are no part of the ratings."
                }
                (tests.html(""))
                (section.heading("Matches"))
            }
            (gates::gates(self).html("No data yet: no candidate has been judged."))
        }))
    }

    pub(super) fn training(&self, drawn: &mut Figures<'_>) -> Result<Section, ReportError> {
        let section = Title("Training");
        let losses = [LossPart::Policy, LossPart::Value].map(|part| figures::losses(self, part));
        Ok(section.section(html! {
            (drawn.pair(&losses)?)
            (drawn.figure(&figures::steps(self))?)
            @if let Some(heads) = figures::heads(self) { (drawn.figure(&heads)?) }
            (sections::losses(self).html("No data yet: nothing has been trained."))
            (section.heading("Window and rows"))
            (drawn.figure(&figures::window(self))?)
            (sections::window(self).html("No data yet: no rows have been made."))
        }))
    }

    pub(super) fn selfplay(&self, drawn: &mut Figures<'_>) -> Result<Section, ReportError> {
        let section = Title("Self-play");
        let charts = [
            figures::results(self),
            figures::plies(self),
            figures::surprise(self),
            figures::sameness(self),
        ];
        Ok(section.section(html! {
            (drawn.pair(&charts)?)
            (section.heading("Games"))
            (sections::games(self).html("No data yet: no games have been played."))
            (self.openings(section))
            (self.stage_games(section))
            (section.heading("Resignation"))
            (sections::resignation(self).html("No cycle had resignation switched on."))
        }))
    }

    fn openings(&self, section: Title) -> Markup {
        let Some(root) = &self.measures.openings else { return Markup::default() };
        html! {
            (section.heading("How games open"))
            p {
                "The " (count::whole(root.games)) " games of the newest cycle: a column a ply, a \
                 box a move, as high as it is frequent, with its share and the first player's \
                 score; darker is better for the first player."
            }
            figure data-key="measures.openings" { (tree_svg(root)) }
        }
    }

    pub(super) fn speed(&self, drawn: &mut Figures<'_>) -> Result<Section, ReportError> {
        let section = Title("Time and throughput");
        Ok(section.section(html! {
            @if let Some(sentence) = self.bottleneck() {
                p data-key="cycles.wall_ms" { (sentence) }
            }
            (drawn.figure(&figures::times(self))?)
            (sections::times(self).html("No data yet: no cycle is over."))
            (section.heading("Self-play"))
            (sections::speed(self).html("No data yet: no games have been played."))
        }))
    }

    /// Every finding, with the figures and thresholds that it was judged by.
    pub(super) fn checks(&self) -> Option<Section> {
        if self.findings.is_empty() {
            return None;
        }
        Some(Title("Checks").section(html! {
            p {
                "What goes wrong in silence, judged after each cycle. "
                code { "dagzero doctor RUN" }
                " asks the champion itself too: whether it sees turned boards alike, and whether \
                 its values have the right sign."
            }
            (sections::checks(self).html(""))
        }))
    }

    pub(super) fn storage(&self) -> Section {
        let section = Title("Disk and memory");
        section.section(html! {
            (sections::bytes(self).html("No data yet: nothing has been published."))
            (section.heading("Memory and processor time"))
            (sections::memory(self)
                .html("No stage of this run has written down its peak memory."))
        })
    }
}
