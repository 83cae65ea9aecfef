//! A run whose machine is lost goes on elsewhere, from the mirror in its mailbox.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::fleet::{
    Fleet, PATIENCE, Process, alone, differences, published, start_run, wait,
};
use crate::common::program::{command, dagzero, text};
use dz_store::Mailbox;
use dz_testkit::wait_until;

/// Waits until something is mirrored.
fn wait_for_mirror(fleet: &Fleet) {
    wait_until("a mirror", PATIENCE, || {
        let mailbox = Mailbox::open(&fleet.mailbox);
        mailbox.is_ok_and(|mailbox| !mailbox.list("mirror/head").unwrap().is_empty())
    });
}

/// Goes on with the run of a fleet in another folder, and takes it over.
fn take_over(fleet: &Fleet, dir: &Path) -> Process {
    let dir = dir.display().to_string();
    Process::start(&mut command(&["resume", &fleet.mailbox, "--dir", &dir, "--take-over"]))
}

/// Removes a run. Its stages live for a moment after their driver was killed, and still write.
fn lose(dir: &Path) {
    wait_until("the end of the stages", PATIENCE, || {
        let _ = fs::remove_dir_all(dir);
        !dir.exists()
    });
}

#[test]
fn a_run_whose_disk_is_lost_again_and_again_has_the_same_bytes() {
    let whole = alone();
    let fleet = Fleet::new();
    let mut dir = fleet.dir();
    let mut run = start_run(&dir, &fleet.set(true));
    wait_for_mirror(&fleet);
    let begun = Instant::now();
    let mut losses = 0;
    while run.0.try_wait().expect("it can be waited for").is_none() {
        assert!(begun.elapsed() < PATIENCE, "it hangs");
        thread::sleep(Duration::from_millis(700 + 170 * (losses % 5)));
        if losses < 8 {
            drop(run);
            lose(&dir);
            losses += 1;
            dir = fleet.folder.path().join(format!("run-{losses}"));
            run = take_over(&fleet, &dir);
        }
    }
    assert!(losses >= 2, "{losses} losses");
    assert_eq!(wait(&mut run), 0);
    assert_eq!(differences(&whole, &published(&dir)), Vec::<String>::new());
    let verified = dagzero(&["verify", &dir.display().to_string()]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
    // What the mirror has in the end is the run, too.
    let copy = fleet.folder.path().join("copy");
    assert_eq!(wait(&mut take_over(&fleet, &copy)), 0);
    assert_eq!(differences(&whole, &published(&copy)), Vec::<String>::new());
}

#[test]
fn a_run_is_taken_over_only_if_somebody_says_so() {
    let fleet = Fleet::new();
    let mut run = start_run(&fleet.dir(), &fleet.set(true));
    wait_for_mirror(&fleet);
    let other = fleet.folder.path().join("other");
    let other_dir = other.display().to_string();
    let refused = dagzero(&["resume", &fleet.mailbox, "--dir", &other_dir]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(75), "{said}");
    assert!(said.contains("alive") && said.contains("--take-over"), "{said}");
    assert!(!other.exists());
    let without = dagzero(&["resume", &fleet.mailbox]);
    assert_eq!(without.status.code(), Some(2), "{}", text(&without.stderr));
    // Taken over, the first home ends and does not come back.
    let mut new = take_over(&fleet, &other);
    assert_eq!(wait(&mut run), 78);
    assert_eq!(wait(&mut new), 0);
    let back = dagzero(&["resume", &fleet.dir().display().to_string(), "--take-over"]);
    let said = text(&back.stderr);
    assert_eq!(back.status.code(), Some(78), "{said}");
    assert!(said.contains("another machine went on"), "{said}");
}

#[test]
fn a_mailbox_without_a_mirror_says_how_there_comes_one() {
    let fleet = Fleet::new();
    let mut set = fleet.set(true);
    set.push("workers.mirror=false".to_owned());
    assert_eq!(wait(&mut start_run(&fleet.dir(), &set)), 0);
    let other = fleet.folder.path().join("other").display().to_string();
    let done = dagzero(&["resume", &fleet.mailbox, "--dir", &other, "--take-over"]);
    assert_eq!(done.status.code(), Some(75), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("workers.mirror"), "{}", text(&done.stderr));
}
