//! The tables of a report.

use std::collections::BTreeSet;

use dz_store::{LoadSummary, SelfplaySummary, Stage};

use crate::alarms::Severity;
use crate::count;
use crate::facts::CycleFacts;
use crate::measures::{Health, TurnFacts};
use crate::report::Report;
use crate::table::{Cell, Table};

pub(crate) const NONE: &str = "-";

impl Report {
    /// The number of each cycle that has a part, with that part.
    pub(crate) fn by_cycle<'a, T>(
        &'a self,
        part: impl Fn(&'a CycleFacts) -> Option<T>,
    ) -> Vec<(u32, T)> {
        self.cycles.iter().filter_map(|facts| Some((facts.cycle, part(facts)?))).collect()
    }
}

/// Losses by cycle.
pub(crate) fn losses(report: &Report) -> Table {
    let maybe = |loss: Option<f64>| loss.map_or(NONE.to_owned(), count::loss);
    let share = |share: Option<f64>| share.map_or(NONE.to_owned(), count::percent);
    Table::by_cycle("cycles.losses", report.by_cycle(|facts| facts.losses.as_ref()))
        .number("policy", "train", |l| count::loss(l.policy))
        .number("policy", "validation", |l| maybe(l.validation_policy))
        .number("value", "train", |l| count::loss(l.value))
        .number("value", "validation", |l| maybe(l.validation_value))
        .number("MSE / 4", "train", |l| maybe(l.value_mse))
        .number("MSE / 4", "validation", |l| maybe(l.validation_value_mse))
        .number("policy", "right", |l| share(l.policy_accuracy))
        .number("policy", "in first 5", |l| share(l.policy_top5_accuracy))
        .number("value", "right", |l| share(l.value_accuracy))
        .number("learning rate", "", |l| count::learning_rate(l.learning_rate))
        .number("gradient", "norm", |l| l.gradient_norm.map_or(NONE.to_owned(), count::real))
        .number("steps", "", |l| count::whole(l.steps))
        .number("rows/s", "", |l| count::rate(l.rows, l.wall_ms))
        .done()
}

/// Self-play by cycle: what came out.
pub(crate) fn games(report: &Report) -> Table {
    let health = |facts: &CycleFacts, text: fn(&Health) -> String| {
        facts.health.as_ref().map_or(NONE.to_owned(), text)
    };
    let played = report.by_cycle(|facts| Some((facts, facts.selfplay.as_ref()?)));
    Table::by_cycle("cycles.selfplay", played)
        .number("generation", "that played", |(facts, _)| optional(facts.generation))
        .number("games", "", |(_, s)| count::whole(s.games))
        .number("positions", "recorded", |(_, s)| count::whole(s.positions))
        .number("plies", "mean", |(_, s)| count::real(s.plies_mean))
        .number("plies", "10 % to 90 %", |(facts, _)| {
            health(facts, |h| format!("{} to {}", h.plies_p10, h.plies_p90))
        })
        .number("first", "won", |(_, s)| count::share(s.wins_first, s.games))
        .number("drawn", "", |(_, s)| count::share(s.draws, s.games))
        .number("second", "won", |(_, s)| count::share(s.wins_second, s.games))
        .number("repeated", "games", |(facts, _)| {
            health(facts, |h| count::share(h.duplicates, h.games))
        })
        .number("openings", "of 4 plies", |(facts, _)| health(facts, |h| count::whole(h.openings)))
        .number("entropy", "of targets", |(facts, _)| {
            health(facts, |h| count::real(h.target_entropy))
        })
        .number("surprise", "at outcome", |(facts, _)| {
            health(facts, |h| count::real(h.value_surprise))
        })
        .words("evaluator", |(_, s)| s.evaluator.clone())
        .done()
}

/// Self-play by cycle: how fast, and what was saved.
pub(crate) fn speed(report: &Report) -> Table {
    Table::by_cycle("cycles.selfplay", report.by_cycle(|facts| facts.selfplay.as_ref()))
        .number("games", "/s", |s| count::rate(s.games, s.wall_ms))
        .number("positions", "/s", |s| count::rate(s.positions, s.wall_ms))
        .number("playouts", "/s", |s| count::rate(s.playouts, s.wall_ms))
        .number("evaluations", "/s", |s| count::rate(s.evaluations, s.wall_ms))
        .number("batches", "/s", |s| count::rate(s.batches, s.wall_ms))
        .number("batch", "fill", |s| count::percent(s.batch_fill))
        .number("device", "busy at most", |s| of_load(s, |l| count::percent(l.device_share)))
        .number("search", "waits", |s| of_load(s, |l| count::percent(l.waiting_share)))
        .number("host", "µs an evaluation", |s| of_load(s, |l| count::real(l.host_us)))
        .number("cache", "hits", |s| count::share(s.cache_hits, s.cache_hits + s.evaluations))
        .number("transpositions", "of playouts", |s| count::share(s.transpositions, s.playouts))
        .done()
}

/// Parts of a cycle's time; empty where nothing was evaluated in batches.
fn of_load(summary: &SelfplaySummary, text: fn(&LoadSummary) -> String) -> String {
    summary.load.as_ref().map(text).unwrap_or_default()
}

/// Resignation by cycle, where it is on.
pub(crate) fn resignation(report: &Report) -> Table {
    Table::by_cycle(
        "cycles.selfplay.resign",
        report.by_cycle(|facts| facts.selfplay.as_ref()?.resign.as_ref()),
    )
    .number("threshold", "value", |r| r.value_min.map_or(NONE.to_owned(), count::loss))
    .number("resigned", "games", |r| count::whole(r.resigned))
    .number("played on", "to measure", |r| count::whole(r.played_on))
    .number("would have", "resigned", |r| count::whole(r.would_resign))
    .number("wrongly", "of played on", |r| count::percent(r.wrong_share))
    .number("wrongly", "95 % interval", |r| {
        format!("{} to {}", count::percent(r.wrong_lo95), count::percent(r.wrong_hi95))
    })
    .done()
}

