//! Progress on a real pseudo-terminal of many widths: there is a bar, and no line is cut or wraps.
//!
//! This test has a `main` of its own: it starts its own executable on the terminal.

#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(unsafe_code, reason = "pseudo-terminals are opened by a call of C")]

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use dz_stage::{Event, EventSink, Progress, Rates, Stage};

/// Columns of terminals, as in the issue that asked for this test.
const COLUMNS: [u16; 5] = [60, 80, 100, 160, 240];

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "act-as-stage") {
        act();
    } else {
        for columns in COLUMNS {
            bars_fit(columns);
        }
        println!("pty: {} widths passed", COLUMNS.len());
    }
    ExitCode::SUCCESS
}

/// Reports a turn as stages do.
fn act() {
    let sink = EventSink::people();
    let rates = [("evaluations/s", 48_211.0), ("batch fill %", 97.4), ("games/s", 12.5)];
    let rates: Rates = rates.map(|(name, value)| (name.to_owned(), value)).into();
    for done in [0, 300, 600, 900, 1_200, 1_500] {
        sink.progress(Progress {
            stage: Stage::Selfplay,
            cycle: 12,
            generation: 11,
            done,
            total: 1_500,
            unit: "games".to_owned(),
            rates: rates.clone(),
        });
        thread::sleep(Duration::from_millis(60));
    }
    sink.emit(&Event::TurnDone { stage: Stage::Selfplay, cycle: 12, line: "played".to_owned() });
}

fn bars_fit(columns: u16) {
    let drawn = drawn_at(columns);
    let lines = lines_of(&drawn);
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= usize::from(columns), "{columns} columns: {longest} in {lines:#?}");
    let bars: Vec<&String> = lines.iter().filter(|line| line.contains("cycle 12 [")).collect();
    assert!(bars.len() >= 3, "{columns} columns: a bar is drawn more than once: {drawn:?}");
    // The locale says whether the terminal shows Unicode.
    let is_half = |line: &str| line.contains("=>  ") || line.contains("█░");
    let half = bars.iter().any(|line| is_half(line) && line.contains("00/1,500 games"));
    assert!(half, "{columns} columns: a bar that is not full: {bars:#?}");
    let has_rate = bars.iter().any(|line| line.contains("evaluations/s"));
    assert_eq!(has_rate, columns >= 100, "{columns} columns: {bars:#?}");
}

/// Everything that the stage writes to a terminal of so many columns.
fn drawn_at(columns: u16) -> String {
    let size = libc::winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let [mut master, mut slave] = [-1, -1];
    // SAFETY: both numbers are written where the call succeeds; names and modes may be null.
    let opened = unsafe {
        libc::openpty(
            &raw mut master,
            &raw mut slave,
            std::ptr::null_mut(),
            std::ptr::null(),
            &raw const size,
        )
    };
    assert_eq!(opened, 0, "a pseudo-terminal can be opened");
    // SAFETY: the call has just opened them, and nobody else owns them.
    let [master, slave] = [master, slave].map(|number| unsafe { OwnedFd::from_raw_fd(number) });
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("act-as-stage").stdin(Stdio::null()).stdout(Stdio::null()).stderr(slave);
    let mut child = command.spawn().unwrap();
    // It keeps the terminal's other end open.
    drop(command);
    let mut drawn = Vec::new();
    // Linux ends with an error where the last process has closed the terminal.
    let _ = File::from(master).read_to_end(&mut drawn);
    assert!(child.wait().unwrap().success());
    String::from_utf8(drawn).unwrap()
}

/// What stood on a line of the screen at some time: texts between movements of the cursor.
fn lines_of(drawn: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut characters = drawn.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => {
                // A control sequence ends with a letter.
                characters.find(char::is_ascii_alphabetic);
                lines.push(String::new());
            }
            '\r' | '\n' => lines.push(String::new()),
            _ => lines.last_mut().unwrap().push(character),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}
