//! A game's name and parameters as text.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::GameError;

/// A game by name and parameters: `connect4:width=7,height=6,connect=4`.
///
/// Parsing keeps what was written; [`crate::Game::spec`] gives the canonical form with every
/// parameter, which is what headers hold and what comparisons use.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GameSpec {
    name: String,
    parameters: Vec<(String, String)>,
}

impl GameSpec {
    /// A specification from parts; parameters keep their order.
    pub fn new(name: &str, parameters: &[(&str, String)]) -> Self {
        let parameters = parameters.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
        Self { name: name.to_owned(), parameters }
    }
    /// The game's name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Parameters as written.
    pub fn parameters(&self) -> &[(String, String)] {
        &self.parameters
    }
    /// The value of a parameter, as written.
    pub fn parameter(&self, key: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(own, _)| own == key);
        found.map(|(_, value)| value.as_str())
    }
    /// Reads the parameters against the ones the game has.
    ///
    /// # Errors
    /// [`GameError::UnknownParameter`] for a key that is not in `known`.
    pub fn reader(&self, known: &'static [&'static str]) -> Result<ParameterReader<'_>, GameError> {
        for (key, _) in &self.parameters {
            if !known.contains(&key.as_str()) {
                return Err(GameError::UnknownParameter {
                    game: self.name.clone(),
                    key: key.clone(),
                    known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
                });
            }
        }
        let values = self.parameters.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        Ok(ParameterReader { game: &self.name, values })
    }
}

/// Parameters of one game, read with a default and a range.
#[derive(Debug)]
pub struct ParameterReader<'a> {
    game: &'a str,
    values: BTreeMap<&'a str, &'a str>,
}

impl ParameterReader<'_> {
    /// A whole number in `range`, or `default` if it was left out.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if it is no number or out of range.
    pub fn number(
        &self,
        key: &str,
        default: u8,
        range: std::ops::RangeInclusive<u8>,
    ) -> Result<u8, GameError> {
        let Some(text) = self.values.get(key) else { return Ok(default) };
        text.parse().ok().filter(|n| range.contains(n)).ok_or_else(|| {
            self.bad(key, text, &format!("allowed: {} to {}", range.start(), range.end()))
        })
    }
    /// `true` or `false`, or `default` if it was left out.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if it is neither.
    pub fn flag(&self, key: &str, default: bool) -> Result<bool, GameError> {
        let Some(text) = self.values.get(key) else { return Ok(default) };
        text.parse().map_err(|_| self.bad(key, text, "allowed: true or false"))
    }
    /// One of `values` by its name, or the first one if it was left out.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if no value has that name.
    pub fn choice<T: Copy>(
        &self,
        key: &str,
        values: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, GameError> {
        let Some(text) = self.values.get(key) else { return Ok(values[0]) };
        values.iter().copied().find(|&value| name(value) == *text).ok_or_else(|| {
            let names: Vec<&str> = values.iter().map(|&value| name(value)).collect();
            self.bad(key, text, &format!("allowed: {}", names.join(", ")))
        })
    }
    /// An error about `key`, for rules between parameters.
    pub fn bad(&self, key: &str, value: &str, allowed: &str) -> GameError {
        GameError::BadParameter {
            game: self.game.to_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
            allowed: allowed.to_owned(),
        }
    }
}

impl fmt::Display for GameSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (key, value)) in self.parameters.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl FromStr for GameSpec {
    type Err = GameError;
    fn from_str(text: &str) -> Result<Self, GameError> {
        let bad = || GameError::BadSpec { text: text.to_owned() };
        let (name, rest) = text.split_once(':').map_or((text, None), |(n, r)| (n, Some(r)));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(bad());
        }
        let mut parameters: Vec<(String, String)> = Vec::new();
        for pair in rest.into_iter().flat_map(|rest| rest.split(',')) {
            let (key, value) = pair.split_once('=').ok_or_else(bad)?;
            let key = key.trim();
            let value = value.trim();
            if key.is_empty() || value.is_empty() || parameters.iter().any(|(k, _)| k == key) {
                return Err(bad());
            }
            parameters.push((key.to_owned(), value.to_owned()));
        }
        Ok(Self { name: name.to_owned(), parameters })
    }
}

impl TryFrom<String> for GameSpec {
    type Error = GameError;
    fn try_from(text: String) -> Result<Self, GameError> {
        text.parse()
    }
}

impl From<GameSpec> for String {
    fn from(spec: GameSpec) -> Self {
        spec.to_string()
    }
}
