//! The terminal that bars are drawn on, which may go away at any time.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::TermLike;

/// Lines and columns where the terminal does not report its size.
const SIZE: (u16, u16) = (24, 80);

/// Standard error as a terminal. What it does not take is dropped: `indicatif` panics on an error,
/// and a run goes on when its terminal is gone.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    /// What is to be written at the next flush.
    waiting: Mutex<String>,
}

impl Screen {
    fn waiting(&self) -> MutexGuard<'_, String> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the cursor `n` places in the direction of the escape sequence that ends with `letter`.
    fn move_cursor(&self, n: usize, letter: char) {
        if n > 0 {
            // Texts take everything.
            let _ = write!(self.waiting(), "\u{1b}[{n}{letter}");
        }
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        size(libc::STDERR_FILENO).1
    }

    fn height(&self) -> u16 {
        size(libc::STDERR_FILENO).0
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'A');
        Ok(())
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'B');
        Ok(())
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'C');
        Ok(())
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'D');
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        let mut waiting = self.waiting();
        waiting.push_str(text);
        waiting.push('\n');
        Ok(())
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.waiting().push_str(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.waiting().push_str("\r\u{1b}[2K");
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let text = mem::take(&mut *self.waiting());
        // Nobody sees what a terminal that is gone does not take.
        let _ = io::stderr().write_all(text.as_bytes());
        Ok(())
    }
}

/// Columns of the most readable line.
const COLUMNS_MAX: usize = 100;

/// Returns `text` as standard output shows it best: on a terminal wrapped between words, with all
/// lines but the first indented by `indent` spaces; elsewhere unchanged.
pub fn fitted(text: &str, indent: usize) -> String {
    if !io::stdout().is_terminal() {
        return text.to_owned();
    }
    let columns = stdout_columns().min(COLUMNS_MAX);
    let lines = text.lines().map(|line| broken(line, indent, columns));
    lines.collect::<Vec<_>>().join("\n")
}

/// Columns of the terminal that standard output is, less one, because a full line would make some
/// terminals go on in the next one.
pub(crate) fn stdout_columns() -> usize {
    usize::from(size(libc::STDOUT_FILENO).1).saturating_sub(1)
}

/// Wraps a line to at most `columns`. All lines but the first are indented by `indent`, and the
/// first `indent` columns of the first line stay unchanged.
fn broken(text: &str, indent: usize, columns: usize) -> String {
    let behind = text.char_indices().nth(indent).map_or(text.len(), |(at, _)| at);
    let (head, rest) = text.split_at(behind);
    // A narrower terminal breaks words itself.
    let room = columns.saturating_sub(indent).max(20);
    let lines = dz_text::wrapped(rest, room);
    format!("{head}{}", lines.join(&format!("\n{:indent$}", "")))
}

/// Lines and columns of a terminal, which is open as this file.
#[allow(unsafe_code)]
fn size(of: libc::c_int) -> (u16, u16) {
    let mut size = mem::MaybeUninit::<libc::winsize>::zeroed();
    // SAFETY: TIOCGWINSZ fills in a `winsize`, for which there is room. Zeros are a valid one,
    // which is read where the call fails.
    let size = unsafe {
        libc::ioctl(of, libc::TIOCGWINSZ, size.as_mut_ptr());
        size.assume_init()
    };
    match (size.ws_row, size.ws_col) {
        (0, _) | (_, 0) => SIZE,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_behind_their_head() {
        let line = "selfplay   cycle 3: many games were played, and none was lost";
        let lines = broken(line, 11, 40);
        let wanted = "selfplay   cycle 3: many games were\n           played, and none was lost";
        assert_eq!(lines, wanted);
        assert_eq!(broken(line, 11, 100), line);
        assert_eq!(broken("short", 11, 40), "short");
        assert_eq!(broken("first second", 0, 3), "first second", "20 columns are the least");
    }

    #[test]
    fn drawing_is_kept_until_it_is_flushed_and_never_fails() {
        let screen = Screen::default();
        screen.write_line("a line").unwrap();
        screen.move_cursor_up(2).unwrap();
        screen.move_cursor_down(0).unwrap();
        screen.clear_line().unwrap();
        screen.write_str("more").unwrap();
        assert_eq!(*screen.waiting(), "a line\n\u{1b}[2A\r\u{1b}[2Kmore");
        assert!(screen.width() > 0 && screen.height() > 0);
    }
}
