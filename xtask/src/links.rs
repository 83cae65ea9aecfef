//! Links in documents: each leads to a file that exists and, where its text is the name of an item,
//! to the source that defines this item.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::sources;

/// Links of all documents that lead nowhere.
///
/// # Errors
/// If a document cannot be read.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for path in sources::files(root, &["md"])? {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let folder = path.parent().unwrap_or(root);
        let name = path.strip_prefix(root).unwrap_or(&path).display();
        let broken = links(&text).into_iter().filter_map(|link| problem(folder, &link));
        findings.extend(broken.map(|problem| format!("{name}: {problem}")));
    }
    Ok(findings)
}

/// A link of Markdown, `[text](target)`, in a text.
#[derive(Debug)]
pub struct Link<'a> {
    /// What is shown.
    pub text: &'a str,
    /// Where the link leads.
    pub target: &'a str,
    /// Bytes of the whole link, from `[` to `)`.
    pub span: Range<usize>,
}

/// Returns the links outside code blocks, in order.
pub fn links(text: &str) -> Vec<Link<'_>> {
    let mut found = Vec::new();
    let mut fence = None;
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let ticks = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(opened) if ticks >= opened => fence = None,
            Some(_) => {}
            None => found.extend(links_of_line(line, begin)),
        }
        begin += line.len();
    }
    found
}

/// Returns the links of a line that starts at byte `begin`.
fn links_of_line(line: &str, begin: usize) -> impl Iterator<Item = Link<'_>> {
    line.match_indices("](").filter_map(move |(at, _)| {
        let first = line[..at].rfind('[')?;
        let length = line[at + 2..].find(')')?;
        Some(Link {
            text: &line[first + 1..at],
            target: &line[at + 2..at + 2 + length],
            span: begin + first..begin + at + 3 + length,
        })
    })
}

fn problem(folder: &Path, link: &Link<'_>) -> Option<String> {
    let Link { text, target, .. } = link;
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() || target.contains("://") {
        return None;
    }
    let file: PathBuf = folder.join(path);
    if !file.exists() {
        return Some(format!("the link to {target} leads nowhere"));
    }
    let item = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'))?;
    let is_name = item.chars().all(|c| c.is_alphanumeric() || "_:".contains(c));
    let is_source = file.extension().is_some_and(|extension| extension == "rs");
    if !is_name || !is_source {
        return None;
    }
    let item = item.rsplit("::").next().unwrap_or(item);
    let source = fs::read_to_string(&file).unwrap_or_default();
    let defines = ["fn", "struct", "enum", "trait"].iter().any(|kind| {
        source.match_indices(&format!("{kind} {item}")).any(|(at, found)| {
            let next = source[at + found.len()..].chars().next();
            next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        })
    });
    (!defines).then(|| format!("{target} does not define {item}"))
}
