//! JSON schemas of values, as TOML tables.

use toml::{Table, Value};

use crate::limits::Limits;

/// Returns the schema of all values of a type: `integer`, `number`, `boolean`, `string`, ...
pub fn of_type(name: &str) -> Table {
    table([("type", Value::String(name.to_owned()))])
}

/// Returns the schema of a text that is one of `words`.
pub fn words(words: &[&str]) -> Table {
    let words = words.iter().map(|&word| Value::String(word.to_owned())).collect();
    table([("enum", Value::Array(words))])
}

/// Returns the schema of texts that match a regular expression.
pub fn pattern(pattern: &str) -> Table {
    let mut schema = of_type("string");
    schema.insert("pattern".to_owned(), Value::String(pattern.to_owned()));
    schema
}

/// Returns the schema of arrays.
pub fn array(items: Table) -> Table {
    let mut schema = of_type("array");
    schema.insert("items".to_owned(), Value::Table(items));
    schema
}

/// Returns the schema of values that fit one of several.
pub fn one_of(schemas: impl IntoIterator<Item = Table>) -> Table {
    table([("anyOf", Value::Array(schemas.into_iter().map(Value::Table).collect()))])
}

/// Returns the schema of tables with these keys and no others, some of which must be there.
pub fn object<'a>(keys: impl IntoIterator<Item = (&'a str, Table)>, required: &[&str]) -> Table {
    let keys = keys.into_iter().map(|(name, schema)| (name.to_owned(), Value::Table(schema)));
    let required: Vec<Value> =
        required.iter().map(|&name| Value::String(name.to_owned())).collect();
    let mut schema = of_type("object");
    schema.insert("additionalProperties".to_owned(), Value::Boolean(false));
    schema.insert("properties".to_owned(), Value::Table(keys.collect()));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema
}

impl Limits {
    /// Returns the schema of numbers within the limits. `kind` is `integer` or `number`.
    pub fn schema(&self, kind: &str) -> Table {
        let mut schema = of_type(kind);
        let mut put = |key: &str, value: Value| schema.insert(key.to_owned(), value);
        match *self {
            Self::Any => {}
            Self::Whole { min, max } | Self::Even { min, max } => {
                // Limits end at i64::MAX, the largest whole number of TOML.
                put("minimum", Value::Integer(min as i64));
                put("maximum", Value::Integer(max as i64));
            }
            Self::Real { min, min_open, max, max_open } => {
                let least = if min_open { "exclusiveMinimum" } else { "minimum" };
                let most = if max_open { "exclusiveMaximum" } else { "maximum" };
                put(least, Value::Float(min));
                put(most, Value::Float(max));
            }
        }
        if matches!(self, Self::Even { .. }) {
            put("multipleOf", Value::Integer(2));
        }
        schema
    }
}

fn table<const N: usize>(pairs: [(&str, Value); N]) -> Table {
    pairs.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{below, even};

    #[test]
    fn limits_are_said_with_their_open_ends() {
        let text = |schema: Table| schema.to_string().replace('\n', "; ");
        assert_eq!(
            text(even(2, 8).schema("integer")),
            "maximum = 8; minimum = 2; multipleOf = 2; type = \"integer\"; "
        );
        assert_eq!(
            text(below(0.0, 1.5).schema("number")),
            "exclusiveMaximum = 1.5; minimum = 0.0; type = \"number\"; "
        );
    }
}
