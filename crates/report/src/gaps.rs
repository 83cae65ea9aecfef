//! What a ledger lacks, in sentences. The rest of the report is shown all the same.

use dz_config::{Anchor, AnchorKind, RatingSection, RunConfig};

use crate::report::Report;

/// Sentences about missing or inconsistent data; none for a run without faults.
pub(crate) fn gaps(report: &Report, config: Option<&RunConfig>) -> Vec<String> {
    let mut said = Vec::new();
    if report.run.entries > 0 && report.run.game.is_empty() {
        said.push("The entry that begins the run is missing: its game is not known.".to_owned());
    }
    said.extend(cycles(report));
    let rated_by_ledger =
        report.state.ratings.as_ref().is_some_and(|ratings| !ratings.players.is_empty());
    if !rated_by_ledger && !report.players.is_empty() {
        let what = "The ledger has no ratings: those shown are fitted here from its rating games.";
        said.push(what.to_owned());
    }
    said.extend(players(report, config));
    said.extend(connection(report));
    said
}

/// Parts that a cycle lacks although it is over or others follow it.
fn cycles(report: &Report) -> Vec<String> {
    let Some(last) = report.cycles.last().map(|facts| facts.cycle) else { return Vec::new() };
    let mut said = Vec::new();
    let mut next = 1;
    let mut absent = Vec::new();
    for facts in &report.cycles {
        match facts.cycle.saturating_sub(next) {
            0 => {}
            1 => absent.push(next.to_string()),
            2 => absent.extend([next.to_string(), (next + 1).to_string()]),
            _ => absent.push(format!("{next} to {}", facts.cycle - 1)),
        }
        next = facts.cycle.saturating_add(1);
    }
    if !absent.is_empty() {
        said.push(format!("Nothing is known of cycle {}.", absent.join(", ")));
    }
    for facts in &report.cycles {
        if facts.wall_ms.is_none() && facts.cycle == last {
            continue;
        }
        let parts = [
            ("self-play", facts.selfplay.is_some()),
            ("rows", facts.rows.is_some()),
            ("candidate", facts.losses.is_some()),
            ("verdict", facts.verdict.is_some()),
            ("end", facts.wall_ms.is_some()),
        ];
        let lacking: Vec<&str> =
            parts.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect();
        if !lacking.is_empty() {
            said.push(format!("Cycle {} has no {}.", facts.cycle, lacking.join(", no ")));
        }
    }
    said
}

/// Players that nobody knows, have played no game, or are missing altogether.
fn players(report: &Report, config: Option<&RunConfig>) -> Vec<String> {
    let mut said = Vec::new();
    let idle: Vec<&str> =
        report.players.iter().filter(|p| p.games == 0).map(|p| p.name.as_str()).collect();
    if !idle.is_empty() {
        said.push(format!(
            "Rated without a single game, so by the prior alone: {}.",
            idle.join(", ")
        ));
    }
    if report.players.len() == 1 {
        let name = &report.players[0].name;
        said.push(format!("{name} is the only rated player: a rating compares at least two."));
    }
    let Some(config) = config else { return said };
    let anchors = &config.rating.anchors;
    let foreign: Vec<&str> = report
        .players
        .iter()
        .filter(|p| p.is_anchor() && anchors.iter().all(|anchor| anchor.name != p.name))
        .map(|p| p.name.as_str())
        .collect();
    if !foreign.is_empty() {
        said.push(format!(
            "Rated, but neither a network of this run nor an anchor of its configuration: {}.",
            foreign.join(", ")
        ));
    }
    let rated = report.cycles.iter().any(|facts| facts.records.contains_key("rating_match"));
    if rated {
        said.extend(unplayed(report, &config.rating));
    }
    said
}

/// Anchors of the configuration that have finished no rating game, and why.
fn unplayed(report: &Report, rating: &RatingSection) -> Vec<String> {
    let has_played = |name: &str| report.pairings.iter().any(|p| p.a == name || p.b == name);
    let is_anchor = |name: &str| rating.anchors.iter().any(|anchor| anchor.name == name);
    // Matches are planned in this order: anchors in the order of the configuration, then networks
    // and policies. If the time is up, the last ones are left out.
    let beyond_anchors = report.pairings.iter().any(|p| !is_anchor(&p.a) && !is_anchor(&p.b));
    let last = rating.anchors.iter().rposition(|anchor| has_played(&anchor.name));
    let is_cut = |place: usize, anchor: &Anchor| {
        let ours = !matches!(anchor.kind, AnchorKind::Engine(_));
        ours || (Some(place) > last && !beyond_anchors)
    };
    let absent = rating.anchors.iter().enumerate().filter(|(_, a)| !has_played(&a.name));
    let (cut, crashed): (Vec<_>, Vec<_>) = absent.partition(|&(place, a)| is_cut(place, a));
    let names = |some: &[(usize, &Anchor)]| {
        some.iter().map(|(_, anchor)| anchor.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let mut said = Vec::new();
    if !cut.is_empty() {
        said.push(format!(
            "rating.time_share = {} has left no time for a rating game of these anchors: {}. Raise it, or lower rating.games.",
            rating.time_share,
            names(&cut)
        ));
    }
    if !crashed.is_empty() {
        said.push(format!(
            "These anchors have finished no rating game, perhaps because they crashed: {}.",
            names(&crashed)
        ));
    }
    said
}

/// Players whose ratings no games compare.
fn connection(report: &Report) -> Option<String> {
    let groups = report.scale.groups();
    if groups.len() < 2 {
        return None;
    }
    let groups: Vec<String> = groups
        .iter()
        .map(|names| match names.as_slice() {
            [first, .., last] if names.len() > 4 => {
                format!("{first} to {last} ({} players)", names.len())
            }
            names => names.join(", "),
        })
        .collect();
    Some(format!(
        "No games connect {}: their ratings against each other are the prior's.",
        groups.join(" with ")
    ))
}
