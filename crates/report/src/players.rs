//! Tables about players: everybody's rating, and everybody against everybody.

use dz_stats::Record;
use maud::{Markup, html};

use crate::count;
use crate::facts::PlayerFacts;
use crate::pairings::Pairing;
use crate::report::Report;
use crate::sections::{NONE, optional};
use crate::table::{self, Cell, Table};

/// Letters side by side above a column of the cross table.
const LETTERS_MAX: usize = 7;
/// Most players of the cross table. If there are more, champions are left out evenly.
const CROSS_MAX: usize = 16;

/// Everybody who is rated, strongest first.
pub(crate) fn players(report: &Report) -> Table {
    let best = report.champion().map(|player| player.name.as_str());
    let class = |player: &PlayerFacts| match player {
        p if Some(p.name.as_str()) == best => "best",
        p if p.is_anchor() => "anchor",
        _ => "",
    };
    Table::of("players", report.players.iter().collect())
        .words("player", |player| Cell::classed(full_name(player), class(player)))
        .number("Elo", "± 95 %", |player| {
            Cell::classed(count::elo_error(player.elo, player.error95), class(player))
        })
        .number("± 95 %", "of pairs", |player| {
            player.error95_pairs.map_or(NONE.to_owned(), count::elo_width)
        })
        .number("against champion", "± 95 %", |player| {
            elo_error(player.behind, player.behind_error95)
        })
        .number("stronger", "probability", |player| {
            player.behind_los.map_or(NONE.to_owned(), count::chance)
        })
        .number("generation", "", |player| optional(player.generation))
        .number("steps", "", |player| player.step.map_or(NONE.to_owned(), count::whole))
        .number("games", "", |player| count::whole(player.games))
        .number("W-D-L", "", |player| count::wdl(player.played.record()))
        .number("score", "", |player| count::percent(player.score))
        .done()
}

/// The games behind the ratings, in the same order.
pub(crate) fn games(report: &Report) -> Table {
    Table::of(
        "players",
        report.players.iter().map(|player| (full_name(player), &player.played)).collect(),
    )
    .words("player", |(name, _)| name.clone())
    .number("as first", "W-D-L", |(_, games)| wdl(games.by_first[0]))
    .number("as second", "W-D-L", |(_, games)| wdl(games.by_first[1]))
    .number("pairs", "0, ½, 1, 1½, 2 points", |(_, games)| {
        Cell::classed(games.pairs.map(count::whole).join(" "), "wrap")
    })
    .number("normalised Elo", "± 95 %", |(_, games)| {
        elo_error(games.normalised_elo, games.normalised_error95)
    })
    .number("opponents", "mean Elo", |(_, games)| {
        games.opponents_elo.map_or(NONE.to_owned(), count::elo)
    })
    .number("repeated", "games", |(_, games)| count::whole(games.duplicates))
    .number("as precise as", "games without pairs", |(_, games)| {
        count::whole(games.effective_games.round() as u64)
    })
    .number("drawn", "", |(_, games)| count::share(games.draws, games.record().games()))
    .number("plies", "mean", |(_, games)| games.plies_mean.map_or(NONE.to_owned(), count::real))
    .number("ply limit", "games", |(_, games)| count::whole(games.adjudicated))
    .number("forfeits", "games", |(_, games)| count::whole(games.forfeits))
    .done()
}

fn elo_error(elo: Option<f64>, error95: Option<f64>) -> String {
    elo.zip(error95).map_or(NONE.to_owned(), |(elo, error95)| count::elo_error(elo, error95))
}

fn full_name(player: &PlayerFacts) -> String {
    if player.is_anchor() { format!("{} (anchor)", player.name) } else { player.name.clone() }
}

fn wdl([wins, draws, losses]: [u64; 3]) -> String {
    count::wdl(Record { wins, draws, losses })
}

