//! Reads a value that is itself a small table, such as `search.fpu` or an anchor.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::fault::Fault;
use crate::field::{Field, wrong_type};
use crate::limits::Limits;
use crate::suggest::nearest;

/// Reads the keys of an inline table.
pub struct TableReader<'a> {
    key: &'a str,
    table: &'a Table,
    known: BTreeSet<&'static str>,
    faults: &'a mut Vec<Fault>,
}

impl<'a> TableReader<'a> {
    /// A reader of the value, which must be a table.
    pub fn open(
        key: &'a str,
        value: &'a Value,
        allowed: &str,
        faults: &'a mut Vec<Fault>,
    ) -> Option<Self> {
        let Value::Table(table) = value else {
            faults.push(wrong_type(key, value, allowed));
            return None;
        };
        Some(Self { key, table, known: BTreeSet::new(), faults })
    }

    /// The value of a key, or a fault.
    pub fn take<T: Field>(&mut self, name: &'static str, limits: &Limits) -> Option<T> {
        self.ignore(name);
        let path = format!("{}.{name}", self.key);
        if let Some(value) = self.table.get(name) {
            return T::read(&path, value, limits, self.faults);
        }
        self.faults.push(Fault::new(path, "missing").allowed(T::allowed(limits)));
        None
    }

    /// The value of a key, `default` where the table does not have it, or a fault.
    pub fn take_or<T: Field>(
        &mut self,
        name: &'static str,
        limits: &Limits,
        default: T,
    ) -> Option<T> {
        if self.has(name) { self.take(name, limits) } else { Some(default) }
    }

    /// Whether the table has a key, which is known from then on.
    pub fn has(&mut self, name: &'static str) -> bool {
        self.ignore(name);
        self.table.contains_key(name)
    }

    /// Makes a key known without reading it.
    pub fn ignore(&mut self, name: &'static str) {
        self.known.insert(name);
    }

    /// Reports the keys that nobody asked for.
    pub fn close(self) {
        for (name, value) in
            self.table.iter().filter(|(name, _)| !self.known.contains(name.as_str()))
        {
            let allowed: Vec<&str> = self.known.iter().copied().collect();
            let fault = Fault::new(format!("{}.{name}", self.key), "unknown key").value(value);
            let fault = fault.allowed(allowed.join(", "));
            self.faults.push(match nearest(name, self.known.iter().copied()) {
                Some(meant) => fault.suggestion(format!("'{}.{meant}'", self.key)),
                None => fault,
            });
        }
    }
}
