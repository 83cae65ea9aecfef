//! What rows may carry for training beside policy and value.

use std::fmt;

use dz_game::PlaneShape;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::WdlShares;

/// A target that rows carry where their file's header names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The policy target of the next ply, the opponent's in games where players take turns.
    Reply,
    /// Values over [`HORIZONS`]: see [`AuxTargets::short_term`].
    ShortTerm,
    /// Plies until the rules end the game.
    PliesLeft,
    /// The final margin in points.
    Margin,
    /// Whose each point is in the end.
    Ownership,
}

impl Target {
    /// All of them, in order.
    pub const ALL: [Self; 5] =
        [Self::Reply, Self::ShortTerm, Self::PliesLeft, Self::Margin, Self::Ownership];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::ShortTerm => "short_term",
            Self::PliesLeft => "plies_left",
            Self::Margin => "margin",
            Self::Ownership => "ownership",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of targets; a list of names in files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RowTargets(u8);

impl RowTargets {
    /// Policy and value alone.
    pub const NONE: Self = Self(0);

    /// Whether rows carry `target`.
    pub fn has(self, target: Target) -> bool {
        self.0 & 1 << target as u8 != 0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Those of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Target> {
        Target::ALL.into_iter().filter(move |&target| self.has(target))
    }
}

impl FromIterator<Target> for RowTargets {
    fn from_iter<I: IntoIterator<Item = Target>>(targets: I) -> Self {
        Self(targets.into_iter().fold(0, |set, target| set | 1 << target as u8))
    }
}

impl fmt::Debug for RowTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for RowTargets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for RowTargets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Target>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// How many horizons short-term values have.
pub const HORIZONS: usize = 3;

/// `KataGo`'s constants c of the three horizons, the longest first: a ply's own root value has the
/// share 1 / (1 + c H W), so that 1 + c H W plies count on average: 64.5, 21 and 6.8 on 19x19.
pub const HORIZON_FACTORS: [f64; HORIZONS] = [0.176, 0.056, 0.016];

/// The auxiliary targets of one row, borrowed. What the file does not carry, and what the game did
/// not show, is empty or `None`; such a row counts 0 in that target's loss, others count the row's
/// value weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AuxTargets<'a> {
    /// Policy indices of the next ply's target, as its own mover would see them; empty unless that
    /// ply was a full search.
    pub reply_index: &'a [u16],
    /// Their shares of 65,535.
    pub reply_share: &'a [u16],
    /// Exponential averages of the root values from this ply on, which end in the outcome, for the
    /// row's mover: S = k v + (1 - k) S of the next ply, with k = 1 / (1 + c H W) for c of
    /// [`HORIZON_FACTORS`].
    pub short_term: Option<[WdlShares; HORIZONS]>,
    /// Plies until the rules ended the game, this one included; `None` where they did not end it.
    pub plies_left: Option<u16>,
    /// Points of the row's mover minus those of the other player, komi not counted; `None` where
    /// the rules did not end the game.
    pub margin: Option<i16>,
    /// Two planes `[2, H, W]` packed as a row's planes are: points of the row's mover, points of
    /// the other player; `None` where the rules did not end the game.
    pub ownership: Option<&'a [u8]>,
}

/// The shape of packed ownership on boards of `planes`: mine and theirs.
pub fn ownership_shape(planes: PlaneShape) -> PlaneShape {
    PlaneShape { channels: 2, globals: 0, ..planes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_lists_of_names() {
        let set: RowTargets = [Target::Margin, Target::Reply].into_iter().collect();
        assert!(set.has(Target::Reply) && !set.has(Target::Ownership) && !set.is_empty());
        let text = serde_json::to_string(&set).unwrap();
        assert_eq!(text, r#"["reply","margin"]"#);
        assert_eq!(serde_json::from_str::<RowTargets>(&text).unwrap(), set);
        assert!(serde_json::from_str::<RowTargets>(r#"["future"]"#).is_err());
        assert!(RowTargets::NONE.is_empty());
        for target in Target::ALL {
            assert_eq!(serde_json::to_string(&target).unwrap(), format!("\"{target}\""));
        }
    }
}
