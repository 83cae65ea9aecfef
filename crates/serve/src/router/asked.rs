//! What addresses ask for.

use std::sync::Arc;

use axum::extract::Query;

use crate::Rules;
use crate::app::{App, blocking};
use crate::cards::Card;
use crate::pages::{PageOfRun, Tab};
use crate::rules::RulesText;
use crate::runs::FoundRun;
use crate::trouble::Trouble;

/// A run by its address, found on a thread for slow work.
pub(super) async fn run_of(app: &Arc<App>, id: String) -> Result<FoundRun, Trouble> {
    let app = Arc::clone(app);
    blocking(move || app.run(&id)).await?
}

/// The run with its card.
pub(super) async fn with_card(app: &Arc<App>, id: String) -> Result<(FoundRun, Card), Trouble> {
    let app = Arc::clone(app);
    let found = blocking(move || {
        let run = app.run(&id)?;
        let card = app.cards.card(&run);
        Ok((run, card))
    });
    found.await?
}

/// What the pages of a run have in common. `generation` is the newest one.
pub(super) fn page_of<'a>(
    app: &'a App,
    run: &'a FoundRun,
    tab: Tab,
    generation: u32,
) -> PageOfRun<'a> {
    PageOfRun { run, tab, post_token: app.post_token(), generation }
}

/// The rules that a page asks by: those of the run, where it names none.
pub(super) fn rules_of(card: &Card, asked: Option<RulesText>) -> Result<Rules, Trouble> {
    if card.game.is_empty() {
        let why = card.error.as_deref().unwrap_or("the run has not begun");
        return Err(Trouble::bad(format!("the game of the run is not known: {why}")));
    }
    let own = RulesText { board: card.game.clone(), komi: None };
    let own = own.read().map_err(Trouble::bad)?;
    let Some(asked) = asked else { return Ok(own) };
    let asked = asked.read().map_err(Trouble::bad)?;
    if asked.board.name() != own.board.name() {
        let (theirs, ours) = (asked.board.name(), own.board.name());
        return Err(Trouble::bad(format!("this run plays {ours}, not {theirs}")));
    }
    Ok(asked)
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
