//! Reading, overriding and refusing configurations.

use std::path::Path;

use dz_config::{
    AnchorKind, ConfigError, DeviceChoice, EngineProtocol, Fault, GateRule, Loaded, Resign,
    RolloutAnchor, RolloutMoves, RunConfig, SameOr, SelectionWord,
};
use dz_search_settings::FirstPlay;

const MINIMAL: &str = include_str!("minimal.toml");

/// Loads a text from a file of its own.
fn load_checked(
    text: &str,
    overrides: &[&str],
    check: &dyn Fn(&RunConfig) -> Vec<Fault>,
) -> Result<Loaded, ConfigError> {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("test.toml");
    std::fs::write(&path, text).expect("the folder takes files");
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    RunConfig::load(&path, &overrides, check)
}

fn load(text: &str, overrides: &[&str]) -> Result<Loaded, ConfigError> {
    load_checked(text, overrides, &|_| Vec::new())
}

fn config(overrides: &[&str]) -> RunConfig {
    load(MINIMAL, overrides).unwrap_or_else(|error| panic!("{error}")).config
}

fn faults_of(result: Result<Loaded, ConfigError>) -> Vec<String> {
    match result {
        Err(ConfigError::Faults { faults, .. }) => faults.iter().map(ToString::to_string).collect(),
        Err(error) => panic!("{error}"),
        Ok(loaded) => panic!("no fault was found in {}", loaded.config.to_toml()),
    }
}

/// The faults of the minimal file under overrides.
fn faults(overrides: &[&str]) -> Vec<String> {
    faults_of(load(MINIMAL, overrides))
}

/// The only fault of the minimal file under one override.
fn fault(text: &str) -> String {
    let found = faults(&[text]);
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].clone()
}

#[test]
fn what_is_left_out_takes_its_default_and_is_named() {
    let loaded = load(MINIMAL, &["run.threads=2"]).unwrap();
    assert_eq!(loaded.config.search.c_puct, 1.5);
    assert_eq!(loaded.config.search.fpu, FirstPlay::Reduction(0.2));
    assert_eq!(loaded.config.rating.anchors.len(), 2);
    assert!(loaded.defaulted.contains("search.c_puct"));
    assert!(!loaded.defaulted.contains("run.threads"));
    assert!(!loaded.defaulted.contains("run.game"));
}

#[test]
fn the_value_mix_moves_to_a_share_or_stays_the_same() {
    assert_eq!(config(&[]).training.value_mix_final, SameOr::Same);
    let moved = config(&["training.value_mix_final=0.5"]);
    assert_eq!(moved.training.value_mix_final, SameOr::Own(0.5));
    let again = load(&moved.to_toml(), &[]).unwrap().config;
    assert_eq!(again, moved);
    for wrong in ["training.value_mix_final=1.5", "training.value_mix_final=\"sane\""] {
        let fault = fault(wrong);
        assert!(fault.contains("from 0 to 1"), "{fault}");
    }
}

/// What is switched off by default is off: no head, and a share that stays.
#[test]
fn heads_are_off_unless_they_are_given_a_weight() {
    let plain = config(&[]);
    let text = plain.to_toml();
    let heads = &text[text.find("[heads]").unwrap()..text.find("[gate]").unwrap()];
    assert_eq!(heads.lines().filter(|line| line.ends_with("_weight = 0.0")).count(), 8, "{heads}");
    assert_eq!(config(&["heads.reply_weight=0.15"]).heads.reply_weight, 0.15);
    assert!(!plain.diff(&config(&["heads.ownership_weight=1.5"]))[0].may_change());
}

#[test]
fn every_key_without_a_default_is_asked_for() {
    let found = faults_of(load("", &[]));
    let must: Vec<String> = RunConfig::keys()
        .iter()
        .filter(|key| key.default.is_none())
        .map(|key| {
            format!("{}: missing, and it has no default; allowed: {}", key.path(), key.allowed)
        })
        .collect();
    assert_eq!(found, must);
    assert_eq!(must.len(), 1);
}

#[test]
fn a_game_alone_is_a_configuration() {
    let loaded = load("[run]\ngame = \"connect4\"\n", &[]).unwrap();
    assert_eq!(loaded.config.value("run.game").unwrap().as_str(), Some("connect4"));
    assert_eq!(loaded.defaulted.len() + 1, RunConfig::keys().len());
}

