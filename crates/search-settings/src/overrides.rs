//! Settings of one search that belongs to no run.

use dz_config_keys::{
    Fault, Findings, Section, SectionReader, Table, Value, merge_overrides, section,
    unknown_in_section, whole,
};

use crate::fpu::FirstPlay;
use crate::section::SearchSection;

section! {
    /// Keys of a search that belongs to no run, beside [`SearchSection`].
    pub struct SeedSection = "search" {
        /// The seed of everything that the search samples.
        [Results, whole(0, i64::MAX as u64)] seed: u64 = 0;
    }
}

impl SearchSection {
    /// The plain reference that studies start from: PUCT with c = 1.5, moves without visits at 0,
    /// the defaults else, without reuse or a bound on nodes.
    pub fn plain() -> Self {
        Self {
            fpu: FirstPlay::Absolute(0.0),
            reuse: false,
            nodes_max: u32::MAX,
            ..Self::defaults()
        }
    }

    /// Every key at its default.
    pub fn defaults() -> Self {
        let file = Table::new();
        let mut findings = Findings::default();
        Self::read(&mut SectionReader::new("search", &file, &mut findings))
    }

    /// Returns these settings with the overrides `search.key=value`, and the seed of
    /// `search.seed=N` or 0. Searches of a run get their seeds from the run instead.
    ///
    /// # Errors
    /// Everything that is wrong with the overrides; never empty.
    pub fn with_overrides(&self, overrides: &[String]) -> Result<(Self, u64), Vec<Fault>> {
        let mut faults = Vec::new();
        let own: Table =
            self.write().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let mut file = Table::from_iter([("search".to_owned(), Value::Table(own))]);
        merge_overrides(&mut file, overrides, &mut faults);
        refuse_unknown(&file, &mut faults);
        let mut findings = Findings { faults, ..Findings::default() };
        let section = Self::read(&mut SectionReader::new("search", &file, &mut findings));
        let seed = SeedSection::read(&mut SectionReader::new("search", &file, &mut findings)).seed;
        if findings.faults.is_empty() { Ok((section, seed)) } else { Err(findings.faults) }
    }

    /// Every key with its value as TOML, in the order of declaration.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        self.write()
    }
}

fn refuse_unknown(file: &Table, faults: &mut Vec<Fault>) {
    let mut keys = <SearchSection as Section>::keys();
    keys.extend(SeedSection::keys());
    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    for (section, value) in file {
        match value {
            Value::Table(table) if section == "search" => {
                for (key, value) in table.iter().filter(|(key, _)| !names.contains(&key.as_str())) {
                    faults.push(unknown_in_section("search", key, value, &names, &keys));
                }
            }
            // `search=1` is a wrong type, which the reader reports.
            _ if section == "search" => {}
            _ => {
                let fault = Fault::new(section, "not about this search").value(value);
                let allowed = "search.key=value, such as search.c_puct=2";
                faults.push(fault.allowed(allowed));
            }
        }
    }
}
