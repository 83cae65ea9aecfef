//! The help of the whole program: its commands by purpose.

use std::fmt::Write;

use clap::CommandFactory;
use dz_text::wrapped;

use crate::Cli;

/// Columns of the help at most.
const COLUMNS: usize = 80;

/// Commands by what people want to do.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Train",
        &[
            "run", "resume", "worker", "presets", "new", "plan", "fork", "import", "tune-lr",
            "learn",
        ],
    ),
    (
        "Look at a run",
        &["list", "status", "watch", "report", "serve", "doctor", "verify", "replay"],
    ),
    ("Play and measure", &["play", "match", "engine", "analyze", "accuracy", "rate"]),
    ("Data and networks", &["shard", "export"]),
    ("Games, search, speed", &["inspect", "search", "perft", "rules", "bench"]),
    ("Shell and manual", &["completions", "man"]),
    ("The stages by hand", &["init", "selfplay", "shuffler", "trainer", "gatekeeper"]),
];

/// The command line with its grouped help.
pub fn command_line() -> clap::Command {
    let command = Cli::command();
    let groups = grouped(&command);
    command.before_help(groups).help_template(
        "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}",
    )
}

/// Every command with its first line of help, by group.
fn grouped(command: &clap::Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{title}:");
        for name in *names {
            // A command may be left out of a build.
            let Some(found) = command.find_subcommand(name) else { continue };
            let about = found.get_about().map_or(String::new(), ToString::to_string);
            for (number, line) in wrapped(&about, COLUMNS - 15).iter().enumerate() {
                let name = if number == 0 { name } else { "" };
                let _ = writeln!(text, "  {name:<11}  {line}");
            }
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        grouped.sort_unstable();
        let command = Cli::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn help_fits_80_columns() {
        let help = command_line().term_width(80).render_help().to_string();
        let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        assert!(help.contains("\nTrain:\n  run  ") && help.contains("Exit codes:"), "{help}");
    }
}
