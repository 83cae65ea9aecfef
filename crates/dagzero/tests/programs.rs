//! Programs that a run's anchors name: started where their user said so, shown and left out
//! elsewhere.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use crate::common::program::{command, text};
use dz_testkit::preset;

/// Programs of two people on one machine, and a program that leaves a mark when it is started.
struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let scratch = Self { folder: tempfile::tempdir().expect("a folder") };
        // Networks win all games against weaker programs, whose anchors then retire.
        let script = format!(
            "touch '{}'\nexec '{}' engine gtp uniform:20 --game tictactoe\n",
            scratch.path("mark").display(),
            env!("CARGO_BIN_EXE_dagzero")
        );
        fs::write(scratch.path("bot.sh"), script).expect("written");
        let preset = preset("tictactoe-smoke");
        let preset = fs::read_to_string(preset).expect("text");
        let (before, _) = preset.split_once("anchors = [").expect("anchors come last");
        let config = before.replace("cycles = 3", "cycles = 1").replace("games = 8", "games = 4")
            + &format!("time_share = 1\nanchors = {}\n", scratch.anchors());
        fs::write(scratch.path("own.toml"), config).expect("written");
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command_line(&self) -> String {
        format!("sh {}", self.path("bot.sh").display())
    }

    fn anchors(&self) -> String {
        let bot = self.command_line();
        format!(
            "[{{ name = \"random\", kind = \"random\" }}, \
             {{ name = \"bot\", kind = \"gtp\", command = \"{bot}\", seconds = 0.1 }}]"
        )
    }

    /// Runs a command line as `user`, with nobody at a terminal; says whether the program was
    /// started.
    fn dagzero(&self, user: &str, args: &[&str]) -> (Output, bool) {
        let mark = self.path("mark");
        let _ = fs::remove_file(&mark);
        let mut command = command(args);
        command.env("XDG_STATE_HOME", self.path(user)).stdin(Stdio::null());
        command.current_dir(self.folder.path());
        let output = command.output().expect("it starts");
        (output, mark.exists())
    }

    /// As [`Scratch::dagzero`], which must succeed.
    fn good(&self, user: &str, args: &[&str]) -> (String, bool) {
        let (output, started) = self.dagzero(user, args);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{args:?}: {told}");
        (told, started)
    }

    /// How many rating matches the program has in a run.
    fn matches(&self, run: &str) -> usize {
        let read = |entry: fs::DirEntry| fs::read_to_string(entry.path()).expect("text");
        let folder = fs::read_dir(self.path(run).join("log")).expect("a ledger");
        let records = folder.map(|entry| read(entry.expect("an entry")));
        records.filter(|record| record.contains("\"match\"") && record.contains("\"bot\"")).count()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

#[test]
fn programs_of_a_stranger_s_run_are_shown_and_not_started() {
    let scratch = Scratch::new();
    let (_, started) = scratch.good("maker", &["run", "own.toml", "--dir", "made"]);
    assert!(started, "the configuration is the user's own");
    assert!(scratch.matches("made") > 0);
    let (told, started) = scratch.good("maker", &["resume", "made", "--set", "run.cycles=2"]);
    assert!(started && !told.contains("--programs"), "it was started here before: {told}");
    copy(&scratch.path("made"), &scratch.path("theirs"));

    // Whoever only looks starts nothing.
    for args in [
        &["status", "theirs"][..],
        &["report", "theirs"],
        &["verify", "theirs"],
        &["doctor", "theirs"],
        &["watch", "theirs", "--once"],
        &["plan", "theirs/config.toml"],
    ] {
        let (output, started) = scratch.dagzero("other", args);
        assert!(!started, "{args:?}: {}", text(&output.stderr));
    }

    let before = scratch.matches("theirs");
    let (told, started) = scratch.good("other", &["resume", "theirs", "--set", "run.cycles=3"]);
    assert!(!started, "{told}");
    assert!(told.contains(&scratch.command_line()), "the command line is shown: {told}");
    assert!(told.contains("left out of the ratings: bot; --programs allow"), "{told}");
    assert_eq!(scratch.matches("theirs"), before, "the run went on without the anchor");
    let file = ["run", "theirs/config.toml", "--dir", "theirs", "--set", "run.cycles=4"];
    assert!(!scratch.good("other", &file).1, "the file is the run's, not the user's");
    let deny = ["resume", "theirs", "--set", "run.cycles=5", "--programs", "deny"];
    assert!(!scratch.good("maker", &deny).1);

    let allow = ["resume", "theirs", "--set", "run.cycles=6", "--programs", "allow"];
    assert!(scratch.good("other", &allow).1, "allowed");
    assert!(scratch.matches("theirs") > before, "it is met again");
    let (told, started) = scratch.good("other", &["resume", "theirs", "--set", "run.cycles=7"]);
    assert!(started && !told.contains("--programs"), "and remembered: {told}");
    let anchors = format!("rating.anchors={}", scratch.anchors());
    let set = ["resume", "theirs", "--set", "run.cycles=8", "--set", &anchors];
    assert!(scratch.good("third", &set).1, "--set is the user's own word");
    assert!(scratch.good("maker", &["verify", "theirs"]).0.contains("bad       none"));
}

#[test]
fn an_optional_program_that_is_not_here_is_left_out() {
    let scratch = Scratch::new();
    let missing = "{ name = \"bot\", kind = \"gtp\", command = \"no-program-is-called-this\", \
                   seconds = 0.1, optional = true }";
    let anchors = format!("rating.anchors=[{{ name = \"random\", kind = \"random\" }}, {missing}]");
    let (told, _) = scratch.good("maker", &["run", "own.toml", "--dir", "made", "--set", &anchors]);
    assert!(told.contains("not installed here are left out of the ratings: bot"), "{told}");
    assert_eq!(scratch.matches("made"), 0);
    // What is not optional is a fault before the run begins.
    let wanted = anchors.replace(", optional = true", "");
    let args = ["run", "own.toml", "--dir", "other", "--set", &wanted];
    let (output, _) = scratch.dagzero("maker", &args);
    assert_eq!(output.status.code(), Some(78), "{}", text(&output.stderr));
}

#[test]
fn a_gatekeeper_by_hand_starts_what_its_user_has_let_the_run_start() {
    let scratch = Scratch::new();
    scratch.good("maker", &["init", "own.toml", "--dir", "made"]);
    for stage in ["selfplay", "shuffler", "trainer"] {
        scratch.good("maker", &[stage, "--run", "made", "--once"]);
    }
    copy(&scratch.path("made"), &scratch.path("theirs"));
    let (told, started) = scratch.good("other", &["gatekeeper", "--run", "theirs", "--once"]);
    assert!(!started && told.contains("left out of the ratings: bot"), "{told}");
    let (told, started) = scratch.good("maker", &["gatekeeper", "--run", "made", "--once"]);
    assert!(started && !told.contains("left out"), "{told}");
    assert!(scratch.matches("theirs") == 0 && scratch.matches("made") > 0);
}
