//! A match that a home shares out to workers of whom one plays other games.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use dz_config::RunConfig;
use dz_fleet::{UnitKind, UnitName, UnitNote, plan_path};
use dz_game::games::TicTacToe;
use dz_infer::Lockstep;
use dz_play::{
    Match, MatchTask, NoNetworks, NoObserver, PlayerPool, PreparedMatch, anchor_player, play_match,
    play_scheduled_matches,
};
use dz_stage::{EventSink, Stop};
use dz_store::{Entry, Ledger, Mailbox, RUN_FORMAT, Run, Stage};

use super::super::segment::{SegmentHeader, evaluators_of, write_segment};
use super::*;

const SMOKE: &str = include_str!("../../../configs/tictactoe-smoke.toml");
const LOCKSTEP: Lockstep = Lockstep { parallel_games: 4, groups: 1 };

/// A run with a mailbox in `folder`, whose home plays nothing but what it checks: this share.
fn context(folder: &std::path::Path, audit_share: f64) -> MatchContext {
    let address = folder.join("mailbox").display().to_string();
    let set = [
        format!("workers.mailbox={address}"),
        "workers.home_plays=false".to_owned(),
        format!("workers.audit_share={audit_share}"),
    ];
    let config = RunConfig::from_text(SMOKE, &set).unwrap();
    let run = Run::create(folder.join("run"), &config.to_toml()).unwrap();
    let mut ledger = Ledger::open(&run).unwrap();
    ledger.claim(Stage::Driver).unwrap();
    let started = Entry::RunStarted {
        format: RUN_FORMAT,
        config_hash: config.hash(),
        seed: 1,
        game: "tictactoe".into(),
        encoding: "any".into(),
        version: "0".into(),
    };
    ledger.append(started).unwrap();
    let spec = "tictactoe".parse().unwrap();
    let (events, stop, version) = (EventSink::people(), Stop::new(), "1".to_owned());
    MatchContext { run, config, events, stop, spec, cycle: 1, version }
}

fn planned(config: &RunConfig, seed: u64) -> Match {
    let anchor = &config.rating.anchors[1];
    let players = [anchor_player(anchor).unwrap(), anchor_player(anchor).unwrap()];
    Match { players, games: 8, opening_plies: 2, seed, plies_max: 9, early_stop: None }
}

fn alone(plan: &Match) -> Vec<PlayedGame> {
    let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
    play_match(plan, &mut pool, &LOCKSTEP, None, &mut NoObserver).unwrap().games
}

/// Hands in a unit of the offered plan, as `worker`, with these games of the match.
fn hand_in(mailbox: &Mailbox, plan: &MatchesPlan, unit: u32, worker: &str, games: &[PlayedGame]) {
    let segment = plan.segment(unit).unwrap();
    let header = serde_json::from_str(&plan.matches[0].header).unwrap();
    let header = SegmentHeader::of(plan, 0, evaluators_of(&header));
    let games = &games[segment.games.start as usize..segment.games.end as usize];
    let bytes = write_segment(&header, games).unwrap();
    let name = UnitName::of(UnitKind::Match, plan.number, unit, &bytes);
    let note =
        UnitNote { format: UnitNote::FORMAT, worker: worker.to_owned(), ..UnitNote::default() };
    mailbox.replace(&name.note_path(), &note.to_bytes()).unwrap();
    mailbox.replace(&name.path(), &bytes).unwrap();
}

/// Plays for the home: first other games that follow the rules, then the right ones.
fn work(context: &MatchContext, right: &[PlayedGame], wrong: &[PlayedGame]) {
    let root = Mailbox::make(context.config.mailbox().unwrap()).unwrap();
    let mailbox = root.below(dz_fleet::MATCHES).unwrap();
    let begun = Instant::now();
    let mut has_lied = false;
    loop {
        assert!(begun.elapsed() < Duration::from_mins(2), "it hangs");
        thread::sleep(Duration::from_millis(20));
        let Some(board) = read_board(&mailbox).unwrap() else { continue };
        let Some(offer) = board.offer else {
            if has_lied {
                return;
            }
            continue;
        };
        let path = plan_path(offer.plan);
        let bytes = mailbox.get(&path, 1 << 20).unwrap().unwrap();
        let plan = MatchesPlan::read(&path, &bytes).unwrap();
        if !has_lied {
            has_lied = true;
            hand_in(&mailbox, &plan, 0, "liar", wrong);
        } else if !excluded::read(&root).unwrap().is_empty() {
            for unit in offer.open.iter() {
                hand_in(&mailbox, &plan, unit, "liar", wrong);
                hand_in(&mailbox, &plan, unit, "honest", right);
            }
        }
    }
}

