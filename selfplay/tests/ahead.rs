//! Games of the next cycle that begin while the last ones of a cycle end.

use std::path::Path;

use dz_config::RunConfig;
use dz_cpu_net::random_network_of;
use dz_game::games::TicTacToe;
use dz_stage::{EventSink, StageContext, Stop};
use dz_store::{Entry, Run, RunState, Stage};
use dz_testkit_runs::{append, begin_run};
use selfplay::{HeadStarts, SelfplayStage};

const SMOKE: &str = include_str!("../../configs/tictactoe-smoke.toml");

/// A run whose stages work side by side, at the beginning of cycle 2 with a champion.
fn begin(path: &Path) -> Run {
    let set = ["run.mode=asynchronous", "run.lead_cycles_max=1", "selfplay.games=150"];
    let set = set.into_iter().chain(["run.cycles=9", "bootstrap.games=20", "run.device=cpu"]);
    let config = RunConfig::from_text(SMOKE, &set.map(str::to_owned).collect::<Vec<_>>()).unwrap();
    let run = begin_run(path, &config.to_toml()).run().clone();
    let mut stage = SelfplayStage::new("0", HeadStarts::Never);
    stage.turn(&mut context(&run, &Stop::new()), 1).unwrap();
    let network = random_network_of(&TicTacToe, 1, 16, 7).to_bytes().unwrap();
    let network = run.put_create("networks/cycle-0001.dzn", &network).unwrap();
    let champion = Entry::Champion { generation: 1, cycle: 1, network };
    append(&run, Stage::Gatekeeper, [champion, Entry::CycleDone { cycle: 1, wall_ms: 1 }]);
    run
}

fn context(run: &Run, stop: &Stop) -> StageContext {
    let events = EventSink::people();
    StageContext::open(run.root(), Stage::Selfplay, events, stop.clone()).unwrap()
}

/// Hashes of the shards of a cycle.
fn shards(state: &RunState, cycle: u32) -> Vec<String> {
    let cycle = state.cycle_state(cycle).unwrap();
    assert!(cycle.games_done.is_some());
    cycle.shards.values().map(|shard| shard.object.blake3.clone()).collect()
}

#[test]
fn a_head_start_changes_no_shard() {
    let folder = tempfile::tempdir().unwrap();
    let play = |name: &str, ahead: HeadStarts| {
        let run = begin(&folder.path().join(name));
        let mut stage = SelfplayStage::new("0", ahead);
        let mut context = context(&run, &Stop::new());
        stage.turn(&mut context, 2).unwrap();
        assert_eq!(stage.cycle_begun(), (ahead == HeadStarts::Always).then_some(3));
        stage.turn(&mut context, 3).unwrap();
        // Cycle 4 would be two cycles ahead of the gate.
        assert_eq!(stage.cycle_begun(), None);
        let state = context.ledger.state();
        [shards(state, 2), shards(state, 3)]
    };
    let alone = play("alone", HeadStarts::Never);
    assert_eq!(alone[0].len(), 10);
    assert_eq!(play("ahead", HeadStarts::Always), alone);
    // The processor evaluates, so no device would idle.
    assert_eq!(play("on-devices", HeadStarts::OnDevices), alone);
}

#[test]
fn a_head_start_of_a_process_that_ends_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = begin(&folder.path().join("run"));
    let mut stage = SelfplayStage::new("0", HeadStarts::Always);
    stage.turn(&mut context(&run, &Stop::new()), 2).unwrap();
    assert_eq!(stage.cycle_begun(), Some(3));
    // A stop was asked for meanwhile, and the next process knows nothing of the games.
    drop(stage);
    let mut stage = SelfplayStage::new("0", HeadStarts::Always);
    let mut context = context(&run, &Stop::new());
    stage.turn(&mut context, 3).unwrap();
    assert_eq!(shards(context.ledger.state(), 3).len(), 10);
}

#[test]
fn a_network_that_does_not_load_is_named_when_its_turn_comes() {
    let folder = tempfile::tempdir().unwrap();
    let run = begin(&folder.path().join("run"));
    let network = run.put_create("networks/cycle-0002.dzn", b"no network").unwrap();
    let champion = Entry::Champion { generation: 2, cycle: 1, network };
    append(&run, Stage::Gatekeeper, vec![champion]);
    let mut stage = SelfplayStage::new("0", HeadStarts::Always);
    let error = stage.turn(&mut context(&run, &Stop::new()), 2).unwrap_err();
    assert!(format!("{error:#}").contains("networks/cycle-0002.dzn"), "{error:#}");
}