#[test]
fn all_faults_are_reported_at_once() {
    let text = r#"
        format = 2
        cycles = 4
        [run]
        game = "connect9"
        sed = 3
        cycles = "4"
        [serch]
        c_puct = 1.0
        [selfplay]
        games = 0
        playouts = 10
        playouts_fast = 11
        groups = 60
        parallel_games = 32
        [network]
        blocks = 2.0
        channels = 16
        [window]
        rows_min = 300
        rows_max = 200
        [gate]
        rule = "luck"
        games = 3
    "#;
    let game =
        |config: &RunConfig| vec![Fault::new("run.game", "no such game").value(&config.run.game)];
    let found = faults_of(load_checked(text, &["gate.playouts", "rating.games=[1"], &game));
    let keys: Vec<&str> = found.iter().map(|line| line.split([':', ' ']).next().unwrap()).collect();
    assert_eq!(
        keys,
        [
            "--set",
            "--set",
            "cycles",
            "run.sed",
            "[serch]",
            "format",
            "run.cycles",
            "selfplay.games",
            "network.blocks",
            "gate.rule",
            "gate.games",
            "selfplay.groups",
            "selfplay.playouts_fast",
            "window.rows_min",
            "run.game",
        ],
        "{found:#?}"
    );
}

#[test]
fn the_error_lists_the_faults_and_says_that_nothing_was_written() {
    let error = load(MINIMAL, &["run.cycles=0", "run.seed=-1"]).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].ends_with("test.toml has 2 faults; nothing was written"), "{error}");
    assert_eq!(
        lines[1],
        "  --set run.seed = -1: impossible value; allowed: a whole number from 0 to 9223372036854775807"
    );
    assert_eq!(
        lines[2],
        "  --set run.cycles = 0: impossible value; allowed: a whole number from 1 to 1000000"
    );
    assert_eq!(ConfigError::EXIT_CODE, 78);
}

#[test]
fn unknown_keys_come_with_what_was_meant() {
    let near = fault("selfplay.playout=5");
    assert!(
        near.starts_with(
            "--set selfplay.playout = 5: unknown key; did you mean 'selfplay.playouts'?"
        )
    );
    assert!(near.contains("allowed: in [selfplay] games, parallel_games, groups"), "{near}");
    let elsewhere = fault("run.c_puct=2.0");
    assert!(elsewhere.contains("did you mean 'search.c_puct'?"), "{elsewhere}");
    let section = fault("trainning.batch=64");
    assert!(
        section.starts_with("[trainning]: unknown section; did you mean [training]?"),
        "{section}"
    );
    let top = fault("seed=4");
    assert!(top.contains("outside of any section; did you mean 'run.seed'?"), "{top}");
    let strange = fault("search.zzz=1");
    assert!(!strange.contains("did you mean"), "{strange}");
}

#[test]
fn wrong_types_are_named() {
    assert_eq!(
        fault("run.cycles=\"5\""),
        "--set run.cycles = \"5\": wrong type (string); did you mean 5, without quotes?; \
         allowed: a whole number from 1 to 1000000"
    );
    assert!(fault("network.blocks=3.0").contains("wrong type (float); did you mean 3?"));
    assert!(fault("search.graph=1").contains("wrong type (integer); allowed: true or false"));
    assert!(fault("search.c_puct=true").contains("wrong type (boolean)"));
    assert!(fault("run.game=4").contains("wrong type (integer)"));
    assert!(fault("gate.rule=1").contains("wrong type (integer)"));
    assert!(fault("rating.anchors=random").contains("wrong type (string)"));
    assert!(fault("search.fpu=0.2").contains("wrong type (float)"));
    let section = fault("search=3");
    assert!(section.starts_with("--set search = 3: wrong type (integer); allowed: a section"));
}

#[test]
fn impossible_values_are_named_with_their_range() {
    for (text, range) in [
        ("selfplay.full_share=0.0", "above 0 to 1"),
        ("selfplay.full_share=1.1", "above 0 to 1"),
        ("training.ema_decay=1", "from 0 to below 1"),
        ("training.learning_rate=nan", "above 0 to 10"),
        ("training.weight_decay=inf", "from 0 to 1"),
        ("selfplay.groups=1", "from 2 to 64"),
        ("selfplay.resign={ fixed = 0.5 }", "from -1 to 0"),
        ("gate.games=7", "an even number from 0"),
        ("rating.games=9", "an even number from 0"),
        ("network.channels=4294967297", "from 1 to 4096"),
        ("storage.checkpoints_keep=1", "from 2"),
        ("run.game=\" \"", "a text that is not empty"),
        ("training.schedule=cosin", "did you mean \"cosine\"?"),
        ("run.device=cuda:x", "\"cuda:N\""),
    ] {
        let found = fault(text);
        assert!(found.contains("impossible value"), "{text}: {found}");
        assert!(found.contains(range), "{text}: {found}");
    }
}

