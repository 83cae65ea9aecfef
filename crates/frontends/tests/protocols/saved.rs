//! `dagzero-save_search` and `dagzero-load_search`: a search that goes on in another engine.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;

use dz_frontends::Gtp;

use crate::common::{Eyes, ask, gtp, say};

/// Files that live as long as a test.
type Folder = Rc<RefCell<BTreeMap<String, Vec<u8>>>>;

fn engine(folder: &Folder, playouts: u32) -> Gtp {
    let read = folder.clone();
    let written = folder.clone();
    gtp("go:size=5", Eyes::Rollouts, playouts)
        .with_files(Box::new(move |path| {
            let file = read.borrow().get(path).cloned();
            file.ok_or_else(|| io::ErrorKind::NotFound.into())
        }))
        .with_written_files(Box::new(move |path, bytes| {
            written.borrow_mut().insert(path.to_owned(), bytes.to_vec());
            Ok(())
        }))
}

/// The visits that a search begins with, by its first analysis.
fn loaded(engine: &mut Gtp) -> String {
    ask(engine, "dagzero-load_search a b.search")
}

#[test]
fn a_search_goes_on_in_another_engine() {
    let folder = Folder::default();
    let mut first = engine(&folder, 200);
    ask(&mut first, "play black C3");
    ask(&mut first, "reg_genmove white");
    assert_eq!(ask(&mut first, "dagzero-save_search a b.search"), "");
    let mut second = engine(&folder, 200);
    ask(&mut second, "play black C3");
    assert_eq!(loaded(&mut second), "200");
    // What was loaded is what is saved again.
    ask(&mut second, "dagzero-save_search again");
    assert_eq!(folder.borrow()["again"], folder.borrow()["a b.search"]);
    let more = ask(&mut second, "reg_genmove white");
    assert_ne!(more, "", "it goes on");
}

#[test]
fn what_does_not_belong_here_changes_nothing() {
    let folder = Folder::default();
    let mut first = engine(&folder, 50);
    ask(&mut first, "reg_genmove black");
    ask(&mut first, "dagzero-save_search a b.search");
    let mut second = engine(&folder, 50);
    assert!(say(&mut second, "dagzero-load_search nothing").starts_with("? cannot load file"));
    ask(&mut second, "play black C3");
    let other = say(&mut second, "dagzero-load_search a b.search");
    assert!(other.starts_with("? cannot load file: its position's key"), "{other}");
    ask(&mut second, "undo");
    folder.borrow_mut().get_mut("a b.search").unwrap()[50] ^= 1;
    let other = say(&mut second, "dagzero-load_search a b.search");
    assert!(other.starts_with("? cannot load file: the file is damaged"), "{other}");
    assert!(say(&mut second, "dagzero-save_search").starts_with("? syntax error"));
    let mut deaf = gtp("go:size=5", Eyes::Rollouts, 5);
    assert!(say(&mut deaf, "dagzero-save_search x").starts_with("? cannot write \"x\""));
}
