//! Writes the page of a run to standard output, to look at without the other commands:
//! `cargo run -p dz-report --example page -- RUN [OTHER ...]`.

use dz_report::Report;
use dz_store::Run;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut runs = std::env::args().skip(1);
    let mut report = Report::read(&Run::open(runs.next().ok_or("name a run's directory")?)?)?;
    for other in runs {
        report.compare(&Report::read_ledger(&Run::open(other)?)?);
    }
    println!("{}", report.to_html()?);
    Ok(())
}
