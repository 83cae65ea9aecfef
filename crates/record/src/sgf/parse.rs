//! The syntax of SGF, in one pass without recursion.

use super::{Collection, Node, Property};
use crate::{Format, RecordError};

/// The most nodes that are read: a node costs a hundred times the byte that makes it.
const NODES_MAX: usize = 1 << 24;

/// The most properties of a node; the format knows about seventy.
const PROPERTIES_MAX: usize = 1 << 12;

/// Reads a collection of games.
///
/// Tolerant: text before the first `(;` and between games, properties in small letters as FF\[3\]
/// has them (`Black` is `B`), missing `)` at the end and a missing `;` after `(` are accepted.
///
/// # Errors
/// [`RecordError::Syntax`] where a value has no end, properties lack values, or signs mean nothing.
pub fn parse(text: &str) -> Result<Collection, RecordError> {
    let mut parser = Parser::new(text);
    parser.run()?;
    if parser.games.roots.is_empty() {
        return Err(parser.error("there is no game; a game starts with (;"));
    }
    Ok(parser.games)
}

struct Parser<'a> {
    text: &'a str,
    /// Byte offset.
    at: usize,
    line: usize,
    games: Collection,
    /// What was current where each open `(` stands.
    open: Vec<Option<usize>>,
    current: Option<usize>,
    /// The `(` just before still lacks its node.
    fresh: bool,
    /// Where the game in progress begins.
    began: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let games = Collection::default();
        Self {
            text,
            at: 0,
            line: 1,
            games,
            open: Vec::new(),
            current: None,
            fresh: false,
            began: 0,
        }
    }

    fn error(&self, what: impl AsRef<str>) -> RecordError {
        RecordError::syntax(Format::Sgf, self.line, what)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let sign = self.peek()?;
        self.at += sign.len_utf8();
        self.line += usize::from(sign == '\n');
        Some(sign)
    }

    fn run(&mut self) -> Result<(), RecordError> {
        while let Some(sign) = self.peek() {
            match sign {
                '(' if !self.open.is_empty() || self.starts_a_game() => {
                    if self.open.is_empty() {
                        self.began = self.at;
                    }
                    self.next();
                    self.open.push(self.current);
                    self.fresh = true;
                }
                _ if self.open.is_empty() => {
                    self.next();
                }
                ')' => {
                    self.next();
                    self.current = self.open.pop().flatten();
                    self.fresh = false;
                    self.span();
                }
                ';' => {
                    self.next();
                    self.node()?;
                }
                letter if letter.is_ascii_alphabetic() => {
                    if self.fresh {
                        self.node()?;
                    }
                    self.property()?;
                }
                blank if blank.is_whitespace() => {
                    self.next();
                }
                other => {
                    let what =
                        format!("{other:?} means nothing here; expected ( ) ; or a property");
                    return Err(self.error(what));
                }
            }
        }
        self.open.clear();
        self.span();
        Ok(())
    }

    /// Notes where the game ends, if it has ended just now.
    fn span(&mut self) {
        if self.open.is_empty() {
            let roots = self.games.roots.len();
            let span = self.began..self.at;
            self.games.spans.resize(roots, span);
        }
    }

    /// True if the `(` here begins a game and not a remark. Files exist that leave out the first
    /// semicolon: a property follows then, with at least one capital.
    fn starts_a_game(&self) -> bool {
        const NAME_MAX: usize = 24;
        let rest = self.text[self.at + 1..].trim_start();
        let name = rest.bytes().take(NAME_MAX).take_while(u8::is_ascii_alphanumeric).count();
        let capital = rest.bytes().take(name).any(|byte| byte.is_ascii_uppercase());
        rest.starts_with(';') || capital && rest[name..].trim_start().starts_with('[')
    }

    fn node(&mut self) -> Result<(), RecordError> {
        let number = self.games.nodes.len();
        if number == NODES_MAX {
            return Err(self.error(format!("more than {NODES_MAX} nodes; split the file")));
        }
        match self.current {
            Some(parent) => {
                push_one(&mut self.games.nodes[parent].children, number);
            }
            None => self.games.roots.push(number),
        }
        self.games.nodes.push(Node { line: self.line, ..Node::default() });
        self.current = Some(number);
        self.fresh = false;
        Ok(())
    }

    fn property(&mut self) -> Result<(), RecordError> {
        let mut name = String::new();
        while let Some(sign) = self.peek().filter(char::is_ascii_alphanumeric) {
            if !sign.is_ascii_lowercase() {
                name.push(sign);
            }
            self.next();
        }
        let mut values = Vec::new();
        loop {
            while self.peek().is_some_and(char::is_whitespace) {
                self.next();
            }
            if self.peek() != Some('[') {
                break;
            }
            self.next();
            let value = self.value(&name)?;
            push_one(&mut values, value);
            self.comment_place(&name, values.len() == 1);
        }
        if values.is_empty() {
            let name: String = name.chars().take(8).collect();
            return Err(self.error(format!("property {name} has no value; write {name}[...]")));
        }
        // A property stands in a node: the first thing after an open parenthesis makes one.
        if let Some(node) = self.current {
            if self.games.nodes[node].properties.len() == PROPERTIES_MAX {
                return Err(self.error(format!("a node has more than {PROPERTIES_MAX} properties")));
            }
            push_one(&mut self.games.nodes[node].properties, Property { name, values });
        }
        Ok(())
    }

    /// Notes where comments on the node belong, after a value of it.
    fn comment_place(&mut self, name: &str, first: bool) {
        let Some(node) = self.current.map(|current| &mut self.games.nodes[current]) else { return };
        // Texts are shorter than 4 GB.
        if name == "C" && first && !node.has_comment {
            (node.place, node.has_comment) = (self.at as u32 - 1, true);
        } else if !node.has_comment {
            node.place = self.at as u32;
        }
    }

    /// The value after `[`, up to its `]`, with escapes resolved and line ends as `\n`.
    fn value(&mut self, name: &str) -> Result<String, RecordError> {
        let began = self.line;
        let mut value = String::new();
        while let Some(sign) = self.next() {
            match sign {
                ']' => return Ok(value),
                '\\' => match self.next() {
                    // An escaped end of line is not there.
                    Some('\r') => drop(self.take('\n')),
                    Some('\n') => drop(self.take('\r')),
                    Some(escaped) => value.push(escaped),
                    None => break,
                },
                '\r' => {
                    self.take('\n');
                    value.push('\n');
                }
                other => value.push(other),
            }
        }
        let name: String = name.chars().take(8).collect();
        let what = format!("the value of {name} has no end; close it with ]");
        Err(RecordError::syntax(Format::Sgf, began, what))
    }

    fn take(&mut self, sign: char) -> Option<char> {
        if self.peek() == Some(sign) { self.next() } else { None }
    }
}

/// Adds to a list of which there are many, most of them with one item: it gets no room for four.
fn push_one<T>(list: &mut Vec<T>, item: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(item);
}
