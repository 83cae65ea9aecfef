//! Prints the page of a made-up run, to look at: `cargo run -p dz-report --example synthetic
//! [CYCLES]`.

use dz_report::{Report, RunContext};

#[path = "../tests/report/ledger.rs"]
mod ledger;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cycles = std::env::args().nth(1).map_or(Ok(12), |cycles| cycles.parse())?;
    let run = ledger::run(cycles);
    let config = "format = 1\n\n[run]\ngame = \"connect4\"\nseed = 7\ncycles = 12\n";
    let context = RunContext { name: "made-up", config_toml: Some(config), config: None };
    let report = Report::from_ledger(&run.records, context);
    eprintln!(
        "{}\n\n{}\n{}",
        report.rows().join("\n"),
        report.to_markdown_table(),
        report.verdict()
    );
    println!("{}", report.to_html()?);
    Ok(())
}
