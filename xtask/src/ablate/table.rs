//! The file that describes an ablation table, and what a cell of it runs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

/// A table: one base configuration, and variants that each change some of its keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What it is about, for people.
    pub title: String,
    /// Network evaluations that each cell's self-play is to take.
    pub evaluations: u64,
    /// Seeds of the runs; every variant has the same ones, so that differences are taken seed by
    /// seed.
    pub seeds: Vec<u64>,
    /// How a cell's champion is measured.
    pub measure: Measure,
    /// The rows; the first is called `base` and changes nothing.
    pub variants: Vec<Variant>,
    /// The file's stem: name of the table and of the folder of its cells.
    #[serde(skip)]
    pub name: String,
    /// The base configuration.
    #[serde(skip)]
    pub base: toml::Table,
    /// Folder of the cells and of `base.toml`.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// What is asked of a champion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Solved positions that `dagzero accuracy` makes; those where some move loses value count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved: Option<Solved>,
    /// Matches against fixed opponents, for games without a solver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Match>,
}

/// `dagzero accuracy --generate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solved {
    /// How many positions are made, trivial ones included.
    pub positions: u32,
    /// Their seed.
    pub seed: u64,
    /// Playouts a position, one figure each; 0 is the raw policy.
    pub playouts: Vec<u32>,
}

/// `dagzero match`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// The opponent, such as `rollout:400`.
    pub against: String,
    /// Games, in pairs of one opening.
    pub games: u32,
    /// Playouts a move of the champion.
    pub playouts: u32,
}

/// A row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name, which is part of its cells' file names.
    pub name: String,
    /// What it asks, for people.
    pub question: String,
    /// What it changes, as `dagzero run --set` takes it.
    #[serde(default)]
    pub set: Vec<String>,
}

/// The name of the first variant.
pub const BASE: &str = "base";

/// Keys that a cell is given by its place in the table or by this machine.
const GIVEN: [&str; 5] = ["run.seed", "run.threads", "run.cycles", "selfplay.games", "final.games"];

impl Table {
    /// Reads `NAME.toml` and `NAME/base.toml` beside it.
    ///
    /// # Errors
    /// If one of them is missing or is no valid table.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let mut table: Self = toml::from_str(&text).with_context(|| path.display().to_string())?;
        table.folder = path.with_extension("");
        let name = table.folder.file_name().context("a table's file has a name")?;
        table.name = name.to_string_lossy().into_owned();
        let base = table.base_path();
        let text = fs::read_to_string(&base).with_context(|| base.display().to_string())?;
        table.base = text.parse().with_context(|| base.display().to_string())?;
        table.check().with_context(|| path.display().to_string())?;
        Ok(table)
    }

    /// The configuration file of the base.
    pub fn base_path(&self) -> PathBuf {
        self.folder.join("base.toml")
    }

    /// The variant of this name.
    ///
    /// # Errors
    /// If there is none; the message names those there are.
    pub fn variant(&self, name: &str) -> anyhow::Result<&Variant> {
        let known = || self.variants.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = self.variants.iter().find(|variant| variant.name == name);
        found.with_context(|| format!("{} has no variant {name}; it has {}", self.name, known()))
    }

    /// The base with a variant's changes: the configuration of a cell, except for keys set by its
    /// directory and the machine.
    ///
    /// # Errors
    /// If a change is not of the form `section.key=value`.
    pub fn config(&self, variant: &Variant) -> anyhow::Result<toml::Table> {
        let mut config = self.base.clone();
        for change in &variant.set {
            let (section, key, value) = parse_change(change)?;
            let section = config.get_mut(section).and_then(toml::Value::as_table_mut);
            section
                .with_context(|| format!("the base has no section for {change}"))?
                .insert(key.to_owned(), value);
        }
        Ok(config)
    }

    fn check(&self) -> anyhow::Result<()> {
        ensure!(self.evaluations > 0, "evaluations must be above 0");
        ensure!(!self.seeds.is_empty(), "a table needs seeds");
        let measure = &self.measure;
        ensure!(measure.solved.is_some() || !measure.matches.is_empty(), "nothing is measured");
        let first = self.variants.first().context("a table needs variants")?;
        let is_base = first.name == BASE && first.set.is_empty();
        ensure!(is_base, "the first variant is {BASE} and changes nothing");
        for (place, variant) in self.variants.iter().enumerate() {
            let Variant { name, .. } = variant;
            let twice = self.variants[..place].iter().any(|other| other.name == *name);
            ensure!(!twice, "two variants are called {name}");
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            ensure!(!name.is_empty() && name.chars().all(plain), "{name:?} is no name of a file");
            self.check_changes(variant).with_context(|| format!("variant {name}"))?;
        }
        Ok(())
    }

    /// A default may change after the table was filled; so the base states whatever a variant
    /// changes.
    fn check_changes(&self, variant: &Variant) -> anyhow::Result<()> {
        for change in &variant.set {
            let (section, key, value) = parse_change(change)?;
            if GIVEN.contains(&format!("{section}.{key}").as_str()) {
                bail!("{section}.{key} is not a variant's to set");
            }
            let stated = self.base.get(section).and_then(|section| section.get(key));
            let stated = stated.with_context(|| format!("base.toml must state {section}.{key}"))?;
            ensure!(*stated != value, "{change} is already in the base");
        }
        Ok(())
    }
}

