//! Log lines for people, on standard error.

use std::io::{self, Write};

use tracing_subscriber::EnvFilter;

use crate::terminal::around_bars;

/// Starts `tracing` on standard error. `RUST_LOG` decides what is shown; without it `info`, and
/// `warn` where a driver shows this process's events anyway (`driven`).
pub fn init_logging(driven: bool) {
    let default = if driven { "warn" } else { "info" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    // Fails only if it was started before, as by another stage in the same process.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(false)
        .with_writer(|| AroundBars)
        .try_init();
}

/// Writes a line to standard error without tearing a progress bar.
pub fn stderr_line(line: &str) {
    // `eprintln!` would panic where a dead driver has left a closed pipe.
    let _ = around_bars(|| writeln!(io::stderr(), "{line}"));
}

struct AroundBars;

impl Write for AroundBars {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        around_bars(|| io::stderr().write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
