//! The book without mdBook: which pages it has, and where their links lead.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::Context;

use super::page::{Page, SOURCE, Target, joined};
use crate::{links, sources};

/// Pages of the book, with a page for each file that a page links to.
#[derive(Debug)]
pub struct Book {
    /// Pages of `SUMMARY.md`, and then pages of other files, in the order of their first link.
    pub pages: Vec<Page>,
    /// Links that lead to no page, one line each.
    pub findings: Vec<String>,
}

impl Book {
    /// Adds pages for the files of `root` that pages link to, and leads all links to pages.
    pub fn complete(root: &Path, mut pages: Vec<Page>) -> Self {
        let mut findings = Vec::new();
        let mut known: BTreeSet<String> = pages.iter().map(|page| page.file.clone()).collect();
        let mut lost = BTreeSet::new();
        let mut next = 0;
        while let Some(page) = pages.get(next) {
            let mut added = Vec::new();
            for link in links::links(&page.text) {
                let Target::Page(file) = page.target(root, link.target) else { continue };
                if page.text[..link.span.start].ends_with('!') {
                    findings.push(format!("{}: the image {file} is not in {SOURCE}", page.file));
                    lost.insert(file);
                } else if known.insert(file.clone()) {
                    match Page::of_file(root, &file) {
                        Ok(page) => added.push(page),
                        Err(why) => {
                            findings.push(format!("{}: {why:#}", page.file));
                            lost.insert(file);
                        }
                    }
                }
            }
            pages.extend(added);
            next += 1;
        }
        for page in &pages {
            findings.extend(lost_headings(root, page, &pages));
        }
        let led: Vec<String> = pages.iter().map(|page| page.led(root, &lost)).collect();
        for (page, text) in pages.iter_mut().zip(led) {
            page.text = text;
        }
        Self { pages, findings }
    }
}

/// Links to headings that the page they lead to does not have.
fn lost_headings(root: &Path, page: &Page, pages: &[Page]) -> Vec<String> {
    let mut lost = Vec::new();
    for link in links::links(&page.text) {
        let Some((path, heading)) = link.target.split_once('#') else { continue };
        let there = match page.target(root, link.target) {
            Target::Page(file) => pages.iter().find(|other| other.file == file),
            Target::Kept if path.is_empty() => Some(page),
            _ => None,
        };
        if there.is_some_and(|there| !there.headings().contains(&heading.to_owned())) {
            lost.push(format!("{}: {} has no such heading", page.file, link.target));
        }
    }
    lost
}

/// Returns what is wrong with the book: links that cannot lead to a page, and pages that
/// `SUMMARY.md` does not list.
///
/// # Errors
/// If a page cannot be read.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let summary = format!("{SOURCE}/SUMMARY.md");
    let text = fs::read_to_string(root.join(&summary)).context(summary.clone())?;
    let mut pages = Vec::new();
    for link in links::links(&text) {
        let file = joined(SOURCE, link.target);
        let text = fs::read_to_string(root.join(&file)).with_context(|| file.clone())?;
        pages.push(Page::new(&file, link.text, &text));
    }
    let mut findings = Vec::new();
    for path in sources::files(&root.join(SOURCE), &["md"])? {
        let file = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if file != summary && pages.iter().all(|page| page.file != file) {
            findings.push(format!("{file} is not in SUMMARY.md"));
        }
    }
    findings.extend(Book::complete(root, pages).findings);
    Ok(findings)
}
