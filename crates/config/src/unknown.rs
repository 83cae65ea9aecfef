//! Finds the keys of a file that the configuration does not have.

use std::collections::BTreeMap;

use dz_config_keys::{Fault, Key, nearest, path_elsewhere, unknown_in_section};
use toml::{Table, Value};

use crate::run_config::RunConfig;

/// Reports every section and key of the file that the configuration does not have.
pub(crate) fn unknown_keys(file: &Table, faults: &mut Vec<Fault>) {
    let keys = RunConfig::keys();
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for key in &keys {
        sections.entry(key.section).or_default().push(key.name);
    }
    for (name, value) in file {
        match (sections.get(name.as_str()), value) {
            (Some(names), Value::Table(table)) if !name.is_empty() => {
                for (key, value) in table.iter().filter(|(key, _)| !names.contains(&key.as_str())) {
                    faults.push(unknown_in_section(name, key, value, names, &keys));
                }
            }
            // A section that is not a table is a wrong type, which the reader reports.
            (Some(_), _) if !name.is_empty() => {}
            _ if sections[""].contains(&name.as_str()) => {}
            _ => faults.push(unknown_at_top(name, value, &sections, &keys)),
        }
    }
}

fn unknown_at_top(
    name: &str,
    value: &Value,
    sections: &BTreeMap<&str, Vec<&str>>,
    keys: &[Key],
) -> Fault {
    let tables: Vec<&str> = sections.keys().copied().filter(|name| !name.is_empty()).collect();
    if value.is_table() {
        let fault = Fault::new(format!("[{name}]"), "unknown section").allowed(tables.join(", "));
        return match nearest(name, tables.iter().copied()) {
            Some(meant) => fault.suggestion(format!("[{meant}]")),
            None => fault,
        };
    }
    let fault = Fault::new(name, "unknown key outside of any section").value(value);
    let top = &sections[""];
    let fault = fault.allowed(format!("{} and the sections {}", top.join(", "), tables.join(", ")));
    let near = nearest(name, top.iter().copied()).map(ToOwned::to_owned);
    match near.or_else(|| path_elsewhere(name, keys)) {
        Some(path) => fault.suggestion(format!("'{path}'")),
        None => fault,
    }
}
