//! What addresses ask for.

use std::sync::Arc;

use axum::extract::Query;

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

/// The query of an address.
pub(super) type Pairs = Query<Vec<(String, String)>>;

/// The values of a key in a query, but empty ones.
pub(super) fn values(query: &Pairs, key: &str) -> Vec<String> {
    let of_key = query.0.iter().filter(|(own, value)| own == key && !value.is_empty());
    of_key.map(|(_, value)| value.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_name_runs_with_any_letters() {
        let of = |text: &str| Pairs::try_from_uri(&text.parse().unwrap()).unwrap();
        let query = of("/compare?run=a%2Fb+c&x=1&run=%3Cb%3E&run=%zz&run");
        assert_eq!(values(&query, "run"), ["a/b c", "<b>", "%zz"]);
        assert!(values(&of("/compare"), "run").is_empty());
    }
}
