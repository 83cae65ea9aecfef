//! Forged units: each kind is refused, for its own reason.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use dz_config::RunConfig;
use dz_fleet::{
    BOARD, Backoff, Board, EvaluatorRule, Offer, Pick, PlanObject, UnitKind, UnitSet, claim_path,
};
use dz_game::games::TicTacToe;
use dz_game::{Move, Outcome, Player};
use dz_search::SearchCounts;
use dz_shard::{GameEnd, ParentGame, ResignThresholds};
use dz_stage::Stop;
use dz_store::Mailbox;

use super::super::metrics::Counters;
use super::super::session::{Choice, Deliverer, HandIn, Identity, OpenClaims, Picker, Stay};
use super::*;
use crate::sources::sources_of;
use crate::{CycleTally, Past, ShardPublisher, ShardSink, cycle_plan, play_cycle};

const SMOKE: &str = include_str!("../../../configs/tictactoe-smoke.toml");
/// The unit that is forged.
const UNIT: u32 = 2;

/// A forgery.
type Change<T> = fn(&mut T);

/// Keeps what was played.
#[derive(Default)]
struct Kept(Vec<(u64, Vec<GameRecord>)>);

impl ShardSink for Kept {
    fn shard(&mut self, index: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        self.0.push((index, games));
        Ok(())
    }

    fn wants_more(&mut self, _: &CycleTally) -> bool {
        true
    }
}

/// A plan of eight units of four games, what checks them, and the games of one.
fn played() -> (UnitCheck<TicTacToe>, Vec<GameRecord>) {
    let config = RunConfig::from_text(SMOKE, &["bootstrap.playouts=8".to_owned()]).unwrap();
    let (mut sources, name) = sources_of(&TicTacToe, &config, None).unwrap();
    let shared = ShardPublisher::header(
        &config,
        &config.run.game.parse().unwrap(),
        0,
        name.clone(),
        name.clone(),
    )
    .unwrap();
    let games = cycle_plan(&config, 0, 0, None, Past::default());
    let games = CyclePlan { count: 32, ..games };
    let plan = Plan {
        format: Plan::FORMAT,
        number: 1,
        version: String::new(),
        config: String::new(),
        results_hash: String::new(),
        header_hash: shared.config_hash.clone(),
        cycle: 1,
        generation: 0,
        network: None,
        network_name: name.clone(),
        evaluator: name,
        evaluators: EvaluatorRule::Same,
        first_game: 0,
        games: 32,
        games_per_shard: 16,
        unit_games: 4,
        resign: None,
        past: None,
    };
    let units = unit_plan(&games, 4);
    let mut kept = Kept::default();
    play_cycle(&TicTacToe, &units, &[u64::from(UNIT)], &mut sources, &mut kept).unwrap();
    let (_, records) = kept.0.pop().unwrap();
    let games = (*games.games).clone();
    let check = UnitCheck { game: TicTacToe, plan, shared, games };
    (check, records)
}

fn written(check: &UnitCheck<TicTacToe>, games: Vec<GameRecord>) -> Vec<u8> {
    write_unit(&check.plan, &check.shared, UNIT, games).unwrap()
}

#[test]
fn a_unit_that_was_played_passes_and_has_its_games() {
    let (check, games) = played();
    let (found, evaluator) = check.check(UNIT, &written(&check, games.clone())).unwrap();
    let stored: Vec<GameRecord> = games.iter().map(|game| game.quantised().unwrap()).collect();
    assert_eq!((found, evaluator), (stored, check.plan.evaluator.clone()));
    assert_eq!(games[0].number, 8);
}

#[test]
fn files_that_are_not_whole_are_refused() {
    let (check, games) = played();
    let whole = written(&check, games);
    for end in [0, 1, whole.len() / 2, whole.len() - 1] {
        assert!(check.check(UNIT, &whole[..end]).is_err(), "{end} bytes");
    }
    for place in (0..whole.len()).step_by(7) {
        let mut flipped = whole.clone();
        flipped[place] ^= 1;
        assert!(check.check(UNIT, &flipped).is_err(), "byte {place}");
    }
    assert!(check.check(UNIT + 1, &whole).is_err(), "under another unit's number");
}

#[test]
fn headers_of_something_else_are_refused() {
    let (check, games) = played();
    let kinds: [(&str, Change<ShardHeader>); 7] = [
        ("generation", |header| header.generation += 1),
        ("configuration", |header| header.config_hash = "0".repeat(64)),
        ("network", |header| header.networks = vec!["another".to_owned()]),
        ("seed", |header| header.run_seed += 1),
        ("encoding", |header| header.encoding.push('x')),
        ("game", |header| header.game = "connect4".to_owned()),
        ("two evaluators", |header| header.evaluators.push("more".to_owned())),
    ];
    for (kind, change) in kinds {
        let mut shared = check.shared.clone();
        change(&mut shared);
        let forged = write_unit(&check.plan, &shared, UNIT, games.clone()).unwrap();
        let refused = check.check(UNIT, &forged).unwrap_err();
        assert!(refused.contains("header"), "{kind}: {refused}");
    }
    let shared = ShardHeader { evaluators: vec!["another".to_owned()], ..check.shared.clone() };
    let other = write_unit(&check.plan, &shared, UNIT, games).unwrap();
    assert!(check.check(UNIT, &other).unwrap_err().contains("the evaluator another"));
    let mut any = check;
    any.plan.evaluators = EvaluatorRule::Any;
    assert_eq!(any.check(UNIT, &other).unwrap().1, "another");
}

