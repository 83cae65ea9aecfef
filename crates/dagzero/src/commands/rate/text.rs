//! The table for people.

use std::{io::Write, path::Path};

use dz_stage::{Column, TextTable, elo_error_text, elo_text, elo_width_text};
use dz_text::line;

use super::results::Fault;
use super::standings::{Row, Standings};

/// So many faults of a file are shown.
const FAULTS_SHOWN: usize = 5;

/// Notes about what could not be read in a file, or is unusual there. `more` says what the rest is.
pub(super) fn faults(path: &Path, faults: &[Fault], more: &str) -> Vec<String> {
    let note = |fault: &Fault| format!("{}:{}: {}", path.display(), fault.line, fault.what);
    let mut notes: Vec<String> = faults.iter().take(FAULTS_SHOWN).map(note).collect();
    if faults.len() > FAULTS_SHOWN {
        let count = faults.len() - FAULTS_SHOWN;
        notes.push(format!("{}: {count} more {more}", path.display()));
    }
    notes
}

impl Standings {
    /// Notes, the table, and what the numbers mean.
    pub(super) fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        for note in &self.notes {
            writeln!(out, "note: {}", line(note))?;
        }
        if !self.notes.is_empty() {
            writeln!(out)?;
        }
        if self.ratings.is_empty() {
            return Ok(());
        }
        self.write_rows(out)?;
        self.write_legend(out)
    }

    fn write_rows(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        use Column::{Numbers, Words};
        let mut columns = vec![Numbers(""), Words("player"), Numbers("Elo"), Numbers("±")];
        columns.extend(["games", "won", "drawn", "lost"].map(Numbers));
        columns.extend(["score", "above next", "surely"].map(Numbers));
        let groups = self.groups > 1;
        columns.extend(groups.then_some(Numbers("group")));
        let mut table = TextTable::new(&columns);
        for (place, row) in (1..).zip(&self.ratings) {
            let mut cells = row.cells(place);
            cells.extend(groups.then(|| row.group.to_string()));
            table.row(cells);
        }
        Ok(table.write(out)?)
    }

    fn write_legend(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let zero = match &self.anchor {
            Some(anchor) => format!("{} is at 0", line(anchor)),
            None => "the mean of all players is at 0".to_owned(),
        };
        writeln!(out, "\n{} games. 400 Elo more are odds of ten to one; {zero}.", self.games)?;
        writeln!(
            out,
            "± is half the 95 % interval; \"surely\" is the probability of being above the next."
        )?;
        if let (Some(elo), Some(error)) = (self.first_mover_elo, self.first_mover_error95) {
            writeln!(out, "Moving first is worth {} Elo.", elo_error_text(elo, error))?;
        }
        if let Some(rate) = self.draw_rate {
            let of = if self.draws == "half" { "all games" } else { "games between equals" };
            writeln!(out, "Draws are {:.1} % of {of}.", 100.0 * rate)?;
        }
        if self.prior > 0.0 {
            writeln!(
                out,
                "A prior of {} virtual draws a player pulls ratings together; --prior 0 is without.",
                self.prior
            )?;
        }
        Ok(())
    }
}

impl Row {
    /// Its cells without the group.
    fn cells(&self, place: usize) -> Vec<String> {
        let (above, surely) = match &self.above_next {
            Some(next) => (
                format!("{} ± {}", elo_width_text(next.elo), elo_width_text(next.error95)),
                format!("{:.1} %", 100.0 * next.los),
            ),
            None => (String::new(), String::new()),
        };
        let none = || "-".to_owned();
        vec![
            place.to_string(),
            self.player.clone(),
            self.elo.map_or_else(none, elo_text),
            self.error95.map_or_else(none, elo_width_text),
            self.games.to_string(),
            self.wins.to_string(),
            self.draws.to_string(),
            self.losses.to_string(),
            format!("{:.1} %", 100.0 * self.score),
            above,
            surely,
        ]
    }
}
