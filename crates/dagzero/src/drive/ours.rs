//! Files under the names of a run that somebody else made.

use dz_config::RunConfig;
use dz_store::{Run, StoreError, layout};

/// Bytes at the beginning of a page that its title is looked for in.
const HEAD_BYTES: usize = 1 << 14;

/// Refuses a directory whose `config.toml` is no run's: it has neither a ledger nor the folders of
/// a run beside it, and is not written as `DagZero` writes it. Folders that are empty do not travel
/// through archives, so a run may have none.
///
/// # Errors
/// [`StoreError::Occupied`], and what the store reports.
pub(super) fn refuse_foreign(run: &Run) -> Result<(), StoreError> {
    if run.has_ledger_or_folders() {
        return Ok(());
    }
    let text = run.config_toml()?;
    let is_own = RunConfig::from_text(&text, &[]).is_ok_and(|config| config.to_toml() == text);
    let dir = run.root().display().to_string();
    is_own.then_some(()).ok_or(StoreError::Occupied { dir, found: layout::CONFIG.to_owned() })
}

/// Refuses to replace a file of the run that was not written by `is_own`'s writer. An empty one is
/// nobody's.
///
/// # Errors
/// [`StoreError::NotOurs`], and what the store reports.
pub(super) fn refuse_other(
    run: &Run,
    path: &str,
    is_own: impl Fn(&[u8]) -> bool,
) -> Result<(), StoreError> {
    match run.read(path) {
        Ok(content) if content.is_empty() || is_own(&content) => Ok(()),
        Ok(_) => Err(StoreError::not_ours(path, "is there, and DagZero has not written it")),
        Err(StoreError::NotFound { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether a page is a report, by its title.
pub(super) fn is_report(page: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&page[..page.len().min(HEAD_BYTES)]);
    let title = head.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    title.is_some_and(|(title, _)| title.ends_with(" - DagZero report"))
}

/// Whether a table is one of a report, by the first columns of `new`, which is to take its place.
pub(super) fn is_table(old: &[u8], new: &str) -> bool {
    let columns: Vec<&str> = new.lines().next().unwrap_or_default().split(',').take(2).collect();
    let old = String::from_utf8_lossy(&old[..old.len().min(HEAD_BYTES)]).into_owned();
    old.lines().next().is_some_and(|line| line.split(',').take(2).eq(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_tables_of_others_are_recognised() {
        let page = |title: &str| {
            format!("<!DOCTYPE html>\n<html>\n<head>\n<title>{title}</title>\n").into_bytes()
        };
        assert!(is_report(&page("go9 - DagZero report")));
        for title in ["Sales", "DagZero report of sales", ""] {
            assert!(!is_report(&page(title)), "{title}");
        }
        assert!(!is_report(b"- DagZero report</title>"));
        let table = "cycle,games,more\n1,2,3\n";
        assert!(is_table(b"cycle,games,other\n", table) && is_table(table.as_bytes(), table));
        assert!(!is_table(b"cycle;games\n", table) && !is_table(b"", table));
    }
}
