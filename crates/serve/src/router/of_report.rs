//! Reports: the page, its data, its events, and comparisons.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use dz_report::{Figure, LivePage, Report};
use dz_store::Run;
use serde_json::json;

use super::asked::{Pairs, page_of, run_of, values};
use crate::app::{App, blocking};
use crate::difference::{Difference, difference};
use crate::pages::{self, Compared, Tab};
use crate::report_view::View;
use crate::runs::FoundRun;
use crate::trouble::{ApiTrouble, Trouble};

/// Runs of one comparison.
const COMPARED_MAX: usize = 8;

pub(super) async fn page(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let (run, view) = view(&app, id).await?;
    let of = page_of(&app, &run, Tab::Report, 0);
    Ok(pages::html(pages::report(&of, &view)))
}

/// All numbers, as `dagzero report --json` prints them.
pub(super) async fn json(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiTrouble> {
    let (_, view) = view(&app, id).await?;
    Ok(([(CONTENT_TYPE, "application/json")], view.json.clone()).into_response())
}

/// The parts of the page that change; without its markup for a page that knows this record.
pub(super) async fn live(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: Pairs,
) -> Result<Response, ApiTrouble> {
    let (_, view) = view(&app, id).await?;
    if values(&query, "known").contains(&view.record.to_string()) {
        let LivePage { figures, cycles, .. } = &view.page;
        let page = json!({ "figures": figures, "cycles": cycles });
        return Ok(axum::Json(json!({ "record": view.record, "page": page })).into_response());
    }
    Ok(axum::Json(json!({ "record": view.record, "page": &view.page })).into_response())
}

pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiTrouble> {
    let run = run_of(&app, id).await?;
    Ok(app.followers.follow(&run).into_response())
}

async fn view(app: &Arc<App>, id: String) -> Result<(FoundRun, Arc<View>), Trouble> {
    let app = Arc::clone(app);
    let found = blocking(move || {
        let run = app.run(&id)?;
        let view = app.views.view(&run).map_err(Trouble::failed)?;
        Ok((run, view))
    });
    found.await?
}

pub(super) async fn compare(
    State(app): State<Arc<App>>,
    query: Pairs,
) -> Result<Response, Trouble> {
    let ids = values(&query, "run");
    if ids.len() < 2 || ids.len() > COMPARED_MAX {
        let what = format!("pick 2 to {COMPARED_MAX} runs for a comparison");
        return Err(Trouble::bad(what));
    }
    let page = blocking(move || {
        let runs: Vec<FoundRun> = ids.iter().map(|id| app.run(id)).collect::<Result<_, _>>()?;
        let (figures, refused) = overlay(&runs).map_err(Trouble::failed)?;
        let paths: Vec<&FilePath> = runs.iter().map(|run| run.path.as_path()).collect();
        let Difference { rows, unknown } = difference(&paths);
        let unknown = runs.iter().zip(unknown).filter_map(|(run, why)| Some((&run.name, why?)));
        let unknown: Vec<String> = unknown.map(|(name, why)| format!("{name}: {why}")).collect();
        let compared = Compared { runs: &runs, figures: &figures, rows: &rows };
        Ok(pages::compare(&compared, &refused, &unknown, app.post_token()))
    });
    Ok(pages::html(page.await??))
}

/// The curves of ratings over each other, and which runs are not among them.
fn overlay(runs: &[FoundRun]) -> Result<(Vec<Figure>, Vec<String>), String> {
    let read = |run: &FoundRun| {
        let opened = Run::open(&run.path).map_err(|error| error.to_string())?;
        let mut report = Report::read_ledger(&opened).map_err(|error| error.to_string())?;
        report.run.name.clone_from(&run.name);
        Ok::<_, String>(report)
    };
    let Some((first, others)) = runs.split_first() else { return Ok((Vec::new(), Vec::new())) };
    let mut report = read(first)?;
    let mut refused = Vec::new();
    for other in others {
        let other = read(other)?;
        if report.plays_another_game(&other) {
            let (theirs, ours) = (&other.run.game, &report.run.game);
            refused.push(format!("{} plays {theirs}, not {ours}", other.run.name));
        } else {
            report.compare(&other);
        }
    }
    let drawn = report.compared.iter();
    refused
        .extend(drawn.filter_map(|other| {
            other.refused.as_ref().map(|why| format!("{}: {why}", other.name))
        }));
    let page = report.to_live_page().map_err(|error| error.to_string())?;
    let is_curve = |figure: &Figure| figure.key == "curve";
    Ok((page.figures.into_iter().filter(is_curve).collect(), refused))
}
