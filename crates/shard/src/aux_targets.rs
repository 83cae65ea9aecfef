//! What rows may carry for training beside policy and value.

use std::fmt;

use dz_aux_heads::{HORIZONS, Head, TargetColumn};
use dz_game::{PlaneShape, Targets};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::WdlShares;

/// The heads whose targets rows carry; a list of names in files. The soft policy is never one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RowTargets(u8);

impl RowTargets {
    /// Policy and value alone.
    pub const NONE: Self = Self(0);

    /// All of them.
    pub fn all() -> Self {
        Head::ALL.into_iter().collect()
    }

    /// Whether rows carry the target of `head`.
    pub fn has(self, head: Head) -> bool {
        self.0 & 1 << head as u8 != 0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Those of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Head> {
        Head::ALL.into_iter().filter(move |&head| self.has(head))
    }

    /// The columns of those of the set, in order.
    pub(crate) fn columns(self) -> impl Iterator<Item = TargetColumn> {
        self.iter().filter_map(Head::column)
    }
}

/// Those of some heads that rows have columns for.
impl FromIterator<Head> for RowTargets {
    fn from_iter<I: IntoIterator<Item = Head>>(heads: I) -> Self {
        let heads = heads.into_iter().filter(|head| head.is_in_rows());
        Self(heads.fold(0, |set, head| set | 1 << head as u8))
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
        let heads = Vec::<Head>::deserialize(deserializer)?;
        match heads.iter().find(|head| !head.is_in_rows()) {
            Some(head) => Err(D::Error::custom(format!("rows have no column for {head}"))),
            None => Ok(heads.into_iter().collect()),
        }
    }
}

/// `KataGo`'s constants c of the three horizons, the longest first: a ply's own root value has the
/// share 1 / (1 + c H W), so that 1 + c H W plies count on average: 64.5, 21 and 6.8 on 19x19.
pub const HORIZON_FACTORS: [f64; HORIZONS] = [0.176, 0.056, 0.016];

/// The auxiliary targets of one row, borrowed. Targets that the file does not carry, or that the
/// game did not show, are empty or `None`. Such a row counts 0 in that target's loss, others count
/// the row's value weight.
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

/// Whether a game that offers these targets has the target of `head`.
pub fn is_offered(head: Head, offered: Targets) -> bool {
    match head {
        Head::Margin => offered.margin,
        Head::Ownership => offered.ownership,
        _ => true,
    }
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
        let set: RowTargets = [Head::Margin, Head::Reply].into_iter().collect();
        assert!(set.has(Head::Reply) && !set.has(Head::Ownership) && !set.is_empty());
        let text = serde_json::to_string(&set).unwrap();
        assert_eq!(text, r#"["reply","margin"]"#);
        assert_eq!(serde_json::from_str::<RowTargets>(&text).unwrap(), set);
        for bad in [r#"["future"]"#, r#"["reply","soft_policy"]"#] {
            assert!(serde_json::from_str::<RowTargets>(bad).is_err(), "{bad}");
        }
        assert!(RowTargets::NONE.is_empty());
        assert!(RowTargets::all().has(Head::Reply) && !RowTargets::all().has(Head::SoftPolicy));
    }
}
