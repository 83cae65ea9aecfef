//! Contradictions between keys that are each fine alone.

use crate::fault::Fault;
use crate::reader::Findings;
use crate::run_config::RunConfig;

/// Every contradiction between keys that are not at fault themselves.
pub(crate) fn contradictions(_config: &RunConfig, _findings: &Findings) -> Vec<Fault> {
    Vec::new()
}
