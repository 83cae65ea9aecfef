//! Trees of nodes, and their text.

use std::{fmt, ops::Range};

/// The games of a file: trees of nodes in one list, so that no depth costs stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    /// All nodes; a parent stands before its children.
    pub nodes: Vec<Node>,
    /// The first node of each game.
    pub roots: Vec<usize>,
    /// Where each game stands in the text, in bytes.
    pub spans: Vec<Range<usize>>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The properties in order.
    pub properties: Vec<Property>,
    /// Nodes that follow; the first one goes on with the main line.
    pub children: Vec<usize>,
    /// The line where it begins in its text, from 1.
    pub line: usize,
    /// Where a comment on the node belongs in its text, in bytes: at the end of the comment that is
    /// there, else after the last property.
    pub place: u32,
    /// Whether that is in a comment.
    pub has_comment: bool,
}

/// A property with its values, not escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Capitals and digits: `B`, `KM`.
    pub name: String,
    /// At least one.
    pub values: Vec<String>,
}

impl Property {
    /// A property with one value.
    pub fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), values: vec![value.into()] }
    }
}

impl Node {
    /// The first value of a property.
    pub fn value(&self, name: &str) -> Option<&str> {
        let property = self.properties.iter().find(|property| property.name == name)?;
        property.values.first().map(String::as_str)
    }
}

impl Collection {
    /// The nodes of a game's main line: from its root always the first child.
    pub fn main_line(&self, root: usize) -> impl Iterator<Item = &Node> {
        let next = |&at: &usize| self.nodes[at].children.first().copied();
        // A parent stands before its children, so a line ends.
        std::iter::successors(Some(root), next).map(|at| &self.nodes[at])
    }
}

/// `;B[dd]C[a \] is escaped]`.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(";")?;
        for Property { name, values } in &self.properties {
            f.write_str(name)?;
            for value in values {
                write!(f, "[{}]", escaped(value))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Step {
            Tree(usize),
            Close,
        }
        for &root in &self.roots {
            let mut steps = vec![Step::Tree(root)];
            while let Some(step) = steps.pop() {
                let Step::Tree(mut at) = step else {
                    f.write_str(")\n")?;
                    continue;
                };
                write!(f, "({}", self.nodes[at])?;
                steps.push(Step::Close);
                while let &[only] = self.nodes[at].children.as_slice() {
                    at = only;
                    write!(f, "\n{}", self.nodes[at])?;
                }
                f.write_str("\n")?;
                steps.extend(self.nodes[at].children.iter().rev().map(|&child| Step::Tree(child)));
            }
        }
        Ok(())
    }
}

/// The value with `]` and `\` escaped. Colons need it in composed values only, which we do not
/// write.
pub(crate) fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for sign in value.chars() {
        if matches!(sign, ']' | '\\') {
            text.push('\\');
        }
        text.push(sign);
    }
    text
}
