//! Enums whose variants are words of the file and hold numbers of other keys.

/// Declares an enum with a word for each variant, and the enum of its words, which is the type of
/// the key. `Word::with` takes what the variants hold, in order, and gives the variant of the word.
/// Variants that no word stands for follow in `without word`.
macro_rules! choice_with_data {
    (
        $(#[$enum_attr:meta])*
        pub enum $Choice:ident, $ChoiceWord:ident {
            $(
                $(#[$attr:meta])*
                $Variant:ident
                    $({ $($(#[$field_attr:meta])* $field:ident: $Field:ty,)* })?
                    $(($payload:ident: $Payload:ty))?
                    = $word:literal,
            )*
        }
        $(without word { $($(#[$other_attr:meta])* $Other:ident($Data:ty),)* })?
    ) => {
        $(#[$enum_attr])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $Choice {
            $(
                $(#[$attr])*
                $Variant $({ $($(#[$field_attr])* $field: $Field,)* })? $(($Payload))?,
            )*
            $($($(#[$other_attr])* $Other($Data),)*)?
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

        impl $ChoiceWord {
            /// The choice, with what its variants hold.
            pub(crate) fn with(
                self,
                $($($($field: $Field,)*)? $($payload: $Payload,)?)*
            ) -> $Choice {
                match self {
                    $(Self::$Variant => {
                        $Choice::$Variant $({ $($field,)* })? $(($payload))?
                    })*
                }
            }
        }
    };
}

pub(crate) use choice_with_data;