#[test]
fn both_ends_of_a_range_are_allowed() {
    let low = config(&["selfplay.dirichlet_share=0", "run.cycles=1"]);
    assert_eq!((low.selfplay.dirichlet_share, low.run.cycles), (0.0, 1));
    let high = config(&["selfplay.full_share=1.0", "run.seed=9223372036854775807"]);
    assert_eq!((high.selfplay.full_share, high.run.seed), (1.0, i64::MAX as u64));
}

#[test]
fn contradictions_name_both_keys() {
    for (overrides, words) in [
        (
            &["selfplay.groups=8", "selfplay.parallel_games=4"][..],
            "selfplay.groups = 8: is above selfplay.parallel_games = 4",
        ),
        (&["selfplay.playouts=20"], "selfplay.playouts_fast = 25: is above selfplay.playouts = 20"),
        (&["selfplay.temperature_final=0.9"], "above selfplay.temperature = 0.75"),
        (
            &["selfplay.temperature_plies=30", "selfplay.temperature_final=0.2"],
            "selfplay.temperature_final = 0.2: selfplay.temperature_plies = 30 is a step",
        ),
        (
            &["selfplay.temperature_plies=30", "selfplay.temperature_halflife_plies=9"],
            "selfplay.temperature_halflife_plies = 9: selfplay.temperature_plies = 30 is a step",
        ),
        (
            &[
                "selfplay.temperature=0",
                "selfplay.temperature_final=0",
                "selfplay.temperature_plies=30",
            ],
            "selfplay.temperature_plies = 30: selfplay.temperature = 0 leaves it nothing",
        ),
        (&["reinforce.cycles=1", "gate.rule=sprt"], "gate.rule = \"sprt\": [reinforce] trains"),
        (
            &["reinforce.value_cycles=1", "run.mode=asynchronous"],
            "run.mode = \"asynchronous\": [reinforce] learns",
        ),
        (&["rating.opening_plies=42", "selfplay.plies_max=42"], "below selfplay.plies_max = 42"),
        (&["gate.opening_plies=1000"], "not below selfplay.plies_max = 1000"),
        (&["search.nodes_max=150"], "bootstrap.playouts = 200: is not below search.nodes_max"),
        (&["window.rows_min=9", "window.rows_max=8"], "is above window.rows_max = 8"),
        (&["training.rows_max=100"], "training.batch = 256: is above training.rows_max = 100"),
        (
            &["network.squeeze_ratio=64"],
            "network.squeeze_ratio = 64: is above network.channels = 16",
        ),
        (
            &["network.blocks=1", "network.global_pooling=true"],
            "network.global_pooling = true: every second block pools, and network.blocks = 1",
        ),
        (
            &["network.channels=3", "network.bottleneck_blocks=2", "network.global_pooling=true"],
            "network.channels = 3: too few",
        ),
        (&["training.learning_rate=1e-5"], "above training.learning_rate = 0.00001"),
        (&["gate.rule=score"], "gate.score_min: missing, and gate.rule = \"score\""),
        (&["gate.rule=score", "gate.score_min=0.5", "gate.games=0"], "without games"),
        (&["gate.rule=sprt", "gate.games=0"], "gate.rule = \"sprt\" cannot decide without games"),
        (&["gate.rule=sprt", "gate.elo0=50"], "gate.elo0 = 50: is not below gate.elo1 = 50"),
        (
            &["selfplay.resign={ adaptive = -0.8 }", "selfplay.resign_play_on_share=0"],
            "selfplay.resign_play_on_share = 0: selfplay.resign = { adaptive = ... } measures nothing",
        ),
    ] {
        let found = faults(overrides);
        assert_eq!(found.len(), 1, "{overrides:?}: {found:#?}");
        assert!(found[0].contains(words), "{overrides:?}: {found:#?}");
    }
}

