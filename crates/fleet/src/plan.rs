//! What is to be played: all that the games of one cycle and champion depend on.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::FleetError;
use crate::names::is_hash;
use crate::sealed::{self, FORMAT};
use crate::unit_set::UNITS_MAX;

/// Longest plan that is read, in bytes. A configuration is most of it.
pub const PLAN_BYTES_MAX: u64 = 1 << 20;

/// A plan as an object of the mailbox.
pub trait PlanObject: Clone + PartialEq + Serialize + DeserializeOwned {
    /// The plan's number; a later plan has a larger one.
    fn number(&self) -> u64;

    /// The same plan under another number.
    #[must_use]
    fn numbered(&self, number: u64) -> Self;

    /// Units of the plan.
    fn units(&self) -> u32;

    /// Why nobody makes such a plan.
    fn fault(&self) -> Option<&'static str>;

    /// Whether both ask for the same games under the same numbers of units.
    fn is_same(&self, other: &Self) -> bool {
        *self == other.numbered(self.number())
    }

    /// The plan as an object.
    fn to_bytes(&self) -> Vec<u8> {
        sealed::write(self)
    }

    /// The plan in `bytes`, which are the object `path` names.
    ///
    /// # Errors
    /// [`FleetError`] if it is no plan, or one that nobody makes.
    fn read(path: &str, bytes: &[u8]) -> Result<Self, FleetError> {
        let plan: Self = sealed::read(path, bytes)?;
        match plan.fault() {
            None => Ok(plan),
            Some(what) => Err(FleetError::Damaged { path: path.to_owned(), what: what.to_owned() }),
        }
    }
}

/// A plan of self-play games: they depend on nothing else but their numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of this format.
    pub format: u32,
    /// The plan's number; a later plan has a larger one.
    pub number: u64,
    /// The version of dagzero that plays it. Another version may play other games.
    pub version: String,
    /// The effective configuration, as TOML.
    pub config: String,
    /// Hash of the keys of `config` that decide results, as the home computes it.
    pub results_hash: String,
    /// The hash that headers state. It is that of the run's configuration, and does not depend on
    /// how many cycles fit.
    pub header_hash: String,
    /// The cycle.
    pub cycle: u32,
    /// The champion's number; 0 is the bootstrap evaluator.
    pub generation: u32,
    /// The champion's network; none in generation 0.
    pub network: Option<ObjectHash>,
    /// The network's name in headers.
    pub network_name: String,
    /// The evaluator's id at home.
    pub evaluator: String,
    /// Which evaluators may play.
    pub evaluators: EvaluatorRule,
    /// Number of the first game.
    pub first_game: u64,
    /// Games.
    pub games: u64,
    /// Games of a full shard of the run.
    pub games_per_shard: u64,
    /// Games of a full unit; a divisor of `games_per_shard`.
    pub unit_games: u64,
    /// When players resign, if they do.
    pub resign: Option<ResignRule>,
    /// What the games take from those of earlier cycles, if anything.
    pub past: Option<ObjectHash>,
}

/// An object of the mailbox, by its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectHash {
    /// BLAKE3, 64 hexadecimal digits.
    pub blake3: String,
    /// Length in bytes.
    pub bytes: u64,
}

impl ObjectHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let blake3 = blake3::hash(bytes).to_hex().to_string();
        Self { blake3, bytes: bytes.len() as u64 }
    }
}

/// Which evaluators may play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvaluatorRule {
    /// Those with the home's id alone: bytes are equal.
    Same,
    /// Any.
    Any,
}

/// When the players of a plan resign.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// Threshold of values, in [-1, 1].
    pub value_min: f32,
    /// Own turns in a row below it.
    pub turns: u8,
    /// Share of games that are played to their ends.
    pub play_on_share: f64,
}

impl Plan {
    /// The version of the format that this program writes.
    pub const FORMAT: u32 = FORMAT;

    /// Units of a full shard.
    pub fn units_per_shard(&self) -> u32 {
        (self.games_per_shard / self.unit_games) as u32
    }

    /// The number in the header of a unit's shard.
    pub fn shard_number(&self, unit: u32) -> u64 {
        self.first_game / self.unit_games + u64::from(unit)
    }

    /// Games of a unit.
    pub fn games_of(&self, unit: u32) -> u64 {
        let begin = u64::from(unit) * self.unit_games;
        self.games.saturating_sub(begin).min(self.unit_games)
    }
}

impl PlanObject for Plan {
    fn number(&self) -> u64 {
        self.number
    }

    fn numbered(&self, number: u64) -> Self {
        Self { number, ..self.clone() }
    }

    /// The last one may have fewer games.
    fn units(&self) -> u32 {
        self.games.div_ceil(self.unit_games) as u32
    }

    fn fault(&self) -> Option<&'static str> {
        let unit = self.unit_games;
        if unit == 0 || self.games_per_shard == 0 || !self.games_per_shard.is_multiple_of(unit) {
            return Some("its units do not divide its shards");
        }
        if !self.first_game.is_multiple_of(self.games_per_shard) {
            return Some("its first game is not the first of a shard");
        }
        if self.games.div_ceil(unit) > u64::from(UNITS_MAX) {
            return Some("it has too many units");
        }
        if self.first_game.checked_add(self.games).is_none() {
            return Some("its games have numbers that are too large");
        }
        if [&self.network, &self.past].into_iter().flatten().any(|of| !is_hash(&of.blake3)) {
            return Some("it names an object by something that is no hash");
        }
        None
    }
}
