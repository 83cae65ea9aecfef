//! Runs in unusual surroundings: places that cannot hold them, users who may only read them,
//! settings that nothing comes of.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use crate::common::program::{command, dagzero, smoke_preset, text};

fn run(dir: &Path, sets: &[&str]) -> Output {
    let (config, dir) = (smoke_preset(), dir.display().to_string());
    let mut run = command(&["run", &config, "--dir", &dir]);
    for set in [&["run.cycles=1", "bootstrap.games=48"], sets].concat() {
        run.args(["--set", set]);
    }
    run.output().expect("dagzero starts")
}

fn done(dir: &Path, sets: &[&str]) -> String {
    let ended = run(dir, sets);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    text(&ended.stdout)
}

#[test]
fn places_that_cannot_hold_a_run_are_named_and_not_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), "").expect("written");
    let long = "a".repeat(300);
    for (dir, word) in [("file/run", "is a file and no folder"), (&*long, "too long")] {
        let refused = run(&folder.path().join(dir), &[]);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(78), "{said}");
        assert!(said.contains(word) && said.lines().count() == 1, "{said}");
    }
}

/// Everything may be read by everybody, and written by the owner alone; none where this user cannot
/// become another one.
fn as_somebody_else(dir: &Path, args: &[&str]) -> Option<Output> {
    let opened = Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(dir).status();
    assert!(opened.expect("chmod starts").success());
    let mut other = Command::new("setpriv");
    other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    other.arg(env!("CARGO_BIN_EXE_dagzero")).args(args).stdin(Stdio::null());
    match other.output() {
        Ok(output) if !text(&output.stderr).contains("setpriv:") => Some(output),
        _ => {
            println!("skipped: only root can run this as another user, with setpriv");
            None
        }
    }
}

#[test]
fn a_run_that_one_may_only_read_has_a_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    done(&root.join("run"), &[]);
    let dir = root.join("run").display().to_string();
    let Some(json) = as_somebody_else(root, &["report", &dir, "--json"]) else { return };
    assert!(json.status.success(), "{}", text(&json.stderr));
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(report["cycles"].as_array().map(Vec::len), Some(1));
    assert!(text(&json.stderr).contains("--out FILE"), "{}", text(&json.stderr));
    let table = as_somebody_else(root, &["report", &dir, "--markdown"]).expect("as before");
    assert!(table.status.success() && text(&table.stdout).contains("| cycle |"));

    let refused = as_somebody_else(root, &["report", &dir]).expect("as before");
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("--out FILE") && !said.contains("--dir"), "{said}");

    let theirs = tempfile::tempdir().expect("a folder");
    let open = Command::new("chmod").arg("777").arg(theirs.path()).status().expect("chmod starts");
    assert!(open.success());
    let page = theirs.path().join("page.html");
    let page_name = page.display().to_string();
    let asked = ["report", &dir, "--out", &page_name, "--csv"];
    let written = as_somebody_else(root, &asked).expect("as before");
    assert!(written.status.success(), "{}", text(&written.stderr));
    assert!(fs::read_to_string(&page).expect("the page").contains("<svg"));
    assert!(theirs.path().join("report-cycles.csv").exists());

    let status = as_somebody_else(root, &["status", &dir]).expect("as before");
    assert!(status.status.success() && text(&status.stdout).contains("finished"));
    // One that they may not even enter is not called something else.
    let closed = Command::new("chmod").arg("700").arg(root.join("run")).status().expect("chmod");
    assert!(closed.success());
    let mut other = Command::new("setpriv");
    other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    other.arg(env!("CARGO_BIN_EXE_dagzero")).args(["status", &dir]);
    let said = text(&other.output().expect("as before").stderr);
    assert!(said.contains("Permission denied") && !said.contains("is no run"), "{said}");
}

#[test]
fn cycles_whose_games_all_go_to_validation_do_not_end_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("run");
    let sets =
        ["selfplay.games=1", "window.validation_share=0.3", "run.cycles=12", "bootstrap.games=60"];
    let said = done(&dir, &sets);
    assert!(said.contains("all its new games are for validation"), "no such cycle: {said}");
    assert!(said.contains("After 12 cycles"), "{said}");
    assert!(dagzero(&["verify", &dir.display().to_string()]).status.success());
}

#[test]
fn games_that_are_all_cut_are_an_alarm() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("run");
    let said = done(&dir, &["selfplay.plies_max=4", "selfplay.opening_plies_max=1"]);
    assert!(said.contains("ALARM cut-games"), "{said}");
    let status = text(&dagzero(&["status", &dir.display().to_string()]).stdout);
    assert!(status.contains("cut-games"), "{status}");
}

#[test]
fn runs_of_different_games_are_not_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let [square, large] = ["square", "large"].map(|name| folder.path().join(name));
    done(&square, &[]);
    done(&large, &["run.game=\"connect4:width=4,height=4,connect=3\""]);
    let [one, two] = [&square, &large].map(|dir| dir.display().to_string());
    let refused = dagzero(&["report", &one, "--compare", &two]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("plays connect4:") && said.contains("not tictactoe"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!square.join("report-compare.html").exists());
}

#[test]
fn runs_of_one_base_name_are_distinguished() {
    let folder = tempfile::tempdir().expect("a folder");
    let dirs = ["one/run", "two/run"].map(|name| folder.path().join(name));
    for dir in &dirs {
        fs::create_dir_all(dir.parent().expect("a parent")).expect("made");
        done(dir, &[]);
    }
    let [one, two] = dirs.each_ref().map(|dir| dir.display().to_string());
    let compared = dagzero(&["report", &one, "--compare", &two, "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&compared.stdout).expect("JSON");
    assert_eq!(report["run"]["name"], "one/run");
    assert_eq!(report["compared"][0]["name"], "two/run");

    // A comparison has a page of its own beside the run's.
    let own = fs::read(dirs[0].join("report.html")).expect("the run's page");
    let compared = dagzero(&["report", &one, "--compare", &two]);
    let path = dirs[0].join("report-compare.html");
    assert_eq!(
        text(&compared.stdout).trim(),
        path.canonicalize().expect("there").display().to_string()
    );
    let page = fs::read_to_string(&path).expect("written");
    assert!(page.contains("<title>one/run and two/run - DagZero report</title>"));
    assert!(fs::read(dirs[0].join("report.html")).expect("the run's page") == own);

    let logs = folder.path().join("logs").display().to_string();
    let export = |run: &str| {
        let written = dagzero(&["export", "tensorboard", run, "--out", &logs]);
        assert!(written.status.success(), "{}", text(&written.stderr));
        let path = PathBuf::from(text(&written.stdout).trim());
        path.parent().expect("a folder").strip_prefix(&logs).expect("below").display().to_string()
    };
    assert_eq!([export(&one), export(&two), export(&one)], ["run", "two/run", "run"]);
    // A run that was moved keeps its folder.
    fs::rename(&dirs[0], folder.path().join("run")).expect("moved");
    assert_eq!(export(&folder.path().join("run").display().to_string()), "run");
}
