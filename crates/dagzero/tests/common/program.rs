//! The program as a process of its own.

use std::process::{Command, Output, Stdio};

use dz_testkit::preset;

/// The path of the preset that is played in seconds.
pub fn smoke_preset() -> String {
    preset("tictactoe-smoke").display().to_string()
}

/// The program with these arguments, without input and with its default logging.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dagzero"));
    command.args(args).env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

/// What it said when it was over.
pub fn dagzero(args: &[&str]) -> Output {
    command(args).output().expect("dagzero starts")
}

/// Bytes that it printed, to read.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a command that must succeed printed.
pub fn said(args: &[&str]) -> String {
    let done = dagzero(args);
    assert!(done.status.success(), "{args:?}: {}{}", text(&done.stdout), text(&done.stderr));
    text(&done.stdout)
}

/// The same, as JSON.
pub fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&said(args)).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}
