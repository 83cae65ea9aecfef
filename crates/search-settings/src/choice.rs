//! Enums whose variants are words of the file and hold numbers of other keys.

/// Declares an enum with a word for each variant, and the enum of its words, which is the type of
/// the key. [`SearchSection`](crate::SearchSection) joins a word with the numbers of other keys.
macro_rules! choice_with_data {
    (
        $(#[$enum_attr:meta])*
        pub enum $Choice:ident, $ChoiceWord:ident {
            $(
                $(#[$attr:meta])*
                $Variant:ident $({ $($fields:tt)* })? $(($($payload:tt)*))? = $word:literal,
            )*
        }
    ) => {
        $(#[$enum_attr])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $Choice {
            $($(#[$attr])* $Variant $({ $($fields)* })? $(($($payload)*))?,)*
        }

        dz_config_keys::choice! {
            #[doc = concat!("The word of a [`", stringify!($Choice), "`] in the file.")]
            pub enum $ChoiceWord {
                $(
                    #[doc = concat!(
                        "See [`", stringify!($Choice), "::", stringify!($Variant), "`]."
                    )]
                    $Variant = $word,
                )*
            }
        }
    };
}

pub(crate) use choice_with_data;
