//! Cards and `/metrics` have the numbers of `dagzero report --json`.

use dz_store::{Entry, ObjectRef, Record, Run, layout, seal};
use serde_json::Value;

use crate::bars::ledger;
use crate::common::serve;

/// Writes a made-up ledger of `cycles` cycles into a new run.
pub fn made_up(path: &std::path::Path, cycles: u32) -> Run {
    let run = Run::create(path, include_str!("../../../configs/connect4-smoke.toml")).unwrap();
    let mut number = 0;
    for mut record in ledger::run(cycles).records {
        for shard in shard_of(&record).into_iter().map(Some).chain([None]) {
            number += 1;
            record.number = number;
            let record = shard.map_or(record.clone(), |entry| Record { entry, ..record.clone() });
            let text = serde_json::to_vec(&record).unwrap();
            let path = run.root().join(layout::log_path(number));
            std::fs::write(path, seal(&text, dz_store::SEAL_DIGITS)).unwrap();
        }
    }
    run
}

/// The shard of the games that a record says are done: the made-up ledger has none.
fn shard_of(record: &Record) -> Option<Entry> {
    let Entry::GamesDone { cycle, generation, summary } = &record.entry else { return None };
    let (cycle, generation) = (*cycle, *generation);
    let object = ObjectRef::of(layout::shard_path(cycle, 0), b"");
    let (games, positions) = (summary.games, summary.positions);
    Some(Entry::Shard { cycle, generation, number: 0, games, positions, object, board: None })
}

fn sum(cycles: &[Value], part: &str, key: &str) -> f64 {
    cycles.iter().filter_map(|cycle| cycle[part][key].as_f64()).sum()
}

#[test]
fn cards_and_metrics_are_the_report() {
    let served = serve();
    let run = made_up(&served.folder.path().join("a"), 12);
    std::thread::sleep(std::time::Duration::from_millis(600));
    let report = dz_report::Report::read_only(&run).unwrap().to_json().unwrap();
    // Cards are made from an open ledger, whose records are not read again.
    let ledger = dz_store::Ledger::open(&run).unwrap();
    let (open, _) = dz_report::Report::of_open_ledger(&run, &ledger);
    let read = dz_report::Report::read_ledger(&run).unwrap();
    assert_eq!(open.to_json().unwrap(), read.to_json().unwrap());
    let report: Value = serde_json::from_str(&report).unwrap();
    let cards = served.get("/cards.json").json();
    let card = &cards[0];
    let metrics = served.get("/metrics").body;
    let metric = |name: &str| -> f64 {
        let begin = format!("dagzero_{name} ");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&begin));
        line.unwrap_or_else(|| panic!("no {name}: {metrics}")).parse().unwrap()
    };
    let cycles = report["cycles"].as_array().unwrap();
    let newest = cycles.last().unwrap();
    let curve = report["curve"].as_array().unwrap();
    let point = curve.last().unwrap();
    let same = |what: &str, shown: &Value, metric: f64, report: f64| {
        let shown = shown.as_f64().unwrap();
        assert!((shown - report).abs() < 1e-9, "{what}: {shown} on the card, {report} reported");
        assert!((metric - report).abs() < 1e-9, "{what}: {metric} in metrics, {report} reported");
    };
    let one = "{run=\"a\"}";
    let number = |value: &Value| value.as_f64().unwrap();
    for (name, key, reported) in [
        ("cycles_done", "cycles_done", cycles.len() as f64),
        ("generation", "generation", number(&point["generation"])),
        ("games_total", "games", sum(cycles, "selfplay", "games")),
        ("positions_total", "positions", sum(cycles, "selfplay", "positions")),
        ("rows_trained_total", "rows", sum(cycles, "losses", "rows")),
        ("ledger_records_total", "record", number(&report["run"]["entries"])),
    ] {
        same(name, &card[key], metric(&format!("{name}{one}")), reported);
    }
    same("elo", &card["elo"][0], metric(&format!("elo{one}")), number(&point["elo"]));
    same("error", &card["elo"][1], metric(&format!("elo_error95{one}")), number(&point["error95"]));
    assert_eq!(card["curve"].as_array().unwrap().len(), curve.len());
    for (part, rows, key) in [
        ("policy", "training", "policy"),
        ("value", "training", "value"),
        ("policy", "validation", "validation_policy"),
        ("value", "validation", "validation_value"),
    ] {
        let name = format!("loss{{run=\"a\",part=\"{part}\",rows=\"{rows}\"}}");
        same(&name, &card["losses"][key], metric(&name), number(&newest["losses"][key]));
    }
    let selfplay = &newest["selfplay"];
    let rate = 1_000.0 * number(&selfplay["evaluations"]) / number(&selfplay["wall_ms"]);
    same(
        "evaluations",
        &card["evaluations_per_s"],
        metric(&format!("evaluations_per_second{one}")),
        rate,
    );
}
