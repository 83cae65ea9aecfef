//! Objects: created once, checked when read, whole or absent.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::fs;
use std::io::Write;

use dz_store::{ObjectRef, Run, StoreError, layout};

fn run() -> (tempfile::TempDir, Run) {
    let dir = tempfile::tempdir().unwrap();
    let run = Run::create(dir.path().join("r"), "seed = 1\n").unwrap();
    (dir, run)
}

#[test]
fn a_directory_without_configuration_is_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let error = Run::open(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::NoRun { .. }));
    assert!(error.to_string().contains("dagzero run"), "{error}");
}

#[test]
fn a_run_that_lost_its_configuration_is_damaged_and_not_begun_anew() {
    let (dir, run) = run();
    let root = run.root().to_owned();
    fs::write(root.join("log").join("00000000000000000001.json"), "{}").unwrap();
    fs::remove_file(root.join("config.toml")).unwrap();
    for error in [Run::open(&root).unwrap_err(), Run::create(&root, "seed = 2\n").unwrap_err()] {
        assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
        assert!(error.to_string().contains("config.toml") && error.to_string().contains("restore"));
    }
    drop(dir);
}

#[test]
fn creating_the_same_run_twice_is_success_and_another_configuration_is_not() {
    let (_dir, run) = run();
    Run::create(run.root(), "seed = 1\n").unwrap();
    assert!(matches!(Run::create(run.root(), "seed = 2\n"), Err(StoreError::Conflict { .. })));
    assert_eq!(run.config_toml().unwrap(), "seed = 1\n");
    run.replace("config.toml", b"seed = 2\n").unwrap();
    assert_eq!(Run::open(run.root()).unwrap().config_toml().unwrap(), "seed = 2\n");
}

#[test]
fn an_object_is_created_once() {
    let (_dir, run) = run();
    let first = run.put_create("shards/a", b"games").unwrap();
    assert_eq!(run.put_create("shards/a", b"games").unwrap(), first);
    assert!(matches!(run.put_create("shards/a", b"other"), Err(StoreError::Conflict { .. })));
    assert_eq!(&run.get(&first).unwrap()[..], b"games");
    assert_eq!(run.list("shards").unwrap(), ["shards/a"]);
    // No stage makes such a name, so it is nobody's to remove.
    assert!(!run.delete("shards/a").unwrap());
    run.get(&first).unwrap();
    let path = layout::shard_path(1, 0);
    let own = run.put_create(&path, b"games").unwrap();
    assert!(run.delete(&path).unwrap());
    assert!(!run.delete(&path).unwrap());
    assert!(matches!(run.get(&own), Err(StoreError::NotFound { .. })));
}

#[test]
fn a_flipped_byte_and_a_cut_file_are_distinguished() {
    let (_dir, run) = run();
    let object = run.put_create("shards/a", &[7; 1000]).unwrap();
    let path = run.local_path(&object);
    let mut content = fs::read(&path).unwrap();
    content[500] ^= 1;
    fs::write(&path, &content).unwrap();
    for error in [run.get(&object).unwrap_err(), run.verify(&object).unwrap_err()] {
        let text = error.to_string();
        assert!(text.contains("shards/a") && text.contains("hash"), "{text}");
    }
    fs::write(&path, &content[..999]).unwrap();
    for error in [
        run.get(&object).unwrap_err(),
        run.verify(&object).unwrap_err(),
        run.get_range(&object, 0..4).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(
            matches!(error, StoreError::Corrupt { .. }) && text.contains("999 bytes"),
            "{text}"
        );
    }
}

#[test]
fn ranges_are_read_and_bounded() {
    let (_dir, run) = run();
    let object = run.put_create("shards/a", b"0123456789").unwrap();
    assert_eq!(&run.get_range(&object, 2..5).unwrap()[..], b"234");
    assert_eq!(&run.get_range(&object, 7..10).unwrap()[..], b"789");
    assert!(run.get_range(&object, 4..4).unwrap().is_empty());
    assert!(matches!(run.get_range(&object, 7..11), Err(StoreError::Invalid { .. })));
}

#[test]
fn paths_outside_the_run_are_refused() {
    let (_dir, run) = run();
    for path in ["../x", "/x", "a//b", "shards/a#1", "shards/./a", ""] {
        let error = run.put_create(path, b"x").unwrap_err();
        assert!(matches!(error, StoreError::Invalid { .. }), "{path}: {error}");
    }
}

#[test]
fn a_staged_file_is_invisible_until_published() {
    let (_dir, run) = run();
    let mut staged = run.create_file("rows/c1/train-0").unwrap();
    staged.write_all(b"rows ").unwrap();
    staged.write_all(b"and rows").unwrap();
    assert!(run.list("rows").unwrap().is_empty());
    let object = staged.publish().unwrap();
    assert_eq!(object, ObjectRef::of("rows/c1/train-0", b"rows and rows"));
    assert_eq!(&run.get(&object).unwrap()[..], b"rows and rows");
    assert_eq!(fs::read_dir(run.root().join("rows/c1")).unwrap().count(), 1);
}

#[test]
fn a_dropped_staged_file_is_gone_and_a_second_publication_compares() {
    let (_dir, run) = run();
    let write = |content: &[u8]| {
        let mut staged = run.create_file("rows/a").unwrap();
        staged.write_all(content).unwrap();
        staged
    };
    drop(write(b"left"));
    assert_eq!(fs::read_dir(run.root().join("rows")).unwrap().count(), 0);
    let (one, same, other) = (write(b"one"), write(b"one"), write(b"two"));
    let object = one.publish().unwrap();
    assert_eq!(same.publish().unwrap(), object);
    assert!(matches!(other.publish(), Err(StoreError::Conflict { .. })));
    assert_eq!(&run.get(&object).unwrap()[..], b"one");
    assert_eq!(fs::read_dir(run.root().join("rows")).unwrap().count(), 1);
}
