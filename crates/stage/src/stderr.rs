//! Lines on standard error that tear no progress bar.

use std::io::{self, Write};
use std::sync::OnceLock;

use dz_text::{Colour, Look};
use indicatif::MultiProgress;

/// The bars of this process; log lines and kept lines are written around them.
pub(crate) static BARS: OnceLock<MultiProgress> = OnceLock::new();

/// Runs `write` while no bar is on the screen.
pub(crate) fn around_bars<T>(write: impl FnOnce() -> T) -> T {
    match BARS.get() {
        Some(bars) => bars.suspend(write),
        None => write(),
    }
}

/// Writes a line, or several, to standard error without tearing a progress bar. Control characters
/// are escaped. Where standard error takes nothing (a closed pipe, a terminal that is gone, a full
/// disk), the line is dropped.
pub fn stderr_line(line: &str) {
    write_lines("", line);
}

/// As [`stderr_line`], for an error that ended a command: `error:` before it, in red where the
/// terminal shows colours.
pub fn stderr_error(what: &str) {
    let head = Look::of(&io::stderr()).paint(Colour::Red, "error:").into_owned();
    write_lines(&(head + " "), what);
}

fn write_lines(head: &str, line: &str) {
    let line = dz_text::lines(line);
    // `eprintln!` would panic where a dead driver has left a closed pipe.
    let _ = around_bars(|| writeln!(io::stderr(), "{head}{line}"));
}
