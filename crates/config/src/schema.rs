//! The JSON schema of a configuration file, for editors.

use dz_config_keys::schema::{object, of_type};
use toml::{Table, Value};

use crate::run_config::RunConfig;

impl RunConfig {
    /// Returns the JSON schema (draft 7) of a configuration file, as editors with TOML support read
    /// it: every key with meaning, default and allowed values. It checks each key alone, so
    /// [`Self::load`] finds more faults.
    pub fn schema() -> Table {
        let mut file = Table::new();
        let mut sections: Vec<(&str, Table)> = Vec::new();
        for key in Self::keys() {
            let text = format!("{} Allowed: {}. Effect: {}.", key.meaning, key.allowed, key.effect);
            let mut schema = key.schema;
            schema.insert("description".to_owned(), Value::String(text));
            if let Some(default) = key.default {
                schema.insert("default".to_owned(), default);
            }
            if key.section.is_empty() {
                file.insert(key.name.to_owned(), Value::Table(schema));
                continue;
            }
            if sections.last().is_none_or(|(name, _)| *name != key.section) {
                sections.push((key.section, Table::new()));
            }
            if let Some((_, keys)) = sections.last_mut() {
                keys.insert(key.name.to_owned(), Value::Table(schema));
            }
        }
        for (name, keys) in sections {
            let must = if name == "run" { &["game"][..] } else { &[] };
            let keys = keys.iter().map(|(name, schema)| (name.as_str(), table_of(schema)));
            file.insert(name.to_owned(), Value::Table(object(keys, must)));
        }
        let keys = file.iter().map(|(name, schema)| (name.as_str(), table_of(schema)));
        let mut schema = object(keys, &["run"]);
        let draft = "http://json-schema.org/draft-07/schema#";
        schema.insert("$schema".to_owned(), Value::String(draft.to_owned()));
        schema.insert("title".to_owned(), Value::String("DagZero configuration".to_owned()));
        schema
    }
}

fn table_of(schema: &Value) -> Table {
    schema.as_table().cloned().unwrap_or_else(|| of_type("object"))
}
