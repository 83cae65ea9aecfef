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
    /// Each player with its predecessor. `place` gives a name's line and its place in that line.
    /// Players without a predecessor are left out.
    pub fn chain(
        &self,
        place: impl Fn(&str) -> Option<(&'static str, u32)>,
    ) -> Vec<(usize, usize)> {
        let named = self.names.iter().enumerate();
        let mut placed: Vec<(&str, u32, usize)> = named
            .filter_map(|(index, name)| place(name).map(|(line, at)| (line, at, index)))
            .collect();
        placed.sort_unstable();
        let neighbours = placed.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        neighbours.map(|pair| (pair[1].2, pair[0].2)).collect()
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
        let by_number = |name: &str| Some(("number", name.parse().ok()?));
        assert_eq!(roster.chain(by_number), [(4, 2), (3, 4)]);
        let by_digits = |name: &str| Some((if name.len() > 1 { "long" } else { "short" }, 1));
        assert_eq!(roster.chain(by_digits), [(1, 0), (2, 1), (4, 2)]);
    }
}
