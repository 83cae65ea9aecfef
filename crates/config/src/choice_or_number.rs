//! Types of keys that take a word, or a number with a name: `"stop"` or `{ leak = 0.1 }`.

use toml::Value;

use crate::fault::Fault;
use crate::field::{out_of_range, wrong_type};
use crate::suggest::nearest;

/// What a value is that may be a word or a number with a name.
pub(crate) enum Given<'a> {
    /// A word that is known.
    Word(&'static str),
    /// A name that is known, its path, and what should be a number.
    Number(&'static str, String, &'a Value),
}

/// Tells which of the words or names a value has, or adds a fault.
pub(crate) fn read_given<'a>(
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

/// Declares an enum of words and of numbers with names.
macro_rules! choice_or_number {
    (
        $(#[doc = $enum_doc:literal])*
        pub enum $Choice:ident {
            words { $($(#[doc = $word_doc:literal])* $Word:ident = $word:literal,)* }
            numbers {
                $(
                    $(#[doc = $name_doc:literal])*
                    $Name:ident($Type:ty) = $name:literal within $limits:expr,
                )*
            }
        }
    ) => {
        $(#[doc = $enum_doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $Choice {
            $($(#[doc = $word_doc])* $Word,)*
            $($(#[doc = $name_doc])* $Name($Type),)*
        }

        impl $crate::field::Field for $Choice {
            fn allowed(_: &$crate::limits::Limits) -> String {
                let words = [$(concat!("\"", $word, "\"").to_owned()),*];
                let numbers = [$(format!("{{ {} = {} }}", $name, $limits)),*];
                [&words[..], &numbers[..]].concat().join(" or ")
            }

            fn stand_in(_: &$crate::limits::Limits) -> Self {
                [$(Self::$Word),*][0]
            }

            fn read(
                key: &str,
                value: &toml::Value,
                limits: &$crate::limits::Limits,
                faults: &mut Vec<$crate::fault::Fault>,
            ) -> Option<Self> {
                use $crate::choice_or_number::{Given, read_given};
                let allowed = Self::allowed(limits);
                match read_given(key, value, &[$($word),*], &[$($name),*], &allowed, faults)? {
                    Given::Word(word) => match word {
                        $($word => Some(Self::$Word),)*
                        _ => None,
                    },
                    Given::Number(name, path, inner) => match name {
                        $($name => {
                            <$Type>::read(&path, inner, &$limits, faults).map(Self::$Name)
                        })*
                        _ => None,
                    },
                }
            }

            fn write(&self) -> toml::Value {
                let number = |name: &str, value: toml::Value| {
                    toml::Value::Table([(name.to_owned(), value)].into_iter().collect())
                };
                match self {
                    $(Self::$Word => toml::Value::String($word.to_owned()),)*
                    $(Self::$Name(value) => number($name, value.write()),)*
                }
            }
        }
    };
}

pub(crate) use choice_or_number;
