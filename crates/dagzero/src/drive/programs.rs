//! Programs of a run's anchors: which of them the stages may start.

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

use dz_config::{Anchor, EngineAnchor, RunConfig};
use dz_stage::{Permissions, ProgramsWord, program_text, programs, stderr_line};
use dz_store::{Run, RunState};

/// What a user has said of the programs before the run begins.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// `--programs`.
    word: Option<ProgramsWord>,
    /// Whether the user wrote them: in a configuration file outside the run, or on the command
    /// line.
    are_own: bool,
}

impl Programs {
    /// Of `dagzero run CONFIG` or `init`: the file is the user's, unless it lies in the run.
    pub(crate) fn of_file(
        word: Option<ProgramsWord>,
        config: &Path,
        dir: &Path,
        set: &[String],
    ) -> Self {
        let real = |path: &Path| path.canonicalize().ok();
        let is_inside =
            real(config).zip(real(dir)).is_some_and(|(file, dir)| file.starts_with(dir));
        Self { word, are_own: !is_inside || sets_anchors(set) }
    }

    /// Of `dagzero resume`: the programs are the run's, unless `--set` names them. Its
    /// `config.toml` came with the run, so an edit of that is nobody's word.
    pub(crate) fn of_run(word: Option<ProgramsWord>, set: &[String]) -> Self {
        Self { word, are_own: sets_anchors(set) }
    }

    /// Remembers the user's own programs, shows the others that this user has not started for this
    /// run before, and asks for them at a terminal. Returns the arguments for the gatekeeper, which
    /// asks nobody.
    pub(crate) fn settle(
        &self,
        run: &Run,
        state: &RunState,
        config: &RunConfig,
    ) -> anyhow::Result<Option<ProgramsWord>> {
        // Nobody is asked about what cannot be started.
        let missing = dz_play::missing_anchors(&config.rating.anchors);
        let found = || {
            programs(&config.rating.anchors).filter(|(anchor, _)| !missing.contains(&anchor.name))
        };
        if config.rating.games == 0 || found().next().is_none() {
            return Ok(None);
        }
        if self.word == Some(ProgramsWord::Deny) {
            return Ok(self.word);
        }
        let permissions = Permissions::of(run, None)?;
        let is_said = self.word.is_some() || self.are_own;
        let mut unknown: Vec<(&Anchor, &EngineAnchor)> = Vec::new();
        for (anchor, program) in found() {
            if is_said {
                remember(&permissions, program);
            } else if !permissions.allow(program) {
                unknown.push((anchor, program));
            }
        }
        if unknown.is_empty() {
            return Ok(Some(ProgramsWord::Allow));
        }
        if state.finished.is_some() {
            return Ok(None);
        }
        show(&unknown);
        if is_asked() && agrees()? {
            for (_, program) in &unknown {
                remember(&permissions, program);
            }
            return Ok(Some(ProgramsWord::Allow));
        }
        let names: Vec<String> =
            unknown.iter().map(|(anchor, _)| dz_text::line(&anchor.name).into_owned()).collect();
        stderr_line(&format!(
            "not started, and left out of the ratings: {}; --programs allow starts them",
            names.join(", ")
        ));
        Ok(None)
    }
}

/// Whether the overrides name the anchors one by one.
fn sets_anchors(set: &[String]) -> bool {
    set.iter().any(|set| set.split('=').next().is_some_and(|key| key.trim() == "rating.anchors"))
}

/// A word that cannot be kept is asked for again.
fn remember(permissions: &Permissions, program: &EngineAnchor) {
    if let Err(error) = permissions.remember(program) {
        let shown = program_text(program);
        stderr_line(&format!("cannot remember that {shown} may be started: {error}"));
    }
}

fn show(unknown: &[(&Anchor, &EngineAnchor)]) {
    stderr_line(
        "the run's ratings start programs that you have not let it start on this machine before:",
    );
    for (anchor, program) in unknown {
        stderr_line(&format!("  {}: {}", dz_text::line(&anchor.name), program_text(program)));
    }
}

fn is_asked() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks; anything but yes is no.
fn agrees() -> anyhow::Result<bool> {
    let mut err = io::stderr();
    // Without a question nobody agrees.
    if err.write_all(b"start them? [y/N] ").and_then(|()| err.flush()).is_err() {
        return Ok(false);
    }
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_overrides_of_the_list_are_own_words() {
        let sets = |set: &str| sets_anchors(&[set.to_owned()]);
        assert!(sets("rating.anchors=[{ name = \"a\", kind = \"gtp\" }]"));
        assert!(sets("rating.anchors = []"));
        assert!(!sets("rating={games=4}") && !sets("rating.games=4") && !sets("run.cycles=5"));
    }
}
