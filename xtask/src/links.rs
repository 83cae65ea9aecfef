//! Links in documents: each leads to a file that exists and, where its text is the name of an item,
//! to the source that defines this item.

use std::fs;
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

/// A link of Markdown, `[text](target)`.
struct Link {
    text: String,
    target: String,
}

/// Links outside code blocks.
fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        if is_code {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let Some(begin) = line[..at].rfind('[') else { continue };
            let Some(length) = line[at + 2..].find(')') else { continue };
            let text = line[begin + 1..at].to_owned();
            found.push(Link { text, target: line[at + 2..at + 2 + length].to_owned() });
        }
    }
    found
}

fn problem(folder: &Path, link: &Link) -> Option<String> {
    let Link { text, target } = link;
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
