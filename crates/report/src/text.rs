//! The report without a page: Markdown for notes, lines for a terminal.

use std::fmt::Write as _;

use crate::count;
use crate::facts::CycleFacts;
use crate::report::Report;

impl Report {
    /// One line a cycle, for a terminal.
    pub fn rows(&self) -> Vec<String> {
        self.cycles.iter().map(|cycle| self.row(cycle)).collect()
    }

    /// The cycles as a Markdown table.
    pub fn to_markdown_table(&self) -> String {
        let against =
            self.zero_anchor().map_or(String::new(), |zero| format!(" against {}", zero.name));
        let mut out = format!(
            "| cycle | generation | games | rows | window | policy loss | value loss | gate W-D-L | verdict | Elo{against} |\n\
             |--:|--:|--:|--:|--:|--:|--:|--:|:--|--:|\n",
        );
        for cycle in &self.cycles {
            let cells = self.cells(cycle);
            let _ = writeln!(out, "| {} |", cells.map(|(_, cell)| cell).join(" | "));
        }
        out
    }

    /// The results of a cycle. Its stages have reported their own work already.
    fn row(&self, cycle: &CycleFacts) -> String {
        let number = cycle.cycle;
        let champion = match (cycle.promoted, &cycle.verdict) {
            (Some(generation), _) => format!("generation {generation} is the champion"),
            (None, Some(_)) => "the candidate is refused".to_owned(),
            (None, None) => "done".to_owned(),
        };
        let rated = self.players.iter().find(|player| player.cycle == Some(number));
        let elo = rated.map(|player| count::elo_error(player.elo, player.error95));
        let elo = match (elo, self.zero_anchor()) {
            // The scale may move to another anchor between two lines.
            (Some(elo), Some(zero)) => format!(", {elo} Elo against {}", zero.name),
            (Some(elo), None) => format!(", {elo} Elo"),
            (None, _) => String::new(),
        };
        let time = cycle.wall_ms.map(|ms| format!("; {}", count::duration(ms))).unwrap_or_default();
        format!("cycle {number}: {champion}{elo}{time}")
    }

    /// Name and text of each cell; `-` where the cycle has not come so far.
    fn cells(&self, cycle: &CycleFacts) -> [(&'static str, String); 10] {
        let none = || "-".to_owned();
        let rows = cycle.rows.as_ref();
        let losses = cycle.losses.as_ref();
        let gate = cycle.gate.as_ref().map(|gate| count::wdl(gate.record()));
        let verdict =
            cycle.verdict.as_ref().map(|v| if v.accepted { "accepted" } else { "refused" });
        let rated = self.players.iter().find(|player| player.cycle == Some(cycle.cycle));
        [
            ("cycle", cycle.cycle.to_string()),
            ("generation", cycle.generation.map_or_else(none, |g| g.to_string())),
            ("games", cycle.selfplay.as_ref().map_or_else(none, |s| count::whole(s.games))),
            ("rows", rows.map_or_else(none, |r| count::whole(r.train_rows))),
            ("window", rows.map_or_else(none, |r| count::whole(r.window_rows))),
            ("policy loss", losses.map_or_else(none, |l| count::loss(l.policy))),
            ("value loss", losses.map_or_else(none, |l| count::loss(l.value))),
            ("gate", gate.unwrap_or_else(none)),
            ("", verdict.map_or_else(none, str::to_owned)),
            ("Elo", rated.map_or_else(none, |p| count::elo_error(p.elo, p.error95))),
        ]
    }
}
