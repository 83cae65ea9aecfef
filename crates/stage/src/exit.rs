//! Exit codes: the contract between stages, drivers and schedulers.

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

/// An error with its causes in one line, each of them once: messages of the store name the cause
/// already.
pub fn error_text(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
