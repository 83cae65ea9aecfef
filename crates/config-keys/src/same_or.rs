//! Keys that follow another key unless they have a value of their own: `"same"`, or that value.

use toml::{Table, Value};

use crate::fault::Fault;
use crate::field::{Field, out_of_range};
use crate::limits::Limits;
use crate::schema::{one_of, words};

/// A value of one's own, or another key's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SameOr<T> {
    /// The other key's value.
    Same,
    /// This.
    Own(T),
}

impl<T: Field> Field for SameOr<T> {
    fn allowed(limits: &Limits) -> String {
        format!("\"same\" or {}", T::allowed(limits))
    }

    fn stand_in(_: &Limits) -> Self {
        Self::Same
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        match value {
            Value::String(word) if word == "same" => Some(Self::Same),
            Value::String(_) => {
                let fault = out_of_range(key, value, &Self::allowed(limits));
                faults.push(fault.suggestion("\"same\""));
                None
            }
            _ => T::read(key, value, limits, faults).map(Self::Own),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Same => Value::String("same".to_owned()),
            Self::Own(value) => value.write(),
        }
    }

    fn schema(limits: &Limits) -> Table {
        one_of([words(&["same"]), T::schema(limits)])
    }
}