/// Who scored what against whom, coloured by how far that is from what the ratings expect.
pub(crate) fn cross_table(report: &Report) -> Markup {
    let chosen = chosen(report);
    if chosen.len() < 2 || report.pairings.is_empty() {
        return html! { p.none { "No data yet: no rating games." } };
    }
    let labels = chosen.iter().map(|player| format!("against {}", short(player)));
    let labels = std::iter::once(String::new()).chain(labels);
    let header = html! {
        th {}
        @for player in &chosen { th.n { (breakable(&short(player))) } }
    };
    let rows = html! {
        @for row in &chosen {
            tr {
                td { (row.name) }
                @for column in &chosen { (report.cell(row, column)) }
            }
        }
    };
    let left_out = report.players.len() - chosen.len();
    html! {
        (table::framed("pairings", "many cross", labels, &header, &rows))
        @if left_out > 0 {
            p.sub {
                (count::plural(left_out as u64, "player"))
                " left out here; the JSON has all pairings."
            }
        }
    }
}

/// All anchors, and champions evenly from the first to the newest; strongest first.
fn chosen(report: &Report) -> Vec<&PlayerFacts> {
    if report.players.len() <= CROSS_MAX {
        return report.players.iter().collect();
    }
    let mut names: Vec<&str> = report.anchors().iter().map(|p| p.name.as_str()).collect();
    names.truncate(CROSS_MAX / 2);
    let champions = report.champions();
    let places = CROSS_MAX - names.len();
    let last = champions.len().saturating_sub(1);
    for place in 0..places {
        // Places are dense near the newest champion, since neighbours play each other.
        let share = place as f64 / (places - 1) as f64;
        let back = (share * share * last as f64).round() as usize;
        let back = back.max(place.min(last));
        if let Some(player) = champions.get(last - back.min(last))
            && !names.contains(&player.name.as_str())
        {
            names.push(&player.name);
        }
    }
    report.players.iter().filter(|player| names.contains(&player.name.as_str())).collect()
}

/// A name that fits above a column.
fn short(player: &PlayerFacts) -> String {
    player.cycle.map_or_else(|| player.name.clone(), |cycle| format!("{cycle}"))
}

/// A name as markup that may break after every hyphen and within long words, because a column is
/// narrow.
fn breakable(name: &str) -> Markup {
    let mut parts = vec![String::new()];
    let mut since = 0;
    for c in name.chars() {
        if since == LETTERS_MAX {
            parts.push(String::new());
            since = 0;
        }
        parts.last_mut().expect("there is always one").push(c);
        since += 1;
        if c == '-' {
            parts.push(String::new());
            since = 0;
        }
    }
    html! {
        @for (place, part) in parts.iter().enumerate() {
            @if place > 0 { wbr; }
            (part)
        }
    }
}

impl Report {
    /// The cell of the row's score against the column.
    fn cell(&self, row: &PlayerFacts, column: &PlayerFacts) -> Markup {
        let Some((pairing, flipped)) = self.pairing(&row.name, &column.name) else {
            let class = (row.name == column.name).then_some("self");
            return html! { td class=[class] {} };
        };
        let (score, expected, deviation) = if flipped {
            (1.0 - pairing.score, 1.0 - pairing.expected, -pairing.deviation)
        } else {
            (pairing.score, pairing.expected, pairing.deviation)
        };
        let class = match deviation {
            d if d >= 3.0 => "n up3",
            d if d >= 2.0 => "n up2",
            d if d >= 1.0 => "n up1",
            d if d <= -3.0 => "n down3",
            d if d <= -2.0 => "n down2",
            d if d <= -1.0 => "n down1",
            _ => "n even",
        };
        let games = count::whole(pairing.games);
        let title = format!("{games} games; expected {} %", count::whole_percent(expected));
        html! {
            td class=(class) title=(title) {
                (count::whole_percent(score)) " %"
                small { (format_args!("{deviation:+.1}")) }
            }
        }
    }

    /// The pairing of two players, and whether it is kept the other way round.
    fn pairing(&self, one: &str, other: &str) -> Option<(&Pairing, bool)> {
        let (a, b, flipped) = if one <= other { (one, other, false) } else { (other, one, true) };
        let at =
            self.pairings.binary_search_by(|p| (p.a.as_str(), p.b.as_str()).cmp(&(a, b))).ok()?;
        Some((&self.pairings[at], flipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_break_above_narrow_columns() {
        assert_eq!(breakable("202").0, "202");
        assert_eq!(breakable("rollout-1000").0, "rollout<wbr>-<wbr>1000");
        assert_eq!(breakable("a<b>-resigning").0, "a&lt;b&gt;-<wbr>resigni<wbr>ng");
    }
}
