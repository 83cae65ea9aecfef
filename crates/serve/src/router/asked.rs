//! What addresses ask for.

use std::sync::Arc;

use axum::extract::RawQuery;

use crate::app::{App, blocking};
use crate::runs::FoundRun;
use crate::trouble::Trouble;

/// A run by its address, found on a thread for slow work.
pub(super) async fn run_of(app: &Arc<App>, id: String) -> Result<FoundRun, Trouble> {
    let app = Arc::clone(app);
    blocking(move || app.run(&id)).await?
}

/// The run with its newest generation.
pub(super) async fn with_generation(
    app: &Arc<App>,
    id: String,
) -> Result<(FoundRun, u32), Trouble> {
    let app = Arc::clone(app);
    let found = blocking(move || {
        let run = app.run(&id)?;
        let card = app.cards.card(&run);
        Ok((run, card.generation))
    });
    found.await?
}

/// The values of a key in the query of an address.
pub(super) fn values(query: &RawQuery, key: &str) -> Vec<String> {
    let pairs = query.0.as_deref().unwrap_or_default().split('&');
    let pairs = pairs.filter_map(|pair| pair.split_once('='));
    pairs.filter(|(own, _)| *own == key).map(|(_, value)| decoded(value)).collect()
}

/// Text of a query: `+` is a space, `%XX` a byte.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(other),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_name_runs_with_any_letters() {
        let query = RawQuery(Some("run=a%2Fb+c&x=1&run=%3Cb%3E&run=%zz&run".to_owned()));
        assert_eq!(values(&query, "run"), ["a/b c", "<b>", "%zz"]);
        assert!(values(&RawQuery(None), "run").is_empty());
    }
}
