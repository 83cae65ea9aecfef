//! What a terminal can show beside plain ASCII.

use std::borrow::Cow;
use std::env;
use std::io::{self, IsTerminal};
use std::sync::OnceLock;

/// Whether an output takes colours and characters beyond ASCII. The default takes neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Whether it shows ANSI colours.
    pub colours: bool,
    /// Whether it shows Unicode.
    pub unicode: bool,
}

/// Colours, which the terminal's own palette defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// For what went wrong.
    Red,
    /// For what is good.
    Green,
    /// For what needs a look.
    Yellow,
    /// For the first player.
    Cyan,
    /// For the second player.
    Magenta,
    /// For what is less important.
    Dim,
}

/// What `main` found out about standard output.
static STDOUT: OnceLock<Look> = OnceLock::new();

impl Look {
    /// Returns the look of standard output. It is plain until [`Look::detect`] is called, so that
    /// commands that write into a buffer, as tests do, write the same everywhere.
    pub fn stdout() -> Self {
        STDOUT.get().copied().unwrap_or_default()
    }

    /// Finds out what standard output takes, for [`Look::stdout`].
    pub fn detect() {
        STDOUT.get_or_init(|| Self::of(&io::stdout()));
    }

    /// Returns the look of a stream. Files, pipes and `TERM=dumb` are plain. `NO_COLOR` turns
    /// colours off (no-color.org), and Unicode needs a locale of UTF-8.
    pub fn of(stream: &impl IsTerminal) -> Self {
        Self::with(stream.is_terminal(), |name| env::var(name).unwrap_or_default())
    }

    /// As [`Look::of`]; `variable` gives the environment's, empty where there is none.
    fn with(is_terminal: bool, variable: impl Fn(&str) -> String) -> Self {
        if !is_terminal || variable("TERM") == "dumb" {
            return Self::default();
        }
        // In this order of precedence (POSIX.1-2017, section 8.2).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable_lower(&variable));
        let locale = locale.iter().find(|value| !value.is_empty());
        let unicode = locale.is_some_and(|name| name.contains("utf-8") || name.contains("utf8"));
        Self { colours: variable("NO_COLOR").is_empty(), unicode }
    }

    /// Returns `text` in a colour, where the output shows colours.
    pub fn paint(self, colour: Colour, text: &str) -> Cow<'_, str> {
        let code = match colour {
            Colour::Red => "31",
            Colour::Green => "32",
            Colour::Yellow => "33",
            Colour::Cyan => "36",
            Colour::Magenta => "35",
            Colour::Dim => "2",
        };
        if self.colours && !text.is_empty() {
            Cow::Owned(format!("\u{1b}[{code}m{text}\u{1b}[0m"))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Returns the full and the empty part of a bar of `width` characters, of which `share`, 0 to
    /// 1, is full.
    pub fn bar(self, share: f64, width: usize) -> [String; 2] {
        let full = ((share * width as f64).round() as usize).min(width);
        let [filled, empty] = if self.unicode { ["█", "░"] } else { ["#", "-"] };
        [filled.repeat(full), empty.repeat(width - full)]
    }
}

fn variable_lower(variable: &impl Fn(&str) -> String) -> impl Fn(&str) -> String {
    |name| variable(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(variables: &[(&str, &str)]) -> Look {
        Look::with(true, |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map_or(String::new(), |(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn terminals_show_what_their_environment_says() {
        let utf8 = ("LANG", "en_US.UTF-8");
        assert_eq!(look(&[utf8]), Look { colours: true, unicode: true });
        assert_eq!(look(&[utf8, ("NO_COLOR", "1")]), Look { colours: false, unicode: true });
        assert_eq!(look(&[utf8, ("NO_COLOR", "")]), Look { colours: true, unicode: true });
        assert_eq!(look(&[utf8, ("LC_ALL", "C")]), Look { colours: true, unicode: false });
        assert_eq!(look(&[("LC_CTYPE", "C.utf8")]), Look { colours: true, unicode: true });
        assert_eq!(look(&[]), Look { colours: true, unicode: false });
        assert_eq!(look(&[utf8, ("TERM", "dumb")]), Look::default());
        let all = |_: &str| "UTF-8".to_owned();
        assert_eq!(Look::with(false, all), Look::default(), "a pipe is plain");
    }

    #[test]
    fn plain_output_has_ascii_alone() {
        let rich = Look { colours: true, unicode: true };
        assert_eq!(rich.paint(Colour::Red, "no"), "\u{1b}[31mno\u{1b}[0m");
        assert_eq!(Look::default().paint(Colour::Red, "no"), "no");
        assert_eq!(rich.paint(Colour::Red, ""), "");
        assert_eq!(Look::default().bar(0.3, 10), ["###", "-------"]);
        assert_eq!(rich.bar(1.2, 4), ["████", ""]);
        assert_eq!(Look::stdout(), Look::default(), "nobody asked");
    }
}
