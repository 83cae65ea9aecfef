//! Writes a run's figures as SVG files: `cargo run -p dz-report --example figures -- RUN FOLDER`.

use std::path::PathBuf;

use dz_report::Report;
use dz_store::Run;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let run = args.next().ok_or("name a run's directory")?;
    let folder = PathBuf::from(args.next().ok_or("name a folder for the figures")?);
    for file in Report::read(&Run::open(run)?)?.to_svgs()? {
        std::fs::write(folder.join(format!("{}.svg", file.name)), file.text)?;
    }
    Ok(())
}
