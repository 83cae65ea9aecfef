//! Every check distinguishes a healthy run from a broken one.

use std::collections::BTreeSet;

use dz_report::{
    Finding, Health, Moment, Probed, Report, Rules, RunContext, Sample, SampleView, Scatter,
    Severity, StepPoint, ValueSign,
};
use dz_store::{Entry, MatchPurpose, MatchResult, ObjectRef, PlayerName, ResignSummary, Stage};

use crate::ledger::{self, Ledger};

const RULES: Rules = Rules { resign_wrong_max: 0.05 };
const CYCLES: u32 = 12;

fn of_ledger(ledger: &Ledger) -> Report {
    Report::from_ledger(&ledger.records, RunContext::default())
}

/// The made-up run, with what is measured beside its ledger.
fn healthy() -> Report {
    measured(of_ledger(&ledger::run(CYCLES)))
}

fn measured(mut report: Report) -> Report {
    for cycle in &mut report.cycles {
        cycle.health = Some(Health {
            games: 1_200,
            duplicates: 12,
            openings: 300,
            target_entropy: 0.9,
            target_entropy_even: 1.8,
            ..Health::default()
        });
        let resign = ResignSummary { played_on: 100, wrong: 2, ..ResignSummary::default() };
        if let Some(selfplay) = &mut cycle.selfplay {
            selfplay.resign = Some(resign);
        }
    }
    report.measures.steps =
        (0..240).map(|i| point(10 * i, 0.4 + 1.5 * (-(i as f64) / 60.0).exp())).collect();
    report.measures.samples = vec![sample(&[0.5, 0.3, 0.2])];
    for (cycle, elo) in [(1, 100.0), (CYCLES, 700.0)] {
        let mut policy = report.players[0].clone();
        policy.name = format!("policy-{cycle:04}");
        (policy.generation, policy.cycle, policy.policy_cycle) = (None, None, Some(cycle));
        policy.elo = random(&report) + elo;
        report.players.push(policy);
    }
    report
}

/// A step whose excess over its targets' entropy and value loss come to this.
fn point(step: u64, excess: f64) -> StepPoint {
    let policy_entropy = 0.8;
    StepPoint {
        step,
        policy_loss: policy_entropy + 0.5 * excess,
        value_loss: 0.5 * excess,
        policy_entropy,
        clipped: Some(0.1),
    }
}

fn sample(policy: &[f64]) -> Sample {
    let policy = policy.iter().enumerate().map(|(mv, &share)| (mv.to_string(), share)).collect();
    let value = [0.5, 0.0, 0.5];
    let position = dz_play::ProbedPosition { moves: Vec::new(), value, policy };
    Sample { moves: Vec::new(), views: vec![SampleView { cycle: 1, position }] }
}

/// The champions are as strong as each other.
fn stand_still(report: &mut Report) {
    for player in report.players.iter_mut().filter(|player| player.generation.is_some()) {
        player.elo = 500.0;
    }
}

/// The Elo of random play.
fn random(report: &Report) -> f64 {
    report.players.iter().find(|player| player.name == "random").unwrap().elo
}

fn newest_champion(report: &mut Report) -> &mut dz_report::PlayerFacts {
    report.players.iter_mut().max_by_key(|player| player.generation).unwrap()
}

fn policy(report: &mut Report, cycle: u32) -> &mut dz_report::PlayerFacts {
    report.players.iter_mut().find(|player| player.policy_cycle == Some(cycle)).unwrap()
}

fn refuse(report: &mut Report, newest: usize, pairs: [u64; 5]) {
    for cycle in report.cycles.iter_mut().rev().take(newest) {
        cycle.verdict.as_mut().unwrap().accepted = false;
        if let Some(gate) = &mut cycle.gate {
            gate.result.pairs = pairs;
        }
    }
}

fn health(report: &mut Report) -> &mut Health {
    report.cycles.last_mut().unwrap().health.as_mut().unwrap()
}

type Break = fn(&mut Report);

