//! The tables of a report.

use dz_store::{LoadSummary, SelfplaySummary};

use crate::alarms::Severity;
use crate::count;
use crate::facts::CycleFacts;
use crate::report::Report;
use crate::table::{Cell, Table, number, words};

pub(crate) const NONE: &str = "-";

/// Losses by cycle.
pub(crate) fn losses(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.losses",
        vec![
            number("cycle", ""),
            number("policy", "train"),
            number("policy", "validation"),
            number("value", "train"),
            number("value", "validation"),
            number("policy", "right"),
            number("value", "right"),
            number("learning rate", ""),
            number("gradient", "norm"),
            number("steps", ""),
            number("rows/s", ""),
        ],
    );
    for facts in &report.cycles {
        let Some(losses) = &facts.losses else { continue };
        let nats = |loss: f64| Cell::from(format!("{loss:.3}"));
        let maybe = |loss: Option<f64>| loss.map_or(Cell::from(NONE), nats);
        let share = |share: Option<f64>| share.map_or(NONE.to_owned(), count::percent);
        table.row(vec![
            facts.cycle.to_string().into(),
            nats(losses.policy),
            maybe(losses.validation_policy),
            nats(losses.value),
            maybe(losses.validation_value),
            share(losses.policy_accuracy).into(),
            share(losses.value_accuracy).into(),
            format!("{:.1e}", losses.learning_rate).into(),
            losses.gradient_norm.map_or(NONE.to_owned(), count::real).into(),
            count::whole(losses.steps).into(),
            count::rate(losses.rows, losses.wall_ms).into(),
        ]);
    }
    table
}

/// Self-play by cycle: what came out.
pub(crate) fn games(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.selfplay",
        vec![
            number("cycle", ""),
            number("generation", "that played"),
            number("games", ""),
            number("positions", ""),
            number("plies", "mean"),
            number("plies", "10 % to 90 %"),
            number("first", "won"),
            number("drawn", ""),
            number("second", "won"),
            number("repeated", "games"),
            number("openings", "of 4 plies"),
            number("entropy", "of targets"),
            number("surprise", "at outcome"),
            words("evaluator"),
        ],
    );
    for facts in &report.cycles {
        let Some(s) = &facts.selfplay else { continue };
        let health = facts.health.as_ref();
        table.row(vec![
            facts.cycle.to_string().into(),
            optional(facts.generation).into(),
            count::whole(s.games).into(),
            count::whole(s.positions).into(),
            count::real(s.plies_mean).into(),
            health.map_or(NONE.into(), |h| format!("{} to {}", h.plies_p10, h.plies_p90).into()),
            count::share(s.wins_first, s.games).into(),
            count::share(s.draws, s.games).into(),
            count::share(s.wins_second, s.games).into(),
            health.map_or(NONE.into(), |h| count::share(h.duplicates, h.games).into()),
            health.map_or(NONE.into(), |h| count::whole(h.openings).into()),
            health.map_or(NONE.into(), |h| format!("{:.2}", h.target_entropy).into()),
            health.map_or(NONE.into(), |h| format!("{:.2}", h.value_surprise).into()),
            s.evaluator.clone().into(),
        ]);
    }
    table
}

/// Self-play by cycle: how fast, and what was saved.
pub(crate) fn speed(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.selfplay",
        vec![
            number("cycle", ""),
            number("games", "/s"),
            number("positions", "/s"),
            number("playouts", "/s"),
            number("evaluations", "/s"),
            number("batches", "/s"),
            number("batch", "fill"),
            number("device", "busy at most"),
            number("search", "waits"),
            number("host", "us an evaluation"),
            number("cache", "hits"),
            number("transpositions", "of playouts"),
        ],
    );
    for facts in &report.cycles {
        let Some(s) = &facts.selfplay else { continue };
        let rate = |events| Cell::from(count::rate(events, s.wall_ms));
        table.row(vec![
            facts.cycle.to_string().into(),
            rate(s.games),
            rate(s.positions),
            rate(s.playouts),
            rate(s.evaluations),
            rate(s.batches),
            count::percent(s.batch_fill).into(),
            of_load(s, |load| count::percent(load.device_share)),
            of_load(s, |load| count::percent(load.waiting_share)),
            of_load(s, |load| format!("{:.1}", load.host_us)),
            count::share(s.cache_hits, s.cache_hits + s.evaluations).into(),
            count::share(s.transpositions, s.playouts).into(),
        ]);
    }
    table
}

/// A cell of what a cycle's time went into; empty where nothing was evaluated in batches.
fn of_load(summary: &SelfplaySummary, text: impl Fn(&LoadSummary) -> String) -> Cell {
    summary.load.as_ref().map(text).unwrap_or_default().into()
}

/// Resignation by cycle, where it is on.
pub(crate) fn resignation(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.selfplay.resign",
        vec![
            number("cycle", ""),
            number("threshold", "value"),
            number("resigned", "games"),
            number("played on", "to measure"),
            number("would have", "resigned"),
            number("wrongly", "of played on"),
            number("wrongly", "95 % interval"),
        ],
    );
    for facts in &report.cycles {
        let summary = facts.selfplay.as_ref();
        let Some(resign) = summary.and_then(|s| s.resign.as_ref()) else { continue };
        let interval = format!(
            "{} to {}",
            count::percent(resign.wrong_lo95),
            count::percent(resign.wrong_hi95)
        );
        table.row(vec![
            facts.cycle.to_string().into(),
            resign.value_min.map_or(NONE.to_owned(), |value| format!("{value:.3}")).into(),
            count::whole(resign.resigned).into(),
            count::whole(resign.played_on).into(),
            count::whole(resign.would_resign).into(),
            count::percent(resign.wrong_share).into(),
            interval.into(),
        ]);
    }
    table
}

