//! Before the stages start: the configuration, the run's directory, what a resume changes.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use dz_config::{Change, Effect, RunConfig};
use dz_stage::{Edits, InForce, keep_config};
use dz_store::{Entry, Ledger, RUN_FORMAT, Run, RunLock, RunState, Stage, layout};

use super::outside::outside_faults;
use super::policies::{keep_policies, take_policies};
use super::presets::Preset;

/// A run that is locked and claimed by this process, its configuration in force.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub run: Run,
    pub ledger: Ledger,
    pub config: RunConfig,
    /// Held until the driver ends.
    pub lock: RunLock,
    /// What the configuration changes in a run that existed already, for people.
    pub changes: Vec<Change>,
    /// What a person should know beyond that, a line each.
    pub notes: Vec<String>,
    /// Whether the run existed already.
    pub resumed: bool,
}

/// The configuration that a run is played by, with overrides, for this machine.
///
/// # Errors
/// As [`config_of`], and the faults of the overrides.
pub(crate) fn config_with(
    run: &Run,
    state: &RunState,
    overrides: &[String],
) -> anyhow::Result<RunConfig> {
    let path = run.root().join(layout::CONFIG);
    let own = config_of(run, state)?;
    Ok(RunConfig::load_text(&own.to_toml(), &path, overrides, &outside_faults)?.config)
}

/// The configuration that a run is played by. It loads even if this machine lacks something that it
/// names, because runs are copied from one machine to another.
///
/// # Errors
/// One that cannot be read, or that the ledger does not know; see [`InForce::of`].
pub(crate) fn config_of(run: &Run, state: &RunState) -> anyhow::Result<RunConfig> {
    let found = InForce::of(run, state);
    let path = run.root().join(layout::CONFIG);
    Ok(found
        .with_context(|| format!("the run's configuration {} does not load", path.display()))?
        .config)
}

/// The default directory of a configuration file's run: `data/<file stem>`.
pub(crate) fn default_dir(config: &Path) -> PathBuf {
    Path::new("data").join(config.file_stem().unwrap_or_default())
}

/// Returns the expected results of a preset: those of a preset in the program, or of the file
/// `NAME.expected.json` beside a `NAME.toml`. `None` where there are none, and under overrides that
/// change more than the seed or the length of the run.
pub(crate) fn expected_of(path: &Path, config: &RunConfig) -> Option<String> {
    let text;
    let mut preset;
    if let Some(inside) = Preset::named(path) {
        text = inside.expected?.to_owned();
        preset = RunConfig::from_text(inside.text, &[]).ok()?;
    } else {
        text = std::fs::read_to_string(path.with_extension("expected.json")).ok()?;
        preset = RunConfig::of_run(path).ok()?;
    }
    spell_game(&mut preset, config);
    let is_same = |change: &Change| {
        let of_length = ["run.seed", "run.cycles", "run.hours_max"];
        change.effect == Effect::Speed || of_length.contains(&change.key.as_str())
    };
    preset.diff(config).iter().all(is_same).then_some(text)
}

/// Creates the run at `dir`, or opens it and lays `config` over the one it has. A new run keeps
/// `expected` for its report. A run keeps copies of the policies of rollouts that lie in files, and
/// [`Prepared::config`] names the copies.
///
/// # Errors
/// A configuration that changes what may not change, a run in use, and what the store reports.
pub(crate) fn prepare(
    dir: &Path,
    config: RunConfig,
    expected: Option<&str>,
) -> anyhow::Result<Prepared> {
    let resumed = Run::exists(dir);
    let (mut config, policies) = take_policies(dir, config)?;
    let run = if resumed {
        Run::open(dir)?
    } else {
        let run = Run::create(dir, &config.to_toml())
            .with_context(|| format!("cannot create the run {}", dir.display()))?;
        if let Some(text) = expected {
            run.replace(layout::EXPECTED, text.as_bytes())?;
        }
        run
    };
    super::ours::refuse_foreign(&run)?;
    run.check_places()?;
    let lock = RunLock::acquire(&run, Stage::Driver)?;
    keep_policies(&run, &policies)?;
    let mut ledger = Ledger::open(&run)?;
    let InForce { config: own, edits } = InForce::of(&run, ledger.state())?;
    spell_game(&mut config, &own);
    let changes = changes(&run, &own, &config)?;
    let (changes, mut notes) = open_changes(&run, ledger.state(), &own, &config, changes)?;
    run.sweep(&lock, ledger.state())?;
    ledger.claim(Stage::Driver)?;
    enter(&run, &mut ledger, &own, &config, &changes)?;
    let is_played = ledger.state().config_hash == config.hash();
    if is_played {
        notes.extend(lost_edits(&edits, &config));
    }
    // What was not entered does not count.
    let config = if is_played { config } else { own };
    Ok(Prepared { run, ledger, config, lock, changes, notes, resumed })
}

/// What a run's `config.toml` said, that neither its ledger nor the configuration given now says.
fn lost_edits(edits: &Edits, config: &RunConfig) -> Option<String> {
    let lost = match edits {
        Edits::None => return None,
        Edits::Broken(_) => edits.to_string(),
        Edits::Keys(changes) => {
            let value = |key: &str| config.value(key).map(|value| value.to_string());
            let is_lost = |change: &&Change| value(&change.key).as_ref() != Some(&change.new);
            let lost: Vec<Change> = changes.iter().filter(is_lost).cloned().collect();
            if lost.is_empty() {
                return None;
            }
            Edits::Keys(lost).to_string()
        }
    };
    Some(format!("config.toml was edited, and the configuration given now replaces that: {lost}"))
}