/// What breaks each check, and how bad it is then.
const BROKEN: [(&str, Severity, Break); 25] = [
    ("target-entropy", Severity::Alarm, |r| {
        stand_still(r);
        health(r).target_entropy = 0.05;
    }),
    ("target-entropy", Severity::Warning, |r| {
        stand_still(r);
        health(r).target_entropy = 0.15;
    }),
    ("policy-entropy", Severity::Alarm, |r| {
        stand_still(r);
        r.measures.samples = vec![sample(&[0.9999, 0.000_05, 0.000_05])];
    }),
    ("duplicated-games", Severity::Alarm, |r| health(r).duplicates = 700),
    ("duplicated-games", Severity::Warning, |r| health(r).duplicates = 400),
    ("openings", Severity::Alarm, |r| health(r).openings = 1),
    ("cut-games", Severity::Alarm, |r| health(r).at_limit = 1_200),
    ("cut-games", Severity::Warning, |r| health(r).at_limit = 700),
    ("stale-data", Severity::Alarm, |r| {
        r.cycles.last_mut().unwrap().rows.as_mut().unwrap().new_rows = 0;
    }),
    ("stale-data", Severity::Warning, |r| {
        for cycle in &mut r.cycles {
            cycle.generation = Some(6 * cycle.cycle);
        }
    }),
    ("resign-false-positives", Severity::Alarm, |r| wrong(r, 20)),
    ("resign-false-positives", Severity::Warning, |r| wrong(r, 6)),
    ("overfitting", Severity::Alarm, |r| validate(r, 2.1)),
    ("overfitting", Severity::Warning, |r| validate(r, 1.6)),
    ("loss-rising", Severity::Alarm, |r| rise(r, 2.0)),
    ("loss-rising", Severity::Warning, |r| rise(r, 0.8)),
    ("clipping", Severity::Warning, |r| {
        r.measures.steps.iter_mut().for_each(|step| step.clipped = Some(1.0));
    }),
    ("gate-stuck", Severity::Warning, |r| refuse(r, 6, [10, 0, 30, 0, 10])),
    ("gate-stuck", Severity::Alarm, |r| refuse(r, 6, [30, 0, 20, 0, 0])),
    ("repeated-gate-games", Severity::Alarm, |r| {
        r.cycles.last_mut().unwrap().gate.as_mut().unwrap().result.duplicates = 60;
    }),
    ("no-better-than-random", Severity::Alarm, |r| newest_champion(r).elo = random(r) - 200.0),
    ("forgetting", Severity::Alarm, |r| newest_champion(r).elo -= 400.0),
    ("raw-policy", Severity::Alarm, |r| policy(r, CYCLES).elo = random(r) + 50.0),
    ("search-gain", Severity::Warning, |r| policy(r, CYCLES).elo = newest_champion(r).elo + 20.0),
    ("search-gain", Severity::Alarm, |r| policy(r, CYCLES).elo = newest_champion(r).elo + 900.0),
];

fn wrong(report: &mut Report, games: u64) {
    for cycle in &mut report.cycles {
        cycle.selfplay.as_mut().unwrap().resign.as_mut().unwrap().wrong = games;
    }
}

/// The newest three cycles' value loss on validation rows is so many times that on training rows.
fn validate(report: &mut Report, times: f64) {
    for losses in report.cycles.iter_mut().rev().take(3).filter_map(|cycle| cycle.losses.as_mut()) {
        losses.validation_value = Some(times * losses.value);
    }
}

fn rise(report: &mut Report, excess: f64) {
    for step in &mut report.measures.steps[170..] {
        *step = point(step.step, excess);
    }
}

fn severity(findings: &[Finding], id: &str) -> Severity {
    let found = findings.iter().find(|finding| finding.id == id);
    found.unwrap_or_else(|| panic!("no finding {id}")).severity
}

#[test]
fn a_healthy_run_is_fine_and_everything_is_judged() {
    for finding in healthy().judge(&RULES) {
        assert_eq!(finding.severity, Severity::Fine, "{finding:?}");
        assert!(!finding.figures.is_empty() && finding.figures.values().all(|f| f.is_finite()));
        assert!(finding.says.ends_with('.') && finding.advice.ends_with('.'), "{finding:?}");
        assert!(!finding.threshold.is_empty());
    }
}

#[test]
fn each_check_finds_the_run_that_it_is_for() {
    for (id, wanted, break_it) in BROKEN {
        let mut report = healthy();
        break_it(&mut report);
        let findings = report.judge(&RULES);
        let found: Vec<_> = findings.iter().filter(|f| f.id == id).collect();
        assert_eq!(severity(&findings, id), wanted, "{found:?}");
        assert!(findings.is_sorted_by_key(|finding| finding.severity));
    }
    let broken: BTreeSet<&str> = BROKEN.iter().map(|&(id, ..)| id).collect();
    let all: BTreeSet<&str> = healthy().judge(&RULES).iter().map(|finding| finding.id).collect();
    assert_eq!(broken, all, "each check has a broken run");
}

