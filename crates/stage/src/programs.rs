//! Programs that a run's anchors name, and whether this user lets this run start them.
//!
//! A run that comes from somebody else names programs of theirs. So a program is started only where
//! this user has allowed it: by a configuration file of their own, by `--set`, or when they were
//! asked. The answer is kept outside the run, in a file for each run and command line under
//! `$XDG_STATE_HOME/dagzero/programs` (`~/.local/state/dagzero/programs`).

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use dz_config::{Anchor, AnchorKind, EngineAnchor, EngineProtocol};
use dz_store::{ObjectRef, Run, layout};

/// The command line's decision about the programs of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgramsWord {
    /// Start them, now and in later resumes by this user
    Allow,
    /// Start none of them; their anchors are left out of the ratings
    Deny,
}

/// What this user lets a run start.
#[derive(Clone, Debug)]
pub struct Permissions {
    /// Where it is kept; `None` where this user has no such place.
    folder: Option<PathBuf>,
    /// The run's identity: the hash of its ledger's first record.
    run: String,
    word: Option<ProgramsWord>,
}

impl Permissions {
    /// The programs of a run whose ledger has begun, under the command line's decision.
    ///
    /// # Errors
    /// If the ledger's first record cannot be read.
    pub fn of(run: &Run, word: Option<ProgramsWord>) -> dz_store::Result<Self> {
        let first = run.read(&layout::log_path(1))?;
        let folder = folder(|name| env::var_os(name));
        Ok(Self { folder, run: ObjectRef::of("", &first).blake3, word })
    }

    /// Whether this user lets the run start `program`.
    pub fn allow(&self, program: &EngineAnchor) -> bool {
        match self.word {
            Some(word) => word == ProgramsWord::Allow,
            None => self.file(program).is_some_and(|file| {
                fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file())
            }),
        }
    }

    /// The names of the anchors whose programs may not be started.
    pub fn denied(&self, anchors: &[Anchor]) -> BTreeSet<String> {
        let denied = programs(anchors).filter(|(_, program)| !self.allow(program));
        denied.map(|(anchor, _)| anchor.name.clone()).collect()
    }

    /// Remembers that this user lets the run start `program`; false where there is no place for
    /// that.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn remember(&self, program: &EngineAnchor) -> io::Result<bool> {
        let Some(file) = self.file(program) else { return Ok(false) };
        if self.allow(program) && self.word.is_none() {
            return Ok(true);
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let text = format!("run {}\n{}\n", self.run, text(program));
        // A name of its own and a rename: two runs that begin together write the same.
        let staged = file.with_extension(std::process::id().to_string());
        fs::write(&staged, text)?;
        fs::rename(&staged, &file)?;
        Ok(true)
    }

    /// The file that holds the answer.
    fn file(&self, program: &EngineAnchor) -> Option<PathBuf> {
        let said = format!("{}\n{}", self.run, text(program));
        Some(self.folder.as_ref()?.join(ObjectRef::of("", said.as_bytes()).blake3))
    }
}

/// The anchors that are programs.
pub fn programs(anchors: &[Anchor]) -> impl Iterator<Item = (&Anchor, &EngineAnchor)> {
    anchors.iter().filter_map(|anchor| match &anchor.kind {
        AnchorKind::Engine(program) => Some((anchor, program)),
        _ => None,
    })
}

/// A program as it is shown to a user: its command line, and the lines sent to it first, which can
/// make it write files.
pub fn text(program: &EngineAnchor) -> String {
    let protocol = match program.protocol {
        EngineProtocol::Gtp => "gtp",
        EngineProtocol::Uci => "uci",
    };
    let mut shown = format!("{protocol} {}", dz_text::line(&program.command));
    for line in &program.setup {
        // Writing to a string does not fail.
        let _ = write!(shown, ", then gets {line:?}");
    }
    shown
}

/// The folder by the environment's variables.
fn folder(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    let named =
        |name| variable(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let state = named("XDG_STATE_HOME")
        .or_else(|| named("HOME").map(|home| home.join(Path::new(".local/state"))))?;
    Some(state.join("dagzero/programs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(command: &str, setup: &[&str]) -> EngineAnchor {
        let setup = setup.iter().map(ToString::to_string).collect();
        EngineAnchor {
            protocol: EngineProtocol::Gtp,
            command: command.to_owned(),
            setup,
            seconds: 1.0,
            optional: false,
        }
    }

    fn permissions(folder: Option<&Path>, run: &str, word: Option<ProgramsWord>) -> Permissions {
        Permissions { folder: folder.map(Path::to_owned), run: run.to_owned(), word }
    }

    #[test]
    fn what_was_said_holds_for_this_run_and_this_command_line() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("dagzero/programs");
        let here = permissions(Some(&folder), "one", None);
        let bot = program("bot --level 1", &["quiet"]);
        assert!(!here.allow(&bot));
        assert!(here.remember(&bot).unwrap() && here.remember(&bot).unwrap());
        assert!(here.allow(&bot));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        for other in [
            program("bot --level 2", &["quiet"]),
            program("bot --level 1", &[]),
            program("bot --level 1", &["quiet", "log ~/.profile"]),
            EngineAnchor { protocol: EngineProtocol::Uci, ..bot.clone() },
        ] {
            assert!(!here.allow(&other), "{other:?}");
        }
        assert!(!permissions(Some(&folder), "two", None).allow(&bot));
        assert!(!permissions(Some(&folder), "one", Some(ProgramsWord::Deny)).allow(&bot));
        assert!(permissions(Some(&folder), "two", Some(ProgramsWord::Allow)).allow(&bot));
        let anchor = |name: &str, kind| Anchor { name: name.to_owned(), kind };
        let anchors = [
            anchor("random", AnchorKind::Random),
            anchor("known", AnchorKind::Engine(bot)),
            anchor("new", AnchorKind::Engine(program("other", &[]))),
        ];
        assert_eq!(here.denied(&anchors), BTreeSet::from(["new".to_owned()]));
    }

    #[test]
    fn without_a_place_nothing_is_known() {
        let nowhere = permissions(None, "one", None);
        let bot = program("bot", &[]);
        assert!(!nowhere.remember(&bot).unwrap() && !nowhere.allow(&bot));
        let of = |pairs: &[(&str, &str)]| {
            folder(|name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.into()))
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("HOME", "here")]), None);
        let home = ("HOME", "/home/me");
        assert_eq!(of(&[home]).unwrap(), Path::new("/home/me/.local/state/dagzero/programs"));
        let state = ("XDG_STATE_HOME", "/state");
        assert_eq!(of(&[home, state]).unwrap(), Path::new("/state/dagzero/programs"));
    }

    #[test]
    fn a_program_is_shown_with_all_its_lines() {
        let shown = text(&program("bot \u{1b}[2J", &["log \u{7}x"]));
        assert_eq!(shown, "gtp bot \\u{1b}[2J, then gets \"log \\u{7}x\"");
    }
}
