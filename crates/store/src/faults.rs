//! Faults on request: a process is killed, or a write fails, at a named point of a publication.
//!
//! A point is `CLASS.MOMENT:PATH`. The class is the kind of published file: `log.<kind of entry>`,
//! `shards`, `rows`, `checkpoints`, `networks`, `matches`, `snapshots`, `config`, `report`. The
//! moment is the step that comes next:
//!
//! | moment | then |
//! |---|---|
//! | `create` | the staged file is created |
//! | `write` | its first bytes are written |
//! | `torn` | the rest is written |
//! | `sync` | the staged file is synced |
//! | `name` | it is linked, or renamed, to its place |
//! | `folder` | the folder is synced |
//! | `done` | the publication returns |
//!
//! Rules are separated by `;`: `ACTION PATTERN [once=FILE] [while=FILE] [from=N] [times=N]`. The
//! action is `kill` (this process, by SIGKILL), `kill-run` (its driver too), or an error of the
//! operating system: `enospc`, `eio`, `erofs`. `*` in the pattern stands for anything. `once` fires
//! until the file exists, which firing makes; `while` fires as long as the file exists. `from`
//! fires from the N-th point on that the pattern describes, counted from 1 in this process, and
//! `times` for so many of them. `trace=FILE` alone appends every point passed. Without rules a
//! point costs one look at an empty option.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::process::parent_id;
use std::path::PathBuf;
use std::process::{self, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Environment variable with the rules of a process.
pub const FAULTS_ENV: &str = "DAGZERO_FAULTS";

/// Environment variable that carries the driver's process id to the stages that it starts.
pub const DRIVER_ENV: &str = "DAGZERO_DRIVER";

/// What goes wrong, and where; usually nothing.
#[derive(Clone, Debug, Default)]
pub struct Faults(Option<Arc<Rules>>);

#[derive(Debug)]
struct Rules {
    rules: Vec<Rule>,
    trace: Option<PathBuf>,
}

#[derive(Debug)]
struct Rule {
    action: Action,
    pattern: String,
    once: Option<PathBuf>,
    during: Option<PathBuf>,
    /// Points that the pattern described so far.
    passed: AtomicU64,
    from: u64,
    times: u64,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Kill,
    KillRun,
    Fail(i32),
}

/// Numbers of Linux's errors.
const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;

/// A moment of a publication; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Create,
    Write,
    Torn,
    Sync,
    Name,
    Folder,
    Done,
}

impl Moment {
    const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Write => "write",
            Self::Torn => "torn",
            Self::Sync => "sync",
            Self::Name => "name",
            Self::Folder => "folder",
            Self::Done => "done",
        }
    }
}

impl Faults {
    /// The faults that rules ask for; none of an empty text.
    ///
    /// # Errors
    /// In words, a rule that cannot be understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rules = Rules { rules: Vec::new(), trace: None };
        for rule in text.split(';').map(str::trim).filter(|rule| !rule.is_empty()) {
            match rule.strip_prefix("trace=") {
                Some(file) => rules.trace = Some(file.into()),
                None => rules.rules.push(Rule::parse(rule)?),
            }
        }
        let any = rules.trace.is_some() || !rules.rules.is_empty();
        Ok(Self(any.then(|| Arc::new(rules))))
    }

    /// The faults of the environment variable. Rules that cannot be understood stop the process,
    /// because a test whose fault never happens proves nothing.
    pub(crate) fn of_environment() -> io::Result<Self> {
        match std::env::var(FAULTS_ENV) {
            Ok(text) => Self::parse(&text).map_err(|what| {
                io::Error::new(io::ErrorKind::InvalidInput, format!("{FAULTS_ENV}: {what}"))
            }),
            Err(_) => Ok(Self::default()),
        }
    }

    /// Whether there are any rules.
    pub(crate) const fn are_set(&self) -> bool {
        self.0.is_some()
    }

    /// Passes a point. It returns, fails, or kills the process.
    pub(crate) fn pass(&self, class: &str, moment: Moment, path: &str) -> io::Result<()> {
        let Some(rules) = &self.0 else { return Ok(()) };
        let point = format!("{class}.{}:{path}", moment.name());
        if let Some(file) = &rules.trace {
            let mut file = OpenOptions::new().append(true).create(true).open(file)?;
            file.write_all(format!("{point}\n").as_bytes())?;
        }
        for rule in &rules.rules {
            if matches(&rule.pattern, &point) && rule.is_armed() {
                rule.fire(&point)?;
            }
        }
        Ok(())
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let action = match words.next() {
            Some("kill") => Action::Kill,
            Some("kill-run") => Action::KillRun,
            Some("enospc") => Action::Fail(ENOSPC),
            Some("eio") => Action::Fail(EIO),
            Some("erofs") => Action::Fail(EROFS),
            other => return Err(format!("{other:?} is no action")),
        };
        let pattern = words.next().ok_or("a rule needs a pattern")?.to_owned();
        let passed = AtomicU64::new(0);
        let from = 1;
        let times = u64::MAX;
        let mut rule = Self { action, pattern, once: None, during: None, passed, from, times };
        let count = |text: &str| text.parse().map_err(|_| format!("{text:?} is no number"));
        for word in words {
            match word.split_once('=') {
                Some(("once", file)) => rule.once = Some(file.into()),
                Some(("while", file)) => rule.during = Some(file.into()),
                Some(("from", number)) => rule.from = count(number)?,
                Some(("times", number)) => rule.times = count(number)?,
                _ => return Err(format!("{word:?} is none of once=, while=, from= and times=")),
            }
        }
        Ok(rule)
    }

    /// Whether it fires now. The file of `once` is created first, so only one process fires.
    fn is_armed(&self) -> bool {
        let number = self.passed.fetch_add(1, Ordering::Relaxed) + 1;
        if number < self.from || number - self.from >= self.times {
            return false;
        }
        if self.during.as_ref().is_some_and(|file| !file.exists()) {
            return false;
        }
        self.once
            .as_ref()
            .is_none_or(|file| OpenOptions::new().write(true).create_new(true).open(file).is_ok())
    }

    fn fire(&self, point: &str) -> io::Result<()> {
        if let Some(file) = &self.once {
            fs::write(file, point)?;
        }
        let me = process::id();
        match self.action {
            Action::Fail(code) => Err(io::Error::from_raw_os_error(code)),
            Action::Kill => kill(&[me]),
            Action::KillRun => {
                let driver = std::env::var(DRIVER_ENV).ok().and_then(|id| id.parse().ok());
                // Only a parent that says it is our driver.
                match driver.filter(|&id| id == parent_id()) {
                    Some(driver) => kill(&[driver, me]),
                    None => kill(&[me]),
                }
            }
        }
    }
}