#[test]
fn without_data_nothing_is_judged() {
    let mut ledger = Ledger::default();
    for finding in of_ledger(ledger.start()).judge(&RULES) {
        assert_eq!(finding.severity, Severity::Unjudged, "{finding:?}");
    }
}

/// Rollout searches may be sure of their moves: that is no network's doing.
#[test]
fn games_without_a_network_do_not_collapse() {
    let mut report = measured(of_ledger(&ledger::run(1)));
    assert_eq!(report.cycles.last().unwrap().generation, Some(0));
    health(&mut report).target_entropy = 0.01;
    assert_eq!(severity(&report.judge(&RULES), "target-entropy"), Severity::Unjudged);
}

/// A policy that is known to be right may be sure of itself and stand still.
#[test]
fn a_small_game_that_is_learned_is_no_alarm() {
    let mut report = healthy();
    stand_still(&mut report);
    health(&mut report).target_entropy = 0.05;
    policy(&mut report, CYCLES).elo = 50.0;
    let line: dz_play::TruthLine = serde_json::from_str(
        r#"{"cycle":12,"truth_playouts":0,"positions":120,"preserving":119,"nontrivial":50,"nontrivial_preserving":49,"by_ply":[]}"#,
    )
    .unwrap();
    report.measures.truth = vec![line];
    let findings = report.judge(&RULES);
    for id in ["target-entropy", "raw-policy"] {
        assert_eq!(severity(&findings, id), Severity::Fine);
    }
}

/// Policies that beat their opponents nearly always give little information about each other.
#[test]
fn a_policy_of_which_little_is_known_is_not_judged() {
    let mut report = healthy();
    let mut judged = |elo: f64, error95: f64| {
        policy(&mut report, CYCLES).elo = random(&report) + elo;
        for cycle in [1, CYCLES] {
            policy(&mut report, cycle).error95 = error95;
        }
        severity(&report.judge(&RULES), "raw-policy")
    };
    assert_eq!(judged(50.0, 150.0), Severity::Alarm);
    assert_eq!(judged(50.0, 300.0), Severity::Unjudged);
    assert_eq!(judged(400.0, 300.0), Severity::Unjudged);
    assert_eq!(judged(700.0, 300.0), Severity::Fine, "so far above the first that it is sure");
    assert_eq!(judged(-500.0, 300.0), Severity::Alarm, "so far below the first that it is sure");
}

/// The best of many ratings is high by chance: what would be a warning with one earlier champion is
/// none with eleven.
#[test]
fn the_best_of_many_may_be_above_by_luck() {
    let judged = |errors: f64| {
        let mut report = of_ledger(&ledger::run(CYCLES));
        let newest = newest_champion(&mut report).clone();
        let find = |report: &Report| {
            let findings = report.judge(&RULES);
            findings.into_iter().find(|finding| finding.id == "forgetting").unwrap()
        };
        // Whoever is best, the errors of differences between champions are alike here.
        let error = find(&report).figures["error95"];
        for player in report.players.iter_mut().filter(|player| player.generation.is_some()) {
            let best = player.cycle == Some(CYCLES - 1);
            player.elo = newest.elo + if best { errors * error } else { 0.0 };
        }
        find(&report).severity
    };
    // Standard errors are half of these; of eleven, one is 2.2 of them above another in one of six
    // cases, 3.1 in one of ninety.
    for (errors, severity) in
        [(1.1, Severity::Fine), (1.6, Severity::Warning), (2.2, Severity::Alarm)]
    {
        assert_eq!(judged(errors), severity, "{errors}");
    }
}

