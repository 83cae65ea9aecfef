//! How rollouts move.

use std::fmt;

use dz_config_keys::{Fault, Field, Limits, Table, Value, schema, wrong_type};
use serde::{Deserialize, Serialize};

/// The policy of rollouts as searches know it. Learned weights are in a file that searches do not
/// read. `dz_infer::RolloutSampler` is the function of a game that samples moves by such a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RolloutPolicy {
    /// Each legal move with the same chance.
    #[default]
    Uniform,
    /// By hand-made rules: in Go those of MoGo (Gelly, Wang, Munos and Teytaud 2006), in Connect
    /// Four and Gomoku a winning move or one that blocks a win, in Hex a move that saves a bridge
    /// (Arneson, Hayward and Henderson 2010); other games move uniformly.
    Mogo,
    /// By a policy that was learned.
    Learned,
}

impl RolloutPolicy {
    /// Returns true for the default, which files of matches leave out.
    pub(crate) fn is_uniform(&self) -> bool {
        *self == Self::Uniform
    }
}

/// The policy of rollouts as configurations name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RolloutMoves {
    /// See [`RolloutPolicy::Uniform`].
    #[default]
    Uniform,
    /// See [`RolloutPolicy::Mogo`].
    Mogo,
    /// A linear softmax policy of local shapes, in this file (AlphaGo's `p_pi`; Silver et al.
    /// 2016).
    Learned(String),
}

const ALLOWED: &str = "\"uniform\", \"mogo\" or \"policy:FILE\", a file of `dagzero learn policy`";

impl RolloutMoves {
    /// The policy without its file.
    pub fn policy(&self) -> RolloutPolicy {
        match self {
            Self::Uniform => RolloutPolicy::Uniform,
            Self::Mogo => RolloutPolicy::Mogo,
            Self::Learned(_) => RolloutPolicy::Learned,
        }
    }

    /// The file of a policy that was learned.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Uniform | Self::Mogo => None,
            Self::Learned(path) => Some(path),
        }
    }
}

impl fmt::Display for RolloutMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Mogo => f.write_str("mogo"),
            Self::Learned(path) => write!(f, "policy:{path}"),
        }
    }
}

impl Field for RolloutMoves {
    fn allowed(_: &Limits) -> String {
        ALLOWED.to_owned()
    }

    fn stand_in(_: &Limits) -> Self {
        Self::Uniform
    }

    fn read(key: &str, value: &Value, _: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let text = value.as_str();
        let found = match text {
            Some("uniform") => Some(Self::Uniform),
            Some("mogo") => Some(Self::Mogo),
            Some(text) => text
                .strip_prefix("policy:")
                .filter(|path| !path.is_empty())
                .map(|path| Self::Learned(path.to_owned())),
            None => None,
        };
        if found.is_none() {
            faults.push(match text {
                Some(_) => Fault::new(key, "names no policy").value(value).allowed(ALLOWED),
                None => wrong_type(key, value, ALLOWED),
            });
        }
        found
    }

    fn write(&self) -> Value {
        Value::String(self.to_string())
    }

    fn schema(_: &Limits) -> Table {
        schema::pattern("^(uniform|mogo|policy:.+)$")
    }
}