/// Section, key and value of `section.key=value`.
fn parse_change(change: &str) -> anyhow::Result<(&str, &str, toml::Value)> {
    let parts = change.split_once('=').and_then(|(path, value)| {
        let (section, key) = path.trim().split_once('.')?;
        Some((section, key, value))
    });
    let (section, key, value) =
        parts.with_context(|| format!("{change:?} is not section.key=value"))?;
    let value = format!("value = {value}").parse::<toml::Table>();
    let mut value = value.with_context(|| format!("{change:?} has no value of TOML"))?;
    let value = value.remove("value").with_context(|| format!("{change:?} has no value"))?;
    Ok((section, key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE_TOML: &str =
        "[run]\ngame = \"tictactoe\"\n[search]\ngraph = true\ntarget = \"visits\"\n";

    fn table(variants: &str) -> anyhow::Result<Table> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("t"))?;
        fs::write(folder.path().join("t/base.toml"), BASE_TOML)?;
        let head = "title = \"T\"\nevaluations = 10\nseeds = [1]\n[measure]\n\
                    solved = { positions = 5, seed = 1, playouts = [0] }\n\
                    [[variants]]\nname = \"base\"\nquestion = \"?\"\n";
        fs::write(folder.path().join("t.toml"), format!("{head}{variants}"))?;
        Table::read(&folder.path().join("t.toml"))
    }

    fn variant(name: &str, change: &str) -> String {
        format!("[[variants]]\nname = \"{name}\"\nquestion = \"?\"\nset = ['{change}']\n")
    }

    #[test]
    fn a_variant_is_laid_over_the_base() {
        let table = table(&variant("tree", "search.graph=false")).expect("a good table");
        assert_eq!(table.name, "t");
        let tree = table.config(table.variant("tree").expect("there")).expect("a configuration");
        assert_eq!(tree["search"]["graph"].as_bool(), Some(false));
        assert_eq!(tree["search"]["target"].as_str(), Some("visits"));
        assert_eq!(table.config(&table.variants[0]).expect("a configuration"), table.base);
        let error = table.variant("three").expect_err("no such variant").to_string();
        assert_eq!(error, "t has no variant three; it has base, tree");
    }

    #[test]
    fn tables_that_cannot_be_are_refused() {
        for (variants, why) in [
            (variant("tree", "search.graph=true"), "already in the base"),
            (variant("tree", "search.prove=true"), "must state search.prove"),
            (variant("tree", "run.seed=2"), "not a variant's to set"),
            (variant("tree", "search.graph"), "not section.key=value"),
            (variant("tree", "search.graph="), "no value"),
            (variant("A/B", "search.graph=false"), "no name of a file"),
            (variant("base", "search.graph=false"), "two variants are called base"),
            ("surprise = 1\n".to_owned(), "unknown field"),
        ] {
            let error = format!("{:#}", table(&variants).expect_err(why));
            assert!(error.contains(why), "{error}");
        }
    }
}