#[test]
fn a_worker_whose_games_differ_is_excluded_and_the_match_stays() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path(), 1.0);
    let plan = planned(&context.config, 5);
    let right = alone(&plan);
    // The same openings, and other moves of the same rules: the first game is the pair's second.
    let mut wrong = right.clone();
    for (number, game) in wrong.iter_mut().enumerate() {
        game.moves.clone_from(&right[number ^ 1].moves);
        (game.outcome, game.adjudicated) =
            (right[number ^ 1].outcome, right[number ^ 1].adjudicated);
    }
    assert_ne!(right[..2], wrong[..2], "choose another seed");
    let played = thread::scope(|scope| {
        scope.spawn(|| work(&context, &right, &wrong));
        let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
        let tasks = vec![MatchTask { plan: &plan, store: None }];
        let mut scheduler = HomeScheduler::new(context.clone());
        let observer = &mut NoObserver;
        play_scheduled_matches(tasks, &mut pool, &LOCKSTEP, observer, &mut scheduler).unwrap()
    });
    assert_eq!(played[0].games, right);
    let root = Mailbox::open(context.config.mailbox().unwrap()).unwrap();
    assert_eq!(excluded::read(&root).unwrap(), BTreeSet::from(["liar".to_owned()]));
    let mailbox = root.below(dz_fleet::MATCHES).unwrap();
    assert!(!mailbox.list("refused").unwrap().is_empty());
}

/// The games that the next event brings.
fn next_games(scheduler: &mut HomeScheduler) -> Vec<PlayedGame> {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < Duration::from_mins(1), "nothing comes");
        match scheduler.poll(true).unwrap().pop() {
            Some(RemoteEvent::Played { games, .. }) => return games,
            Some(other) => panic!("{other:?}"),
            None => {}
        }
    }
}

#[test]
fn a_unit_that_came_while_its_match_was_over_counts_if_the_match_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path(), 0.0);
    let plan = planned(&context.config, 5);
    let right = alone(&plan);
    let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
    let prepared = PreparedMatch::new(&plan, &mut pool).unwrap();
    let mut scheduler = HomeScheduler::new(context);
    let shared = SharedMatch {
        plan: &plan,
        header: prepared.header(),
        openings: prepared.openings(),
        played: &[],
        is_over: false,
    };
    scheduler.begin(&[shared]).unwrap();
    let parts = scheduler.shared.as_ref().unwrap();
    let (matches, handle) = (parts.plan.clone(), parts.handle.clone());
    let mailbox = parts.context.route().unwrap().mailbox;
    let games = |unit| {
        let segment = matches.segment(unit).unwrap();
        right[segment.games.start as usize..segment.games.end as usize].to_vec()
    };
    hand_in(&mailbox, &matches, 0, "honest", &right);
    assert_eq!(next_games(&mut scheduler), games(0));
    scheduler.set_over(0, true);
    assert!(handle.lock().desk.missing().is_empty());
    hand_in(&mailbox, &matches, 1, "honest", &right);
    // The inbox is listed every tenth of a second.
    thread::sleep(Duration::from_millis(500));
    assert_eq!(scheduler.poll(false).unwrap(), []);
    scheduler.set_over(0, false);
    assert!(handle.lock().desk.missing().contains(1));
    assert_eq!(next_games(&mut scheduler), games(1));
    assert!(!handle.lock().desk.missing().contains(1));
    scheduler.end(false).unwrap();
}
