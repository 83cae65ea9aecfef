//! `--set section.key=value`: single values that override the file.

use toml::{Table, Value};

use crate::fault::Fault;

/// Applies the overrides to the file in order: the last value of a key counts.
pub fn merge_overrides(file: &mut Table, overrides: &[String], faults: &mut Vec<Fault>) {
    for text in overrides {
        let result = split(text).and_then(|(path, value)| insert(file, &path, value));
        if let Err(fault) = result {
            faults.push(fault);
        }
    }
}

/// Marks faults in values from overrides, so that nobody looks for them in the file.
pub fn name_overrides(overrides: &[String], faults: &mut [Fault]) {
    let is_at = |key: &str, path: &str| {
        key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let paths: Vec<String> =
        overrides.iter().filter_map(|text| Some(split(text).ok()?.0.join("."))).collect();
    for fault in faults.iter_mut().filter(|f| paths.iter().any(|path| is_at(&f.key, path))) {
        fault.key.insert_str(0, "--set ");
    }
}

/// The path and the value of an override.
fn split(text: &str) -> Result<(Vec<&str>, Value), Fault> {
    let wrong = |problem: &str| {
        let fault = Fault::new(format!("--set {text}"), problem);
        fault.allowed("section.key=value, such as --set selfplay.games=100")
    };
    let (path, value) = text.split_once('=').ok_or_else(|| wrong("there is no '='"))?;
    let path: Vec<&str> = path.split('.').map(str::trim).collect();
    if path.iter().any(|name| name.is_empty()) {
        return Err(wrong("the key is not complete"));
    }
    let value = value.trim();
    match value.parse::<Value>() {
        Ok(value) => Ok((path, value)),
        // What opens like a composed or quoted value was not meant as a bare word.
        Err(_) if value.is_empty() || value.starts_with(['[', '{', '"', '\'']) => {
            Err(wrong("the value is not a TOML value"))
        }
        Err(_) => Ok((path, Value::String(value.to_owned()))),
    }
}

/// Puts a value at its path, making tables on the way.
fn insert(file: &mut Table, path: &[&str], value: Value) -> Result<(), Fault> {
    let mut table = file;
    let (last, parents) = path.split_last().expect("a split text has at least one part");
    for (depth, name) in parents.iter().enumerate() {
        let entry = table.entry(*name).or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(inner) = entry else {
            let outer = path[..=depth].join(".");
            let problem = format!("'{outer}' is not a table, so it has no '{}'", path[depth + 1]);
            return Err(Fault::new(format!("--set {}", path.join(".")), problem).value(value));
        };
        table = inner;
    }
    match (table.get_mut(*last), value) {
        // A section gets the keys that are given, and keeps the others; a key's own table is one
        // value.
        (Some(Value::Table(section)), Value::Table(given)) if parents.is_empty() => {
            section.extend(given);
        }
        (_, value) => {
            table.insert((*last).to_owned(), value);
        }
    }
    Ok(())
}
