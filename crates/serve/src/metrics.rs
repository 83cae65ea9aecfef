//! The runs as Prometheus reads them (text exposition format 0.0.4).

use std::fmt::Write as _;

use crate::cards::Card;

/// The content type of [`text`].
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A family of metrics: name, type, help, and the samples of a run with their labels.
type Family = (&'static str, &'static str, &'static str, fn(&Card) -> Vec<(String, f64)>);

const FAMILIES: [Family; 16] = [
    ("run_info", "gauge", "The run with its game and state; always 1.", |card| {
        vec![(format!("{}{}", label("game", &card.game), label("state", card.state)), 1.0)]
    }),
    ("running", "gauge", "1 while a process drives the run, else 0.", |card| {
        one(if card.state == "running" { 1.0 } else { 0.0 })
    }),
    ("readable", "gauge", "1 if the run can be read, else 0.", |card| {
        one(if card.error.is_none() { 1.0 } else { 0.0 })
    }),
    ("cycles_done", "gauge", "Finished cycles.", |card| one(f64::from(card.cycles_done))),
    ("cycles_planned", "gauge", "Cycles that the configuration asks for.", |card| {
        one(f64::from(card.cycles))
    }),
    ("generation", "gauge", "Number of the champion.", |card| one(f64::from(card.generation))),
    ("games_total", "counter", "Self-play games.", |card| one(card.games as f64)),
    ("positions_total", "counter", "Recorded positions.", |card| one(card.positions as f64)),
    ("rows_trained_total", "counter", "Rows trained on.", |card| one(card.rows as f64)),
    ("ledger_records_total", "counter", "Records of the ledger.", |card| one(card.record as f64)),
    ("run_seconds_total", "counter", "Time in cycles.", |card| {
        one(card.elapsed_ms as f64 / 1_000.0)
    }),
    (
        "evaluations_per_second",
        "gauge",
        "Evaluations a second in the newest finished self-play.",
        |card| card.evaluations_per_s.into_iter().flat_map(one).collect(),
    ),
    ("elo", "gauge", "Elo of the newest rated champion.", |card| {
        card.elo.into_iter().flat_map(|[elo, _]| one(elo)).collect()
    }),
    ("elo_error95", "gauge", "Half the width of the 95 % interval of dagzero_elo.", |card| {
        card.elo.into_iter().flat_map(|[_, error]| one(error)).collect()
    }),
    (
        "loss",
        "gauge",
        "Losses of the newest candidate: nats, or the value's squared error (training.value_loss).",
        |card| {
            let Some(losses) = &card.losses else { return Vec::new() };
            let rows = [
                ("policy", "training", Some(losses.policy)),
                ("value", "training", Some(losses.value)),
                ("policy", "validation", losses.validation_policy),
                ("value", "validation", losses.validation_value),
            ];
            let sample = |(part, rows, loss): (&str, &str, Option<f64>)| {
                Some((label("part", part) + &label("rows", rows), loss?))
            };
            rows.into_iter().filter_map(sample).collect()
        },
    ),
    ("disk_bytes", "gauge", "Bytes on disk.", |card| {
        let folders = card.disk.iter();
        folders.map(|(folder, bytes)| (label("folder", folder), *bytes as f64)).collect()
    }),
];

/// All runs.
pub(crate) fn text(cards: &[Card]) -> String {
    let mut out = String::new();
    let mut family = |(name, kind, help, samples): &Family| {
        let _ = write!(out, "# HELP dagzero_{name} {help}\n# TYPE dagzero_{name} {kind}\n");
        for card in cards {
            for (labels, value) in samples(card) {
                let run = label("run", &card.id);
                let labels = (run + &labels).trim_end_matches(',').to_owned();
                let _ = writeln!(out, "dagzero_{name}{{{labels}}} {value}");
            }
        }
    };
    FAMILIES.iter().for_each(&mut family);
    family(&("alarms", "gauge", "Alarms and warnings that are not over.", |card| {
        let alarms = card.alarms_count as f64;
        let warnings = card.alarms.len() as f64 - alarms;
        vec![(label("severity", "alarm"), alarms), (label("severity", "warning"), warnings)]
    }));
    out
}

fn one(value: f64) -> Vec<(String, f64)> {
    vec![(String::new(), value)]
}

/// A label with a comma behind it.
fn label(name: &str, value: &str) -> String {
    let value = dz_text::line(value);
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{name}=\"{value}\",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_help_and_labels_are_escaped() {
        let card = Card {
            id: "a\"b\\c\nd".to_owned(),
            elo: Some([100.5, 20.0]),
            state: "running",
            ..Card::default()
        };
        let text = text(&[card]);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.starts_with("dagzero_"), "{line}");
        }
        let run = "run=\"a\\\"b\\\\c\\\\nd\"";
        assert!(text.contains(&format!("dagzero_elo{{{run}}} 100.5\n")), "{text}");
        assert!(text.contains(&format!("dagzero_running{{{run}}} 1\n")), "{text}");
        assert!(text.contains(&format!("dagzero_alarms{{{run},severity=\"alarm\"}} 0\n")));
        assert_eq!(text.matches("# TYPE ").count(), FAMILIES.len() + 1);
    }
}
