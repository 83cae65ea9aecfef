//! `dagzero plan`: a calibration, and figures that fit each other and the configuration.

use std::process::Output;

use crate::common::program::command;
use dz_testkit::preset;
use serde_json::Value;

fn plan(args: &[&str]) -> Output {
    let preset = preset("tictactoe-smoke");
    command(&["plan"]).arg(preset).args(args).output().expect("dagzero starts")
}

#[test]
fn figures_fit_each_other_and_the_configuration() {
    let said = plan(&["--json", "--hours", "0.5", "--set", "run.cycles=4"]);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let json: Value = serde_json::from_slice(&said.stdout).expect("one object");
    let forecast = &json["forecast"];
    assert_eq!(forecast["games"], 200 + 3 * 40, "{forecast}");
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or_else(|| panic!("{key}"));
    let cycles = forecast["by_cycle"].as_array().expect("cycles");
    assert_eq!(cycles.len(), 4);
    let sum = |key: &str| cycles.iter().map(|cycle| number(cycle, key)).sum::<f64>();
    for key in ["wall_s", "selfplay_s", "shuffle_s", "train_s", "matches_s"] {
        let last = if key == "wall_s" { number(forecast, "final_s") } else { 0.0 };
        let whole = number(forecast, key) - last;
        assert!(whole > 0.0 && (sum(key) - whole).abs() < 1e-6 * whole, "{key}: {forecast}");
    }
    for key in ["disk_bytes", "memory_bytes", "rows_trained", "steps", "positions"] {
        assert!(number(forecast, key) > 0.0, "{key}: {forecast}");
    }
    let measured = &json["measured"];
    assert!((5.0..=9.0).contains(&number(measured, "plies")), "{measured}");
    assert!(number(&json["within"], "cycles") >= 4.0, "{}", json["within"]);
    assert!(number(&json, "calibration_s") < 60.0);
}

#[test]
fn people_get_a_table_and_a_bad_configuration_is_refused() {
    let said = plan(&["--set", "run.cycles=2"]);
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    for word in ["time", "self-play", "games       240", "disk", "memory"] {
        assert!(text.contains(word), "{word} is missing in {text}");
    }
    assert_eq!(plan(&["--set", "selfplay.games=0"]).status.code(), Some(78));
}

#[test]
fn a_card_that_is_not_here_has_modelled_rates_and_the_plan_says_so() {
    let of = |cores: &str| -> Value {
        let said = plan(&["--json", "--card", "h200", "--cores", cores]);
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        serde_json::from_slice(&said.stdout).expect("one object")
    };
    let json = of("64");
    let modelled = &json["modelled"];
    assert_eq!((&modelled["card"], &modelled["cores"]), (&"h200".into(), &64.into()));
    let rate = |key: &str| modelled[key].as_f64().unwrap_or_else(|| panic!("{key}"));
    assert!(rate("selfplay_s") <= rate("network_s").min(rate("host_s")));
    let row_s = json["measured"]["train_row_s"].as_f64().expect("seconds");
    assert!((row_s * rate("train_rows_s") - 1.0).abs() < 1e-9, "{json}");
    let text = plan(&["--card", "h100"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("modelled    for an NVIDIA H100 and 16 cores"), "{text}");
    assert_eq!(plan(&["--json"]).status.code(), Some(0));
    assert_eq!(plan(&["--cores", "4"]).status.code(), Some(2), "cores are of a card's machine");
}

#[test]
fn a_fleet_plays_faster_until_something_else_is_the_bound() {
    let of = |workers: &str| -> Value {
        let set = ["--set", "run.mode=asynchronous", "--set", "workers.unit_games=4"];
        let said = plan(&[&["--json", "--workers", workers][..], &set].concat());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        serde_json::from_slice(&said.stdout).expect("one object")
    };
    let few = of("1")["fleet"].clone();
    assert_eq!((&few["workers"], &few["unit_games"]), (&1.into(), &4.into()), "{few}");
    // 40 games a cycle.
    assert_eq!(few["units"], 10);
    assert!(few["segments"].as_u64().is_some_and(|segments| segments > 0), "{few}");
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or_else(|| panic!("{key}"));
    for key in ["cycle_s", "cycles_day", "games_day", "writes_day", "reads_day", "in_bytes_day"] {
        assert!(number(&few, key) > 0.0, "{key}: {few}");
    }
    let games = number(&few, "games_day") / number(&few, "cycles_day");
    assert!((games - 40.0).abs() < 1e-6, "{few}");
    let text = plan(&["--workers", "1000"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("With 1,000 workers") && text.contains("workers.unit_games"), "{text}");
    assert_eq!(plan(&["--workers", "0"]).status.code(), Some(2));
}
