//! Number formats of weights and activations.

use std::fmt;
use std::str::FromStr;

use burn::tensor::FloatDType;
use serde::Serialize;

/// Floating-point format of a network's weights and activations while it plays. Logits come back in
/// 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32 bits; cards may round the factors of products to 10 bits (TF32).
    F32,
    /// 16 bits, 10 of them behind the point, up to 65,504: the more exact half precision.
    F16,
    /// 16 bits, 7 of them behind the point, as large as 32 bits.
    Bf16,
}

impl Precision {
    pub(crate) fn dtype(self) -> FloatDType {
        match self {
            Self::F32 => FloatDType::F32,
            Self::F16 => FloatDType::F16,
            Self::Bf16 => FloatDType::BF16,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        })
    }
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::F32, Self::F16, Self::Bf16];
        let found = all.into_iter().find(|precision| precision.to_string() == text);
        found.ok_or_else(|| "write f32, f16 or bf16".to_owned())
    }
}
