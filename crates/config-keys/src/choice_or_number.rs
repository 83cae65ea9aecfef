//! Types of keys that take a word, or a number with a name: `"stop"` or `{ leak = 0.1 }`.

use toml::Value;

use crate::fault::Fault;
use crate::field::{out_of_range, wrong_type};
use crate::suggest::nearest;

/// What a value is that may be a word or a number with a name.
pub enum Given<'a> {
    /// A word that is known.
    Word(&'static str),
    /// A name that is known, its path, and what should be a number.
    Number(&'static str, String, &'a Value),
}

/// Returns which of the words or names a value has, or adds a fault.
pub fn read_given<'a>(
    key: &str,
    value: &'a Value,
    words: &[&'static str],
    names: &[&'static str],
    allowed: &str,
    faults: &mut Vec<Fault>,
) -> Option<Given<'a>> {
    let suggest = |fault: Fault, meant: Option<String>| match meant {
        Some(meant) => fault.suggestion(meant),
        None => fault,
    };
    match value {
        Value::String(text) => {
            if let Some(word) = words.iter().find(|word| *word == text) {
                return Some(Given::Word(word));
            }
            let meant = nearest(text, words.iter().copied()).map(|word| format!("\"{word}\""));
            faults.push(suggest(out_of_range(key, value, allowed), meant));
        }
        Value::Table(table) if table.len() == 1 => {
            let (name, inner) = table.iter().next()?;
            let path = format!("{key}.{name}");
            if let Some(name) = names.iter().find(|known| *known == name) {
                return Some(Given::Number(name, path, inner));
            }
            let meant = nearest(name, names.iter().copied()).map(|name| format!("'{key}.{name}'"));
            let fault = Fault::new(path, "unknown key").value(inner).allowed(names.join(", "));
            faults.push(suggest(fault, meant));
        }
        Value::Table(_) => {
            let fault = Fault::new(key, "takes one of its keys at a time").value(value);
            faults.push(fault.allowed(allowed));
        }
        _ => faults.push(wrong_type(key, value, allowed)),
    }
    None
}

/// Declares an enum of words and of numbers with names. A number stands in a tuple variant,
/// `Leak(f64)`, or in a field, `Mix { share: f64 }`.
#[macro_export]
macro_rules! choice_or_number {
    (
        $(#[$enum_attr:meta])*
        pub enum $Choice:ident {
            words { $($(#[$word_attr:meta])* $Word:ident = $word:literal,)* }
            numbers {
                $(
                    $(#[$name_attr:meta])*
                    $Name:ident
                        $(($Type:ty))?
                        $({ $(#[$field_attr:meta])* $field:ident: $FieldType:ty })?
                        = $name:literal within $limits:expr,
                )*
            }
        }
    ) => {
        $(#[$enum_attr])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $Choice {
            $(
                $(#[$name_attr])*
                $Name $(($Type))? $({ $(#[$field_attr])* $field: $FieldType })?,
            )*
            $($(#[$word_attr])* $Word,)*
        }

        impl $crate::Field for $Choice {
            fn allowed(_: &$crate::Limits) -> String {
                let words = [$(concat!("\"", $word, "\"").to_owned()),*];
                let numbers = [$(format!(
                    "{{ {} = {} }}",
                    $name,
                    $(<$Type as $crate::Field>::allowed(&$limits))?
                    $(<$FieldType as $crate::Field>::allowed(&$limits))?
                )),*];
                [&words[..], &numbers[..]].concat().join(" or ")
            }

            fn stand_in(_: &$crate::Limits) -> Self {
                [$(Self::$Word),*][0]
            }

            fn read(
                key: &str,
                value: &$crate::Value,
                limits: &$crate::Limits,
                faults: &mut Vec<$crate::Fault>,
            ) -> Option<Self> {
                use $crate::{Given, read_given};
                let allowed = Self::allowed(limits);
                match read_given(key, value, &[$($word),*], &[$($name),*], &allowed, faults)? {
                    Given::Word(word) => match word {
                        $($word => Some(Self::$Word),)*
                        _ => None,
                    },
                    Given::Number(name, path, inner) => match name {
                        $($name => {
                            $(<$Type as $crate::Field>::read(&path, inner, &$limits, faults)
                                .map(Self::$Name))?
                            $(<$FieldType as $crate::Field>::read(&path, inner, &$limits, faults)
                                .map(|$field| Self::$Name { $field }))?
                        })*
                        _ => None,
                    },
                }
            }

            fn write(&self) -> $crate::Value {
                let number = |name: &str, value: $crate::Value| {
                    $crate::Value::Table([(name.to_owned(), value)].into_iter().collect())
                };
                match self {
                    $(Self::$Word => $crate::Value::String($word.to_owned()),)*
                    $(
                        $(Self::$Name(value) => {
                            number($name, <$Type as $crate::Field>::write(value))
                        })?
                        $(Self::$Name { $field } => {
                            number($name, <$FieldType as $crate::Field>::write($field))
                        })?
                    )*
                }
            }

            fn schema(_: &$crate::Limits) -> $crate::Table {
                use $crate::schema::{object, one_of, words};
                let numbers = [$(
                    object(
                        [(
                            $name,
                            $(<$Type as $crate::Field>::schema(&$limits))?
                            $(<$FieldType as $crate::Field>::schema(&$limits))?
                        )],
                        &[$name],
                    )
                ),*];
                one_of([words(&[$($word),*])].into_iter().chain(numbers))
            }
        }
    };
}
