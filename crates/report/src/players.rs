//! Tables about players: everybody's rating, and everybody against everybody.

use std::fmt::Write as _;

use dz_stats::Record;

use crate::count;
use crate::facts::PlayerFacts;
use crate::html::escape;
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
pub(crate) fn cross_table(report: &Report) -> String {
    let chosen = chosen(report);
    if chosen.len() < 2 || report.pairings.is_empty() {
        return "<p class=\"none\">No data yet: no rating games.</p>\n".to_owned();
    }
    let labels = chosen.iter().map(|player| format!("against {}", short(player)));
    let labels = std::iter::once(String::new()).chain(labels);
    let mut out = table::opening("pairings", "many cross", labels);
    out.push_str("<th></th>");
    for player in &chosen {
        let _ = write!(out, "<th class=\"n\">{}</th>", breakable(&short(player)));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in &chosen {
        let _ = write!(out, "<tr><td>{}</td>", escape(&row.name));
        for column in &chosen {
            match report.pairing(&row.name, &column.name) {
                Some((pairing, flipped)) => cell(&mut out, pairing, flipped),
                None if row.name == column.name => out.push_str("<td class=\"self\"></td>"),
                None => out.push_str("<td></td>"),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str(table::CLOSING);
    let left_out = report.players.len() - chosen.len();
    if left_out > 0 {
        let _ = writeln!(
            out,
            "<p class=\"sub\">{} left out here; the JSON has all pairings.</p>",
            count::plural(left_out as u64, "player"),
        );
    }
    out
}

fn cell(out: &mut String, pairing: &Pairing, flipped: bool) {
    let (score, expected, deviation) = if flipped {
        (1.0 - pairing.score, 1.0 - pairing.expected, -pairing.deviation)
    } else {
        (pairing.score, pairing.expected, pairing.deviation)
    };
    let class = match deviation {
        d if d >= 3.0 => "up3",
        d if d >= 2.0 => "up2",
        d if d >= 1.0 => "up1",
        d if d <= -3.0 => "down3",
        d if d <= -2.0 => "down2",
        d if d <= -1.0 => "down1",
        _ => "even",
    };
    let _ = write!(
        out,
        "<td class=\"n {class}\" title=\"{} games; expected {} %\">{} %\
         <small>{deviation:+.1}</small></td>",
        count::whole(pairing.games),
        count::whole_percent(expected),
        count::whole_percent(score),
    );
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
fn breakable(name: &str) -> String {
    let mut out = String::new();
    let mut since = 0;
    for c in name.chars() {
        if since == LETTERS_MAX {
            out.push_str("<wbr>");
            since = 0;
        }
        out.push_str(&escape(c.encode_utf8(&mut [0; 4])));
        since += 1;
        if c == '-' {
            out.push_str("<wbr>");
            since = 0;
        }
    }
    out
}

impl Report {
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
        assert_eq!(breakable("202"), "202");
        assert_eq!(breakable("rollout-1000"), "rollout<wbr>-<wbr>1000");
        assert_eq!(breakable("a<b>-resigning"), "a&lt;b&gt;-<wbr>resigni<wbr>ng");
    }
}
