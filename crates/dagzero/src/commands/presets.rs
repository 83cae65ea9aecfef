//! `dagzero presets`: the configurations that the program brings along.

use std::io::Write;

use dz_config::RunConfig;
use dz_stage::{Column, TextTable};
use dz_text::Look;
use serde::Serialize;

use super::write_line;
use crate::{
    Exit,
    drive::{PRESETS, Preset},
    exit::UsageError,
};

/// List the presets, or print the configuration file of one
///
/// A preset's name stands wherever a configuration file may: `dagzero run NAME`. To change more
/// than --set does, print the file, edit the copy and run that.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero presets\n  dagzero presets connect4 > mine.toml\n  \
    dagzero presets --schema > dagzero.schema.json")]
pub(crate) struct Args {
    /// The preset to print
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print JSON, a line a preset
    #[arg(long, conflicts_with = "name")]
    json: bool,
    /// Print the JSON schema of configuration files, for editors that check and complete TOML
    #[arg(long, conflicts_with_all = ["name", "json"])]
    schema: bool,
}

/// Columns that the list takes at most.
const COLUMNS: usize = 80;

/// A preset in the list.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    summary: String,
    /// Whether its report shows the curves that runs of it have reached.
    measured: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    if args.schema {
        serde_json::to_writer_pretty(&mut *out, &RunConfig::schema())?;
        writeln!(out)?;
        return Ok(Exit::Done);
    }
    if let Some(name) = &args.name {
        let found = PRESETS.iter().find(|preset| preset.name == name);
        let what =
            || UsageError(format!("there is no preset {name:?}; dagzero presets lists them"));
        out.write_all(found.ok_or_else(what)?.text.as_bytes())?;
        return Ok(Exit::Done);
    }
    let row = |preset: &Preset| Row {
        name: preset.name,
        summary: preset.summary(),
        measured: preset.expected.is_some(),
    };
    if args.json {
        PRESETS.iter().try_for_each(|preset| write_line(out, &row(preset)))?;
        return Ok(Exit::Done);
    }
    let mut table = TextTable::new(&[Column::Words(""), Column::Words("")]);
    for Row { name, summary, .. } in PRESETS.iter().map(row) {
        table.row([name, &summary]);
    }
    for line in table.lines(Some(COLUMNS), Look::stdout()) {
        writeln!(out, "{line}")?;
    }
    Ok(Exit::Done)
}
