//! Commands through the library: what they print and how they end.

use clap::Parser;
use dagzero::{Cli, Exit, run};
use serde_json::Value;

/// Runs a command on `input`; gives its result and what it printed.
pub fn command(args: &[&str], input: &str) -> (anyhow::Result<Exit>, String) {
    let cli = Cli::try_parse_from([&["dagzero"], args].concat()).expect("valid arguments");
    let mut out = Vec::new();
    let result = run(cli, &mut input.as_bytes(), &mut out);
    (result, String::from_utf8(out).expect("text"))
}

/// The one object that a command prints.
pub fn object(args: &[&str]) -> Value {
    let (result, out) = command(args, "");
    assert_eq!(result.unwrap_or_else(|error| panic!("{args:?}: {error:#}")), Exit::Done);
    serde_json::from_str(&out).expect("JSON")
}

/// The message of a command that is wrong usage and prints nothing.
pub fn refused(args: &[&str]) -> String {
    let (result, out) = command(args, "");
    let error = result.expect_err("refused");
    assert_eq!((Exit::of(&error), out.as_str()), (Exit::Usage, ""), "{args:?}");
    format!("{error:#}")
}