/// Returns the changes to enter, and notes on the others. A finished run takes only changes that
/// give it more to do. Keys that change only its speed are not entered.
///
/// # Errors
/// [`RefusedChanges`] where nothing would be played by them.
fn open_changes(
    run: &Run,
    state: &RunState,
    own: &RunConfig,
    config: &RunConfig,
    changes: Vec<Change>,
) -> anyhow::Result<(Vec<Change>, Vec<String>)> {
    let is_over = |config: &RunConfig| state.cycles_done >= config.cycles_planned(state.walls_ms());
    let was_over = state.finished.is_some() || is_over(own);
    if state.started.is_none() || !was_over || !is_over(config) || changes.is_empty() {
        return Ok((changes, Vec::new()));
    }
    let words: Vec<String> = changes.iter().map(ToString::to_string).collect();
    let words = words.join("; ");
    if changes.iter().any(|change| change.effect == Effect::Results) {
        let dir = run.root().display();
        bail!(RefusedChanges(format!(
            "the run {dir} is over: its {} cycles are done, and nothing would be played by {words}. Give it more cycles as well \
             (--set run.cycles={}), or more time",
            state.cycles_done,
            state.cycles_done + 1
        )));
    }
    let note = format!("not taken, because the run is over: {words}");
    Ok((Vec::new(), vec![note]))
}

/// Enters the configuration in the ledger if that names another one, and writes it to
/// `config.toml`. The text is stored under its hash first. A process that is killed in between
/// leaves an edited `config.toml`, which the next start enters.
fn enter(
    run: &Run,
    ledger: &mut Ledger,
    own: &RunConfig,
    config: &RunConfig,
    changes: &[Change],
) -> anyhow::Result<()> {
    let state = ledger.state();
    if state.started.is_none() {
        let (game, encoding) = game_ids(&config.run.game)?;
        keep_config(run, config)?;
        write_config(run, config)?;
        ledger.append(Entry::RunStarted {
            format: RUN_FORMAT,
            config_hash: config.hash(),
            seed: config.run.seed,
            game,
            encoding,
            version: env!("DAGZERO_VERSION").to_owned(),
        })?;
        return Ok(());
    }
    // A run of an earlier version has no copy yet.
    if own.hash() == state.config_hash {
        keep_config(run, own)?;
    }
    // A finished run that lacks cycles was given more of them, or more time.
    let planned = config.cycles_planned(state.walls_ms());
    let is_open = state.finished.is_none() || state.cycles_done < planned;
    if !is_open {
        // Edits that are not taken do not stay in the file either.
        if own.hash() == state.config_hash && changes.is_empty() {
            write_config(run, own)?;
        }
        return Ok(());
    }
    let hash = config.hash();
    let is_new = hash != state.config_hash;
    keep_config(run, config)?;
    write_config(run, config)?;
    if is_new {
        let mut lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
        if lines.is_empty() {
            let version = env!("DAGZERO_VERSION");
            lines.push(format!(
                "keys that version {version} has beyond the former one, with their defaults"
            ));
        }
        ledger.append(Entry::ConfigChanged { config_hash: hash, changes: lines })?;
    }
    Ok(())
}

/// Makes `config.toml` the effective configuration, unless it is already.
fn write_config(run: &Run, config: &RunConfig) -> anyhow::Result<()> {
    let text = config.to_toml();
    if !run.config_toml().is_ok_and(|there| there == text) {
        run.replace(layout::CONFIG, text.as_bytes())?;
    }
    Ok(())
}

/// Names `config`'s game as `like` does where both mean the same one: parameters with their
/// defaults may be left out.
fn spell_game(config: &mut RunConfig, like: &RunConfig) {
    let ids = |spec: &str| game_ids(spec).ok();
    if ids(&config.run.game).is_some_and(|meant| ids(&like.run.game) == Some(meant)) {
        config.run.game.clone_from(&like.run.game);
    }
}

/// What `config` changes in the run's `own`; refuses what may not change.
fn changes(run: &Run, own: &RunConfig, config: &RunConfig) -> anyhow::Result<Vec<Change>> {
    let changes = own.diff(config);
    let refused: Vec<String> =
        changes.iter().filter(|c| !c.may_change()).map(ToString::to_string).collect();
    if !refused.is_empty() {
        let dir = run.root().display();
        bail!(RefusedChanges(format!(
            "{}; the run {dir} stays as it is: take the change back (of --set, of the file given, or of {dir}/config.toml), or \
             start another run with --dir",
            refused.join("; ")
        )));
    }
    Ok(changes)
}

/// A configuration that a run cannot go on with; exit code 78.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct RefusedChanges(String);

/// The game in canonical form and its encoding's id.
fn game_ids(spec: &str) -> anyhow::Result<(String, String)> {
    Ok(dz_game::game_ids(&spec.parse()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::outside::tests::config;

    #[test]
    fn a_game_may_be_named_with_or_without_its_defaults() {
        let run = config("connect4:width=7", &[]);
        let spelled = |game: &str| {
            let mut config = config(game, &[]);
            spell_game(&mut config, &run);
            run.diff(&config).len()
        };
        assert_eq!(["connect4", "connect4:height=6,width=7"].map(spelled), [0, 0]);
        assert_eq!(["connect4:width=6", "othello", "nothing"].map(spelled), [1, 1, 1]);
    }
}
