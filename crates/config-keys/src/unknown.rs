//! The fault of a key that nobody declared.

use toml::Value;

use crate::fault::Fault;
use crate::key::{Key, path_of};
use crate::suggest::nearest;

/// The fault of a key that its section does not have.
pub fn unknown_in_section(
    section: &str,
    name: &str,
    value: &Value,
    names: &[&str],
    keys: &[Key],
) -> Fault {
    let fault = Fault::new(path_of(section, name), "unknown key").value(value);
    let fault = fault.allowed(format!("in [{section}] {}", names.join(", ")));
    let near = nearest(name, names.iter().copied()).map(|name| path_of(section, name));
    match near.or_else(|| path_elsewhere(name, keys)) {
        Some(path) => fault.suggestion(format!("'{path}'")),
        None => fault,
    }
}

/// The first key of this very name in any section.
pub fn path_elsewhere(name: &str, keys: &[Key]) -> Option<String> {
    keys.iter().find(|key| key.name == name).map(Key::path)
}
