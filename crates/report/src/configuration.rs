//! The configuration that a report is about.

use dz_config::RunConfig;
use dz_stage::InForce;
use dz_store::{Ledger, Run, layout};

/// Returns the configuration in force, which `config.toml` may differ from. If the ledger does not
/// give it, the file counts. If that does not load either, the reason is added to `missing`.
pub(crate) fn configuration(
    run: &Run,
    ledger: Option<&Ledger>,
    missing: &mut Vec<String>,
) -> Option<RunConfig> {
    let in_force = ledger.and_then(|ledger| InForce::of(run, ledger.state()).ok());
    let path = run.root().join(layout::CONFIG);
    let file = in_force.map_or_else(|| RunConfig::of_run(&path), |found| Ok(found.config));
    match file {
        Ok(config) => Some(config),
        Err(error) => {
            let why = error.to_string().replace('\n', "; ");
            missing.push(format!("The configuration does not load: {why}"));
            None
        }
    }
}
