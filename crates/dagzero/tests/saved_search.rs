//! `search --save` and `--load`: a resumed search equals one that was never interrupted.

use std::fs;

use crate::common::cli::{self, object};

const SUBJECT: [&str; 6] = ["search", "--game", "connect4", "--evaluator", "hashed", "--nodes"];

#[test]
fn it_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("half.search").display().to_string();
    for sets in [
        &[][..],
        &["--set", "search.selection=rave", "--set", "search.leaf_value={mix=0.5}"][..],
        &["--set", "search.edge_values=split", "--set", "search.leaf_value={mix=0.5}"][..],
    ] {
        let search = |more: &[&str]| object(&[&SUBJECT, sets, more].concat());
        let mut whole = search(&["--playouts", "300"]);
        search(&["--playouts", "120", "--save", &path]);
        let mut gone_on = search(&["--playouts", "300", "--load", &path]);
        for found in [&mut whole, &mut gone_on] {
            found.as_object_mut().expect("an object").retain(|key, _| key != "seconds");
        }
        assert_eq!(gone_on, whole, "{sets:?}");
    }
}

#[test]
fn what_it_does_not_belong_to_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.search").display().to_string();
    object(&[&SUBJECT[..], &["--playouts", "50", "--save", &path]].concat());
    let refused = |more: &[&str]| {
        cli::refused(&[&["search", "--playouts", "60", "--load", &path], more].concat())
    };
    let hashed = ["--game", "connect4", "--evaluator", "hashed"];
    let other = refused(&[&hashed[..], &["--set", "search.c_puct=2"]].concat());
    assert!(other.contains("setting selection") && other.contains('2'), "{other}");
    let other = refused(&[&hashed[..], &["--moves", "4"]].concat());
    assert!(other.contains("position's key"), "{other}");
    let other = refused(&["--game", "connect4"]);
    assert!(other.contains("evaluator is hashed"), "{other}");
    let other = refused(&["--game", "tictactoe", "--evaluator", "hashed"]);
    assert!(other.contains("game is connect4"), "{other}");
    let mut bytes = fs::read(&path).expect("bytes");
    bytes[60] ^= 1;
    fs::write(&path, bytes).expect("written");
    assert!(refused(&hashed).contains("damaged"));
    fs::write(&path, "no search").expect("written");
    assert!(refused(&hashed).contains("no saved search"));
}
