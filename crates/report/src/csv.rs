//! The report's numbers as comma-separated values.

use std::fmt::Display;

use crate::facts::{CycleFacts, PlayerFacts};
use crate::pairings::Pairing;
use crate::report::Report;

/// A table for spreadsheets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvFile {
    /// What it is about: `cycles`, `players`, `pairings`.
    pub name: &'static str,
    /// Header and rows, each ended by a line feed.
    pub text: String,
}

impl Report {
    /// Cycles, players and pairings. A field that a cycle does not have is empty.
    pub fn to_csv(&self) -> Vec<CsvFile> {
        vec![
            file("cycles", &CYCLES, &self.cycles),
            file("players", &PLAYERS, &self.players),
            file("pairings", &PAIRINGS, &self.pairings),
        ]
    }
}

/// A column: its name, and what stands in it.
type Column<T> = (&'static str, fn(&T) -> String);

fn file<T>(name: &'static str, columns: &[Column<T>], rows: &[T]) -> CsvFile {
    let mut text = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        let fields: Vec<String> = columns.iter().map(|(_, of)| of(row)).collect();
        text += &(fields.join(",") + "\n");
    }
    CsvFile { name, text }
}

const CYCLES: [Column<CycleFacts>; 30] = [
    ("cycle", |c| c.cycle.to_string()),
    ("generation", |c| field(c.generation)),
    ("promoted", |c| field(c.promoted)),
    ("games", |c| field(c.selfplay.as_ref().map(|s| s.games))),
    ("positions", |c| field(c.selfplay.as_ref().map(|s| s.positions))),
    ("evaluations", |c| field(c.selfplay.as_ref().map(|s| s.evaluations))),
    ("playouts", |c| field(c.selfplay.as_ref().map(|s| s.playouts))),
    ("wins_first", |c| field(c.selfplay.as_ref().map(|s| s.wins_first))),
    ("draws", |c| field(c.selfplay.as_ref().map(|s| s.draws))),
    ("wins_second", |c| field(c.selfplay.as_ref().map(|s| s.wins_second))),
    ("plies_mean", |c| field(c.selfplay.as_ref().map(|s| s.plies_mean))),
    ("target_entropy", |c| field(c.health.as_ref().map(|h| h.target_entropy))),
    ("value_surprise", |c| field(c.health.as_ref().map(|h| h.value_surprise))),
    ("duplicates", |c| field(c.health.as_ref().map(|h| h.duplicates))),
    ("window_rows", |c| field(c.rows.as_ref().map(|r| r.window_rows))),
    ("train_rows", |c| field(c.rows.as_ref().map(|r| r.train_rows))),
    ("policy_loss", |c| field(c.losses.as_ref().map(|l| l.policy))),
    ("validation_policy_loss", |c| field(c.losses.as_ref().and_then(|l| l.validation_policy))),
    ("value_loss", |c| field(c.losses.as_ref().map(|l| l.value))),
    ("validation_value_loss", |c| field(c.losses.as_ref().and_then(|l| l.validation_value))),
    ("value_mse", |c| field(c.losses.as_ref().and_then(|l| l.value_mse))),
    ("validation_value_mse", |c| field(c.losses.as_ref().and_then(|l| l.validation_value_mse))),
    ("learning_rate", |c| field(c.losses.as_ref().map(|l| l.learning_rate))),
    ("gate_wins", |c| field(c.gate.as_ref().map(|g| g.result.wins))),
    ("gate_draws", |c| field(c.gate.as_ref().map(|g| g.result.draws))),
    ("gate_losses", |c| field(c.gate.as_ref().map(|g| g.result.losses))),
    ("accepted", |c| field(c.verdict.as_ref().map(|v| v.accepted))),
    ("wall_ms", |c| field(c.wall_ms)),
    ("elapsed_ms", |c| c.elapsed_ms.to_string()),
    ("device_ms", |c| c.device_ms.to_string()),
];

const PLAYERS: [Column<PlayerFacts>; 23] = [
    ("player", |p| quoted(&p.name)),
    ("generation", |p| field(p.generation)),
    ("cycle", |p| field(p.cycle)),
    ("elo", |p| p.elo.to_string()),
    ("error95", |p| p.error95.to_string()),
    ("behind", |p| field(p.behind)),
    ("behind_error95", |p| field(p.behind_error95)),
    ("behind_los", |p| field(p.behind_los)),
    ("games", |p| p.games.to_string()),
    ("wins", |p| p.played.wins.to_string()),
    ("draws", |p| p.played.draws.to_string()),
    ("losses", |p| p.played.losses.to_string()),
    ("score", |p| p.score.to_string()),
    ("step", |p| field(p.step)),
    ("error95_pairs", |p| field(p.error95_pairs)),
    ("normalised_elo", |p| field(p.played.normalised_elo)),
    ("normalised_error95", |p| field(p.played.normalised_error95)),
    ("opponents_elo", |p| field(p.played.opponents_elo)),
    ("plies_mean", |p| field(p.played.plies_mean)),
    ("duplicates", |p| p.played.duplicates.to_string()),
    ("effective_games", |p| p.played.effective_games.to_string()),
    ("adjudicated", |p| p.played.adjudicated.to_string()),
    ("forfeits", |p| p.played.forfeits.to_string()),
];

const PAIRINGS: [Column<Pairing>; 10] = [
    ("a", |p| quoted(&p.a)),
    ("b", |p| quoted(&p.b)),
    ("games", |p| p.games.to_string()),
    ("wins", |p| p.wins.to_string()),
    ("draws", |p| p.draws.to_string()),
    ("losses", |p| p.losses.to_string()),
    ("duplicates", |p| p.duplicates.to_string()),
    ("score", |p| p.score.to_string()),
    ("expected", |p| p.expected.to_string()),
    ("deviation", |p| p.deviation.to_string()),
];

fn field<T: Display>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Names are people's: those with commas, quotes or line feeds are quoted (RFC 4180), and what a
/// spreadsheet would take for a formula is kept from being one.
fn quoted(name: &str) -> String {
    let name =
        if name.starts_with(['=', '+', '-', '@']) { format!("'{name}") } else { name.to_owned() };
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_of_people_stay_one_field() {
        assert_eq!(quoted("random"), "random");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
        assert_eq!(quoted("=1+1"), "'=1+1");
    }
}
