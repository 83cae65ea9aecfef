//! Reads one section of the file, noting every fault and every default.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::fault::Fault;
use crate::field::Field;
use crate::key::path_of;
use crate::limits::Limits;

/// What reading has found besides values.
#[derive(Debug, Default)]
pub struct Findings {
    /// Everything that is wrong.
    pub faults: Vec<Fault>,
    /// Keys that stand in for values at fault: nothing may be concluded from their values.
    pub faulty: BTreeSet<String>,
    /// Keys that the file leaves to their defaults.
    pub defaulted: BTreeSet<String>,
}

/// Reads the keys of one section.
pub struct SectionReader<'a> {
    section: &'static str,
    table: Source<'a>,
    findings: &'a mut Findings,
}

/// Where the keys of a section come from.
enum Source<'a> {
    /// The section as the file has it.
    Given(&'a Table),
    /// The file does not have the section.
    Absent,
    /// The section is not a table, which is reported once and not again for each key.
    NoTable,
}

impl<'a> SectionReader<'a> {
    /// A reader of the section of this name, which need not be there; the empty name is the file
    /// itself.
    pub fn new(section: &'static str, file: &'a Table, findings: &'a mut Findings) -> Self {
        let table = match file.get(section) {
            _ if section.is_empty() => Source::Given(file),
            None => Source::Absent,
            Some(Value::Table(table)) => Source::Given(table),
            Some(other) => {
                let problem = format!("wrong type ({})", other.type_str());
                let fault = Fault::new(section, problem).value(other);
                findings.faults.push(fault.allowed(format!("a section, [{section}]")));
                Source::NoTable
            }
        };
        Self { section, table, findings }
    }

    /// The value of a key, its default, or something in its place where there is a fault.
    pub fn take<T: Field>(&mut self, name: &str, limits: &Limits, default: Option<T>) -> T {
        let path = path_of(self.section, name);
        let given = match self.table {
            Source::Given(table) => table.get(name),
            Source::Absent => None,
            Source::NoTable => {
                self.findings.faulty.insert(path);
                return default.unwrap_or_else(|| T::stand_in(limits));
            }
        };
        let read = match (given, default.is_some()) {
            (Some(value), _) => T::read(&path, value, limits, &mut self.findings.faults),
            (None, true) => {
                self.findings.defaulted.insert(path);
                return default.unwrap_or_else(|| T::stand_in(limits));
            }
            (None, false) => {
                let fault = Fault::new(&path, "missing, and it has no default");
                self.findings.faults.push(fault.allowed(T::allowed(limits)));
                None
            }
        };
        read.unwrap_or_else(|| {
            self.findings.faulty.insert(path);
            default.unwrap_or_else(|| T::stand_in(limits))
        })
    }
}
