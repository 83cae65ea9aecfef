//! The section about ratings.

use maud::{Markup, html};

use super::figure::Figures;
use super::section::{Section, Title};
use crate::ReportError;
use crate::count;
use crate::elo::{Over, elo};
use crate::players;
use crate::report::Report;

impl Report {
    pub(super) fn ratings(&self, figures: &mut Figures<'_>) -> Result<Section, ReportError> {
        let section = Title("Ratings");
        Ok(section.section(html! {
            p {
                "A ring is preliminary: no later network has played that champion. How the ratings \
                 are made stands below the tables."
            }
            (self.elo_figures(figures)?)
            (section.heading("Players"))
            (players::players(self).html("No data yet: nobody is rated."))
            @if !self.players.is_empty() {
                (section.heading("The games behind the ratings"))
                (self.how_precise())
                (players::games(self).html(""))
            }
            @if let (Some(first), Some(draws)) = (self.first_mover_elo, self.draw_rate) {
                p data-key="first_mover_elo" {
                    "Moving first is worth " (count::elo(first)) " Elo; between equal players "
                    (count::percent(draws)) " of games are drawn."
                }
            }
            (section.heading("Everybody against everybody"))
            p {
                "The row's score against the column. The small number is the distance from what \
                 the ratings expect, in standard errors; blue is better than expected, orange \
                 worse. Colour beyond 3 means that one scale of strength does not describe these \
                 two."
            }
            (players::cross_table(self))
            (section.heading("How the ratings are made"))
            (self.how_rated())
        }))
    }

    /// What the column about precision means, by the example of the player with the most games.
    fn how_precise(&self) -> Markup {
        let networks = self.players.iter().filter(|player| !player.is_anchor());
        html! {
            p {
                "The two games of a pair begin with one opening, with colours swapped, so an \
                 opening that favours one side cancels out. The column \u{201c}as precise \
                 as\u{201d} is the number of games without pairs that would give the same error."
                @if let Some(most) = networks.max_by_key(|player| player.games) {
                    " The " (count::plural(most.games, "game")) " of " (most.name)
                    ", for example, are as precise as "
                    (count::whole(most.played.effective_games.round() as u64)) " without pairs."
                }
            }
        }
    }

    /// The model, the anchors and what rating games may cost, in words.
    fn how_rated(&self) -> Markup {
        let model = &self.model;
        let draws = match model.draws {
            "davidson" => "draws as a result of their own (Davidson)",
            _ => "draws as half a win",
        };
        html! {
            p data-key="model" {
                "One Bradley-Terry fit over all rating games, with " (draws)
                ", a term for moving first, " (model.prior_draws)
                " virtual draw of every anchor, the first network and the first raw policy with \
                 one virtual player, and " (model.lineage_draws)
                " of each later network or policy with the rated one before it; errors are from \
                 the joint covariance. Gate games are no part of it. The final match is, if it was \
                 played with as many playouts as rating games. Each candidate plays the \
                 anchors and champions at growing distances before it. The anchors are fixed \
                 opponents. The best-connected one is at 0 Elo: networks neither beat it nearly \
                 always nor lose to it nearly always, so its games give the most information. An \
                 anchor that networks beat nearly always retires, one that beats them waits. A \
                 player policy-N is the raw policy of network-N, which plays without a search. \
                 The error of pairs is from the scatter of opening pairs instead of the model's."
                @if model.draws == "davidson" {
                    " In this model 400 Elo are ten wins for each loss, whatever the draws. \
                     The command dagzero match counts a draw as half a win, so its differences \
                     are smaller where games are drawn."
                }
            }
            @if let Some(share) = &self.measures.rating_share {
                p data-key="measures.rating_share" {
                    "Rating games took " (count::percent(share.rating))
                    " of the time of the finished cycles"
                    @if let Some(stated) = share.stated {
                        " of the " (count::percent(stated)) " that rating.time_share allows"
                    }
                    " (which counts playouts, not seconds), gate games "
                    (count::percent(share.gate)) "."
                }
            }
        }
    }

    /// The curve over one thing that is spent, which the reader picks.
    fn elo_figures(&self, figures: &mut Figures<'_>) -> Result<Markup, ReportError> {
        if self.curve.is_empty() {
            return Ok(Markup::default());
        }
        Ok(html! {
            div.pick {
                span { "Elo over" } " "
                @for over in Over::ALL {
                    label {
                        input type="radio" name="over" id={ "over-" (over.word()) }
                            checked[over == Over::Time];
                        (over.name())
                    }
                    " "
                }
                div.over {
                    @for over in Over::ALL {
                        div class={ "over-" (over.word()) } {
                            (figures.figure(&elo(self, over))?)
                        }
                    }
                }
            }
            (self.how_sure())
        })
    }

    /// What the band is about, and what it leaves out.
    fn how_sure(&self) -> Markup {
        let drawn = self.compared.iter().any(|other| other.refused.is_none());
        let (Some(shared), Some(zero), false) = (self.curve_error95, self.zero_anchor(), drawn)
        else {
            return Markup::default();
        };
        html! {
            p data-key="curve_error95" {
                "The band is how surely each champion's place in the curve is known. The curve as \
                 a whole is known to ±" (count::elo_width(shared)) " Elo above " (zero.name)
                "; that moves all champions alike, and is part of the errors in the tables."
            }
        }
    }
}
