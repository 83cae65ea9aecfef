//! The report's numbers as comma-separated values.

use std::fmt::Display;

use crate::facts::Report;

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
        let csv = |name, rows: Vec<Vec<String>>, header: &str| {
            let lines = rows.iter().map(|row| row.join(",") + "\n");
            CsvFile { name, text: format!("{header}\n") + &lines.collect::<String>() }
        };
        vec![
            csv("cycles", self.cycle_rows(), CYCLES),
            csv("players", self.player_rows(), PLAYERS),
            csv("pairings", self.pairing_rows(), PAIRINGS),
        ]
    }

    fn cycle_rows(&self) -> Vec<Vec<String>> {
        let row = |facts: &crate::CycleFacts| {
            let s = facts.selfplay.as_ref();
            let (rows, losses) = (facts.rows.as_ref(), facts.losses.as_ref());
            let (gate, verdict) = (facts.gate.as_ref(), facts.verdict.as_ref());
            let health = facts.health.as_ref();
            vec![
                facts.cycle.to_string(),
                field(facts.generation),
                field(facts.promoted),
                field(s.map(|s| s.games)),
                field(s.map(|s| s.positions)),
                field(s.map(|s| s.evaluations)),
                field(s.map(|s| s.playouts)),
                field(s.map(|s| s.wins_first)),
                field(s.map(|s| s.draws)),
                field(s.map(|s| s.wins_second)),
                field(s.map(|s| s.plies_mean)),
                field(health.map(|h| h.target_entropy)),
                field(health.map(|h| h.value_surprise)),
                field(health.map(|h| h.duplicates)),
                field(rows.map(|r| r.window_rows)),
                field(rows.map(|r| r.train_rows)),
                field(losses.map(|l| l.policy)),
                field(losses.and_then(|l| l.validation_policy)),
                field(losses.map(|l| l.value)),
                field(losses.and_then(|l| l.validation_value)),
                field(losses.map(|l| l.learning_rate)),
                field(gate.map(|g| g.result.wins)),
                field(gate.map(|g| g.result.draws)),
                field(gate.map(|g| g.result.losses)),
                field(verdict.map(|v| v.accepted)),
                field(facts.wall_ms),
                facts.elapsed_ms.to_string(),
                facts.device_ms.to_string(),
            ]
        };
        self.cycles.iter().map(row).collect()
    }

    fn player_rows(&self) -> Vec<Vec<String>> {
        let row = |p: &crate::PlayerFacts| {
            vec![
                quoted(&p.name),
                field(p.generation),
                field(p.cycle),
                p.elo.to_string(),
                p.error95.to_string(),
                field(p.behind),
                field(p.behind_error95),
                field(p.behind_los),
                p.games.to_string(),
                p.wins.to_string(),
                p.draws.to_string(),
                p.losses.to_string(),
                p.score.to_string(),
            ]
        };
        self.players.iter().map(row).collect()
    }

    fn pairing_rows(&self) -> Vec<Vec<String>> {
        let row = |p: &crate::Pairing| {
            vec![
                quoted(&p.a),
                quoted(&p.b),
                p.games.to_string(),
                p.wins.to_string(),
                p.draws.to_string(),
                p.losses.to_string(),
                p.duplicates.to_string(),
                p.score.to_string(),
                p.expected.to_string(),
                p.deviation.to_string(),
            ]
        };
        self.pairings.iter().map(row).collect()
    }
}

const CYCLES: &str = "cycle,generation,promoted,games,positions,evaluations,playouts,wins_first,draws,\
    wins_second,plies_mean,target_entropy,value_surprise,duplicates,window_rows,train_rows,policy_loss,\
    validation_policy_loss,value_loss,validation_value_loss,learning_rate,gate_wins,gate_draws,\
    gate_losses,accepted,wall_ms,elapsed_ms,device_ms";
const PLAYERS: &str = "player,generation,cycle,elo,error95,behind,behind_error95,behind_los,games,wins,\
    draws,losses,score";
const PAIRINGS: &str = "a,b,games,wins,draws,losses,duplicates,score,expected,deviation";

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
