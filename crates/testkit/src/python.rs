//! The Python that tests compare with.

use std::env;
use std::path::Path;
use std::process::Command;

/// Returns the interpreter that `DAGZERO_PYTHON` names, or `python3`. It may not exist.
pub fn python() -> String {
    env::var("DAGZERO_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Returns [`python`] if it imports `modules`, a list with commas. Otherwise the test is to be
/// skipped, and a line says so.
pub fn python_with(modules: &str) -> Option<String> {
    let python = python();
    let found = Command::new(&python).args(["-c", &format!("import {modules}")]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    println!("skipped: {python} has no {modules}; set DAGZERO_PYTHON to one that has");
    None
}

/// Runs a script by [`python`] to its end, which must be a success, and returns what it printed.
/// `None`, after a line that says so, if there is no Python, or if the script printed `none` and
/// the package that it lacks.
pub fn script_output(script: &Path, args: &[&Path]) -> Option<String> {
    let python = python();
    let Ok(ran) = Command::new(&python).arg(script).args(args).output() else {
        println!("skipped: there is no {python}; set DAGZERO_PYTHON");
        return None;
    };
    let said = String::from_utf8(ran.stdout).expect("text");
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    if said.starts_with("none") {
        println!("skipped: {python} lacks a package ({})", said.trim());
        return None;
    }
    Some(said)
}
