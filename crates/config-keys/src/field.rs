//! Values of keys: how each type is read from TOML, checked and written back.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::fault::Fault;
use crate::limits::Limits;
use crate::schema::{array, of_type};
use crate::suggest::nearest;

/// A type that a key may have.
pub trait Field: Sized {
    /// What the type takes within the limits, in words.
    fn allowed(limits: &Limits) -> String;
    /// A placeholder for a faulty value, so that the other keys can be checked. No caller outside
    /// of this crate ever sees it.
    fn stand_in(limits: &Limits) -> Self;
    /// The value, or at least one fault.
    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self>;
    /// The value as TOML.
    fn write(&self) -> Value;
    /// The values within the limits as a JSON schema, for editors. It may take more than
    /// [`Self::read`] does; an empty one takes any value.
    fn schema(limits: &Limits) -> Table;
}

/// The fault of a value of another type.
pub fn wrong_type(key: &str, value: &Value, allowed: &str) -> Fault {
    let problem = format!("wrong type ({})", value.type_str());
    Fault::new(key, problem).value(value).allowed(allowed)
}

/// The fault of a value of the right type outside of its range.
pub fn out_of_range(key: &str, value: &Value, allowed: &str) -> Fault {
    Fault::new(key, "impossible value").value(value).allowed(allowed)
}

/// Adds the number inside of quotes, or without its fraction, where that was probably meant.
fn with_number(fault: Fault, value: &Value) -> Fault {
    match value {
        Value::String(text) if text.parse::<f64>().is_ok_and(f64::is_finite) => {
            fault.suggestion(format!("{text}, without quotes"))
        }
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            fault.suggestion(format!("{number:.0}"))
        }
        _ => fault,
    }
}

macro_rules! whole_field {
    ($($Type:ty),*) => {$(
        impl Field for $Type {
            fn allowed(limits: &Limits) -> String {
                limits.to_string()
            }

            fn stand_in(limits: &Limits) -> Self {
                match *limits {
                    Limits::Whole { min, .. } | Limits::Even { min, .. } => min as Self,
                    Limits::Any | Limits::Real { .. } => 0,
                }
            }

            fn read(
                key: &str,
                value: &Value,
                limits: &Limits,
                faults: &mut Vec<Fault>,
            ) -> Option<Self> {
                let Value::Integer(number) = *value else {
                    faults.push(with_number(wrong_type(key, value, &limits.to_string()), value));
                    return None;
                };
                let fits = u64::try_from(number).is_ok_and(|number| limits.takes_whole(number));
                let read = Self::try_from(number).ok().filter(|_| fits);
                if read.is_none() {
                    faults.push(out_of_range(key, value, &limits.to_string()));
                }
                read
            }

            fn write(&self) -> Value {
                // Limits end at i64::MAX, the largest whole number of TOML.
                Value::Integer(*self as i64)
            }

            fn schema(limits: &Limits) -> Table {
                limits.schema("integer")
            }
        }
    )*};
}
whole_field!(u32, u64);

impl Field for f64 {
    fn allowed(limits: &Limits) -> String {
        limits.to_string()
    }

    fn stand_in(limits: &Limits) -> Self {
        match *limits {
            Limits::Real { max, .. } => max,
            Limits::Any | Limits::Whole { .. } | Limits::Even { .. } => 0.0,
        }
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let number = match *value {
            Value::Float(number) => number,
            Value::Integer(number) => number as Self,
            _ => {
                faults.push(with_number(wrong_type(key, value, &limits.to_string()), value));
                return None;
            }
        };
        if !limits.takes_real(number) {
            faults.push(out_of_range(key, value, &limits.to_string()));
            return None;
        }
        // Negative zero would be another text, and another hash, of the same number.
        Some(if number == 0.0 { 0.0 } else { number })
    }

    fn write(&self) -> Value {
        Value::Float(*self)
    }

    fn schema(limits: &Limits) -> Table {
        limits.schema("number")
    }
}

impl Field for bool {
    fn allowed(_: &Limits) -> String {
        "true or false".to_owned()
    }

    fn stand_in(_: &Limits) -> Self {
        false
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let read = value.as_bool();
        if read.is_none() {
            faults.push(wrong_type(key, value, &Self::allowed(limits)));
        }
        read
    }

    fn write(&self) -> Value {
        Value::Boolean(*self)
    }

    fn schema(_: &Limits) -> Table {
        of_type("boolean")
    }
}

impl Field for String {
    fn allowed(_: &Limits) -> String {
        "a text that is not empty".to_owned()
    }

    fn stand_in(_: &Limits) -> Self {
        Self::new()
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let allowed = Self::allowed(limits);
        match value {
            Value::String(text) if text.trim().is_empty() => {
                faults.push(out_of_range(key, value, &allowed));
                None
            }
            Value::String(text) => Some(text.clone()),
            _ => {
                faults.push(wrong_type(key, value, &allowed));
                None
            }
        }
    }