#[test]
fn what_does_not_contradict_is_taken() {
    let step = config(&["selfplay.temperature_plies=30", "selfplay.temperature_final=0"]);
    assert_eq!(step.selfplay.temperature_plies, 30);
    let constant = config(&["training.learning_rate=1e-5", "training.schedule=constant"]);
    assert_eq!(constant.training.learning_rate, 1e-5);
    assert_eq!(config(&["gate.games=0"]).gate.games, 0);
    let fixed = config(&["selfplay.resign={ fixed = -0.9 }", "selfplay.resign_play_on_share=0"]);
    assert_eq!(fixed.selfplay.resign, Resign::Fixed(-0.9));
    let best = config(&["selfplay.resign={ best_move = -0.8 }", "selfplay.resign_play_on_share=0"]);
    assert_eq!(best.selfplay.resign, Resign::BestMove(-0.8));
    let score = config(&["gate.rule=score", "gate.score_min=0.55"]);
    assert_eq!(score.gate.rule, GateRule::Score);
    assert_eq!(config(&["gate.rule=sprt"]).gate.rule, GateRule::Sprt);
}

#[test]
fn nothing_is_concluded_from_a_value_at_fault() {
    let found = faults(&["selfplay.parallel_games=1"]);
    assert_eq!(found.len(), 1, "groups were compared with what stands in: {found:#?}");
    let of_game =
        |config: &RunConfig| vec![Fault::new("run.game", "no such game").value(&config.run.game)];
    let found = faults_of(load_checked(MINIMAL, &["run.game=3"], &of_game));
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn the_front_door_adds_its_own_faults() {
    let check = |config: &RunConfig| {
        let fault = Fault::new("run.game", "no such game").value(&config.run.game);
        vec![fault.allowed("connect4, tictactoe").suggestion("'connect4'")]
    };
    assert_eq!(
        faults_of(load_checked(MINIMAL, &["run.game=connect5"], &check)),
        [
            "--set run.game = connect5: no such game; did you mean 'connect4'?; allowed: connect4, tictactoe"
        ]
    );
}

#[test]
fn overrides_are_values_or_bare_words_and_the_last_counts() {
    let config = config(&[
        "run.game=connect4:width=7,height=6",
        "run.device = cuda:1",
        "run.seed=5",
        "run.seed=6",
        "search.fpu={ kind = \"absolute\", value = 0 }",
        "search.fpu.value=-0.5",
        "training.learning_rate=1",
        "selfplay.games=1_000",
        "rating.anchors=[]",
    ]);
    assert_eq!(config.run.game, "connect4:width=7,height=6");
    assert_eq!(config.run.device, DeviceChoice::Cuda(1));
    assert_eq!(config.run.seed, 6);
    assert_eq!(config.search.fpu, FirstPlay::Absolute(-0.5));
    assert_eq!(config.training.learning_rate, 1.0);
    assert_eq!(config.selfplay.games, 1000);
    assert!(config.rating.anchors.is_empty());
}

#[test]
fn a_section_as_an_override_changes_the_keys_that_it_names() {
    let given = config(&["training={ learning_rate = 0.5 }", "rating={ games = 4 }"]);
    let plain = config(&[]);
    let keys: Vec<String> = plain.diff(&given).into_iter().map(|change| change.key).collect();
    assert_eq!(keys, ["training.learning_rate", "rating.games"]);
    let both = config(&[
        "search.fpu={ kind = \"absolute\", value = 0.25 }",
        "training.batch=8",
        "training={ batch = 4 }",
    ]);
    assert_eq!((both.search.fpu, both.training.batch), (FirstPlay::Absolute(0.25), 4));
}

#[test]
fn overrides_that_cannot_be_read_are_faults() {
    for (text, problem) in [
        ("run.seed", "there is no '='"),
        ("run.=3", "the key is not complete"),
        ("run.seed=", "the value is not a TOML value"),
        ("rating.anchors=[{", "the value is not a TOML value"),
        ("run.seed.low=3", "'run.seed' is not a table, so it has no 'low'"),
    ] {
        let found = faults(&["run.seed=1", text]);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].starts_with("--set run.") || found[0].starts_with("--set rating."));
        assert!(found[0].contains(problem), "{found:#?}");
    }
}

#[test]
fn what_the_file_says_is_not_called_an_override() {
    let text = "[selfplay]\nplayouts = 0\nplayouts_fast = 0\n";
    let found = faults_of(load(text, &["selfplay.playouts=-1"]));
    let at = |start: &str| found.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(at("--set selfplay.playouts = -1: impossible"), 1, "{found:#?}");
    assert_eq!((at("selfplay.playouts_fast = 0: impossible"), at("--set")), (1, 1), "{found:#?}");
}

