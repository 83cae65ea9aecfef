//! Which of the known names a wrong one was probably meant to be.

/// The nearest of the candidates, where one is near enough to be meant: at most a third of the
/// letters, and never more than three, are wrong, missing or swapped, or one name begins with the
/// other.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_ascii_lowercase().replace('-', "_");
    let cost = |name: &str| {
        let prefix = wrong.len() >= 3 && (name.starts_with(&wrong) || wrong.starts_with(name));
        let letters = strsim::damerau_levenshtein(&wrong, name);
        let most = (wrong.chars().count().max(name.chars().count()) / 3).clamp(1, 3);
        (prefix || letters <= most).then_some(letters)
    };
    candidates
        .into_iter()
        .filter_map(|name| cost(name).map(|letters| (letters, name)))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const NAMES: [&str; 4] = ["playouts", "playouts_fast", "games", "groups"];

    #[test]
    fn slips_find_their_name() {
        assert_eq!(nearest("playout", NAMES), Some("playouts"));
        assert_eq!(nearest("Games", NAMES), Some("games"));
        assert_eq!(nearest("playouts-fast", NAMES), Some("playouts_fast"));
        assert_eq!(nearest("gruops", NAMES), Some("groups"));
    }

    #[test]
    fn other_words_find_none() {
        assert_eq!(nearest("temperature", NAMES), None);
        assert_eq!(nearest("x", NAMES), None);
    }
}
