//! Sums up finished runs of a preset for the band behind its reports:
//! `cargo run -p dz-report --example expected -- MACHINE ANCHOR RUN... > NAME.expected.json`,
//! with the machine in words and an anchor that all runs have met.

use dz_report::{Expected, Report};
use dz_store::Run;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let machine = args.next().ok_or("say in words which machine this is")?;
    let anchor = args.next().ok_or("name the anchor that Elo is measured against")?;
    let runs: Vec<Report> = args
        .map(|run| Ok(Report::read_ledger(&Run::open(run)?)?))
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    let expected = Expected::of(&machine, &anchor, &runs)
        .ok_or("name runs of one game that have met the anchor")?;
    println!("{}", serde_json::to_string_pretty(&expected)?);
    Ok(())
}
