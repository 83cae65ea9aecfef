//! Documents: links lead somewhere, and the page for newcomers stays short.

use std::fs;

use serde_json::{Value, json};
use xtask::{book, links, root};

#[test]
fn links_lead_to_files_and_items() {
    let findings = links::findings(&root()).expect("documents can be read");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn a_link_to_nothing_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("a.rs", "fn known() {}\nfn known_too() {}");
    write("README.md", "[`known`](a.rs), [`T::known_too`](a.rs), [a](a.rs#x), [b](#b), [c](c://d)");
    assert!(links::findings(folder.path()).expect("documents").is_empty());
    write("README.md", "[`know`](a.rs), [x](b.md) and [y](b.rs)\n```\n[z](c.rs)\n```");
    let found = links::findings(folder.path()).expect("documents");
    assert_eq!(
        found,
        [
            "README.md: a.rs does not define know",
            "README.md: the link to b.md leads nowhere",
            "README.md: the link to b.rs leads nowhere"
        ]
    );
}

#[test]
fn links_of_the_book_lead_to_its_pages() {
    let findings = book::findings(&root()).expect("pages can be read");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// The page shows lines of an existing rule, which readers look for in the code.
#[test]
fn the_page_about_search_rules_shows_code_that_is_there() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file");
    let files = [
        "crates/search-settings/src/selection.rs",
        "crates/search-settings/src/section.rs",
        "crates/search/src/formula/bandit.rs",
        "crates/search/src/rule.rs",
    ];
    let code = files.map(read);
    let page = read("docs/book/src/internals/adding-a-search-rule.md");
    let blocks: Vec<&str> = page.split("```rust,ignore\n").skip(1).collect();
    assert_eq!(blocks.len(), files.len());
    for (block, (file, code)) in blocks.iter().zip(files.iter().zip(&code)) {
        let block = block.split("```").next().expect("a block");
        assert!(page.contains(file.trim_end_matches("/bandit.rs")), "{file}");
        assert!(code.contains(block), "{file} does not have\n{block}");
    }
}

/// A repository with a book of two pages, whose `page.md` has this text.
fn with_page(text: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let source = "docs/book/src";
    write(&format!("{source}/SUMMARY.md"), "- [Page](page.md)\n- [Data](../../../data/README.md)");
    write(&format!("{source}/page.md"), text);
    write(&format!("{source}/a.svg"), "");
    write("b.svg", "");
    write("data/README.md", "# Data\n\n## Two words\n\n[code](../code/lib.rs), [folder](../code)");
    write("code/lib.rs", "fn main() {}");
    root
}

#[test]
fn a_link_that_the_book_cannot_keep_is_found() {
    let cases = [
        ("# A\n[a](#a) [d](../../../data/README.md#two-words) ![a](a.svg) [c](c://d#e)", ""),
        ("# A\n[b](#b)", "docs/book/src/page.md: #b has no such heading"),
        (
            "[d](../../../data/README.md#three)",
            "docs/book/src/page.md: ../../../data/README.md#three has no such heading",
        ),
        ("![b](../../../b.svg)", "docs/book/src/page.md: the image b.svg is not in docs/book/src"),
    ];
    for (text, wanted) in cases {
        let root = with_page(text);
        assert_eq!(book::findings(root.path()).expect("pages").join("\n"), wanted, "{text}");
    }
    let root = with_page("");
    fs::write(root.path().join("docs/book/src/other.md"), "").expect("a file");
    let found = book::findings(root.path()).expect("pages");
    assert_eq!(found, ["docs/book/src/other.md is not in SUMMARY.md"]);
}

#[test]
fn mdbook_gets_a_page_for_each_file_that_is_linked_to() {
    let root = with_page("");
    let chapter = |path: &str, content: &str, inner: Value| json!({"Chapter": {"name": "n", "number": [1], "path": path, "content": content, "sub_items": inner}});
    let page = chapter("page.md", "[d](../../../data/README.md#two-words) `x`", json!([]));
    let data = fs::read_to_string(root.path().join("data/README.md")).expect("a file");
    let listed = chapter("../../../data/README.md", &data, json!([page]));
    let input = json!([{"renderer": "html"}, {"items": ["Separator", listed, "Separator"]}]);
    let book = book::preprocess(root.path(), &input.to_string()).expect("a book");
    let book: Value = serde_json::from_str(&book).expect("JSON");
    let data = &book["items"][1]["Chapter"];
    assert_eq!(data["path"], "repository/data.md");
    assert_eq!(data["content"], "# Data\n\n## Two words\n\n[code](code/lib.rs.md), folder");
    let page = &data["sub_items"][0]["Chapter"];
    assert_eq!(page["content"], "[d](repository/data.md#two-words) `x`");
    let files = &book["items"][2]["Chapter"];
    assert_eq!(files["number"], json!([2]));
    let file = &files["sub_items"][0]["Chapter"];
    assert_eq!(file["number"], json!([2, 1]));
    assert_eq!(file["path"], "repository/code/lib.rs.md");
    let shown = file["content"].as_str().expect("a text");
    assert!(shown.contains("\n`````rust,ignore\nfn main() {}\n`````\n"), "{shown}");
}

/// The page tests the code's words: the code should not need a word that the page cannot explain
/// shortly.
#[test]
fn the_page_for_newcomers_is_short() {
    let page = root().join("docs/follow-one-position.md");
    let text = fs::read_to_string(page).expect("the page");
    let words = text.split_whitespace().count();
    assert!(words <= 900, "{words} words");
}
