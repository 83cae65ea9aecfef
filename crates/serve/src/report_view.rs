//! Reports as pages show them, each made once for a state of its ledger.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use dz_report::{LivePage, Report};
use dz_store::{Run, layout};

use crate::cards::inode;
use crate::runs::FoundRun;

/// Reports that are kept.
const KEPT_MAX: usize = 8;

/// A report as a page shows it.
#[derive(Debug)]
pub(crate) struct View {
    /// The number of the newest record that it knows.
    pub(crate) record: u64,
    /// Its markup and figures.
    pub(crate) page: LivePage,
    /// All numbers, as `dagzero report --json` prints them.
    pub(crate) json: String,
}

/// The reports of some runs.
#[derive(Debug, Default)]
pub(crate) struct Views {
    kept: Mutex<HashMap<PathBuf, Kept>>,
    /// One report is made at a time: it reads every file of the ledger.
    making: Mutex<()>,
}

#[derive(Clone, Debug)]
struct Kept {
    inode: u64,
    view: Arc<View>,
}

impl Views {
    /// The report of a run as it stands.
    ///
    /// # Errors
    /// A line for people.
    pub(crate) fn view(&self, found: &FoundRun) -> Result<Arc<View>, String> {
        let run = Run::open(&found.path).map_err(|error| error.to_string())?;
        let inode = inode(&run);
        let newest = || newest_record(&run);
        if let Some(view) = self.kept_view(found, inode, newest()) {
            return Ok(view);
        }
        let _alone = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request may have made it meanwhile.
        let record = newest();
        if let Some(view) = self.kept_view(found, inode, record) {
            return Ok(view);
        }
        let mut report = Report::read_only(&run).map_err(|error| error.to_string())?;
        report.run.name.clone_from(&found.name);
        let page = report.to_live_page().map_err(|error| error.to_string())?;
        let json = report.to_json().map_err(|error| error.to_string())?;
        let view = Arc::new(View { record, page, json });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX && !kept.contains_key(&found.path) {
            kept.clear();
        }
        kept.insert(found.path.clone(), Kept { inode, view: Arc::clone(&view) });
        Ok(view)
    }

    fn kept_view(&self, found: &FoundRun, inode: u64, record: u64) -> Option<Arc<View>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.get(&found.path)?;
        (known.inode == inode && known.view.record == record).then(|| Arc::clone(&known.view))
    }
}

/// The number of the newest record, by the names of the files; 0 where there are none.
fn newest_record(run: &Run) -> u64 {
    let number = |path: &String| path.rsplit('/').next()?.strip_suffix(".json")?.parse().ok();
    run.list(layout::LOG).unwrap_or_default().iter().filter_map(number).max().unwrap_or(0)
}
