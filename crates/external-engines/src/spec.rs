//! How an engine is started and asked.

use std::{env, fmt, os::unix::fs::PermissionsExt, path::Path, str::FromStr, time::Duration};

use crate::EngineError;

/// What an engine speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolKind {
    /// GTP 2.
    Gtp,
    /// UCI.
    Uci,
}

/// An engine by its command line.
///
/// As text: `gtp:COMMAND` or `uci:COMMAND`, and after each `;` a line that is sent once the engine
/// runs, such as `uci:stockfish; setoption name Skill Level value 0`. Words of the command are
/// separated by spaces; quotes, single or double, keep a word together. A line of UCI that begins
/// with `go` is sent for every move, instead of a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// What it speaks.
    pub protocol: ProtocolKind,
    /// The program and its arguments; not empty.
    pub command: Vec<String>,
    /// Lines that are sent once it runs.
    pub setup: Vec<String>,
    /// The time that it gets to think about a move.
    pub move_time: Duration,
    /// How much longer than that an answer may take before the game is lost, and how long starting
    /// may take: engines load networks.
    pub grace: Grace,
}

/// Time that an engine gets beyond its time for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// For a move, or an answer to anything else.
    pub answer: Duration,
    /// From its start to the first answer.
    pub start: Duration,
}

impl Default for Grace {
    /// Ten seconds a move, since the machine may be busy; a minute to start.
    fn default() -> Self {
        Self { answer: Duration::from_secs(10), start: Duration::from_mins(1) }
    }
}

/// The time for a move where nobody says otherwise.
pub const MOVE_TIME: Duration = Duration::from_secs(1);

impl EngineSpec {
    /// An engine with the usual times.
    ///
    /// # Errors
    /// If the command line has no program or an open quote.
    pub fn new(
        protocol: ProtocolKind,
        command: &str,
        setup: Vec<String>,
    ) -> Result<Self, EngineError> {
        let wrong = |what| EngineError::Command { command: command.to_owned(), what };
        let words = words(command).ok_or_else(|| wrong("a quote is not closed"))?;
        if words.is_empty() {
            return Err(wrong("it names no program"));
        }
        let grace = Grace::default();
        Ok(Self { protocol, command: words, setup, move_time: MOVE_TIME, grace })
    }

    /// The command in one line, quoted where it must be.
    pub fn command_line(&self) -> String {
        self.command.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
    }

    /// The program's name without its folder: what records call the player.
    pub fn program(&self) -> &str {
        let program = self.command.first().map_or("", String::as_str);
        program.rsplit('/').next().unwrap_or(program)
    }

    /// Whether there is a program of that name that may be run: at its path, or in a folder of
    /// `PATH` where it has none.
    pub fn is_found(&self) -> bool {
        let program = Path::new(self.command.first().map_or("", String::as_str));
        if program.components().count() > 1 {
            return may_run(program);
        }
        // Without a PATH the system has folders of its own to look in.
        env::var_os("PATH").is_none_or(|folders| {
            env::split_paths(&folders).any(|folder| may_run(&folder.join(program)))
        })
    }
}

fn may_run(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

impl FromStr for EngineSpec {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let (protocol, rest) = match text.split_once(':') {
            Some(("gtp", rest)) => (ProtocolKind::Gtp, rest),
            Some(("uci", rest)) => (ProtocolKind::Uci, rest),
            _ => {
                let what = "write gtp:COMMAND or uci:COMMAND";
                return Err(EngineError::Command { command: text.to_owned(), what });
            }
        };
        let (command, lines) = rest.split_at(end_of_command(rest));
        let lines = lines.split(';').map(str::trim).filter(|line| !line.is_empty());
        Self::new(protocol, command, lines.map(str::to_owned).collect())
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = match self.protocol {
            ProtocolKind::Gtp => "gtp",
            ProtocolKind::Uci => "uci",
        };
        write!(f, "{protocol}:{}", self.command_line())?;
        self.setup.iter().try_for_each(|line| write!(f, "; {line}"))
    }
}

/// Where the first `;` stands that is in no quotes, or the end.
fn end_of_command(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, ';') => return at,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            _ => {}
        }
    }
    text.len()
}

fn quote(word: &str) -> String {
    let plain = !word.is_empty() && !word.contains([' ', '\t', '\'', '"', ';']);
    if plain {
        return word.to_owned();
    }
    // Pieces in quotes of either kind that touch are one word.
    format!("'{}'", word.replace('\'', "'\"'\"'"))
}

/// Splits a command line into words, as a shell does. Quotes of both kinds are removed. Returns
/// `None` if a quote is not closed.
pub fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_read_and_written() {
        let text = "uci:/usr/games/stockfish; setoption name Skill Level value 0;go nodes 10";
        let spec: EngineSpec = text.parse().expect("an engine");
        assert_eq!((spec.protocol, spec.program()), (ProtocolKind::Uci, "stockfish"));
        assert_eq!(spec.setup, ["setoption name Skill Level value 0", "go nodes 10"]);
        assert_eq!(spec.to_string().parse::<EngineSpec>().expect("an engine"), spec);
        let quoted: EngineSpec =
            "gtp:sh -c 'read \"line\"' \"it's\" '' '\"'\"'\"".parse().expect("quotes");
        assert_eq!(quoted.command, ["sh", "-c", "read \"line\"", "it's", "", "\"'"]);
        assert_eq!(quoted.to_string().parse::<EngineSpec>().expect("quotes"), quoted);
        let script: EngineSpec = "gtp:sh -c 'a; b'; name".parse().expect("a script");
        assert_eq!(
            (script.command[2].as_str(), &script.setup[..]),
            ("a; b", &["name".to_owned()][..])
        );
        assert_eq!(script.to_string(), "gtp:sh -c 'a; b'; name");
        for wrong in ["gtp:", "gtp: ; name", "uci:sh 'open", "stockfish", "tcp:x", ""] {
            assert!(wrong.parse::<EngineSpec>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn programs_are_found_as_a_start_finds_them() {
        let found = |command: &str| {
            format!("gtp:{command}").parse::<EngineSpec>().expect("an engine").is_found()
        };
        assert!(found("sh -c true") && found("/bin/sh"));
        assert!(!found("no-program-is-called-this") && !found("/bin/no-program-is-called-this"));
        assert!(!found("/bin") && !found("/etc/passwd"), "neither a folder nor what may not run");
    }
}
