//! Heads beside policy and value: what a network may learn without playing by it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many horizons the head of short-term values has.
pub const HORIZONS: usize = 3;

/// A head beside policy and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Head {
    /// The opponent's reply: logits `[A]`, the next ply's policy, from the policy head's
    /// convolution.
    Reply,
    /// The policy to the power 1/4: logits `[A]`, from the policy head's convolution.
    SoftPolicy,
    /// Values soon after: logits of win, draw and loss for each horizon, `[HORIZONS * 3]`, from the
    /// value head's hidden layer.
    ShortTerm,
    /// Plies left, in units of H W plies: one number, from the value head's hidden layer.
    PliesLeft,
    /// The final margin of the player to move, in units of sqrt(H W) points: one number, from the
    /// value head's hidden layer.
    Margin,
    /// Whose each point is in the end: logits of mine, nobody's and theirs for each point,
    /// `[H W, 3]`, from the tower's outputs.
    Ownership,
}

impl Head {
    /// How many there are.
    pub const COUNT: usize = 6;

    /// All of them, in order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Reply,
        Self::SoftPolicy,
        Self::ShortTerm,
        Self::PliesLeft,
        Self::Margin,
        Self::Ownership,
    ];

    /// Its name in files, keys and measures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::SoftPolicy => "soft_policy",
            Self::ShortTerm => "short_term",
            Self::PliesLeft => "plies_left",
            Self::Margin => "margin",
            Self::Ownership => "ownership",
        }
    }

    /// Whether network files have it. The others serve training alone, and nobody who plays reads
    /// them.
    pub fn is_exported(self) -> bool {
        self == Self::Ownership
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something for each head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PerHead<T>([T; Head::COUNT]);

impl<T> PerHead<T> {
    /// What `of` says for each head.
    pub fn from_fn(of: impl FnMut(Head) -> T) -> Self {
        Self(Head::ALL.map(of))
    }

    /// Each head with its own, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Head, &T)> {
        Head::ALL.into_iter().zip(&self.0)
    }
}

impl<T> PerHead<Option<T>> {
    /// Whether no head has any.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Heads that have one, in order.
    pub fn present(&self) -> impl Iterator<Item = (Head, &T)> {
        self.iter().filter_map(|(head, value)| Some((head, value.as_ref()?)))
    }
}

impl<T> Index<Head> for PerHead<T> {
    type Output = T;

    fn index(&self, head: Head) -> &T {
        &self.0[head as usize]
    }
}

impl<T> IndexMut<Head> for PerHead<T> {
    fn index_mut(&mut self, head: Head) -> &mut T {
        &mut self.0[head as usize]
    }
}

/// A map of the heads that have one.
impl<T: Serialize> Serialize for PerHead<Option<T>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.present())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for PerHead<Option<T>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut map = BTreeMap::<Head, T>::deserialize(deserializer)?;
        Ok(Self::from_fn(|head| map.remove(&head)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_heads_are_maps_of_those_that_are_there() {
        let mut losses = PerHead::<Option<f32>>::default();
        assert!(losses.is_empty());
        assert_eq!(serde_json::to_string(&losses).unwrap(), "{}");
        losses[Head::Margin] = Some(0.5);
        losses[Head::Reply] = Some(2.0);
        let text = serde_json::to_string(&losses).unwrap();
        assert_eq!(text, r#"{"reply":2.0,"margin":0.5}"#);
        assert_eq!(serde_json::from_str::<PerHead<Option<f32>>>(&text).unwrap(), losses);
        assert!(serde_json::from_str::<PerHead<Option<f32>>>(r#"{"future":1.0}"#).is_err());
        for (i, head) in Head::ALL.into_iter().enumerate() {
            assert_eq!(
                (head as usize, format!("\"{head}\"")),
                (i, serde_json::to_string(&head).unwrap())
            );
        }
    }
}