    fn write(&self) -> Value {
        Value::String(self.clone())
    }

    fn schema(_: &Limits) -> Table {
        let mut schema = of_type("string");
        schema.insert("minLength".to_owned(), Value::Integer(1));
        schema
    }
}

/// A type that arrays hold.
pub trait Entry: Field {
    /// What an array takes, in words.
    fn array_allowed(limits: &Limits) -> String;

    /// Why the entry at `key` may not stand in an array that has `names` already, to which it adds
    /// its own.
    fn clash(&self, _key: &str, _names: &mut BTreeSet<String>) -> Option<Fault> {
        None
    }
}

impl Entry for String {
    fn array_allowed(_: &Limits) -> String {
        "an array of texts that are not empty".to_owned()
    }
}

impl Entry for f64 {
    fn array_allowed(limits: &Limits) -> String {
        format!("an array, each entry {limits}")
    }
}

impl<T: Entry> Field for Vec<T> {
    fn allowed(limits: &Limits) -> String {
        T::array_allowed(limits)
    }

    fn stand_in(_: &Limits) -> Self {
        Self::new()
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let Value::Array(values) = value else {
            faults.push(wrong_type(key, value, &Self::allowed(limits)));
            return None;
        };
        let faults_before = faults.len();
        let mut entries = Self::new();
        let mut names = BTreeSet::new();
        for (index, value) in values.iter().enumerate() {
            let key = format!("{key}[{index}]");
            if let Some(entry) = T::read(&key, value, limits, faults) {
                faults.extend(entry.clash(&key, &mut names));
                entries.push(entry);
            }
        }
        (faults.len() == faults_before).then_some(entries)
    }

    fn write(&self) -> Value {
        Value::Array(self.iter().map(Field::write).collect())
    }

    fn schema(limits: &Limits) -> Table {
        array(T::schema(limits))
    }
}

/// Reads a text that `FromStr` understands, with a suggestion from `words` where it does not.
pub fn read_text<T: std::str::FromStr>(
    key: &str,
    value: &Value,
    words: &[&str],
    allowed: &str,
    faults: &mut Vec<Fault>,
) -> Option<T> {
    let Value::String(text) = value else {
        faults.push(wrong_type(key, value, allowed));
        return None;
    };
    let read = text.parse().ok();
    if read.is_none() {
        let mut fault = out_of_range(key, value, allowed);
        if let Some(word) = nearest(text, words.iter().copied()) {
            fault = fault.suggestion(format!("\"{word}\""));
        }
        faults.push(fault);
    }
    read
}

/// Makes a [`Field`] of a type with `FromStr` and `Display`: `text_field!(Type, stand-in, words,
/// allowed, schema)`.
#[macro_export]
macro_rules! text_field {
    ($Type:ty, $stand_in:expr, $words:expr, $allowed:expr, $schema:expr) => {
        impl $crate::Field for $Type {
            fn allowed(_: &$crate::Limits) -> String {
                $allowed.to_owned()
            }

            fn stand_in(_: &$crate::Limits) -> Self {
                $stand_in
            }

            fn read(
                key: &str,
                value: &$crate::Value,
                limits: &$crate::Limits,
                faults: &mut Vec<$crate::Fault>,
            ) -> Option<Self> {
                let allowed = Self::allowed(limits);
                $crate::read_text(key, value, &$words, &allowed, faults)
            }

            fn write(&self) -> $crate::Value {
                $crate::Value::String(self.to_string())
            }

            fn schema(_: &$crate::Limits) -> $crate::Table {
                $schema
            }
        }
    };
}

/// Declares an enum whose variants are words of the file.
#[macro_export]
macro_rules! choice {
    (
        $(#[$enum_attr:meta])*
        $visibility:vis enum $Choice:ident {
            $($(#[$attr:meta])* $Variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$enum_attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $Choice {
            $($(#[$attr])* $Variant,)*
        }

        impl $Choice {
            /// Every word of the file and what it stands for, in order.
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$Variant)),*];
        }

        impl std::fmt::Display for $Choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Self::$Variant => $word,)*
                })
            }
        }

        impl std::str::FromStr for $Choice {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::WORDS
                    .iter()
                    .find(|(word, _)| *word == text)
                    .map(|(_, choice)| *choice)
                    .ok_or_else(|| format!("'{text}' is not a choice"))
            }
        }

        $crate::text_field!(
            $Choice,
            Self::WORDS[0].1,
            [$($word),*],
            [$(concat!("\"", $word, "\"")),*].join(" or "),
            $crate::schema::words(&[$($word),*])
        );
    };
}
