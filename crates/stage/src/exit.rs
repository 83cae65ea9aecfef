//! Exit codes: the contract between stages, drivers and schedulers.

use std::io;
use std::process::ExitCode;

use dz_config::ConfigError;
use dz_store::StoreError;

use crate::stage::StageEnd;
use crate::stderr_line;
use crate::watched::StageFailure;

/// Everything that was asked for is done.
pub const DONE: u8 = 0;
/// A check found something wrong, or the program failed in a way that a retry does not mend.
pub const CHECK_FAILED: u8 = 1;
/// Wrong usage.
pub const USAGE: u8 = 2;
/// Nothing is lost; the same command may be started again (`EX_TEMPFAIL` of sysexits.h).
pub const TRY_AGAIN: u8 = 75;
/// Bad configuration: never restarted (`EX_CONFIG` of sysexits.h).
pub const CONFIG: u8 = 78;

/// The exit code of a program that ends with `error`: the first cause that has one decides.
pub fn exit_code_of(error: &anyhow::Error) -> u8 {
    error.chain().find_map(code_of).unwrap_or(CHECK_FAILED)
}

/// Ends a stage's `main`: says what went wrong, and picks the exit code.
pub fn exit_with(result: &anyhow::Result<StageEnd>) -> ExitCode {
    match result {
        Ok(end) => ExitCode::from(end.exit_code()),
        Err(error) => {
            stderr_line(&format!("error: {error:#}"));
            ExitCode::from(exit_code_of(error))
        }
    }
}

fn code_of(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    if cause.is::<ConfigError>() {
        return Some(CONFIG);
    }
    if let Some(store) = StoreError::of_cause(cause) {
        if matches!(store, StoreError::NoRun { .. }) {
            return Some(USAGE);
        }
        if matches!(store, StoreError::NotOurs { .. } | StoreError::Occupied { .. }) {
            return Some(CONFIG);
        }
        let again = store.is_temporary() || matches!(store, StoreError::Fenced { .. });
        return again.then_some(TRY_AGAIN);
    }
    if let Some(failure) = cause.downcast_ref::<StageFailure>() {
        return Some(failure.exit_code());
    }
    let full = cause.downcast_ref::<io::Error>().is_some_and(|e| {
        matches!(e.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    });
    full.then_some(TRY_AGAIN)
}

#[cfg(test)]
mod tests {
    use anyhow::Context;
    use dz_store::Stage;

    use super::*;

    #[test]
    fn the_cause_decides() {
        let io = |kind: io::ErrorKind| io::Error::from(kind);
        let full: Result<(), _> = Err(io(io::ErrorKind::StorageFull));
        assert_eq!(exit_code_of(&full.context("writing rows").unwrap_err()), TRY_AGAIN);
        let fenced = StoreError::Fenced { stage: Stage::Trainer, ours: 1, newest: 2 };
        assert_eq!(exit_code_of(&anyhow::Error::new(fenced).context("training")), TRY_AGAIN);
        let nowhere = StoreError::NoRun { path: "x".to_owned() };
        assert_eq!(exit_code_of(&nowhere.into()), USAGE);
        let occupied = StoreError::Occupied { dir: "x".to_owned(), found: "rows/a".to_owned() };
        assert_eq!(exit_code_of(&occupied.into()), CONFIG);
        let link = io::Error::other(StoreError::not_ours("x", "is a link"));
        assert_eq!(exit_code_of(&link.into()), CONFIG);
        let missing = StoreError::io("x", io(io::ErrorKind::NotFound));
        assert_eq!(exit_code_of(&missing.into()), CHECK_FAILED);
        let config = ConfigError::Read { path: "x".into(), source: io(io::ErrorKind::NotFound) };
        assert_eq!(exit_code_of(&anyhow::Error::new(config).context("starting")), CONFIG);
        assert_eq!(exit_code_of(&anyhow::anyhow!("anything else")), CHECK_FAILED);
    }
}