/// Window and rows by cycle.
pub(crate) fn window(report: &Report) -> Table {
    Table::by_cycle("cycles.rows", report.by_cycle(|facts| facts.rows.as_ref()))
        .number("new", "rows", |r| count::whole(r.new_rows))
        .number("window", "rows", |r| count::whole(r.window_rows))
        .number("window", "games", |r| count::whole(r.window_games))
        .number("training", "rows", |r| count::whole(r.train_rows))
        .number("validation", "rows", |r| count::whole(r.validation_rows))
        .number("training / new", "", |r| count::real(r.train_rows as f64 / r.new_rows as f64))
        .done()
}

/// Where each cycle's time went.
pub(crate) fn times(report: &Report) -> Table {
    struct Times {
        selfplay: u64,
        shuffle: u64,
        train: u64,
        matches: Option<u64>,
        whole: u64,
    }
    let times = |facts: &CycleFacts| {
        Some(Times {
            selfplay: facts.selfplay.as_ref().map_or(0, |s| s.wall_ms),
            shuffle: facts.rows.as_ref().map_or(0, |r| r.wall_ms),
            train: facts.losses.as_ref().map_or(0, |l| l.wall_ms),
            matches: facts.matches_ms,
            whole: facts.wall_ms?,
        })
    };
    Table::by_cycle("cycles.wall_ms", report.by_cycle(times))
        .number("self-play", "", |t| count::duration(t.selfplay))
        .number("shuffle", "", |t| count::duration(t.shuffle))
        .number("train", "", |t| count::duration(t.train))
        .number("gate, ratings, rest", "", |t| t.matches.map(count::duration).unwrap_or_default())
        .number("whole", "", |t| count::duration(t.whole))
        .number("self-play", "share", |t| count::share(t.selfplay, t.whole))
        .done()
}

/// Bytes of each cycle's published files, and of all of them.
pub(crate) fn bytes(report: &Report) -> Table {
    let disk = &report.measures.disk;
    let published = report.cycles.iter().flat_map(|facts| facts.bytes.keys());
    let folders: BTreeSet<&str> = published.chain(disk.keys()).map(String::as_str).collect();
    let shown = |bytes: u64| if bytes == 0 { NONE.to_owned() } else { count::bytes(bytes) };
    let of = |facts: &CycleFacts, folder: &str| facts.bytes.get(folder).copied().unwrap_or(0);
    Table::of("cycles.bytes", folders.into_iter().collect())
        .words("folder", |folder: &&str| *folder)
        .number("published", "in all cycles", |folder| {
            shown(report.cycles.iter().map(|facts| of(facts, folder)).sum())
        })
        .number("published", "newest cycle", |folder| {
            shown(report.cycles.last().map_or(0, |facts| of(facts, folder)))
        })
        .number("on disk", "now", |folder| shown(disk.get(*folder).copied().unwrap_or(0)))
        .done()
}

/// The most memory that each stage has held, and its processor time.
pub(crate) fn memory(report: &Report) -> Table {
    let turns = |stage: Stage| {
        let turns = report.measures.turns.iter().filter(|turn| turn.stage == stage.name());
        turns.collect::<Vec<&TurnFacts>>()
    };
    let peak = |stage: Stage| turns(stage).iter().filter_map(|turn| turn.peak_bytes).max();
    let cpu_ms = |stage: Stage| turns(stage).iter().map(|turn| turn.cpu_ms).sum::<Option<u64>>();
    let stages = Stage::WORKERS.into_iter();
    let rows = stages.filter_map(|stage| Some((stage, turns(stage).len(), peak(stage)?)));
    Table::of("measures.turns", rows.collect())
        .words("stage", |(stage, ..)| stage.name())
        .number("turns", "measured", |(_, turns, _)| count::whole(*turns as u64))
        .number("processor time", "of these turns", |(stage, ..)| {
            cpu_ms(*stage).map_or(NONE.to_owned(), count::duration)
        })
        .number("peak memory", "resident", |(.., peak)| count::bytes(*peak))
        .done()
}

/// Every finding.
pub(crate) fn checks(report: &Report) -> Table {
    let class = |severity| match severity {
        Severity::Alarm | Severity::Warning => "bad",
        Severity::Fine => "good",
        Severity::Unjudged => "",
    };
    Table::of("findings", report.findings.iter().collect())
        .words("check", |finding| finding.id)
        .words("verdict", |f| Cell::classed(f.severity.word(), class(f.severity)))
        .words("found", |finding| Cell::classed(finding.says.clone(), "long"))
        .words("threshold", |finding| Cell::classed(finding.threshold, "long"))
        .done()
}

/// Networks with their hashes.
pub(crate) fn networks(report: &Report) -> Table {
    Table::by_cycle(
        "cycles.network",
        report.by_cycle(|facts| Some((facts.promoted, facts.network.as_ref()?))),
    )
    .number("generation", "", |(promoted, _)| optional(*promoted))
    .words("file", |(_, network)| network.path.clone())
    .words("BLAKE3", |(_, network)| Cell::classed(network.blake3.clone(), "hash"))
    .done()
}

pub(crate) fn optional(number: Option<u32>) -> String {
    number.map_or(NONE.to_owned(), |n| n.to_string())
}
