//! Which exit code an error has.

use std::io;
use std::process::ExitCode;

use dz_config::ConfigError;
use dz_store::{MailboxError, MirrorError, Remedy, StoreError};

use crate::exit::{CHECK_FAILED, CONFIG, TRY_AGAIN, USAGE, error_text};
use crate::in_force::ConfigRefused;
use crate::stage_end::StageEnd;
use crate::stderr::stderr_line;
use crate::watched::StageFailure;

/// The exit code of a program that ends with `error`: the first cause that has one decides.
pub fn exit_code_of(error: &anyhow::Error) -> u8 {
    error.chain().find_map(code_of).unwrap_or(CHECK_FAILED)
}

/// Ends a stage's `main`: says what went wrong, and picks the exit code.
pub fn exit_with(result: &anyhow::Result<StageEnd>) -> ExitCode {
    match result {
        Ok(end) => ExitCode::from(end.exit_code()),
        Err(error) => {
            stderr_line(&format!("error: {}", error_text(error)));
            ExitCode::from(exit_code_of(error))
        }
    }
}

fn code_of(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    if let Some(error) = cause.downcast_ref::<ConfigError>() {
        return Some(match error {
            ConfigError::Read { source, .. } => of_config_file(source),
            _ => CONFIG,
        });
    }
    if cause.is::<ConfigRefused>() {
        return Some(CONFIG);
    }
    if let Some(store) = StoreError::of_cause(cause) {
        return of_store(store);
    }
    if let Some(error) = cause.downcast_ref::<MailboxError>() {
        let again = error.is_temporary() || matches!(error, MailboxError::HomeAlive { .. });
        return Some(if again { TRY_AGAIN } else { CONFIG });
    }
    match cause.downcast_ref::<MirrorError>() {
        Some(MirrorError::None { .. }) => return Some(TRY_AGAIN),
        Some(MirrorError::Diverged { .. }) => return Some(CONFIG),
        // The cause of any other decides.
        _ => {}
    }
    if let Some(failure) = cause.downcast_ref::<StageFailure>() {
        return Some(failure.exit_code());
    }
    of_system(cause.downcast_ref::<io::Error>()?)
}

/// A configuration that cannot be read is a bad one, unless the disk is in trouble.
fn of_config_file(source: &io::Error) -> u8 {
    let again = source.raw_os_error().is_some() && Remedy::of(source).is_temporary();
    if again { TRY_AGAIN } else { CONFIG }
}

fn of_store(error: &StoreError) -> Option<u8> {
    match error {
        StoreError::NoRun { .. } => Some(USAGE),
        StoreError::Fenced { .. } => Some(TRY_AGAIN),
        StoreError::NotOurs { .. } | StoreError::Occupied { .. } => Some(CONFIG),
        _ if error.is_place() => Some(CONFIG),
        _ => error.is_temporary().then_some(TRY_AGAIN),
    }
}

/// An error of the operating system that no other error explains; one without a number may be
/// anything.
fn of_system(error: &io::Error) -> Option<u8> {
    match Remedy::of(error) {
        Remedy::Space => Some(TRY_AGAIN),
        Remedy::Again if error.raw_os_error().is_some() => Some(TRY_AGAIN),
        Remedy::Place => Some(CONFIG),
        _ => None,
    }
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

    #[test]
    fn a_cause_is_named_once() {
        let denied = || io::Error::from_raw_os_error(13);
        let store = anyhow::Error::new(StoreError::io("shards/x", denied()));
        let text = error_text(&store.context("cannot start"));
        assert!(text.starts_with("cannot start: no access to shards/x"), "{text}");
        assert_eq!(text.matches("Permission denied").count(), 1, "{text}");
        let other = anyhow::Error::new(denied()).context("cannot read a");
        assert_eq!(error_text(&other), "cannot read a: Permission denied (os error 13)");
    }

    #[test]
    fn errors_of_the_system_end_with_the_code_of_what_helps() {
        for (number, known) in dz_store::remedy::TABLE {
            let raw = || io::Error::from_raw_os_error(number);
            let wanted = match known.remedy {
                Remedy::Again | Remedy::Space => TRY_AGAIN,
                Remedy::Place => CONFIG,
                Remedy::Permission | Remedy::Missing | Remedy::Look => CHECK_FAILED,
            };
            let name = known.name;
            assert_eq!(exit_code_of(&anyhow::Error::new(raw())), wanted, "{name}");
            let of_store = anyhow::Error::new(StoreError::io("shards/x", raw()));
            assert_eq!(exit_code_of(&of_store), wanted, "{name}");
            assert!(number == 2 || of_store.to_string().contains(known.advice), "{of_store}");
            // A configuration that cannot be read is a bad one, but for a disk in trouble.
            let config = ConfigError::Read { path: "x".into(), source: raw() };
            let wanted = if wanted == TRY_AGAIN { TRY_AGAIN } else { CONFIG };
            assert_eq!(exit_code_of(&config.into()), wanted, "{name}");
        }
        let not_text = io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
        let config = ConfigError::Read { path: "x".into(), source: not_text };
        assert_eq!(exit_code_of(&config.into()), CONFIG);
    }
}
