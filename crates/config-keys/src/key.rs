//! What is known of a key: its name, its meaning and what it takes.

use toml::{Table, Value};

use crate::effect::Effect;

/// What is known of a key of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The section, such as `search`; empty for a key outside of any section.
    pub section: &'static str,
    /// The name inside its section, such as `c_puct`.
    pub name: &'static str,
    /// What it means, with its unit and source.
    pub meaning: String,
    /// Which values it takes, in words.
    pub allowed: String,
    /// The value if a file leaves the key out. A key without a default must be given.
    pub default: Option<Value>,
    /// What a change does to a run that exists.
    pub effect: Effect,
    /// Which values it takes, as a JSON schema.
    pub schema: Table,
}

impl Key {
    /// The name with its section, such as `search.c_puct`.
    pub fn path(&self) -> String {
        path_of(self.section, self.name)
    }
}

/// A key's name with its section.
pub fn path_of(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}