/// By games alone, without ratings: the newest champion loses to the one before.
#[test]
fn lost_matches_are_forgetting() {
    let mut ledger = ledger::run(CYCLES);
    let result = MatchResult {
        games: 400,
        wins: 20,
        losses: 380,
        pairs: [190, 0, 0, 0, 10],
        by_first: [[10, 0, 190], [190, 0, 10]],
        ..MatchResult::default()
    };
    let [a, b] = [CYCLES, CYCLES - 1].map(PlayerName::network);
    let games = ObjectRef::of("matches/x", b"");
    let (cycle, purpose) = (CYCLES + 1, MatchPurpose::Rating);
    ledger.push(Stage::Gatekeeper, Entry::Match { cycle, purpose, a, b, result, games });
    let mut report = of_ledger(&ledger);
    // The one before is the strongest of the earlier.
    let before = report.players.iter_mut().find(|p| p.cycle == Some(CYCLES - 1)).unwrap();
    before.elo = 2_000.0;
    let newest = newest_champion(&mut report);
    newest.elo = 2_000.0;
    let findings = report.judge(&RULES);
    let found = findings.iter().find(|finding| finding.id == "forgetting").unwrap();
    assert_eq!(found.severity, Severity::Alarm);
    assert!(found.says.contains("against the earlier network-0011"), "{}", found.says);
}

/// A network that learned: answers nearly alike through four views, values with the outcome's sign.
fn probed() -> Probed {
    let mut probed = Probed {
        symmetries: 4,
        policy: Scatter { within: 2.0, whole: 40.0, views: 200 },
        value: Scatter { within: 3.0, whole: 50.0, views: 200 },
        entropy_share: Some(0.4),
        last_plies: [ValueSign { positions: 40, right: 38 }; 2],
        outcomes: [Moment::default(); 2],
    };
    for moment in &mut probed.outcomes {
        *moment = correlated(1.0);
    }
    probed
}

/// Values that follow the outcome with noise, times `sign`.
fn correlated(sign: f64) -> Moment {
    let mut moment = Moment::default();
    for game in 0..200_u32 {
        let outcome = if game % 2 == 0 { 1.0 } else { -1.0 };
        let noise = f64::from(game.wrapping_mul(2_654_435_761) >> 24) / 128.0 - 1.0;
        moment.add(sign * 0.3 * outcome + noise, outcome);
    }
    moment
}

#[test]
fn networks_with_wrong_answers_are_distinguished_from_one_that_learned() {
    let report = healthy();
    for finding in probed().judge(&report) {
        assert_eq!(finding.severity, Severity::Fine, "{finding:?}");
    }
    let broken = |change: fn(&mut Probed), id: &str| {
        let mut probed = probed();
        change(&mut probed);
        severity(&probed.judge(&report), id)
    };
    // Each view has an answer of its own.
    assert_eq!(broken(|p| p.policy.within = 30.0, "symmetry"), Severity::Alarm);
    assert_eq!(broken(|p| p.value.within = 20.0, "symmetry"), Severity::Warning);
    // What differs is too little to judge by.
    let unlearned = |p: &mut Probed| (p.entropy_share, p.policy.within) = (Some(0.95), 30.0);
    assert_eq!(broken(unlearned, "symmetry"), Severity::Fine);
    assert_eq!(broken(|p| p.last_plies[1].right = 3, "value-sign"), Severity::Alarm);
    assert_eq!(broken(|p| p.last_plies[0].right = 19, "value-sign"), Severity::Warning);
    // The second player's values are the first player's.
    assert_eq!(broken(|p| p.outcomes[1] = correlated(-1.0), "value-outcome"), Severity::Alarm);
    assert_eq!(broken(|p| p.outcomes[1] = correlated(0.0), "value-outcome"), Severity::Warning);
    let sure = |p: &mut Probed| p.entropy_share = Some(0.001);
    let mut probed = probed();
    sure(&mut probed);
    let mut still = healthy();
    stand_still(&mut still);
    assert_eq!(severity(&probed.judge(&still), "policy-entropy"), Severity::Alarm);
    let nothing = Probed { symmetries: 4, ..Probed::default() };
    for finding in nothing.judge(&report) {
        assert_eq!(finding.severity, Severity::Unjudged, "{finding:?}");
    }
}

#[test]
fn the_page_shows_alarms_at_its_top_and_every_check() {
    let mut report = healthy();
    health(&mut report).duplicates = 700;
    report.findings = report.judge(&RULES);
    let html = report.to_html().unwrap();
    let top = html.find("<b>ALARM</b> duplicated-games").expect("the alarm");
    assert!(top < html.find("<h2 id=\"ratings\">").unwrap());
    assert!(html.contains("<h2 id=\"checks\">") && html.contains("gate-stuck"));
    let json: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
    assert_eq!(json["findings"][0]["id"], "duplicated-games");
    assert_eq!(json["findings"][0]["severity"], "alarm");
}
