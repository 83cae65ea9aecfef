//! What a champion is found to be.

use std::fs;

use anyhow::Context;
use serde_json::Value;

use super::{
    cell::Figure,
    drive::Drive,
    table::{Match, Measure, Solved},
};

impl Drive<'_> {
    /// Measures the champion by every measure of the table, on the device that its run played with;
    /// the commands go to `commands`.
    pub(super) fn measure(&self, commands: &mut Vec<String>) -> anyhow::Result<Vec<Figure>> {
        let Measure { solved, matches } = &self.table.measure;
        let mut figures = Vec::new();
        if let Some(solved) = solved {
            figures.extend(self.measure_solved(solved, commands)?);
        }
        for one in matches {
            figures.push(self.measure_match(one, commands)?);
        }
        Ok(figures)
    }

    /// Positions are solved for the first cell, and read by the others, which is the same as the
    /// command that is kept.
    fn measure_solved(
        &self,
        solved: &Solved,
        commands: &mut Vec<String>,
    ) -> anyhow::Result<Vec<Figure>> {
        let list = solved.playouts.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let run = self.run.display().to_string();
        let device = self.setting("device", "auto")?;
        let count = solved.positions.to_string();
        let seed = solved.seed.to_string();
        let words = ["accuracy", "--run", &run, "--playouts", &list, "--device", &device, "--json"];
        let make = [&words[..], &["--generate", &count, "--seed", &seed]].concat();
        commands.push(self.command_line(&make));
        let game = self.setting("game", "")?.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let kept = self.run.with_file_name(format!("solved-{game}-{count}-{seed}.jsonl"));
        if kept.exists() {
            let kept = kept.display().to_string();
            return solved_figures(&self.ask(&[&words[..], &["--positions", &kept]].concat())?);
        }
        // Named when it is whole; two cells at once write two files, which are the same.
        let new = self.run.with_extension("solved");
        let measured = self.ask(&[&make[..], &["--save", &new.display().to_string()]].concat())?;
        fs::rename(&new, &kept).with_context(|| kept.display().to_string())?;
        solved_figures(&measured)
    }

    fn measure_match(&self, one: &Match, commands: &mut Vec<String>) -> anyhow::Result<Figure> {
        let Match { against, games, playouts } = one;
        let run = self.run.display().to_string();
        let device = self.setting("device", "auto")?;
        let rest = format!("--games {games} --playouts {playouts} --device {device} --json");
        let words: Vec<&str> =
            ["match", &run, against].into_iter().chain(rest.split(' ')).collect();
        commands.push(self.command_line(&words));
        let played = self.ask(&words)?;
        Ok(Figure {
            name: format!("score against {against}"),
            count: played["games"].as_u64().context("games of the match")?,
            share: played["score"].as_f64().context("score of the match")?,
        })
    }

    /// A word of the configuration's `[run]`.
    fn setting(&self, key: &str, otherwise: &str) -> anyhow::Result<String> {
        let config = self.table.config_json(self.variant)?;
        Ok(config["run"][key].as_str().unwrap_or(otherwise).to_owned())
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
