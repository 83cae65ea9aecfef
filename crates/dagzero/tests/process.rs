//! The program as others start it: streams and exit codes.

use crate::common::program::dagzero;

#[test]
fn results_go_to_standard_output_alone() {
    let output = dagzero(&["perft", "--game", "tictactoe", "--depth", "2"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"{\"counts\":[1,9,72]}\n");
    assert_eq!(output.stderr, b"");
}

#[test]
fn errors_are_one_line_of_standard_error_with_exit_code_2() {
    for args in [
        &["inspect", "--game", "connect4", "--moves", "1111111"][..],
        &["inspect", "--game", "connect4", "--moves", "1212121 3"],
        &["inspect", "--game", "chequers"],
        &["inspect", "--game", "go", "--moves", "A1 A1"],
        &["inspect", "--game", "go", "--moves", "pass pass pass"],
        &["inspect", "--game", "go:size=1"],
        &["inspect", "--game", "go", "--moves", "I5"],
        &["inspect", "--game", "hex:size=3", "--moves", "a1 b2 swap"],
        &["inspect", "--game", "hex", "--moves", "a1 \u{1b}[2J\u{7}"],
        &["inspect", "--game", "othello", "--moves", "pass"],
        &["inspect", "--game", "gomoku", "--moves", "a16"],
        &["inspect", "--game", "chess", "--moves", "e2e4 e2e4"],
        &["inspect", "--game", "chess", "--position", "rnbqkbnr/pppp\nfoo w - - 0 1"],
        &["inspect", "--game", "chess", "--position", &"8".repeat(100_000)],
        &["inspect", "--game", "go", "--position", "8/8"],
        &["perft", "--game", "hex", "--moves", "z1", "--depth", "1"],
        &["search", "--game", "othello", "--moves", "c4 c4", "--playouts", "5"],
        &["rules", "--game", "chess:size=9"],
        &["bench", "rules", "--game", "go:size=1"],
    ] {
        let output = dagzero(args);
        let message = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{message}");
        assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
        assert!(message.len() < 1000 && !message.trim_end().contains(char::is_control));
    }
    // The parser of the command line shows the usage as well.
    let output = dagzero(&["inspect", "--gam", "connect4"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(output.stderr.starts_with(b"error: "));
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
