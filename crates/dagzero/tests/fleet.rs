//! A run whose games are played by workers: the bytes of a run without any, whoever is killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::fleet::{
    Fleet, PATIENCE, Process, alone, alone_with, differences, published, start_run, wait,
};
use crate::common::program::{command, dagzero, text};
use dz_fleet::{
    BOARD, Board, MATCHES, MatchesPlan, Offer, Plan, PlanObject, UnitKind, UnitName, UnitSet,
    home_path, plan_path, unit_name,
};
use dz_store::Mailbox;
use dz_testkit::preset;

#[test]
fn workers_play_the_bytes_that_one_machine_plays() {
    let whole = alone();
    assert!(whole.keys().filter(|name| name.starts_with("shards/")).count() >= 5, "{whole:?}");
    for (workers, home_plays) in [(1, false), (3, false), (2, true)] {
        let fleet = Fleet::new();
        let mut run = start_run(&fleet.dir(), &fleet.set(home_plays));
        let mut all: Vec<Process> = (0..workers).map(|_| fleet.worker()).collect();
        assert_eq!(wait(&mut run), 0, "{workers} workers");
        for worker in &mut all {
            assert_eq!(wait(worker), 0, "the run is finished");
        }
        let found = differences(&whole, &published(&fleet.dir()));
        assert_eq!(found, Vec::<String>::new(), "{workers} workers, home plays: {home_plays}");
        for folder in ["inbox", "claims", "refused"] {
            assert_eq!(fleet.left(folder), Vec::<String>::new());
            assert_eq!(fleet.left(&format!("{MATCHES}/{folder}")), Vec::<String>::new());
        }
        // The newest plan stays. Each cycle has a gate match, rating matches and a final match.
        assert_eq!(fleet.left("matches/plan").len(), 1);
        let dir = fleet.dir().display().to_string();
        let verified = dagzero(&["verify", &dir]);
        assert!(verified.status.success(), "{}", text(&verified.stdout));
    }
}

