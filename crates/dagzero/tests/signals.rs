//! Runs as people leave them alone: under nohup, in the background of a script, in a terminal that
//! closes, under systemd.

use std::{
    fs::{self, File},
    io,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

use crate::common::program::{command, dagzero, smoke_preset, text};
use dz_testkit::wait_until;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long a run is watched that must not stop. One that stops does so at once.
const STAYS: Duration = Duration::from_secs(3);

/// A run that goes on for hours unless it is stopped.
struct Long {
    folder: tempfile::TempDir,
}

impl Long {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// The arguments of `dagzero`.
    fn args(&self) -> Vec<String> {
        let [config, dir] = [smoke_preset(), self.dir().display().to_string()];
        let mut args = ["run", &config, "--dir", &dir].map(str::to_owned).to_vec();
        for pair in ["run.cycles=100000", "bootstrap.games=32"] {
            args.extend(["--set", pair].map(str::to_owned));
        }
        args
    }

    /// The command as a shell reads it.
    fn shell_words(&self) -> String {
        let args = self.args().join("' '");
        format!("'{}' '{args}'", env!("CARGO_BIN_EXE_dagzero"))
    }

    fn status(&self) -> serde_json::Value {
        let said = dagzero(&["status", &self.dir().display().to_string(), "--json"]);
        serde_json::from_slice(&said.stdout).unwrap_or_default()
    }

    /// The driver's process while it lives.
    fn driver(&self) -> Option<u64> {
        self.status()["driven_by"].as_u64()
    }

    /// Waits until a cycle is done: everything is under way then.
    fn wait_for_work(&self) -> u64 {
        wait_for("a cycle", || self.status()["cycles_done"].as_u64() > Some(0));
        self.driver().expect("it is driven")
    }

    /// It goes on: the same driver, and more cycles.
    fn goes_on(&self, driver: u64) {
        let before = self.status()["cycles_done"].as_u64();
        thread::sleep(STAYS);
        assert_eq!(self.driver(), Some(driver), "it was stopped");
        assert!(self.status()["cycles_done"].as_u64() > before, "it stands still");
    }

    /// Ends it, and looks at what is left.
    fn end(&self, driver: u64) {
        signal("TERM", &driver.to_string());
        wait_for("the end", || self.driver().is_none());
        self.is_sound();
    }

    fn is_sound(&self) {
        let verified = dagzero(&["verify", &self.dir().display().to_string()]);
        assert!(verified.status.success(), "{}", text(&verified.stdout));
    }
}

fn wait_for(what: &str, is_so: impl FnMut() -> bool) {
    wait_until(what, PATIENCE, is_so);
}

/// By kill(1), which needs no unsafe code here. A process group has a minus before its number.
fn signal(name: &str, process: &str) {
    let sent = Command::new("kill").args(["-s", name, "--", process]).status();
    assert!(sent.expect("kill starts").success(), "{name} to {process}");
}

fn ended(child: &mut Child) -> ExitStatus {
    let mut status = None;
    wait_for("the end", || {
        status = child.try_wait().expect("a state");
        status.is_some()
    });
    status.expect("it has ended")
}

#[test]
fn under_nohup_a_hangup_is_nothing() {
    let long = Long::new();
    let mut shell = Command::new("nohup");
    shell.arg(env!("CARGO_BIN_EXE_dagzero")).args(long.args());
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = shell.spawn().expect("nohup starts");
    let driver = long.wait_for_work();
    signal("HUP", &driver.to_string());
    // The stages were started by a process that ignores it, and do too.
    for stage in long.status()["stages"].as_array().expect("stages") {
        signal("HUP", &stage["process_id"].to_string());
    }
    long.goes_on(driver);
    long.end(driver);
    assert_eq!(ended(&mut child).code(), Some(75));
}

#[test]
fn in_the_background_of_a_script_a_ctrl_c_for_another_program_is_nothing() {
    let long = Long::new();
    // These tests may themselves run where the signal is ignored.
    let mut shell = Command::new("env");
    shell.args(["--default-signal=INT", "sh", "-c"]);
    shell.arg(format!("{} >/dev/null 2>&1 & sleep 600", long.shell_words()));
    shell.process_group(0).stdin(Stdio::null());
    let mut child = shell.spawn().expect("sh starts");
    let driver = long.wait_for_work();
    // What a terminal does for Ctrl-C.
    signal("INT", &format!("-{}", child.id()));
    assert!(!ended(&mut child).success(), "the script ends");
    long.goes_on(driver);
    long.end(driver);
}

#[test]
fn one_term_drains_and_two_abort() {
    for times in [1, 2] {
        let long = Long::new();
        let said = long.folder.path().join("said");
        let args = long.args();
        let mut run = command(&args.iter().map(String::as_str).collect::<Vec<_>>());
        run.stdout(File::create(&said).expect("a file")).stderr(Stdio::null());
        let mut child = run.spawn().expect("dagzero starts");
        let driver = long.wait_for_work();
        for _ in 0..times {
            signal("TERM", &driver.to_string());
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(ended(&mut child).code(), Some(75));
        let said = fs::read_to_string(said).expect("text");
        assert!(said.contains("Stopped; what was published is kept. To go on: dagzero resume"));
        long.is_sound();
    }
}

/// Runs a script of Python that has a terminal of its own; false, with a printed reason, where
/// there is no Python.
fn with_terminal(script: &str, args: &[&str]) -> Option<Child> {
    let python =
        Command::new("python3").args(["-c", script]).args(args).stdin(Stdio::null()).spawn();
    match python {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            println!("skipped: there is no python3, whose module pty makes terminals");
            None
        }
        other => Some(other.expect("python3 starts")),
    }
}

/// Opens a terminal, runs the rest of its arguments there, and closes the terminal when the file
/// named first appears. Ends as the program does. A hangup counts there, although these tests may
/// themselves run under nohup.
const CLOSES: &str = r"
import os, pty, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
os.set_blocking(terminal, False)
while not os.path.exists(sys.argv[1]):
    try:
        os.read(terminal, 65536)
    except BlockingIOError:
        pass
    time.sleep(0.05)
os.close(terminal)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
";

#[test]
fn a_terminal_that_closes_stops_the_run_cleanly() {
    let long = Long::new();
    let close = long.folder.path().join("close").display().to_string();
    let args = long.args();
    let mut words = vec![close.as_str(), env!("CARGO_BIN_EXE_dagzero")];
    words.extend(args.iter().map(String::as_str));
    let Some(mut python) = with_terminal(CLOSES, &words) else { return };
    long.wait_for_work();
    fs::write(&close, "").expect("written");
    assert_eq!(ended(&mut python).code(), Some(75), "it cannot write to its terminal any more");
    wait_for("the end", || long.driver().is_none());
    long.is_sound();
}

#[test]
fn under_nohup_a_terminal_that_closes_is_nothing() {
    let long = Long::new();
    let close = long.folder.path().join("close").display().to_string();
    // As typed: the shell stays, and hangs up on its jobs when the terminal is gone.
    let typed = format!("nohup {} >/dev/null 2>&1 & wait", long.shell_words());
    let Some(mut python) = with_terminal(CLOSES, &[&close, "/bin/sh", "-c", &typed]) else {
        return;
    };
    let driver = long.wait_for_work();
    fs::write(&close, "").expect("written");
    ended(&mut python);
    long.goes_on(driver);
    long.end(driver);
}

/// The words of a shell that lets a short run go on while something of its output is gone.
#[test]
fn outputs_that_are_gone_do_not_stop_a_run() {
    for redirects in [">/dev/full", "2>/dev/full", ">&-", "2>&-", "2>&1 | true", ">/dev/full 2>&1"]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("run").display().to_string();
        let long = Long { folder };
        let run = long.shell_words().replace("run.cycles=100000", "run.cycles=1");
        let code = long.folder.path().join("code").display().to_string();
        let script = format!("({run}; echo $? >'{code}') {redirects}");
        let done = Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).output();
        done.expect("sh starts");
        let code = || fs::read_to_string(&code).unwrap_or_default();
        wait_for("the end", || !code().is_empty());
        assert_eq!(code().trim(), "0", "{redirects}");
        let status = dagzero(&["status", &dir, "--json"]);
        let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
        assert_eq!(status["turn"]["turn"], "finished", "{redirects}");
    }
}