#[test]
fn tables_inside_of_sections_are_strict_too() {
    assert!(
        fault("search.fpu={ kind = \"absolute\" }").starts_with("--set search.fpu.value: missing")
    );
    assert!(
        fault("search.fpu={ kind = \"reduction\", value = 0.2, valu = 1 }")
            .contains("search.fpu.valu = 1: unknown key; did you mean 'search.fpu.value'?")
    );
    let anchors = [
        ("{ name = \"r\", kind = \"rolout\", playouts = 5 }", "did you mean \"rollout\"?"),
        ("{ name = \"r\", kind = \"rollout\" }", "rating.anchors[0].playouts: missing"),
        ("{ name = \"r\", kind = \"random\", playouts = 5 }", "playouts = 5: unknown key"),
        ("{ kind = \"random\" }", "rating.anchors[0].name: missing"),
        ("{ name = \"e\", kind = \"gtp\", seconds = 1.0 }", "rating.anchors[0].command: missing"),
        (
            "{ name = \"e\", kind = \"uci\", command = \"x\", seconds = 0.0 }",
            "rating.anchors[0].seconds",
        ),
        (
            "{ name = \"e\", kind = \"uci\", command = \"x\", seconds = 1.0, setup = [1] }",
            "rating.anchors[0].setup[0]",
        ),
        (
            "{ name = \"r\", kind = \"random\" }, { name = \"r\", kind = \"random\" }",
            "rating.anchors[1].name = \"r\": an anchor before it has the same name",
        ),
    ];
    for (entries, words) in anchors {
        let found = fault(&format!("rating.anchors=[{entries}]"));
        assert!(found.contains(words), "{entries}: {found}");
    }
}

#[test]
fn a_text_that_is_not_toml_is_reported_with_its_line() {
    let found = faults_of(load("format = 1\n[run]\ngame = \n", &["run.seed"]));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("line 3: not TOML: "), "{found:#?}");
    let twice = faults_of(load("[run]\nseed = 1\nseed = 2\n", &[]));
    assert!(twice[0].starts_with("line 3: not TOML: duplicate key"), "{twice:#?}");
}

#[test]
fn a_file_that_is_not_there_says_so() {
    let error = RunConfig::load(Path::new("/nowhere/x.toml"), &[], &|_| Vec::new()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("cannot read the configuration /nowhere/x.toml"), "{text}");
    assert!(text.contains("nothing was written"), "{text}");
}

#[test]
fn other_programs_as_anchors_are_written_as_they_are_read() {
    let text = r#"rating.anchors=[{ name = "s", kind = "uci", command = "stockfish", seconds = 0.1, setup = ["go nodes 5"] }]"#;
    let config = load(MINIMAL, &[text]).expect("no fault").config;
    let AnchorKind::Engine(engine) = &config.rating.anchors[0].kind else {
        panic!("{:?}", config.rating.anchors);
    };
    assert_eq!((engine.protocol, engine.seconds), (EngineProtocol::Uci, 0.1));
    assert_eq!(engine.setup, ["go nodes 5"]);
    let again = load(&config.to_toml(), &[]).expect("no fault").config;
    assert_eq!(again.rating.anchors, config.rating.anchors);
    assert!(!config.to_toml().contains("optional"), "what is the rule is left out");
    let optional = text.replace("seconds = 0.1", "seconds = 0.1, optional = true");
    let config = load(MINIMAL, &[&optional]).expect("no fault").config;
    let again = load(&config.to_toml(), &[]).expect("no fault").config;
    assert_eq!(again.rating.anchors, config.rating.anchors);
    assert!(matches!(&again.rating.anchors[0].kind, AnchorKind::Engine(engine) if engine.optional));
}

#[test]
fn solvers_as_anchors_are_written_as_they_are_read() {
    let text = r#"rating.anchors=[{ name = "s", kind = "solver" }, { name = "t", kind = "solver", depth = 4 }]"#;
    let config = load(MINIMAL, &[text]).expect("no fault").config;
    let kinds: Vec<&AnchorKind> = config.rating.anchors.iter().map(|anchor| &anchor.kind).collect();
    let solver = |depth| AnchorKind::Solver { depth };
    assert_eq!(kinds, [&solver(None), &solver(Some(4))]);
    let again = load(&config.to_toml(), &[]).expect("no fault").config;
    assert_eq!(again.rating.anchors, config.rating.anchors);
    let wrong = r#"rating.anchors=[{ name = "s", kind = "solver", depth = 0, playouts = 3 }]"#;
    let error = load(MINIMAL, &[wrong]).unwrap_err().to_string();
    assert!(error.contains("rating.anchors[0].depth") && error.contains("playouts"), "{error}");
}