#[test]
fn workers_and_home_are_killed_and_the_bytes_stay() {
    let whole = alone();
    let fleet = Fleet::new();
    let mut run = start_run(&fleet.dir(), &fleet.set(false));
    let mut workers: Vec<Process> = (0..2).map(|_| fleet.worker()).collect();
    let mut kills = 0;
    let begun = Instant::now();
    while run.0.try_wait().expect("it can be waited for").is_none() {
        assert!(begun.elapsed() < PATIENCE, "it hangs");
        // Workers live for moments of different length; every few of them the home dies, too.
        thread::sleep(Duration::from_millis(100 + 80 * (kills % 7)));
        if kills < 24 {
            let victim = (kills % 2) as usize;
            workers[victim] = fleet.worker();
            kills += 1;
            if kills % 8 == 0 {
                run = start_again(&fleet, run);
            }
        }
    }
    // A busy machine starts workers slowly, and the run may end meanwhile.
    assert!(kills >= 2, "{kills} kills");
    assert_eq!(wait(&mut run), 0);
    assert_eq!(differences(&whole, &published(&fleet.dir())), Vec::<String>::new());
    let dir = fleet.dir().display().to_string();
    let verified = dagzero(&["verify", &dir]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
}

/// Settings of a run whose matches are long and end early.
const MATCHES_MATTER: [&str; 6] = [
    "gate.rule=score",
    "gate.score_min=0.3",
    "gate.games=60",
    "gate.playouts=24",
    "rating.games=20",
    "rating.time_share=1.0",
];

#[test]
fn workers_and_home_are_killed_at_matches_that_end_early_and_the_bytes_stay() {
    let set = MATCHES_MATTER.map(str::to_owned).to_vec();
    let whole = alone_with(&set);
    let games = |name: &str| {
        let text = whole.get(name).unwrap_or_else(|| panic!("{name}: {:?}", whole.keys()));
        String::from_utf8_lossy(text).lines().count() - 1
    };
    let gates = whole.keys().filter(|name| name.contains("-gate-"));
    let early: Vec<usize> = gates.map(|name| games(name)).filter(|&games| games < 60).collect();
    assert!(!early.is_empty(), "no gate match ends early");
    for kills_max in [0, 16] {
        let fleet = Fleet::new();
        let with_mailbox = [fleet.set(false), set.clone()].concat();
        let mut run = start_run(&fleet.dir(), &with_mailbox);
        let mut workers: Vec<Process> = (0..2).map(|_| fleet.worker()).collect();
        let mut kills = 0;
        let begun = Instant::now();
        while run.0.try_wait().expect("it can be waited for").is_none() {
            assert!(begun.elapsed() < PATIENCE, "it hangs");
            thread::sleep(Duration::from_millis(150 + 70 * (kills % 5)));
            if kills < kills_max {
                workers[(kills % 2) as usize] = fleet.worker();
                kills += 1;
                if kills % 4 == 0 {
                    run = start_again(&fleet, run);
                }
            }
        }
        assert_eq!(wait(&mut run), 0);
        let found = differences(&whole, &published(&fleet.dir()));
        assert_eq!(found, Vec::<String>::new(), "{kills} kills");
    }
}

#[test]
fn side_by_side_a_run_shows_a_board_of_games_and_one_of_matches() {
    let fleet = Fleet::new();
    let mut set = fleet.set(true);
    set.extend(["run.mode=asynchronous", "run.cycles=3"].map(str::to_owned));
    let mut run = start_run(&fleet.dir(), &set);
    let mut workers: Vec<Process> = (0..2).map(|_| fleet.worker()).collect();
    assert_eq!(wait(&mut run), 0);
    for worker in &mut workers {
        assert_eq!(wait(worker), 0, "the run is finished");
    }
    assert_eq!(fleet.left("matches/plan").len(), 1);
    let dir = fleet.dir().display().to_string();
    let verified = dagzero(&["verify", &dir]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
}

/// The newest plan of matches, as long as it is offered.
fn offered_matches(mailbox: &Mailbox) -> Option<MatchesPlan> {
    let board = Board::read(&mailbox.get(BOARD, 1 << 20).ok()??).ok()?;
    let path = plan_path(board.offer?.plan);
    MatchesPlan::read(&path, &mailbox.get(&path, 1 << 20).ok()??).ok()
}

#[test]
fn forged_segments_are_refused_and_the_bytes_stay() {
    let whole = alone();
    let fleet = Fleet::new();
    let mut run = start_run(&fleet.dir(), &fleet.set(false));
    let mut worker = fleet.worker();
    wait_for_board(&fleet);
    let mailbox = Mailbox::open(&fleet.mailbox).unwrap().below(MATCHES).unwrap();
    let begun = Instant::now();
    let mut forged = 0;
    let mut rounds: BTreeMap<u64, u32> = BTreeMap::new();
    while run.0.try_wait().expect("it can be waited for").is_none() {
        if begun.elapsed() > PATIENCE {
            let ended = worker.0.try_wait();
            panic!("it hangs; the worker: {ended:?}; {}", state_of(&fleet, &mailbox));
        }
        // A few rounds for each plan: an endless flood would only measure who writes faster.
        let offered = offered_matches(&mailbox);
        let Some(plan) = offered.filter(|plan| rounds.get(&plan.number).is_none_or(|&n| n < 3))
        else {
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        *rounds.entry(plan.number).or_default() += 1;
        for unit in 0..plan.units() {
            let bytes = format!("{{\"kind\":\"segment\",\"forged\":{forged}}}\n").into_bytes();
            let right = UnitName::of(UnitKind::Match, plan.number, unit, &bytes);
            // The name holds the hash of other bytes.
            let wrong = UnitName::of(UnitKind::Match, plan.number, unit, b"others");
            for name in [right, wrong] {
                mailbox.replace(&name.path(), &bytes).unwrap();
                forged += 1;
            }
        }
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(wait(&mut run), 0);
    let refused = mailbox.list("refused").unwrap().len();
    assert!(forged > 0 && refused > 0, "{refused} of {forged} were refused");
    assert_eq!(differences(&whole, &published(&fleet.dir())), Vec::<String>::new());
}

/// What a hanging run and its mailbox have, to see why.
fn state_of(fleet: &Fleet, mailbox: &Mailbox) -> String {
    let mut said = Vec::new();
    let games = Mailbox::open(&fleet.mailbox).unwrap();
    for (name, part) in [("matches", mailbox), ("games", &games)] {
        let board = part.get(BOARD, 1 << 20).unwrap();
        let board = board.map(|bytes| text(&bytes)).unwrap_or_default();
        said.push(format!("{name}: board {board}"));
        for folder in ["plan", "inbox", "claims"] {
            let paths = part.list(folder).unwrap().into_iter().map(|found| found.path);
            said.push(format!("  {folder}: {:?}", paths.collect::<Vec<_>>()));
        }
    }
    for stage in ["driver", "selfplay", "gatekeeper"] {
        let log = fs::read_to_string(fleet.dir().join(format!("logs/{stage}.log")));
        let lines = log.unwrap_or_default();
        let last: Vec<&str> = lines.lines().rev().take(15).collect();
        said.push(format!("{stage}: {last:#?}"));
    }
    said.join("\n")
}

/// Kills the home and resumes the run.
fn start_again(fleet: &Fleet, run: Process) -> Process {
    drop(run);
    let dir = fleet.dir().display().to_string();
    Process::start(&mut command(&["resume", &dir]))
}

/// Waits until the home of a fleet shows its board.
fn wait_for_board(fleet: &Fleet) -> Mailbox {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < PATIENCE, "no board");
        if let Ok(mailbox) = Mailbox::open(&fleet.mailbox)
            && mailbox.get(BOARD, 1 << 20).unwrap().is_some()
        {
            return mailbox;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_mailbox_has_one_home_and_one_run() {
    let fleet = Fleet::new();
    let mut run = start_run(&fleet.dir(), &fleet.set(false));
    let mailbox = wait_for_board(&fleet);
    // Another run may not use it.
    let other = fleet.folder.path().join("other");
    assert_eq!(wait(&mut start_run(&other, &fleet.set(false))), 78);
    // A copy of this run that begins elsewhere is its home from then on.
    mailbox.replace(&home_path(999), b"another home").unwrap();
    assert_eq!(wait(&mut run), 78);
}

/// A mailbox with one plan that a worker would play.
fn mailbox_with(folder: &Path, change: impl Fn(&mut Plan)) -> Mailbox {
    let config = dz_config::RunConfig::load(&preset("tictactoe-smoke"), &[], &|_| Vec::new())
        .unwrap()
        .config;
    let version = text(&dagzero(&["--version"]).stdout);
    let version = version.trim().strip_prefix("dagzero ").expect("a version").to_owned();
    let mut plan = Plan {
        format: Plan::FORMAT,
        number: 1,
        version,
        config: config.to_toml(),
        results_hash: config.results_hash(),
        header_hash: config.results_hash(),
        cycle: 1,
        generation: 0,
        network: None,
        network_name: String::new(),
        evaluator: String::new(),
        evaluators: dz_fleet::EvaluatorRule::Same,
        first_game: 0,
        games: 16,
        games_per_shard: 16,
        unit_games: 4,
        resign: None,
        past: None,
    };
    // What plays without a network has the same name as evaluator and as network.
    let name = match config.bootstrap.evaluator {
        dz_config::BootstrapEvaluator::Uniform => "uniform".to_owned(),
        dz_config::BootstrapEvaluator::Rollout => "rollout".to_owned(),
    };
    (plan.network_name, plan.evaluator) = (name.clone(), name);
    change(&mut plan);
    let mailbox = Mailbox::make(&folder.join("mailbox").display().to_string()).unwrap();
    mailbox.replace(&plan_path(1), &plan.to_bytes()).unwrap();
    let offer = Offer { plan: 1, open: UnitSet::of(0..4), ..Offer::default() };
    let board = Board { offer: Some(offer), units_missing: 4, ..Board::empty(0) };
    mailbox.replace(BOARD, &board.to_bytes()).unwrap();
    mailbox
}

#[test]
fn a_worker_that_would_play_other_games_is_refused_and_hands_in_nothing() {
    type Change = fn(&mut Plan);
    let skews: [(&str, Change); 4] = [
        ("version", |plan| plan.version.push('x')),
        ("hash", |plan| plan.results_hash = "0".repeat(64)),
        ("configuration", |plan| plan.config.push_str("\n[later]\nkey = 1\n")),
        ("evaluator", |plan| plan.evaluator.push('x')),
    ];
    for (word, change) in skews {
        let folder = tempfile::tempdir().unwrap();
        let mailbox = mailbox_with(folder.path(), change);
        let done = dagzero(&["worker", mailbox.address(), "--once", "--patience", "5"]);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(78), "{word}: {said}");
        assert!(said.contains(word) && said.lines().count() == 1, "{word}: {said}");
        for folder in ["inbox", "claims"] {
            assert_eq!(mailbox.list(folder).unwrap(), vec![], "{word}");
        }
    }
    // The same plan without a change is played.
    let folder = tempfile::tempdir().unwrap();
    let mailbox = mailbox_with(folder.path(), |_| {});
    let done = dagzero(&["worker", mailbox.address(), "--units", "1..3", "--once"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let listed = mailbox.list("inbox").unwrap();
    let units = listed.iter().filter(|found| unit_name(1, &found.path).is_some()).count();
    assert_eq!((units, mailbox.list("claims").unwrap().len()), (2, 0), "without claims");
}

#[test]
fn a_worker_without_anything_to_play_says_so_and_may_be_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere").display().to_string();
    let done = dagzero(&["worker", &nowhere, "--patience", "0.2"]);
    assert_eq!(done.status.code(), Some(75), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("is not there"), "{}", text(&done.stderr));
    let done = dagzero(&["worker", "ftp://a/b"]);
    assert_eq!(done.status.code(), Some(78), "{}", text(&done.stderr));
    #[cfg(not(feature = "cloud"))]
    {
        let done = dagzero(&["worker", "s3://bucket/prefix"]);
        assert_eq!(done.status.code(), Some(78));
        assert!(text(&done.stderr).contains("--features cloud"), "{}", text(&done.stderr));
    }
}

#[test]
fn a_folder_is_proved_to_be_a_mailbox() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store").display().to_string();
    let done = dagzero(&["doctor", "--store", &store, "--json"]);
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(done.status.success(), "{said}");
    assert_eq!((&said["one_winner"], &said["serves_two_homes"]), (&50.into(), &true.into()));
    assert_eq!(Mailbox::open(&store).unwrap().list("doctor").unwrap(), vec![], "cleaned up");
}
