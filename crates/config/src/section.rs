//! The one place where a key is declared: `section!` makes the struct, its documentation, the
//! reader, the writer and the table of keys from the same lines.

use toml::Value;

use crate::change::Effect;
use crate::reader::SectionReader;

/// What is known of a key of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The section, such as `search`; empty for a key outside of any section.
    pub section: &'static str,
    /// The name inside its section, such as `c_puct`.
    pub name: &'static str,
    /// What it means, with its unit and source.
    pub meaning: String,
    /// Which values it takes, in words.
    pub allowed: String,
    /// What it is where a file leaves it out; a key without a default must be given.
    pub default: Option<Value>,
    /// What a change does to a run that exists.
    pub effect: Effect,
}

impl Key {
    /// The name with its section, such as `search.c_puct`.
    pub fn path(&self) -> String {
        path_of(self.section, self.name)
    }
}

/// A table of the configuration file.
pub(crate) trait Section: Sized {
    /// Every key, in the order of declaration.
    fn keys() -> Vec<Key>;
    /// Reads all keys; a key at fault gets a value that stands in until the faults are reported.
    fn read(reader: &mut SectionReader<'_>) -> Self;
    /// Every key with its value, in the order of declaration.
    fn write(&self) -> Vec<(&'static str, Value)>;
}

/// A key's name with its section.
pub(crate) fn path_of(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

/// Declares a section: `[effect, limits] key: Type = default;` a line, without `= default` where
/// the key must be given.
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
                    $crate::section::default_text!($($default)?),
                    "; effect of a change: `", stringify!($effect), "`."
                )]
                pub $key: $Type,
            )*
        }

        impl $crate::section::Section for $Section {
            fn keys() -> Vec<$crate::section::Key> {
                use $crate::field::Field;
                vec![$(
                    $crate::section::Key {
                        section: $name,
                        name: stringify!($key),
                        meaning: concat!($($doc),*).trim().to_owned(),
                        allowed: <$Type as Field>::allowed(&$limits),
                        default: $crate::section::default_value!($Type, $($default)?)
                            .map(|value| value.write()),
                        effect: $crate::change::Effect::$effect,
                    }
                ),*]
            }

            fn read(reader: &mut $crate::reader::SectionReader<'_>) -> Self {
                Self {
                    $($key: reader.take(
                        stringify!($key),
                        &$limits,
                        $crate::section::default_value!($Type, $($default)?),
                    )),*
                }
            }

            fn write(&self) -> Vec<(&'static str, toml::Value)> {
                use $crate::field::Field;
                vec![$((stringify!($key), self.$key.write())),*]
            }
        }
    };
}

/// The default of a key for its documentation.
macro_rules! default_text {
    () => {
        "none, it must be given"
    };
    ($default:expr) => {
        concat!("`", stringify!($default), "`")
    };
}

/// The default of a key as a value.
macro_rules! default_value {
    ($Type:ty,) => {
        None::<$Type>
    };
    ($Type:ty, $default:expr) => {
        Some::<$Type>($default)
    };
}

pub(crate) use {default_text, default_value, section};