/// Kills this process by SIGKILL, as a power cut would.
fn kill(processes: &[u32]) -> ! {
    let ids = processes.iter().map(ToString::to_string);
    let sent = Command::new("kill").arg("-KILL").args(ids).status();
    if sent.is_ok_and(|status| status.success()) {
        loop {
            thread::park();
        }
    }
    process::abort()
}

/// Whether `pattern`, in which `*` stands for anything, describes all of `text`.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(start) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_describe_whole_points() {
        let point = "log.shard.sync:log/00000000000000000007.json";
        for yes in ["*", "log.shard.sync:*", "log.*.sync:*", "*7.json", point, "log*shard*json"] {
            assert!(matches(yes, point), "{yes}");
        }
        for no in ["", "log.shard.sync", "*.name:*", "log*8.json", "shard*", "*json*shard*"] {
            assert!(!matches(no, point), "{no}");
        }
    }

    #[test]
    fn rules_fire_where_they_should_and_as_often() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name).display().to_string();
        let text = format!(
            "enospc shards.write:* while={}; eio *.name:* once={}; trace={}",
            file("full"),
            file("fuse"),
            file("trace")
        );
        let faults = Faults::parse(&text).unwrap();
        let pass = |class, moment| faults.pass(class, moment, "x").map_err(|e| e.raw_os_error());
        assert_eq!(pass("shards", Moment::Write), Ok(()));
        fs::write(file("full"), "").unwrap();
        assert_eq!(pass("shards", Moment::Write), Err(Some(ENOSPC)));
        assert_eq!(pass("rows", Moment::Write), Ok(()));
        fs::remove_file(file("full")).unwrap();
        assert_eq!(pass("shards", Moment::Write), Ok(()));
        assert_eq!(pass("rows", Moment::Name), Err(Some(EIO)));
        assert_eq!(pass("rows", Moment::Name), Ok(()));
        assert_eq!(fs::read_to_string(file("fuse")).unwrap(), "rows.name:x");
        assert_eq!(fs::read_to_string(file("trace")).unwrap().lines().count(), 6);
    }

    #[test]
    fn rules_fire_at_the_points_that_they_count_to() {
        let faults = Faults::parse("eio *.name:* from=3 times=2").unwrap();
        let fails = |moment| faults.pass("rows", moment, "x").is_err();
        let fired: Vec<bool> = (0..6).map(|_| fails(Moment::Name)).collect();
        assert_eq!(fired, [false, false, true, true, false, false]);
        assert!(!fails(Moment::Write));
    }

    #[test]
    fn rules_that_nobody_understands_are_refused() {
        for text in ["boom *", "kill", "eio * sometimes", "eio * twice=x", "eio * from=x"] {
            assert!(Faults::parse(text).is_err(), "{text}");
        }
        assert!(Faults::parse(" ; ").unwrap().0.is_none());
    }
}
