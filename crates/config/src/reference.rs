//! The tables of all keys, for configs/README.md.

use dz_config_keys::Key;
use std::fmt::Write as _;

use crate::run_config::RunConfig;

impl RunConfig {
    /// Every key with meaning, allowed values, default and effect: a Markdown table a section.
    pub fn reference() -> String {
        let mut text = String::new();
        let mut section = None;
        for key in Self::keys() {
            if section != Some(key.section) {
                section = Some(key.section);
                text.push_str(&heading(key.section));
            }
            text.push_str(&row(&key));
        }
        text
    }
}

fn heading(section: &str) -> String {
    let title = if section.is_empty() {
        "Outside of any section".to_owned()
    } else {
        format!("`[{section}]`")
    };
    format!(
        "\n### {title}\n\n| key | meaning | allowed | default | effect |\n|---|---|---|---|---|\n"
    )
}

fn row(key: &Key) -> String {
    let mut row = String::new();
    let default = match &key.default {
        Some(value) => format!("`{value}`"),
        None => "must be given".to_owned(),
    };
    let _ = writeln!(
        row,
        "| `{}` | {} | {} | {default} | {} |",
        key.name,
        key.meaning.replace('|', "\\|"),
        key.allowed.replace('|', "\\|"),
        key.effect
    );
    row
}
