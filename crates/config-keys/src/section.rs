//! The one place where a key is declared: `section!` makes the struct, its documentation, the
//! reader, the writer and the table of keys from the same lines.

use toml::Value;

use crate::key::Key;
use crate::reader::SectionReader;

/// A table of the configuration file.
pub trait Section: Sized {
    /// Every key, in the order of declaration.
    fn keys() -> Vec<Key>;
    /// Reads all keys; a key at fault gets a value that stands in until the faults are reported.
    fn read(reader: &mut SectionReader<'_>) -> Self;
    /// Every key with its value, in the order of declaration.
    fn write(&self) -> Vec<(&'static str, Value)>;
}

/// Declares a section: `[effect, limits] key: Type = default;` a line, without `= default` where
/// the key must be given.
#[macro_export]
macro_rules! section {
    (
        $(#[doc = $section_doc:literal])*
        pub struct $Section:ident = $name:literal {
            $(
                $(#[doc = $doc:literal])*
                [$effect:ident, $limits:expr]
                $key:ident: $Type:ty $(= $default:expr)?;
            )*
        }
    ) => {
        $(#[doc = $section_doc])*
        // The same words go to configs/README.md, where proper names stand without marks.
        #[allow(clippy::doc_markdown)]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Section {
            $(
                $(#[doc = $doc])*
                #[doc = ""]
                #[doc = concat!(
                    "Takes `", stringify!($limits), "`; default: ",
                    $crate::default_text!($($default)?),
                    "; effect of a change: `", stringify!($effect), "`."
                )]
                pub $key: $Type,
            )*
        }

        impl $crate::Section for $Section {
            fn keys() -> Vec<$crate::Key> {
                use $crate::Field;
                vec![$(
                    $crate::Key {
                        section: $name,
                        name: stringify!($key),
                        meaning: concat!($($doc),*).trim().to_owned(),
                        allowed: <$Type as Field>::allowed(&$limits),
                        default: $crate::default_value!($Type, $($default)?)
                            .map(|value| value.write()),
                        effect: $crate::Effect::$effect,
                        schema: <$Type as Field>::schema(&$limits),
                    }
                ),*]
            }

            fn read(reader: &mut $crate::SectionReader<'_>) -> Self {
                Self {
                    $($key: reader.take(
                        stringify!($key),
                        &$limits,
                        $crate::default_value!($Type, $($default)?),
                    )),*
                }
            }

            fn write(&self) -> Vec<(&'static str, $crate::Value)> {
                use $crate::Field;
                vec![$((stringify!($key), self.$key.write())),*]
            }
        }
    };
}

/// The default of a key for its documentation.
#[macro_export]
macro_rules! default_text {
    () => {
        "none, it must be given"
    };
    ($default:expr) => {
        concat!("`", stringify!($default), "`")
    };
}

/// The default of a key as a value.
#[macro_export]
macro_rules! default_value {
    ($Type:ty,) => {
        None::<$Type>
    };
    ($Type:ty, $default:expr) => {
        Some::<$Type>($default)
    };
}