#[test]
fn errors_keep_their_codes_where_nobody_reads_them() {
    for redirects in ["2>/dev/full", "2>&-"] {
        let program = env!("CARGO_BIN_EXE_dagzero");
        for (args, wanted) in [("status /nowhere", 2), ("run /nowhere.toml", 78)] {
            let script = format!("'{program}' {args} {redirects}");
            let ended = Command::new("sh").args(["-c", &script]).status().expect("sh starts");
            assert_eq!(ended.code(), Some(wanted), "{script}");
        }
    }
}

/// As a user without privileges, whose limit of processes holds; skipped where this user cannot
/// become another one.
#[test]
fn where_no_thread_can_be_made_one_line_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = Command::new("chmod").args(["777"]).arg(folder.path()).status().expect("chmod");
    assert!(open.success());
    let long = Long { folder };
    let run = long.shell_words().replace("run.cycles=100000", "run.cycles=1");
    // A user of this test alone: limits count all processes of one.
    let user = format!("{}", 200_000 + std::process::id());
    let mut found = Vec::new();
    for limit in [1, 2, 4, 6, 9, 14, 20] {
        let script = format!("exec prlimit --nproc={limit} {run}");
        let mut other = Command::new("setpriv");
        other.args(["--reuid", &user, "--regid", &user, "--clear-groups", "sh", "-c", &script]);
        let Ok(output) = other.stdin(Stdio::null()).output() else {
            println!("skipped: there is no setpriv");
            return;
        };
        let said = text(&output.stderr);
        let lacks = ["setpriv:", "prlimit:", "not found", "Permission denied"];
        if lacks.iter().any(|word| said.contains(word)) {
            println!("skipped: {said}");
            return;
        }
        assert!(!said.contains("panicked"), "{limit}: {said}");
        let code = output.status.code();
        assert!(matches!(code, Some(75 | 0)), "{limit}: {code:?} {said}");
        if code == Some(75) {
            assert!(said.contains("ulimit -u"), "{limit}: {said}");
        }
        found.push(code);
    }
    assert!(found.contains(&Some(75)), "{found:?}");
}
