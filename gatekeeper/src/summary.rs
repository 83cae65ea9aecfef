//! The line that ends the gatekeeper's turn.

use std::fmt::Write;

use dz_config::{Anchor, GateRule};
use dz_stats::Standings;
use dz_store::{CycleState, MatchPurpose, MatchResult, PlayerName};

/// For people: `gate 12-3-5 (score 0.68) accepted -> generation 4; vs random +812 ± 90 Elo`.
pub fn turn_line(
    cycle: u32,
    now: &CycleState,
    fit: Option<&Standings>,
    rule: GateRule,
    anchors: &[Anchor],
) -> String {
    let gate = now.matches.iter().find(|m| m.purpose == MatchPurpose::Gate);
    let record = gate.map(|gate| {
        let result = &gate.result;
        let wins = result.wins;
        let draws = result.draws;
        let losses = result.losses;
        format!("{wins}-{draws}-{losses} (score {:.2})", result.score())
    });
    // With `always`, the match decides nothing.
    let mut line = match (rule, record) {
        (GateRule::Always, Some(record)) => format!("gate off, match {record}"),
        (GateRule::Always, None) => "gate off".to_owned(),
        (_, Some(record)) => format!("gate {record}"),
        (_, None) => "gate without games".to_owned(),
    };
    match &now.champion {
        Some(champion) => {
            let accepted = if rule == GateRule::Always { "" } else { " accepted" };
            let _ = write!(line, "{accepted} -> generation {}", champion.generation);
        }
        None => line.push_str(" refused"),
    }
    let name = PlayerName::network(cycle);
    let against = |anchor: &Anchor| {
        let difference = fit?.difference(name.as_str(), &anchor.name)?;
        let elo = dz_stage::elo_error_text(difference.elo.0, difference.error95.0);
        Some(format!("{} {elo}", anchor.name))
    };
    let ratings: Vec<String> = anchors.iter().filter_map(against).collect();
    if !ratings.is_empty() {
        let _ = write!(line, "; vs {} Elo", ratings.join(", "));
    }
    if let Some(played) = now.matches.iter().find(|m| m.purpose == MatchPurpose::Final) {
        let MatchResult { wins, draws, losses, .. } = played.result;
        let _ = write!(line, "; final match {wins}-{draws}-{losses} against {}", played.b);
    }
    line
}

#[cfg(test)]
mod tests {
    use dz_store::{ChampionState, MatchResult, MatchState, ObjectRef};

    use super::*;

    #[test]
    fn a_gate_that_is_off_accepts_nothing() {
        let network = ObjectRef::of("networks/cycle-0007.dzn", b"weights");
        let champion = ChampionState { generation: 4, cycle: 7, network };
        let now = CycleState { champion: Some(champion), ..CycleState::default() };
        let line = |rule, now: &CycleState| turn_line(7, now, None, rule, &[]);
        assert_eq!(line(GateRule::Always, &now), "gate off -> generation 4");
        assert_eq!(line(GateRule::Sprt, &now), "gate without games accepted -> generation 4");
        let result =
            MatchResult { games: 8, wins: 2, draws: 1, losses: 5, ..MatchResult::default() };
        let gate = MatchState {
            purpose: MatchPurpose::Gate,
            a: PlayerName::network(7),
            b: PlayerName::network(6),
            result,
            games: ObjectRef::of("matches/gate.jsonl", b""),
        };
        let played = CycleState { matches: vec![gate], ..now };
        let lost = "gate off, match 2-1-5 (score 0.31) -> generation 4";
        assert_eq!(line(GateRule::Always, &played), lost);
        let refused = CycleState { champion: None, ..played };
        assert_eq!(line(GateRule::Score, &refused), "gate 2-1-5 (score 0.31) refused");
    }
}
