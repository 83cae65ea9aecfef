//! Documents: links lead somewhere, and the page for newcomers stays short.

use std::fs;

use xtask::{links, root};

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

/// The page is the test of the code's words: what it cannot tell shortly, the code should not need.
#[test]
fn the_page_for_newcomers_is_short() {
    let page = root().join("docs/follow-one-position.md");
    let text = fs::read_to_string(page).expect("the page");
    let words = text.split_whitespace().count();
    assert!(words <= 900, "{words} words");
}
