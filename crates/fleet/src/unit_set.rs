//! Sets of units: a bit a unit, and as text ranges such as `0-3,7`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Most units of a plan.
pub const UNITS_MAX: u32 = 1 << 24;

/// A set of unit numbers below [`UNITS_MAX`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitSet {
    words: Vec<u64>,
    len: u32,
}

impl UnitSet {
    /// The set of these units.
    pub fn of(units: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self::default();
        for unit in units {
            set.insert(unit);
        }
        set
    }

    /// Adds a unit; false if it was there, or is none.
    pub fn insert(&mut self, unit: u32) -> bool {
        if unit >= UNITS_MAX || self.contains(unit) {
            return false;
        }
        let word = unit as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (unit % 64);
        self.len += 1;
        true
    }

    /// Removes a unit; false if it was not there.
    pub fn remove(&mut self, unit: u32) -> bool {
        let was_there = self.contains(unit);
        if was_there {
            self.words[unit as usize / 64] &= !(1 << (unit % 64));
            self.len -= 1;
            // Equal sets have equal words.
            while self.words.last() == Some(&0) {
                self.words.pop();
            }
        }
        was_there
    }

    /// Whether a unit is in it.
    pub fn contains(&self, unit: u32) -> bool {
        self.words.get(unit as usize / 64).is_some_and(|word| word >> (unit % 64) & 1 == 1)
    }

    /// Units in it.
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Whether it has none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its units, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let first = index as u32 * 64;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + bit)
        })
    }

    /// Returns the unit that has `index` smaller ones in the set.
    pub fn nth(&self, mut index: u32) -> Option<u32> {
        for (place, &word) in self.words.iter().enumerate() {
            let here = word.count_ones();
            if index < here {
                let mut rest = word;
                for _ in 0..index {
                    rest &= rest - 1;
                }
                return Some(place as u32 * 64 + rest.trailing_zeros());
            }
            index -= here;
        }
        None
    }

    fn to_text(&self) -> String {
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for unit in self.iter() {
            match parts.last_mut() {
                Some((_, last)) if *last + 1 == unit => *last = unit,
                _ => parts.push((unit, unit)),
            }
        }
        let text = |&(first, last): &(u32, u32)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        parts.iter().map(text).collect::<Vec<_>>().join(",")
    }

    /// Ranges ascend and do not touch, so that a set has one text and reading ends.
    fn of_text(text: &str) -> Option<Self> {
        let mut set = Self::default();
        let mut next = 0;
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            if first < next || last < first || last >= UNITS_MAX {
                return None;
            }
            for unit in first..=last {
                set.insert(unit);
            }
            next = last + 2;
        }
        Some(set)
    }
}

impl Serialize for UnitSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<'de> Deserialize<'de> for UnitSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::of_text(&text).ok_or_else(|| de::Error::custom("these are no ranges of units"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_its_text() {
        for units in [vec![], vec![0], vec![0, 1, 2, 3, 7], vec![63, 64, 65, 1000, 1002]] {
            let set = UnitSet::of(units.clone());
            assert_eq!(UnitSet::of_text(&set.to_text()), Some(set.clone()), "{units:?}");
            assert_eq!(set.iter().collect::<Vec<_>>(), units);
            assert_eq!(set.len() as usize, units.len());
            let nth: Vec<u32> = (0..set.len()).filter_map(|index| set.nth(index)).collect();
            assert_eq!((nth, set.nth(set.len())), (units, None));
        }
        assert_eq!(UnitSet::of([0, 1, 2, 3, 7]).to_text(), "0-3,7");
        for wrong in ["1,0", "3-1", "0-1,2", "a", "0,", "-", "0-16777216", "1 "] {
            assert_eq!(UnitSet::of_text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_removed_is_gone() {
        let mut set = UnitSet::of([3, 200]);
        assert!(set.remove(200) && !set.remove(200) && !set.insert(3));
        assert_eq!(set, UnitSet::of([3]));
        assert!(!set.insert(UNITS_MAX));
    }
}
