//! Mailboxes: objects are created, read, replaced, listed and deleted; and refused requests.

use std::fs;
use std::os::unix::fs::symlink;

use dz_store::{Created, Mailbox, MailboxError, prove};

fn mailbox() -> (tempfile::TempDir, Mailbox) {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = Mailbox::make(&folder.path().join("m").display().to_string()).unwrap();
    (folder, mailbox)
}

#[test]
fn the_first_content_stays_and_everybody_sees_whose_it_is() {
    let (_folder, mailbox) = mailbox();
    assert_eq!(mailbox.create("a/b.json", b"first").unwrap(), Created::Ours);
    assert_eq!(mailbox.create("a/b.json", b"first").unwrap(), Created::Ours, "asked twice");
    let Created::Theirs(found) = mailbox.create("a/b.json", b"second").unwrap() else { panic!() };
    assert_eq!(&found[..], b"first");
    assert!(!mailbox.offer("a/b.json", b"third").unwrap());
    assert!(mailbox.offer("a/c.json", b"third").unwrap());
}

#[test]
fn listings_are_sorted_and_only_of_the_folder() {
    let (_folder, mailbox) = mailbox();
    assert_eq!(mailbox.list("inbox").unwrap(), vec![]);
    for path in ["inbox/2/b", "inbox/1/a", "inboxes/c", "inbox/2/a"] {
        mailbox.replace(path, path.as_bytes()).unwrap();
    }
    let listed = mailbox.list("inbox").unwrap();
    let paths: Vec<&str> = listed.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(paths, ["inbox/1/a", "inbox/2/a", "inbox/2/b"]);
    assert_eq!(listed[0].bytes, 9);
    mailbox.delete("inbox/1/a").unwrap();
    mailbox.delete("inbox/1/a").unwrap();
    assert_eq!(mailbox.list("inbox/1").unwrap(), vec![]);
    assert_eq!(mailbox.get("inbox/1/a", 100).unwrap(), None);
}

#[test]
fn many_are_deleted_at_once_whether_they_are_there_or_not() {
    let (_folder, mailbox) = mailbox();
    let paths: Vec<String> =
        (0..30).map(|number| format!("inbox/{}/{number}", number % 3)).collect();
    for path in paths.iter().step_by(2) {
        mailbox.replace(path, b"x").unwrap();
    }
    mailbox.replace("inbox/other", b"x").unwrap();
    mailbox.delete_all(&paths).unwrap();
    let left = mailbox.list("inbox").unwrap();
    assert_eq!(left.iter().map(|found| found.path.as_str()).collect::<Vec<_>>(), ["inbox/other"]);
    mailbox.delete_all(&[]).unwrap();
    let error = mailbox.delete_all(&["a".to_owned(), "../b".to_owned()]).unwrap_err();
    assert!(matches!(error, MailboxError::Invalid { .. }), "{error}");
}

#[test]
fn lengths_are_bounded_before_anything_is_read() {
    let (folder, mailbox) = mailbox();
    mailbox.replace("a", &[1; 100]).unwrap();
    assert_eq!(mailbox.get("a", 100).unwrap().unwrap().len(), 100);
    let error = mailbox.get("a", 99).unwrap_err();
    assert!(matches!(error, MailboxError::TooLong { bytes: 100, bytes_max: 99, .. }), "{error}");
    // A file of a terabyte without content costs nothing either.
    fs::File::create(folder.path().join("m/huge")).unwrap().set_len(1 << 40).unwrap();
    assert!(matches!(mailbox.get("huge", 1 << 20), Err(MailboxError::TooLong { .. })));
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let (folder, mailbox) = mailbox();
    let path = folder.path().join("m/pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    fs::write(folder.path().join("secret"), b"secret").unwrap();
    symlink(folder.path().join("secret"), folder.path().join("m/link")).unwrap();
    for path in ["pipe", "link"] {
        let error = mailbox.get(path, 100).unwrap_err();
        assert!(matches!(error, MailboxError::NotAFile { .. }), "{path}: {error}");
    }
}

#[test]
fn paths_lead_nowhere_else() {
    let (_folder, mailbox) = mailbox();
    for path in ["", "/a", "a//b", "../a", "a/../b", "a/", "a#1", "."] {
        let error = mailbox.replace(path, b"x").unwrap_err();
        assert!(matches!(error, MailboxError::Invalid { .. }), "{path}: {error}");
    }
}

#[test]
fn addresses_that_cannot_be_opened_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    for (address, word) in [
        (String::new(), "empty"),
        ("ftp://a/b".to_owned(), "ftp"),
        ("s3://".to_owned(), "bucket"),
        (file.display().to_string(), "file"),
        (folder.path().join("none").display().to_string(), "not there"),
    ] {
        let error = Mailbox::open(&address).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(error.is_temporary(), word == "not there", "{error}");
    }
    #[cfg(not(feature = "cloud"))]
    for scheme in ["s3", "gs", "az"] {
        let error = Mailbox::open(&format!("{scheme}://bucket/prefix")).unwrap_err();
        assert!(error.to_string().contains("feature `cloud`"), "{error}");
    }
}

#[test]
fn two_ways_to_one_folder_pass_the_trial_and_two_folders_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let address = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(folder.path().join("a")).unwrap();
    symlink(folder.path().join("a"), folder.path().join("b")).unwrap();
    let proof = prove(&[address("a"), address("b")], 8, 20, "one").unwrap();
    assert!(proof.is_consistent() && proof.is_exclusive(), "{proof:?}");
    // As two mounts of one store that know nothing of each other.
    let proof = prove(&[address("a"), address("c")], 8, 20, "two").unwrap();
    assert_eq!(proof.several_winners, 20);
    assert!(!proof.is_consistent() && !proof.is_exclusive(), "{proof:?}");
}

#[test]
fn a_way_to_a_store_that_fails_is_found_by_the_trial() {
    let folder = tempfile::tempdir().unwrap();
    let address = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(folder.path().join("bad")).unwrap();
    // Nothing can be written below a file.
    fs::write(folder.path().join("bad/doctor"), b"").unwrap();
    let proof = prove(&[address("good"), address("bad")], 8, 50, "one").unwrap();
    assert!(proof.failed >= 20 && proof.failed < 30, "it ends early: {proof:?}");
    assert!(proof.first_failure.as_ref().unwrap().contains("bad"), "{proof:?}");
    assert!(!proof.is_consistent(), "{proof:?}");
    let error = prove(&[address("bad")], 8, 50, "two").unwrap_err();
    assert!(error.is_temporary(), "a store that never answers is no finding: {error}");
}
