//! What people read on a terminal: nothing in a name or message of others can steer it.

use std::io::{self, Write};

use dz_text::{Colour, Look};

/// A writer for people. Control characters are escaped, but for line feeds and tabs.
pub(crate) struct Shown<'a> {
    out: &'a mut dyn Write,
    look: Look,
    /// Whether an output that takes nothing is an error.
    heeds: bool,
}

impl<'a> Shown<'a> {
    /// A writer whose errors are those of `out`.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, look: Look::stdout(), heeds: true }
    }

    /// A writer for a command whose result is files. If `out` fails (a closed terminal or pipe, a
    /// full disk), the text is dropped.
    pub(crate) fn heedless(out: &'a mut dyn Write) -> Self {
        Self { heeds: false, ..Self::new(out) }
    }

    /// Writes text in a colour, where standard output shows colours.
    pub(crate) fn painted(&mut self, colour: Colour, text: &str) -> io::Result<()> {
        let text = dz_text::lines(text);
        let written = self.out.write_all(self.look.paint(colour, &text).as_bytes());
        self.heed(written)
    }

    /// Writes a line in a colour, where standard output shows colours.
    pub(crate) fn painted_line(&mut self, colour: Colour, line: &str) -> io::Result<()> {
        self.painted(colour, line)?;
        writeln!(self)
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
    fn colours_come_from_the_program_alone() {
        for (colours, wanted) in [(false, "a\\u{1b}[2J"), (true, "\u{1b}[32ma\\u{1b}[2J\u{1b}[0m")]
        {
            let mut out = Vec::new();
            let mut shown = Shown { look: Look { colours, unicode: true }, ..Shown::new(&mut out) };
            shown.painted(Colour::Green, "a\u{1b}[2J").expect("written");
            assert_eq!(String::from_utf8(out).expect("text"), wanted);
        }
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
