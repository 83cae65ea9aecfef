//! What says how good a move is before it was tried.

use dz_config_keys::{Fault, Field, Limits, Table, Value, schema, wrong_type};

/// The source of heuristic values of moves, for `search.equivalent_visits`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MoveHeuristic {
    /// None: moves start at the value of a move never tried.
    #[default]
    None,
    /// 2 sigma - 1 of a linear function of local shapes, whose file this is (Gelly and Silver 2007:
    /// `Q_RLGO`).
    Linear(String),
}

const ALLOWED: &str = "\"none\" or \"linear:FILE\", a file of `dagzero learn value`";

impl Field for MoveHeuristic {
    fn allowed(_: &Limits) -> String {
        ALLOWED.to_owned()
    }

    fn stand_in(_: &Limits) -> Self {
        Self::None
    }

    fn read(key: &str, value: &Value, _: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let text = value.as_str();
        let found = match text {
            Some("none") => Some(Self::None),
            Some(text) => text
                .strip_prefix("linear:")
                .filter(|path| !path.is_empty())
                .map(|path| Self::Linear(path.to_owned())),
            None => None,
        };
        if found.is_none() {
            faults.push(match text {
                Some(_) => Fault::new(key, "names no heuristic").value(value).allowed(ALLOWED),
                None => wrong_type(key, value, ALLOWED),
            });
        }
        found
    }

    fn write(&self) -> Value {
        Value::String(match self {
            Self::None => "none".to_owned(),
            Self::Linear(path) => format!("linear:{path}"),
        })
    }

    fn schema(_: &Limits) -> Table {
        schema::pattern("^(none|linear:.+)$")
    }
}