#[test]
fn rollouts_as_anchors_are_written_as_they_are_read() {
    let text = r#"rating.anchors=[{ name = "a", kind = "rollout", playouts = 9 }, { name = "b", kind = "rollout", playouts = 7, policy = "mogo", selection = "rave" }]"#;
    let config = load(MINIMAL, &[text]).expect("no fault").config;
    let kinds: Vec<&AnchorKind> = config.rating.anchors.iter().map(|anchor| &anchor.kind).collect();
    let rave = RolloutAnchor {
        policy: RolloutMoves::Mogo,
        selection: SelectionWord::Rave,
        ..RolloutAnchor::plain(7)
    };
    let expected = [RolloutAnchor::plain(9), rave].map(AnchorKind::Rollout);
    assert_eq!(kinds, expected.iter().collect::<Vec<_>>());
    let written = config.to_toml();
    assert_eq!(written.matches("policy = \"mogo\"").count(), 1, "{written}");
    assert_eq!(written.matches("selection = \"uct\"").count(), 0, "{written}");
    let again = load(&written, &[]).expect("no fault").config;
    assert_eq!(again.rating.anchors, config.rating.anchors);
    let wrong =
        r#"rating.anchors=[{ name = "a", kind = "rollout", playouts = 9, selection = "best" }]"#;
    let error = load(MINIMAL, &[wrong]).unwrap_err().to_string();
    assert!(error.contains("rating.anchors[0].selection"), "{error}");
}

#[test]
fn stages_have_devices_of_their_own_or_the_runs() {
    let same = config(&["run.device=cuda:1"]);
    assert_eq!(same.run.devices_or(&same.selfplay.devices), [DeviceChoice::Cuda(1)]);
    assert!(!same.has_devices_apart());
    let lists = ["selfplay.devices=[\"cuda:1\", \"cuda:2\"]", "training.devices=[\"cuda\"]"];
    let apart = config(&lists);
    let selfplay = [DeviceChoice::Cuda(1), DeviceChoice::Cuda(2)];
    assert_eq!(apart.run.devices_or(&apart.selfplay.devices), selfplay);
    assert_eq!(apart.run.devices_or(&apart.training.devices), [DeviceChoice::Cuda(0)]);
    assert!(apart.has_devices_apart());
    let shared = config(&[lists[0], "training.devices=[\"cuda:0\", \"cuda:2\"]"]);
    assert!(!shared.has_devices_apart());
    // `auto` may be the first card, and cannot be the second.
    for (device, is_apart) in [("cuda:0", false), ("cpu", false), ("auto", false), ("cuda:1", true)]
    {
        let set = format!("training.devices=[\"{device}\"]");
        assert_eq!(config(&[&set]).has_devices_apart(), is_apart, "{device}");
    }
    for (mode, leads) in [("auto", [0, 3]), ("synchronous", [0, 0]), ("asynchronous", [3, 3])] {
        let mode = format!("run.mode={mode}");
        let lead = |lists: &[&str]| {
            config(&[&[mode.as_str(), "run.lead_cycles_max=3"], lists].concat()).lead_cycles()
        };
        assert_eq!([lead(&[]), lead(&lists)], leads, "{mode}");
    }
    let again = load(&apart.to_toml(), &[]).unwrap().config;
    assert_eq!(again, apart, "written as it is read");
    let said = fault("gate.devices=[\"cuda:1\", \"gpu\"]");
    assert!(said.contains("gate.devices[1]") && said.contains("cuda:N"), "{said}");
    assert!(fault("gate.devices=cuda").contains("array"), "a word is no list");
}

#[test]
fn a_text_is_read_as_a_file_is() {
    let read = RunConfig::from_text(MINIMAL, &["run.seed=7".to_owned()]).unwrap();
    assert_eq!(read, config(&["run.seed=7"]));
    let error = RunConfig::from_text(MINIMAL, &["run.sede=7".to_owned()]).unwrap_err();
    assert!(error.to_string().contains("run.seed"), "{error}");
}
