//! A value for each head.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Head;

/// A value for each head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PerHead<T>([T; Head::COUNT]);

impl<T> PerHead<T> {
    /// Calls `of` for each head.
    pub fn from_fn(of: impl FnMut(Head) -> T) -> Self {
        Self(Head::ALL.map(of))
    }

    /// Each head with its value, in order.
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
    }
}
