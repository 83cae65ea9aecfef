//! The page's sections with figures: ratings, gate, training, self-play, speed, storage.

use std::fmt::Write as _;

use super::figure::{figure, pair};
use crate::ReportError;
use crate::count;
use crate::elo::{Over, elo};
use crate::facts::Report;
use crate::figures::{self, LossPart};
use crate::tree::tree_svg;
use crate::{players, sections};

impl Report {
    pub(super) fn ratings(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Ratings</h2>\n");
        out.push_str(
            "<p>One Bradley-Terry fit over all rating games; gate games are no part of it. \
             The anchors are fixed opponents that pin the scale. A ring is preliminary: no later \
             network has played that champion.</p>\n",
        );
        self.elo_figures(out)?;
        out.push_str("<h3>Players</h3>\n");
        out.push_str(&players::players(self).html("No data yet: nobody is rated."));
        if let (Some(first), Some(draws)) = (self.first_mover_elo, self.draw_rate) {
            let _ = writeln!(
                out,
                "<p data-key=\"first_mover_elo\">Moving first is worth {} Elo; between equal \
                 players {} of games are drawn.</p>",
                count::elo(first),
                count::percent(draws),
            );
        }
        out.push_str(
            "<h3>Everybody against everybody</h3>\n<p>The row's score against the column. The small \
             number is the distance from what the ratings expect, in standard errors; blue is better \
             than expected, orange worse. Colour beyond 3 means that one scale of strength does not \
             describe these two.</p>\n",
        );
        out.push_str(&players::cross_table(self));
        out.push_str("</section>\n");
        Ok(())
    }

    /// The curve over everything that is spent; the reader may pick one.
    fn elo_figures(&self, out: &mut String) -> Result<(), ReportError> {
        if self.curve.is_empty() {
            return Ok(());
        }
        out.push_str("<div class=\"pick\"><span>Elo over</span>\n");
        let mut radio = |word: &str, name: &str, checked: &str| {
            let _ = writeln!(
                out,
                "<label><input type=\"radio\" name=\"over\" id=\"over-{word}\"{checked}>{name}</label>"
            );
        };
        radio("all", "everything", " checked");
        for over in Over::ALL {
            radio(over.word(), over.name(), "");
        }
        out.push_str("<div class=\"over\">\n");
        for over in Over::ALL {
            let _ = writeln!(out, "<div class=\"over-{}\">", over.word());
            figure(out, &elo(self, over))?;
            out.push_str("</div>\n");
        }
        out.push_str("</div></div>\n");
        Ok(())
    }

    pub(super) fn truth(&self, out: &mut String) -> Result<(), ReportError> {
        if self.measures.truth.is_empty() {
            return Ok(());
        }
        out.push_str(
            "<section><h2>Ground truth</h2>\n<p>Positions that a solver knows: how often the move \
             keeps the value of the game. Only positions where some legal move loses value \
             count.</p>\n",
        );
        pair(out, &[figures::truth(self), figures::truth_by_ply(self)])?;
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn gates(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Gate</h2>\n");
        pair(out, &[figures::gate(self), figures::traces(self)])?;
        for trace in &self.measures.traces {
            if let (Some(stop), Some([elo, low, high])) = (&trace.stop, trace.estimate) {
                let _ = writeln!(
                    out,
                    "<p data-key=\"measures.traces\">Cycle {}: {stop} after {} pairs; \
                     median-unbiased estimate {elo:+.0} ({low:+.0} to {high:+.0}) normalised \
                     Elo.</p>",
                    trace.cycle,
                    trace.llr.len(),
                );
            }
        }
        out.push_str(&sections::gates(self).html("No data yet: no candidate has been judged."));
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn training(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Training</h2>\n");
        let losses = [LossPart::Policy, LossPart::Value].map(|part| figures::losses(self, part));
        pair(out, &losses)?;
        figure(out, &figures::steps(self))?;
        out.push_str(&sections::losses(self).html("No data yet: nothing has been trained."));
        out.push_str("<h3>Window and rows</h3>\n");
        figure(out, &figures::window(self))?;
        out.push_str(&sections::window(self).html("No data yet: no rows have been made."));
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn selfplay(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Self-play</h2>\n");
        let figures = [
            figures::results(self),
            figures::plies(self),
            figures::surprise(self),
            figures::sameness(self),
        ];
        pair(out, &figures)?;
        out.push_str("<h3>Games</h3>\n");
        out.push_str(&sections::games(self).html("No data yet: no games have been played."));
        if let Some(root) = &self.measures.openings {
            let _ = writeln!(
                out,
                "<h3>How games open</h3>\n<p>The {} games of the newest cycle: a column a ply, a box \
                 a move, as high as it is frequent, with its share and the first player's score; \
                 darker is better for the first player.</p>\n\
                 <figure data-key=\"measures.openings\">{}</figure>",
                count::whole(root.games),
                tree_svg(root),
            );
        }
        let resigned = sections::resignation(self);
        out.push_str("<h3>Resignation</h3>\n");
        out.push_str(&resigned.html("No cycle had resignation switched on."));
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn speed(&self, out: &mut String) -> Result<(), ReportError> {
        out.push_str("<section><h2>Time and throughput</h2>\n");
        if let Some(sentence) = self.bottleneck() {
            let sentence = super::escape(&sentence);
            let _ = writeln!(out, "<p data-key=\"cycles.wall_ms\">{sentence}</p>");
        }
        figure(out, &figures::times(self))?;
        out.push_str(&sections::times(self).html("No data yet: no cycle is over."));
        out.push_str("<h3>Self-play</h3>\n");
        out.push_str(&sections::speed(self).html("No data yet: no games have been played."));
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn storage(&self, out: &mut String) {
        out.push_str("<section><h2>Disk and memory</h2>\n");
        out.push_str(&sections::bytes(self).html("No data yet: nothing has been published."));
        out.push_str("<h3>Memory</h3>\n");
        let memory = sections::memory(self);
        out.push_str(&memory.html("No stage of this run has written down its peak memory."));
        out.push_str("</section>\n");
    }
}
