//! The program as others start it: streams and exit codes.

use std::process::{Command, Output, Stdio};

fn dagzero(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dagzero"));
    command.args(args).stdin(Stdio::null()).output().expect("the program starts")
}

#[test]
fn results_go_to_standard_output_alone() {
    let output = dagzero(&["perft", "--game", "tictactoe", "--depth", "2"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"{\"counts\":[1,9,72]}\n");
    assert_eq!(output.stderr, b"");
}

#[test]
fn errors_go_to_standard_error_with_exit_code_2() {
    for args in [
        &["inspect", "--game", "connect4", "--moves", "1111111"][..],
        &["inspect", "--game", "chequers"],
        &["inspect", "--gam", "connect4"],
    ] {
        let output = dagzero(args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(output.stderr.starts_with(b"error: "), "{args:?}");
    }
}

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let output = dagzero(&["--help"]);
    let help = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0));
    for word in ["inspect", "perft", "rules", "Exit codes", "78  bad configuration"] {
        assert!(help.contains(word), "{word} is missing in:\n{help}");
    }
}
