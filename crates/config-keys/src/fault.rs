//! One thing that is wrong with a configuration, in words that say what to do.

use std::fmt;

/// One thing that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The key with its section, such as `selfplay.groups`.
    pub key: String,
    /// The value at fault, as TOML; none where the key is missing or the fault has no value.
    pub value: Option<String>,
    /// What is wrong with it.
    pub problem: String,
    /// What is allowed instead.
    pub allowed: Option<String>,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

impl Fault {
    /// A fault of a key, without a value, a range or a suggestion.
    pub fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        let key = key.into();
        let problem = problem.into();
        Self { key, value: None, problem, allowed: None, suggestion: None }
    }

    /// Adds the value at fault.
    #[must_use]
    pub fn value(mut self, value: impl fmt::Display) -> Self {
        self.value = Some(value.to_string());
        self
    }

    /// Adds what is allowed, in words.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Adds what was probably meant.
    #[must_use]
    pub fn suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        if let Some(value) = &self.value {
            write!(f, " = {value}")?;
        }
        write!(f, ": {}", self.problem)?;
        if let Some(suggestion) = &self.suggestion {
            write!(f, "; did you mean {suggestion}?")?;
        }
        if let Some(allowed) = &self.allowed {
            write!(f, "; allowed: {allowed}")?;
        }
        Ok(())
    }
}
