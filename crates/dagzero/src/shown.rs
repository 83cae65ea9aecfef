//! What people read on a terminal: nothing in a name or message of others can steer it.

use std::io::{self, Write};

/// A writer for people. Control characters are escaped, but for line feeds and tabs.
pub(crate) struct Shown<'a> {
    out: &'a mut dyn Write,
    /// Whether an output that takes nothing is an error.
    heeds: bool,
}

impl<'a> Shown<'a> {
    /// A writer whose errors are those of `out`.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, heeds: true }
    }

    /// A writer for a command whose result is files. If `out` fails (a closed terminal or pipe, a
    /// full disk), the text is dropped.
    pub(crate) fn heedless(out: &'a mut dyn Write) -> Self {
        Self { out, heeds: false }
    }

    fn heed(&self, result: io::Result<()>) -> io::Result<()> {
        if self.heeds { result } else { Ok(()) }
    }
}

impl Write for Shown<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        // Formatting hands over whole texts, so no character is split.
        let text = String::from_utf8_lossy(buffer);
        let written = self.out.write_all(dz_text::lines(&text).as_bytes());
        self.heed(written)?;
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.heed(flushed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn escapes_do_not_reach_the_terminal() {
        let mut out = Vec::new();
        writeln!(Shown::new(&mut out), "a\t\u{1b}[2J\u{9b}1m\r é\u{202e}").expect("written");
        assert_eq!(out, "a\t\\u{1b}[2J\\u{9b}1m\\r é\\u{202e}\n".as_bytes());
    }

    #[test]
    fn an_output_that_is_gone_is_an_error_only_where_it_matters() {
        assert!(writeln!(Shown::new(&mut Closed), "x").is_err());
        let mut heedless = &mut Closed;
        let mut heedless = Shown::heedless(&mut heedless);
        writeln!(heedless, "x").expect("dropped");
        heedless.flush().expect("dropped");
    }
}
