//! Names of players and the indices that a rating uses.

use std::collections::BTreeMap;

/// Players in the order in which they were first named.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    names: Vec<String>,
    index_of: BTreeMap<String, usize>,
}

impl Roster {
    /// The player's index; a new name gets the next one.
    pub fn index(&mut self, name: &str) -> usize {
        if let Some(&index) = self.index_of.get(name) {
            return index;
        }
        let index = self.names.len();
        self.names.push(name.to_owned());
        self.index_of.insert(name.to_owned(), index);
        index
    }
    /// The index of a player that is known.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index_of.get(name).copied()
    }
    /// All names, by index.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// Each player with the one before it, by the place that `place` gives names; those without one are
    /// left out.
    pub fn chain(&self, place: impl Fn(&str) -> Option<u32>) -> Vec<(usize, usize)> {
        let named = self.names.iter().enumerate();
        let mut placed: Vec<(u32, usize)> =
            named.filter_map(|(index, name)| Some((place(name)?, index))).collect();
        placed.sort_unstable();
        placed.windows(2).map(|pair| (pair[1].1, pair[0].1)).collect()
    }
    /// How many players there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }
    /// Whether nobody was named.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_index() {
        let mut roster = Roster::default();
        assert_eq!((roster.index("a"), roster.index("b"), roster.index("a")), (0, 1, 0));
        assert_eq!(roster.find("b"), Some(1));
        assert_eq!(roster.find("c"), None);
        assert_eq!(roster.names(), ["a", "b"]);
        roster.index("3");
        roster.index("12");
        roster.index("7");
        assert_eq!(roster.chain(|name| name.parse().ok()), [(4, 2), (3, 4)]);
    }
}
