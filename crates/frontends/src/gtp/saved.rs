//! `dagzero-save_search` and `dagzero-load_search`: a search that goes on in another process.

use super::job::{CommandResult, done, text};
use super::{Gtp, path};

/// `dagzero-save_search FILE`: saves what the search has found about the position at hand.
pub(super) fn save(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    let name = path::written(&gtp.rest)?.to_owned();
    let bytes = gtp.session.save_search()?;
    let cannot = |error| format!("cannot write {name:?}: {error}");
    (gtp.written)(&name, &bytes).map_err(cannot)?;
    done()
}

/// `dagzero-load_search FILE`: goes on from a saved search of the position at hand; answers its
/// visits. Where anything is wrong, nothing changes.
pub(super) fn load(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    let path::Found { bytes, .. } = path::open(&mut gtp.files, &gtp.rest)?;
    let visits = gtp.session.load_search(&bytes);
    text(visits.map_err(|error| format!("cannot load file: {error}"))?.to_string())
}
