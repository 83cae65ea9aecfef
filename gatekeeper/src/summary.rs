//! The line that ends the gatekeeper's turn.

use std::fmt::Write;

use dz_config::Anchor;
use dz_stats::Standings;
use dz_store::{CycleState, MatchPurpose, PlayerName};

/// For people: `gate 12-3-5 (score 0.68) accepted -> generation 4; vs random +812 +-90 Elo`.
pub fn turn_line(
    cycle: u32,
    now: &CycleState,
    fit: Option<&Standings>,
    anchors: &[Anchor],
) -> String {
    let mut line = String::from("gate");
    match now.matches.iter().find(|m| m.purpose == MatchPurpose::Gate) {
        Some(gate) => {
            let result = &gate.result;
            let wins = result.wins;
            let draws = result.draws;
            let losses = result.losses;
            let _ = write!(line, " {wins}-{draws}-{losses} (score {:.2})", result.score());
        }
        None => line.push_str(" without games"),
    }
    match &now.champion {
        Some(champion) => {
            let _ = write!(line, " accepted -> generation {}", champion.generation);
        }
        None => line.push_str(" refused"),
    }
    let name = PlayerName::network(cycle);
    let against = |anchor: &Anchor| {
        let difference = fit?.difference(name.as_str(), &anchor.name)?;
        let elo = difference.elo.0;
        let error = difference.error95.0;
        Some(format!("{} {elo:+.0} +-{error:.0}", anchor.name))
    };
    let ratings: Vec<String> = anchors.iter().filter_map(against).collect();
    if !ratings.is_empty() {
        let _ = write!(line, "; vs {} Elo", ratings.join(", "));
    }
    line
}