/// Window and rows by cycle.
pub(crate) fn window(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.rows",
        vec![
            number("cycle", ""),
            number("new", "rows"),
            number("window", "rows"),
            number("window", "games"),
            number("training", "rows"),
            number("validation", "rows"),
            number("training / new", ""),
        ],
    );
    for facts in &report.cycles {
        let Some(rows) = &facts.rows else { continue };
        table.row(vec![
            facts.cycle.to_string().into(),
            count::whole(rows.new_rows).into(),
            count::whole(rows.window_rows).into(),
            count::whole(rows.window_games).into(),
            count::whole(rows.train_rows).into(),
            count::whole(rows.validation_rows).into(),
            count::real(rows.train_rows as f64 / rows.new_rows as f64).into(),
        ]);
    }
    table
}

/// Where each cycle's time went.
pub(crate) fn times(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.wall_ms",
        vec![
            number("cycle", ""),
            number("self-play", "s"),
            number("shuffle", "s"),
            number("train", "s"),
            number("gate, ratings, rest", "s"),
            number("whole", "s"),
            number("self-play", "share"),
        ],
    );
    let seconds = |ms: u64| Cell::from(format!("{:.1}", ms as f64 / 1000.0));
    for facts in &report.cycles {
        let Some(wall_ms) = facts.wall_ms else { continue };
        let selfplay_ms = facts.selfplay.as_ref().map_or(0, |s| s.wall_ms);
        table.row(vec![
            facts.cycle.to_string().into(),
            seconds(selfplay_ms),
            seconds(facts.rows.as_ref().map_or(0, |r| r.wall_ms)),
            seconds(facts.losses.as_ref().map_or(0, |l| l.wall_ms)),
            facts.matches_ms.map_or_else(|| "".into(), seconds),
            seconds(wall_ms),
            count::share(selfplay_ms, wall_ms).into(),
        ]);
    }
    table
}

/// Bytes of each cycle's published files, and of all of them.
pub(crate) fn bytes(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.bytes",
        vec![
            words("folder"),
            number("published", "in all cycles"),
            number("published", "newest cycle"),
            number("on disk", "now"),
        ],
    );
    let mut folders: Vec<&str> = Vec::new();
    for name in report.cycles.iter().flat_map(|facts| facts.bytes.keys()) {
        if !folders.contains(&name.as_str()) {
            folders.push(name);
        }
    }
    folders.extend(
        report
            .measures
            .disk
            .keys()
            .map(String::as_str)
            .filter(|name| !folders.contains(name))
            .collect::<Vec<_>>(),
    );
    folders.sort_unstable();
    let shown = |bytes: u64| if bytes == 0 { NONE.to_owned() } else { count::bytes(bytes) };
    for folder in folders {
        let of = |facts: &CycleFacts| facts.bytes.get(folder).copied().unwrap_or(0);
        table.row(vec![
            folder.into(),
            shown(report.cycles.iter().map(of).sum()).into(),
            shown(report.cycles.last().map_or(0, of)).into(),
            shown(report.measures.disk.get(folder).copied().unwrap_or(0)).into(),
        ]);
    }
    table
}

/// The most memory that each stage has held.
pub(crate) fn memory(report: &Report) -> Table {
    let mut table = Table::new(
        "measures.turns",
        vec![words("stage"), number("turns", "measured"), number("peak memory", "resident")],
    );
    for stage in dz_store::Stage::WORKERS {
        let turns = || report.measures.turns.iter().filter(|turn| turn.stage == stage.name());
        let Some(peak) = turns().filter_map(|turn| turn.peak_bytes).max() else { continue };
        table.row(vec![
            stage.name().into(),
            turns().count().to_string().into(),
            count::bytes(peak).into(),
        ]);
    }
    table
}

/// Every finding.
pub(crate) fn checks(report: &Report) -> Table {
    let columns = vec![words("check"), words("verdict"), words("found"), words("threshold")];
    let mut table = Table::new("findings", columns);
    for finding in &report.findings {
        let class = match finding.severity {
            Severity::Alarm | Severity::Warning => "bad",
            Severity::Fine => "good",
            Severity::Unjudged => "",
        };
        table.row(vec![
            finding.id.into(),
            Cell::classed(finding.severity.word(), class),
            Cell::classed(finding.says.clone(), "long"),
            Cell::classed(finding.threshold, "long"),
        ]);
    }
    table
}

/// Networks with their hashes.
pub(crate) fn networks(report: &Report) -> Table {
    let mut table = Table::new(
        "cycles.network",
        vec![number("cycle", ""), number("generation", ""), words("file"), words("BLAKE3")],
    );
    for facts in &report.cycles {
        let Some(network) = &facts.network else { continue };
        table.row(vec![
            facts.cycle.to_string().into(),
            optional(facts.promoted).into(),
            network.path.clone().into(),
            Cell::classed(network.blake3.clone(), "hash"),
        ]);
    }
    table
}

pub(crate) fn optional(number: Option<u32>) -> String {
    number.map_or(NONE.to_owned(), |n| n.to_string())
}
