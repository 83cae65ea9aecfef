//! Values of keys: how each type is read from TOML, checked and written back.

use toml::Value;

use crate::fault::Fault;
use crate::limits::Limits;

/// A type that a key may have.
pub(crate) trait Field: Sized {
    /// What the type takes within the limits, in words.
    fn allowed(limits: &Limits) -> String;
    /// A value that takes the place of one at fault, so that the other keys can be checked; no
    /// caller outside of this crate ever sees it.
    fn stand_in(limits: &Limits) -> Self;
    /// The value, or at least one fault.
    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self>;
    /// The value as TOML.
    fn write(&self) -> Value;
}

/// The fault of a value of another type.
pub(crate) fn wrong_type(key: &str, value: &Value, allowed: &str) -> Fault {
    let problem = format!("wrong type ({})", value.type_str());
    Fault::new(key, problem).value(value).allowed(allowed)
}

/// The fault of a value of the right type outside of its range.
pub(crate) fn out_of_range(key: &str, value: &Value, allowed: &str) -> Fault {
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
}

impl Field for Vec<String> {
    fn allowed(_: &Limits) -> String {
        "an array of texts that are not empty".to_owned()
    }

    fn stand_in(_: &Limits) -> Self {
        Self::new()
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        read_list(key, value, limits, faults)
    }

    fn write(&self) -> Value {
        Value::Array(self.iter().map(Field::write).collect())
    }
}

/// Reads an array of fields; all that is wrong in it is found.
pub(crate) fn read_list<T: Field>(
    key: &str,
    value: &Value,
    limits: &Limits,
    faults: &mut Vec<Fault>,
) -> Option<Vec<T>>
where
    Vec<T>: Field,
{
    let Value::Array(entries) = value else {
        faults.push(wrong_type(key, value, &Vec::<T>::allowed(limits)));
        return None;
    };
    let read = |(index, entry): (usize, &Value)| {
        T::read(&format!("{key}[{index}]"), entry, limits, faults)
    };
    // Collected before it is looked at, so that the first fault does not hide the next.
    let fields: Vec<Option<T>> = entries.iter().enumerate().map(read).collect();
    fields.into_iter().collect()
}

/// Reads a text that `FromStr` understands, with a suggestion from `words` where it does not.
pub(crate) fn read_text<T: std::str::FromStr>(
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
        if let Some(word) = crate::suggest::nearest(text, words.iter().copied()) {
            fault = fault.suggestion(format!("\"{word}\""));
        }
        faults.push(fault);
    }
    read
}

/// Makes a [`Field`] of a type with `FromStr` and `Display`: `text_field!(Type, stand-in, words,
/// allowed)`.
macro_rules! text_field {
    ($Type:ty, $stand_in:expr, $words:expr, $allowed:expr) => {
        impl $crate::field::Field for $Type {
            fn allowed(_: &$crate::limits::Limits) -> String {
                $allowed.to_owned()
            }

            fn stand_in(_: &$crate::limits::Limits) -> Self {
                $stand_in
            }

            fn read(
                key: &str,
                value: &toml::Value,
                limits: &$crate::limits::Limits,
                faults: &mut Vec<$crate::fault::Fault>,
            ) -> Option<Self> {
                let allowed = Self::allowed(limits);
                $crate::field::read_text(key, value, &$words, &allowed, faults)
            }

            fn write(&self) -> toml::Value {
                toml::Value::String(self.to_string())
            }
        }
    };
}

/// Declares an enum whose variants are words of the file.
macro_rules! choice {
    (
        $(#[doc = $enum_doc:literal])*
        $visibility:vis enum $Choice:ident {
            $($(#[doc = $doc:literal])* $Variant:ident = $word:literal,)*
        }
    ) => {
        $(#[doc = $enum_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $Choice {
            $($(#[doc = $doc])* $Variant,)*
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

        $crate::field::text_field!(
            $Choice,
            Self::WORDS[0].1,
            [$($word),*],
            [$(concat!("\"", $word, "\"")),*].join(" or ")
        );
    };
}

pub(crate) use {choice, text_field};
