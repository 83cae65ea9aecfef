//! The page's sections with figures: ratings, gate, training, self-play, speed, storage.

use std::fmt::Write as _;

use super::body::Body;
use super::escape;
use super::figure::{figure, pair};
use crate::ReportError;
use crate::count;
use crate::elo::{Over, elo};
use crate::figures::{self, LossPart};
use crate::report::Report;
use crate::tree::tree_svg;
use crate::{gates, players, sections, truth};

impl Report {
    pub(super) fn ratings(&self, out: &mut Body) -> Result<(), ReportError> {
        out.section("Ratings");
        out.push_str(
            "<p>A ring is preliminary: no later network has played that champion. How the ratings \
             are made stands below the tables.</p>\n",
        );
        self.elo_figures(out)?;
        out.heading("Players");
        out.push_str(&players::players(self).html("No data yet: nobody is rated."));
        if !self.players.is_empty() {
            out.heading("The games behind the ratings");
            self.how_precise(out);
            out.push_str(&players::games(self).html(""));
        }
        if let (Some(first), Some(draws)) = (self.first_mover_elo, self.draw_rate) {
            let _ = writeln!(
                out,
                "<p data-key=\"first_mover_elo\">Moving first is worth {} Elo; between equal \
                 players {} of games are drawn.</p>",
                count::elo(first),
                count::percent(draws),
            );
        }
        out.heading("Everybody against everybody");
        out.push_str(
            "<p>The row's score against the column. The small \
             number is the distance from what the ratings expect, in standard errors; blue is better \
             than expected, orange worse. Colour beyond 3 means that one scale of strength does not \
             describe these two.</p>\n",
        );
        out.push_str(&players::cross_table(self));
        out.heading("How the ratings are made");
        self.how_rated(out);
        out.push_str("</section>\n");
        Ok(())
    }

    /// What the column about precision means, by the example of the player with the most games.
    fn how_precise(&self, out: &mut Body) {
        out.push_str(
            "<p>The two games of a pair begin with one opening, with colours swapped, so an opening that \
             favours one side cancels out. The column \u{201c}as precise as\u{201d} is the number of games \
             without pairs that would give the same error.",
        );
        let networks = self.players.iter().filter(|player| !player.is_anchor());
        if let Some(most) = networks.max_by_key(|player| player.games) {
            let _ = write!(
                out,
                " The {} of {}, for example, are as precise as {} without pairs.",
                count::plural(most.games, "game"),
                escape(&most.name),
                count::whole(most.played.effective_games.round() as u64),
            );
        }
        out.push_str("</p>\n");
    }

    /// The model, the anchors and what rating games may cost, in words.
    fn how_rated(&self, out: &mut Body) {
        let model = &self.model;
        let draws = match model.draws {
            "davidson" => "draws as a result of their own (Davidson)",
            _ => "draws as half a win",
        };
        let _ = writeln!(
            out,
            "<p data-key=\"model\">One Bradley-Terry fit over all rating games, with {draws}, a term for \
             moving first, {} virtual draw of every anchor, the first network and the first raw policy with one virtual \
             player, and {} of each later network or policy with the rated one before it; errors are from the joint covariance. Gate games are no part of it. \
             Each candidate plays the anchors and champions at growing distances before it. The anchors are fixed opponents. The best-connected one is at 0 Elo: networks neither beat it nearly always nor lose to it nearly always, \
             so its games give the most information. An anchor that networks beat nearly always retires, one that beats them waits. A player policy-N is the raw policy of network-N, which plays without a search. The \
             error of pairs is from the scatter of opening pairs instead of the model's.</p>",
            model.prior_draws, model.lineage_draws,
        );
        if let Some(share) = &self.measures.rating_share {
            let stated = share.stated.map_or(String::new(), |stated| {
                format!(" of the {} that rating.time_share allows", count::percent(stated))
            });
            let _ = writeln!(
                out,
                "<p data-key=\"measures.rating_share\">Rating games took {} of the time of the finished \
                 cycles{stated} (which counts playouts, not seconds), gate games {}.</p>",
                count::percent(share.rating),
                count::percent(share.gate),
            );
        }
    }

    /// The curve over one thing that is spent, which the reader picks.
    fn elo_figures(&self, out: &mut Body) -> Result<(), ReportError> {
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
        for over in Over::ALL {
            radio(over.word(), over.name(), if over == Over::Time { " checked" } else { "" });
        }
        out.push_str("<div class=\"over\">\n");
        for over in Over::ALL {
            let _ = writeln!(out, "<div class=\"over-{}\">", over.word());
            figure(out, &elo(self, over))?;
            out.push_str("</div>\n");
        }
        out.push_str("</div></div>\n");
        self.how_sure(out);
        Ok(())
    }

