//! The preprocessor's side of mdBook: a book as JSON on standard input, another on standard output.

use std::{
    collections::{BTreeMap, VecDeque},
    path::Path,
};

use anyhow::Context;
use serde_json::{Value, json};

use super::{
    complete::Book,
    page::{Page, SOURCE, joined},
};

/// Name of the chapter with the pages of files that `SUMMARY.md` does not list.
const FILES: &str = "Files of the repository";

/// Returns mdBook's book with a page for each file of `root` that a page links to.
///
/// `input` is what mdBook writes to a preprocessor: an array of its context and the book.
///
/// # Errors
/// If `input` is not that.
pub fn preprocess(root: &Path, input: &str) -> anyhow::Result<String> {
    let (_, mut book): (Value, Value) = serde_json::from_str(input).context("mdBook's JSON")?;
    let items = book.get_mut("items").and_then(Value::as_array_mut).context("a book has items")?;
    let mut pages = Vec::new();
    each_chapter(items, &mut |chapter| {
        let texts = ["path", "name", "content"].map(|key| chapter[key].as_str());
        // A chapter without a path is a draft.
        if let [Some(path), Some(name), Some(content)] = texts {
            pages.push(Page::new(&joined(SOURCE, path), name, content));
        }
    });
    let listed = pages.len();
    let complete = Book::complete(root, pages);
    for finding in &complete.findings {
        eprintln!("{finding}");
    }
    let mut pages: VecDeque<Page> = complete.pages.into();
    let others = pages.split_off(listed);
    each_chapter(items, &mut |chapter| {
        if !chapter["path"].is_null()
            && let Some(page) = pages.pop_front()
        {
            chapter["path"] = json!(page.place);
            chapter["content"] = json!(page.text);
        }
    });
    if !others.is_empty() {
        let is_numbered = |item: &Value| item["Chapter"]["number"].is_array();
        let number = 1 + items.iter().filter(|item| is_numbered(item)).count();
        let place = items.iter().rposition(is_numbered).map_or(0, |last| last + 1);
        items.insert(place, files_chapter(number, others.into()));
    }
    Ok(book.to_string())
}

/// Calls `each` for every chapter, in order.
fn each_chapter(items: &mut [Value], each: &mut dyn FnMut(&mut Value)) {
    for item in items {
        if let Some(chapter) = item.get_mut("Chapter") {
            each(chapter);
            if let Some(inner) = chapter.get_mut("sub_items").and_then(Value::as_array_mut) {
                each_chapter(inner, each);
            }
        }
    }
}

/// Returns a chapter that lists pages, with the pages below it. It is numbered, because mdBook does
/// not fold chapters without a number.
fn files_chapter(number: usize, pages: Vec<Page>) -> Value {
    let pages: BTreeMap<String, Page> =
        pages.into_iter().map(|page| (page.file.clone(), page)).collect();
    let entry = |page: &Page| format!("- [{}]({})\n", page.name, page.place);
    let list: String = pages.values().map(entry).collect();
    let text = format!("# {FILES}\n\nFiles that pages of this book link to.\n\n{list}");
    let inner = (1..).zip(pages.values()).map(|(i, page)| {
        let Page { place, name, text, .. } = page;
        chapter([name, place, text], &[number, i], &[FILES], &[])
    });
    chapter([FILES, "repository.md", &text], &[number], &[], &inner.collect::<Vec<_>>())
}

/// Returns a chapter with a name, a path and a text.
fn chapter(
    [name, path, text]: [&str; 3],
    number: &[usize],
    parents: &[&str],
    inner: &[Value],
) -> Value {
    json!({"Chapter": {
        "name": name,
        "content": text,
        "number": number,
        "sub_items": inner,
        "path": path,
        "source_path": null,
        "parent_names": parents,
    }})
}
