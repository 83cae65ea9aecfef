//! What a champion is found to be.

use anyhow::Context;
use serde_json::Value;

use super::{
    cell::Figure,
    drive::Drive,
    table::{Match, Measure, Solved},
};

impl Drive<'_> {
    /// What the champion is, by every measure of the table, on the device that its run played with; the commands go
    /// to `commands`.
    pub(super) fn measure(&self, commands: &mut Vec<String>) -> anyhow::Result<Vec<Figure>> {
        let Measure { solved, matches } = &self.table.measure;
        let config = self.table.config_json(self.variant)?;
        let device = config["run"]["device"].as_str().unwrap_or("auto");
        let run = self.run.display().to_string();
        let mut figures = Vec::new();
        if let Some(Solved { positions, seed, playouts }) = solved {
            let list = playouts.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            let rest = format!(
                "--generate {positions} --seed {seed} --playouts {list} --device {device} --json"
            );
            let words: Vec<&str> =
                ["accuracy", "--run", &run].into_iter().chain(rest.split(' ')).collect();
            commands.push(self.command_line(&words));
            figures.extend(solved_figures(&self.ask(&words)?)?);
        }
        for Match { against, games, playouts } in matches {
            let rest = format!("--games {games} --playouts {playouts} --device {device} --json");
            let words: Vec<&str> =
                ["match", &run, against].into_iter().chain(rest.split(' ')).collect();
            commands.push(self.command_line(&words));
            let played = self.ask(&words)?;
            figures.push(Figure {
                name: format!("score against {against}"),
                count: played["games"].as_u64().context("games of the match")?,
                share: played["score"].as_f64().context("score of the match")?,
            });
        }
        Ok(figures)
    }
}

/// The name of a figure of solved positions.
fn solved_name(playouts: u64) -> String {
    match playouts {
        0 => "raw policy".to_owned(),
        _ => format!("{playouts} playouts"),
    }
}

/// The shares of the positions where some move loses value.
fn solved_figures(measured: &Value) -> anyhow::Result<Vec<Figure>> {
    let figure = |found: &Value| {
        Some(Figure {
            name: solved_name(found["playouts"].as_u64()?),
            count: found["nontrivial"]["positions"].as_u64()?,
            share: found["nontrivial"]["share"].as_f64()?,
        })
    };
    let measured = measured.as_array().context("the list of accuracy")?;
    measured.iter().map(|found| figure(found).context("a figure of accuracy")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn positions_where_every_move_is_good_do_not_count() {
        let measured = json!([
            {"playouts": 0, "share": 0.9, "nontrivial": {"positions": 40, "share": 0.75}},
            {"playouts": 16, "share": 0.95, "nontrivial": {"positions": 40, "share": 0.875}},
        ]);
        let figures = solved_figures(&measured).expect("figures");
        let figure = |name: &str, share| Figure { name: name.to_owned(), count: 40, share };
        assert_eq!(figures, [figure("raw policy", 0.75), figure("16 playouts", 0.875)]);
    }
}