    /// What the band is about, and what it leaves out.
    fn how_sure(&self, out: &mut Body) {
        let drawn = self.compared.iter().any(|other| other.refused.is_none());
        if let (Some(shared), Some(zero), false) = (self.curve_error95, self.zero_anchor(), drawn) {
            let _ = writeln!(
                out,
                "<p data-key=\"curve_error95\">The band is how surely each champion's place in the curve is known. The curve as \
                 a whole is known to ±{} Elo above {}; that moves all champions alike, and is part of the errors in \
                 the tables.</p>",
                count::elo_width(shared),
                escape(&zero.name),
            );
        }
    }

    pub(super) fn truth(&self, out: &mut Body) -> Result<(), ReportError> {
        if self.measures.truth.is_empty() {
            return Ok(());
        }
        out.section("Ground truth");
        out.push_str(
            "<p>Positions that a solver knows: how often the move \
             keeps the value of the game, where some legal move loses it, and how often the outcome that \
             the network or its search holds most likely is the true one.</p>\n",
        );
        let charts = [truth::truth(self), truth::truth_value(self), truth::truth_by_ply(self)];
        pair(out, &charts)?;
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn gates(&self, out: &mut Body) -> Result<(), ReportError> {
        out.section("Gate");
        pair(out, &[figures::gate(self), figures::traces(self)])?;
        let tests = gates::tests(self);
        if !tests.is_empty() {
            out.heading("Tests");
            out.push_str(
                "<p>Each gate tests the difference that is not enough against the one \
                 that is, in normalised Elo; a candidate as weak as the first is accepted, one as good as \
                 the second refused, with the probabilities shown. The estimate is median-unbiased: it \
                 takes into account that the test chose when to stop. Gate games are no part of the \
                 ratings.</p>\n",
            );
            out.push_str(&tests.html(""));
            out.heading("Matches");
        }
        out.push_str(&gates::gates(self).html("No data yet: no candidate has been judged."));
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn training(&self, out: &mut Body) -> Result<(), ReportError> {
        out.section("Training");
        let losses = [LossPart::Policy, LossPart::Value].map(|part| figures::losses(self, part));
        pair(out, &losses)?;
        figure(out, &figures::steps(self))?;
        if let Some(heads) = figures::heads(self) {
            figure(out, &heads)?;
        }
        out.push_str(&sections::losses(self).html("No data yet: nothing has been trained."));
        out.heading("Window and rows");
        figure(out, &figures::window(self))?;
        out.push_str(&sections::window(self).html("No data yet: no rows have been made."));
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn selfplay(&self, out: &mut Body) -> Result<(), ReportError> {
        out.section("Self-play");
        let figures = [
            figures::results(self),
            figures::plies(self),
            figures::surprise(self),
            figures::sameness(self),
        ];
        pair(out, &figures)?;
        out.heading("Games");
        out.push_str(&sections::games(self).html("No data yet: no games have been played."));
        if let Some(root) = &self.measures.openings {
            out.heading("How games open");
            let _ = writeln!(
                out,
                "<p>The {} games of the newest cycle: a column a ply, a box \
                 a move, as high as it is frequent, with its share and the first player's score; \
                 darker is better for the first player.</p>\n\
                 <figure data-key=\"measures.openings\">{}</figure>",
                count::whole(root.games),
                tree_svg(root),
            );
        }
        self.stage_games(out);
        let resigned = sections::resignation(self);
        out.heading("Resignation");
        out.push_str(&resigned.html("No cycle had resignation switched on."));
        out.push_str("</section>\n");
        Ok(())
    }

    pub(super) fn speed(&self, out: &mut Body) -> Result<(), ReportError> {
        out.section("Time and throughput");
        if let Some(sentence) = self.bottleneck() {
            let sentence = escape(&sentence);
            let _ = writeln!(out, "<p data-key=\"cycles.wall_ms\">{sentence}</p>");
        }
        figure(out, &figures::times(self))?;
        out.push_str(&sections::times(self).html("No data yet: no cycle is over."));
        out.heading("Self-play");
        out.push_str(&sections::speed(self).html("No data yet: no games have been played."));
        out.push_str("</section>\n");
        Ok(())
    }

    /// Every finding, with the figures and thresholds that it was judged by.
    pub(super) fn checks(&self, out: &mut Body) {
        if self.findings.is_empty() {
            return;
        }
        out.section("Checks");
        out.push_str(
            "<p>What goes wrong in silence, judged after each cycle. <code>dagzero doctor \
             RUN</code> asks the champion itself too: whether it sees turned boards alike, and whether its values \
             have the right sign.</p>\n",
        );
        out.push_str(&sections::checks(self).html(""));
        out.push_str("</section>\n");
    }

    pub(super) fn storage(&self, out: &mut Body) {
        out.section("Disk and memory");
        out.push_str(&sections::bytes(self).html("No data yet: nothing has been published."));
        out.heading("Memory");
        let memory = sections::memory(self);
        out.push_str(&memory.html("No stage of this run has written down its peak memory."));
        out.push_str("</section>\n");
    }
}