#[test]
fn games_that_were_not_played_so_are_refused() {
    let (check, games) = played();
    let kinds: [(&str, Change<GameRecord>); 9] = [
        ("seed", |game| game.seed += 1),
        ("resign", |game| {
            let (value_min, turns, enforced) = (-0.9, 2, true);
            game.resign = Some(ResignThresholds { value_min, turns, enforced });
        }),
        ("parent", |game| game.parent = Some(ParentGame { game: 0, ply: 0 })),
        ("start", |game| {
            let all: Vec<Move> = game.moves().collect();
            game.start_moves = all;
            game.plies.clear();
        }),
        ("end", |game| {
            let winner = match game.outcome.winner {
                Some(Player::First) => Player::Second,
                _ => Player::First,
            };
            game.outcome = Outcome::win_of(winner);
        }),
        ("end", |game| game.end = GameEnd::Resigned),
        ("limit", |game| {
            game.plies.pop();
            (game.outcome, game.end) = (Outcome::DRAW, GameEnd::PlyLimit);
        }),
        ("legal", |game| game.plies[1].mv = game.plies[0].mv),
        ("legal", |game| {
            let played = game.plies[0].mv;
            game.plies[1].visits = vec![(played, 5)];
        }),
    ];
    for (word, change) in kinds {
        let mut forged = games.clone();
        change(&mut forged[1]);
        let refused = check.check(UNIT, &written(&check, forged)).unwrap_err();
        assert!(refused.contains(word), "{word}: {refused}");
    }
    let fewer = written(&check, games[..3].to_vec());
    assert!(check.check(UNIT, &fewer).unwrap_err().contains("3 games instead of 4"));
}

#[test]
fn what_comes_after_the_end_of_its_plan_is_withdrawn() {
    let (check, games) = played();
    let folder = tempfile::tempdir().unwrap();
    let mailbox = Mailbox::make(&folder.path().display().to_string()).unwrap();
    let (identity, open) = (Identity { worker: "w".to_owned(), word: 1 }, OpenClaims::default());
    let counters = Counters::default();
    let plan = check.plan.number;
    let pick = Pick::first(UNIT);
    let claim = claim_path(plan, pick.unit, pick.attempt);
    let offer = Some(Offer { plan, ..Offer::default() });
    for (offer, left) in [(offer, 3), (Some(Offer { plan: plan + 1, ..Offer::default() }), 0)] {
        let board = Board { offer, ..Board::empty(1) };
        mailbox.replace(BOARD, &board.to_bytes()).unwrap();
        mailbox.replace(&claim, b"claimed").unwrap();
        open.insert(plan, pick);
        let mailbox = &mailbox;
        let (identity, open, counters) = (&identity, &open, &counters);
        let units = check.plan.units();
        let mut deliverer = Deliverer {
            hand_in: HandIn {
                stay: Stay { mailbox, plan, units, identity, open, counters },
                kind: UnitKind::Games,
                patience: Duration::ZERO,
                units: 0,
            },
            plan: &check.plan,
            shared: &check.shared,
            spent: SearchCounts::default(),
            noted: SearchCounts::default(),
        };
        deliverer.shard(u64::from(UNIT), games.clone()).unwrap();
        let found = ["inbox", "claims"].map(|folder| mailbox.list(folder).unwrap().len());
        assert_eq!(found.iter().sum::<usize>(), left, "{found:?}");
    }
}

#[test]
fn a_claim_that_the_store_failed_at_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = Mailbox::make(&folder.path().join("m").display().to_string()).unwrap();
    let (check, _) = played();
    let offer = Offer { plan: 1, open: UnitSet::of(3..4), ..Offer::default() };
    let board = Board { offer: Some(offer), units_missing: 1, ..Board::empty(0) };
    mailbox.replace(BOARD, &board.to_bytes()).unwrap();
    // A file in the place of a folder: nothing can be written below it.
    std::fs::write(folder.path().join("m/claims"), b"").unwrap();
    let identity = Identity { worker: "w".to_owned(), word: 1 };
    let (open, counters, stop) = (OpenClaims::default(), Counters::default(), Stop::new());
    let (mut tried, mut samples) = (BTreeSet::new(), 0);
    let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(2));
    let tries = backoff.tries();
    backoff.next(1);
    let mut next = || {
        let stay = Stay {
            mailbox: &mailbox,
            plan: check.plan.number,
            units: check.plan.units(),
            identity: &identity,
            open: &open,
            counters: &counters,
        };
        let mut picker = Picker {
            stay,
            evaluator: "e",
            choice: Choice::Board,
            tried: &mut tried,
            offer: board.offer.clone(),
            looked: Instant::now(),
            backoff: &mut backoff,
            samples: &mut samples,
            stop: &stop,
            trouble: None,
        };
        (picker.next(), picker.trouble)
    };
    let (unit, trouble) = next();
    assert!(unit.is_none() && trouble.is_some());
    std::fs::remove_file(folder.path().join("m/claims")).unwrap();
    assert_eq!(next(), (Some(3), None));
    assert_eq!(next(), (None, None), "it is ours now");
    assert_eq!(backoff.tries(), tries, "pauses begin anew");
}
