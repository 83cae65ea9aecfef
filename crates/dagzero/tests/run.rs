//! The whole loop as a person starts it: real processes, real signals, real bytes.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Child, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::files::files;
use crate::common::program::{command, dagzero, smoke_preset, text};

/// `dagzero run` of the tic-tac-toe preset in `dir`.
fn run_args<'a>(config: &'a str, dir: &'a str, set: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", config, "--dir", dir];
    for pair in set {
        args.extend(["--set", pair]);
    }
    args
}

/// Every published object, by path: all that must not depend on threads, kills and clocks. Of the
/// checkpoints only the last one: a stage that is asked to stop publishes one more.
fn objects(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = files(dir, &["shards", "rows", "networks", "matches"]);
    found.extend(files(dir, &["checkpoints"]).pop_last());
    found
}

fn assert_same(left: &BTreeMap<String, Vec<u8>>, right: &BTreeMap<String, Vec<u8>>) {
    let names = |map: &BTreeMap<String, Vec<u8>>| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(left), names(right));
    let differ: Vec<&String> = left.keys().filter(|name| left[*name] != right[*name]).collect();
    assert!(differ.is_empty(), "other bytes in {differ:?}");
}

struct Scratch {
    folder: tempfile::TempDir,
    config: String,
}

impl Scratch {
    fn new() -> Self {
        let config = smoke_preset();
        Self { folder: tempfile::tempdir().expect("a folder"), config }
    }
    fn dir(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
    fn run(&self, name: &str, set: &[&str]) -> Output {
        dagzero(&run_args(&self.config, &self.dir(name), set))
    }
    fn start(&self, name: &str) -> Child {
        let mut command = command(&run_args(&self.config, &self.dir(name), &[]));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("dagzero starts")
    }
}

#[test]
fn the_loop_ends_with_a_verdict_and_a_report_and_is_then_finished() {
    let scratch = Scratch::new();
    let first = scratch.run("run", &[]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let said = text(&first.stdout);
    let dir = scratch.dir("run");
    assert!(said.starts_with(&format!("run     {dir}\nreport  {dir}/report.html\n")), "{said}");
    let verdict = "After 3 cycles of the loop";
    assert!(said.contains(verdict), "{said}");
    // The last screen begins with the score of the final match.
    let screen = said.rsplit_once("\n\nThe champion ").map(|(_, screen)| screen);
    assert!(screen.is_some_and(|screen| screen.contains("from 40 games)")), "{said}");
    let page = fs::read_to_string(Path::new(&dir).join("report.html")).expect("the report");
    assert!(page.contains("<svg") && page.contains(verdict));

    let before = objects(Path::new(&dir));
    let again = scratch.run("run", &[]);
    assert!(again.status.success() && text(&again.stdout).contains(verdict));
    assert_same(&before, &objects(Path::new(&dir)));

    let status = dagzero(&["status", &dir, "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert_eq!(status["cycles_done"], 3);
    assert_eq!(status["turn"]["turn"], "finished");
    assert_eq!(status["final_match"]["games"], 40);
    assert_eq!(status["ratings"][0]["player"], status["final_match"]["champion"]);
    let shard = before.keys().find(|name| name.starts_with("shards/")).expect("a shard");
    let shown = dagzero(&["shard", &format!("{dir}/{shard}"), "--json"]);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    export_has_every_game(&dir, &status);
    rate_says_what_the_report_says(&dir);
    every_process_kept_a_log(Path::new(&dir));
    let report = dagzero(&["report", &dir, "--markdown"]);
    assert!(report.status.success() && text(&report.stdout).contains("| cycle |"));
}

/// `rate RUN` and the report fit the same games by the same model.
fn rate_says_what_the_report_says(dir: &str) {
    let object = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&dagzero(args).stdout).expect("JSON")
    };
    let rated = object(&["rate", dir, "--json"]);
    let status = object(&["status", dir, "--all", "--json"]);
    let wanted = status["ratings"].as_array().expect("a list");
    assert!(wanted.len() > 3, "{status}");
    for row in wanted {
        let found = rated["ratings"].as_array().expect("a list");
        let found = found.iter().find(|found| found["player"] == row["player"]);
        let found = found.unwrap_or_else(|| panic!("{row} in {rated}"));
        for key in ["elo", "error95"] {
            let [one, other] = [found, row].map(|row| row[key].as_f64().expect("a number"));
            assert!((one - other).abs() < 0.01, "{key}: {found} {row}");
        }
        assert_eq!(found["games"], row["games"], "{found} {row}");
    }
}

/// Each line says of which run, stage and generation it is.
fn every_process_kept_a_log(dir: &Path) {
    for stage in ["driver", "selfplay", "shuffler", "trainer", "gatekeeper"] {
        let log = fs::read_to_string(dir.join(format!("logs/{stage}.log"))).expect("a log");
        assert!(log.contains(&format!(" run=run stage={stage} generation=")), "{log}");
        assert!(log.lines().all(|line| line.contains(" run=run stage=")), "{log}");
        assert!(stage == "driver" || log.contains(" cycle 3: "), "{log}");
    }
}

/// Self-play games by generation and match games are records that the rules accept.
fn export_has_every_game(dir: &str, status: &serde_json::Value) {
    let read = |args: &[&str]| {
        let written = dagzero(&[&["export", dir], args].concat());
        assert!(written.status.success(), "{}", text(&written.stderr));
        dz_record::read(&text(&written.stdout)).expect("records")
    };
    let all = read(&["--comments"]);
    assert_eq!(Some(all.len() as u64), status["games"].as_u64());
    let game = dz_game::games::TicTacToe;
    for sheet in &all {
        let played = sheet.play(&game).expect("a legal game");
        assert_eq!((played.stated, played.moves_after_end), (played.record.score(&game), 0));
        assert!(
            sheet.moves.last().expect("moves").comment.as_ref().expect("said").contains("visits")
        );
    }
    let first = read(&["--generation", "0", "--limit", "5"]);
    assert_eq!(first.len(), 5);
    assert_eq!(first[0].header.round.as_deref(), Some("0"));
    assert!(!read(&["--matches", "--limit", "3"]).is_empty());
}

#[test]
fn a_run_ends_when_its_hours_are_spent_and_goes_on_when_it_gets_more() {
    let scratch = Scratch::new();
    let dir = scratch.dir("run");
    let status = || -> serde_json::Value {
        let said = dagzero(&["status", &dir, "--json"]);
        serde_json::from_slice(&said.stdout).expect("JSON")
    };
    // Not even one cycle fits: the first is played to its end.
    let first = scratch.run("run", &["run.hours_max=1e-6", "run.cycles=5"]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let said = text(&first.stdout);
    assert!(
        said.contains("as many cycles as fit into") && said.contains("After 1 cycle "),
        "{said}"
    );
    let of = |status: &serde_json::Value| (status["cycles_done"].clone(), status["cycles"].clone());
    assert_eq!(of(&status()), (1.into(), 1.into()));
    let before = objects(Path::new(&dir));
    assert!(dagzero(&["resume", &dir]).status.success());
    assert_same(&before, &objects(Path::new(&dir)));
    // Five fit into an hour.
    let more = dagzero(&["resume", &dir, "--set", "run.hours_max=1"]);
    assert!(more.status.success(), "{}", text(&more.stderr));
    assert!(text(&more.stdout).contains("After 5 cycles "), "{}", text(&more.stdout));
    assert_eq!(of(&status()), (5.into(), 5.into()));
    let verified = dagzero(&["verify", &dir]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
}

#[test]
fn games_are_replayed_with_the_playouts_of_the_cycles_that_fit() {
    let scratch = Scratch::new();
    let dir = scratch.dir("run");
    let grows = ["selfplay.playouts_start=2", "selfplay.full_share=1.0"];
    let begun = Instant::now();
    let first = scratch.run("run", &[grows[0], grows[1], "run.cycles=3"]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    // Some cycles more fit, by far not all.
    let hours = format!("run.hours_max={}", 1.5 * begun.elapsed().as_secs_f64() / 3600.0);
    let more = dagzero(&["resume", &dir, "--set", &hours, "--set", "run.cycles=1000"]);
    assert!(more.status.success(), "{}", text(&more.stderr));
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&dagzero(args).stdout).expect("JSON")
    };
    let status = json(&["status", &dir, "--json"]);
    let cycles = status["cycles"].as_u64().expect("a number");
    assert!((4..500).contains(&cycles), "{status}");
    // Numbers of games have gaps, so the last one is looked up.
    let games = text(&dagzero(&["export", &dir, "--format", "json"]).stdout);
    let last = games.lines().next_back().expect("a game");
    let last: serde_json::Value = serde_json::from_str(last).expect("JSON");
    let number = last["round"].as_str().expect("its number");
    let replayed = json(&["replay", &dir, "--game", number, "--json"]);
    assert_eq!((&replayed["exact"], &replayed["share_equal"]), (&true.into(), &1.0.into()));
    assert_eq!(replayed["differences"], serde_json::json!([]));
}

#[test]
fn side_by_side_cycles_that_were_begun_end_when_the_hours_are_spent() {
    let scratch = Scratch::new();
    let set = ["run.hours_max=1e-6", "run.cycles=5", "run.mode=asynchronous"];
    let said = scratch.run("run", &set);
    assert!(said.status.success(), "{}", text(&said.stderr));
    assert!(text(&said.stdout).contains("After 2 cycles "), "{}", text(&said.stdout));
    let verified = dagzero(&["verify", &scratch.dir("run")]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
}

#[test]
fn same_seed_same_bytes_for_any_threads_and_after_any_kills() {
    let scratch = Scratch::new();
    assert!(scratch.run("whole", &["run.threads=1"]).status.success());
    let whole = objects(Path::new(&scratch.dir("whole")));
    assert!(whole.len() > 10, "{:?}", whole.keys());
    // Kills after growing times hit every stage somewhere; which, depends on the machine's speed.
    for kill in 1..=12u64 {
        let mut child = scratch.start("killed");
        thread::sleep(Duration::from_millis(25 * kill));
        child.kill().expect("a signal");
        child.wait().expect("an end");
    }
    let last = scratch.run("killed", &["run.threads=2"]);
    assert!(last.status.success(), "{}", text(&last.stderr));
    assert_same(&whole, &objects(Path::new(&scratch.dir("killed"))));
    let other = scratch.run("other", &["run.seed=2"]);
    assert!(other.status.success());
    assert_ne!(whole, objects(Path::new(&scratch.dir("other"))), "the seed matters");
}

#[test]
fn a_bad_configuration_names_every_fault_and_writes_nothing() {
    let scratch = Scratch::new();
    let set = [
        "run.game=go8",
        "run.device=cuda:99",
        "selfplay.devices=[\"cuda:98\", \"cuda:97\"]",
        "selfplay.gamse=3",
        "training.batch=0",
        "gate.games=7",
    ];
    let refused = scratch.run("bad", &set);
    assert_eq!(refused.status.code(), Some(78));
    assert!(refused.stdout.is_empty());
    let said = text(&refused.stderr);
    for word in [
        "run.game",
        "tictactoe",
        "cuda:99",
        "selfplay.devices",
        "gamse",
        "training.batch",
        "gate.games",
    ] {
        assert!(said.contains(word), "'{word}' is missing in\n{said}");
    }
    assert!(!Path::new(&scratch.dir("bad")).exists());
}

#[test]
fn a_resume_says_what_changed_and_refuses_what_may_not_change() {
    let scratch = Scratch::new();
    assert!(scratch.run("run", &[]).status.success());
    let refused = scratch.run("run", &["run.seed=9"]);
    assert_eq!(refused.status.code(), Some(78), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("run.seed"));
    let longer = scratch.run("run", &["run.cycles=4"]);
    assert!(longer.status.success(), "{}", text(&longer.stderr));
    let said = text(&longer.stdout);
    assert!(said.contains("changed run.cycles") && said.contains("After 4 cycles"), "{said}");
    let resumed = dagzero(&["resume", &scratch.dir("run")]);
    assert!(text(&resumed.stdout).contains("After 4 cycles"));
}

#[test]
fn a_run_from_a_box_with_a_card_goes_on_without_one() {
    let scratch = Scratch::new();
    let dir = scratch.dir("run");
    let made = dagzero(&["init", &scratch.config, "--dir", &dir, "--set", "run.cycles=1"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    // As it lies there when it was made with 64 cards; this machine does not have as many.
    let path = Path::new(&dir).join("config.toml");
    let auto = fs::read_to_string(&path).expect("text");
    let cards = auto.replace("device = \"auto\"", "device = \"cuda:63\"");
    assert_ne!(cards, auto);
    fs::write(&path, cards).expect("written");
    assert!(dagzero(&["status", &dir]).status.success(), "reading a run takes no card");
    let refused = dagzero(&["resume", &dir]);
    assert_eq!(refused.status.code(), Some(78), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("run.device"), "{}", text(&refused.stderr));
    let moved = dagzero(&["resume", &dir, "--set", "run.device=cpu"]);
    let said = text(&moved.stdout);
    assert!(moved.status.success(), "{said}{}", text(&moved.stderr));
    assert!(said.contains("changed run.device") && said.contains("After 1 cycle"), "{said}");
}

#[test]
fn an_anchor_that_is_not_installed_is_reported_before_the_first_game() {
    let scratch = Scratch::new();
    let anchors = "rating.anchors=[{ name = \"random\", kind = \"random\" }, \
                   { name = \"nobody\", kind = \"gtp\", command = \"not-installed --mode gtp\", seconds = 1 }]";
    let refused = scratch.run("run", &[anchors]);
    assert_eq!(refused.status.code(), Some(78), "{}", text(&refused.stderr));
    let said = text(&refused.stderr);
    assert!(said.contains("rating.anchors[1]") && said.contains("not-installed"), "{said}");
    assert!(!Path::new(&scratch.dir("run")).exists());
}

#[test]
fn a_damaged_shard_is_named_and_a_missing_run_is_a_clear_error() {
    let scratch = Scratch::new();
    assert!(scratch.run("run", &[]).status.success());
    let dir = scratch.dir("run");
    let name = objects(Path::new(&dir)).into_keys().find(|n| n.starts_with("shards/"));
    let path = Path::new(&dir).join(name.expect("a shard"));
    let mut bytes = fs::read(&path).expect("bytes");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).expect("written");
    let shown = dagzero(&["shard", &path.display().to_string()]);
    assert_eq!(shown.status.code(), Some(1));
    assert!(text(&shown.stderr).contains(&path.display().to_string()), "{}", text(&shown.stderr));
    let nowhere = dagzero(&["status", &scratch.dir("nowhere")]);
    assert!(!nowhere.status.success());
    assert!(text(&nowhere.stderr).contains("nowhere"), "{}", text(&nowhere.stderr));
}
