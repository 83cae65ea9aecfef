//! Tidiness of source files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

use crate::manifest;

/// Lines after which a file should be split, and after which it must be.
const LINES_SHOULD: usize = 400;
const LINES_MUST: usize = 600;

/// Columns that a comment may have.
const COMMENT_COLUMNS_MAX: usize = 100;

/// Files between the two bounds, each with the reason why it is better in one piece.
const LONG: [(&str, &str); 0] = [];

/// Folders that hold nothing of ours, or runs.
const SKIPPED: [&str; 4] = [".git", ".carry", "data", "third_party"];

/// Calls that library sources must not make, written in halves so that this file passes.
const UNFINISHED: [&str; 3] =
    [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("db", "g!(")];

/// What lies beside the repository on the machine where it was written.
const NOT_OURS: [&str; 2] = [concat!("../", "shared"), concat!("/work", "/")];

/// Files under `folder` with one of these extensions, sorted.
///
/// # Errors
/// If a folder cannot be read.
pub fn files(folder: &Path, extensions: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if entry.file_type()?.is_dir() {
                if !SKIPPED.contains(&&*name) && !name.starts_with("target") {
                    open.push(path);
                }
            } else if extensions.iter().any(|wanted| path.extension().is_some_and(|e| e == *wanted))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What is untidy in sources, manifests, presets and documents.
///
/// # Errors
/// If a file cannot be read.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for path in files(root, &["rs", "toml", "md", "sh"])? {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let about = |what: String| format!("{name}{what}");
        findings.extend(outside_words(&text).map(about));
        if path.extension().is_some_and(|extension| extension == "rs") {
            findings.extend(too_long(&name, &text).map(about));
            findings.extend(unfinished(&name, &text).map(about));
            findings.extend(wide_comments(&text).map(about));
        }
    }
    for member in manifest::members(root)? {
        findings.extend(undocumented(root, &member)?);
    }
    let stale = LONG.iter().filter(|(name, _)| !root.join(name).exists());
    findings.extend(stale.map(|(name, _)| format!("{name} is listed as long and does not exist")));
    Ok(findings)
}

/// Tests may be longer and may unwrap.
fn is_test(name: &str) -> bool {
    name.split('/').any(|part| part == "tests" || part == "benches") || name.ends_with("tests.rs")
}

fn too_long(name: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    let excused = is_test(name) || LONG.iter().any(|(long, _)| *long == name);
    let bound = if excused { LINES_MUST } else { LINES_SHOULD };
    (lines > bound)
        .then(|| format!(" has {lines} lines: split it (aim at 150, {bound} is the bound)"))
}

/// Comments wrap where code does.
fn wide_comments(text: &str) -> impl Iterator<Item = String> {
    let is_wide = |line: &str| {
        line.trim_start().starts_with("//") && line.chars().count() > COMMENT_COLUMNS_MAX
    };
    let wide = text.lines().enumerate().filter(move |(_, line)| is_wide(line));
    wide.map(|(at, _)| {
        format!(":{}: a comment has more than {COMMENT_COLUMNS_MAX} columns", at + 1)
    })
}

fn outside_words(text: &str) -> impl Iterator<Item = String> {
    numbered(text, |line| NOT_OURS.into_iter().find(|word| line.contains(word)))
        .map(|(line, word)| format!(":{line}: '{word}' is not part of this repository"))
}

fn unfinished<'a>(name: &str, text: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let test = is_test(name);
    // Unit tests stand at a file's end.
    let library = text.split("#[cfg(test)]").next().unwrap_or(text);
    let code = if test { text } else { library };
    numbered(code, move |line| {
        let line = line.trim_start();
        let unwrap = concat!(".unwr", "ap()");
        let words = UNFINISHED.into_iter().chain((!test).then_some(unwrap));
        words.filter(|_| !line.starts_with("//")).find(|word| line.contains(word))
    })
    .map(|(line, word)| format!(":{line}: {word} has no place here"))
}

/// Numbers, from 1, of the lines in which `find` finds something, and what.
fn numbered<'a>(
    text: &'a str,
    find: impl Fn(&str) -> Option<&'static str> + 'a,
) -> impl Iterator<Item = (usize, &'static str)> + 'a {
    text.lines().enumerate().filter_map(move |(i, line)| Some((i + 1, find(line)?)))
}

/// Every crate explains in its first lines what it is for.
fn undocumented(root: &Path, member: &manifest::Member) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in ["src/lib.rs", "src/main.rs"] {
        let path = root.join(&member.folder).join(file);
        if path.exists() && !fs::read_to_string(&path)?.starts_with("//!") {
            findings.push(format!("{}/{file} does not begin with `//!`", member.folder.display()));
        }
    }
    Ok(findings)
}
