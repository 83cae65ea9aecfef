//! Matches: pairs, openings, resuming, and who beats whom.

use std::{collections::BTreeSet, sync::Arc};

use dz_game::{Game, Move, Outcome, Player, Symmetry, games::Connect4, games::TicTacToe};
use dz_infer::{Lockstep, LockstepCounts, Rollout, Sources};
use dz_play::{
    Fixture, MatchPlan, MatchResult, Next, Opening, PlayedGame, PlayerKind, PlayerSetup, Seat,
    distinct_openings, play_match, play_matches, rollout_anchor,
};
use dz_search::{Budget, SearchParams};

const LOCKSTEP: Lockstep = Lockstep { parallel_games: 16, groups: 2 };

fn connect4() -> Connect4 {
    Connect4::new(7, 6, 4).expect("a possible board")
}

fn rollouts<G: Game>() -> Sources<G> {
    let mut sources = Sources::default();
    sources.add_instant(Arc::new(Rollout::default()));
    sources
}

fn random_player() -> PlayerSetup {
    PlayerSetup { name: "random".into(), kind: PlayerKind::Random }
}

fn plan<G: Game>(game: &G, players: [PlayerSetup; 2], games: u64) -> MatchPlan {
    let openings = distinct_openings(game, 3, (games / 2) as usize, 1);
    MatchPlan { players, games, openings, seed: 5, plies_max: 1000 }
}

fn play<G: Game>(game: &G, plan: &MatchPlan, played: Vec<PlayedGame>) -> Vec<PlayedGame> {
    let mut go_on = |_: &PlayedGame, _: &LockstepCounts| true;
    play_match(game, plan, played, &LOCKSTEP, &mut rollouts(), &mut go_on)
        .expect("rollouts do not fail")
}

fn score<G: Game>(game: &G, players: [PlayerSetup; 2], games: u64) -> f64 {
    MatchResult::of(&play(game, &plan(game, players, games), Vec::new())).score()
}

#[test]
fn games_follow_the_rules_and_the_schedule() {
    let game = connect4();
    let plan = plan(&game, [random_player(), rollout_anchor("anchor", 10, 0)], 40);
    let games = play(&game, &plan, Vec::new());
    assert_eq!(games.len(), 40);
    for (number, played) in games.iter().enumerate() {
        assert_eq!(played.number, number as u64);
        assert_eq!(played.first, if number % 2 == 0 { Seat::A } else { Seat::B });
        assert_eq!(played.opening_plies, 3);
        assert_eq!(played.moves[..3], plan.openings[number / 2].moves);
        let mut state = game.start();
        let mut legal = Vec::new();
        for mv in &played.moves {
            game.legal_moves(&state, &(), &mut legal);
            assert!(legal.contains(mv));
            game.play(&mut state, *mv);
        }
        assert_eq!(game.outcome(&state, &()), Some(played.outcome));
        assert!(!played.adjudicated);
    }
}

#[test]
fn a_resumed_match_equals_the_uninterrupted_one() {
    let game = connect4();
    let plan = plan(&game, [rollout_anchor("a", 30, 0), rollout_anchor("b", 20, 0)], 30);
    let whole = play(&game, &plan, Vec::new());
    for keep in [&[0u64, 1, 2][..], &[29, 4, 11], &[]] {
        let some: Vec<PlayedGame> =
            whole.iter().filter(|g| keep.contains(&g.number)).cloned().rev().collect();
        assert_eq!(play(&game, &plan, some), whole);
    }
    // The lockstep's shape changes nothing either.
    let mut go_on = |_: &PlayedGame, _: &LockstepCounts| true;
    let other = Lockstep { parallel_games: 3, groups: 1 };
    let again = play_match(&game, &plan, Vec::new(), &other, &mut rollouts(), &mut go_on).unwrap();
    assert_eq!(again, whole);
}

/// Three matches side by side come out as each alone does, whatever is played of them already; one
/// that ends leaves the others alone, and what ends all lets nothing more begin.
#[test]
fn matches_side_by_side_are_the_same_matches() {
    let game = connect4();
    let players = |a, b| [rollout_anchor("a", a, 0), rollout_anchor("b", b, 0)];
    let plans = [(30, 20, 40), (10, 40, 30), (5, 5, 8)]
        .map(|(a, b, games)| plan(&game, players(a, b), games));
    let alone = plans.each_ref().map(|plan| play(&game, plan, Vec::new()));
    let fixtures = |first: &[PlayedGame]| -> Vec<Fixture<'_>> {
        let played = [first.to_vec(), Vec::new(), alone[2].clone()];
        plans.iter().zip(played).map(|(plan, played)| Fixture { plan, played }).collect()
    };
    let mut told = [0; 3];
    let mut go_on = |place: usize, _: &PlayedGame, _: &LockstepCounts| {
        told[place] += 1;
        Next::Play
    };
    let some = fixtures(&alone[0][3..9]);
    let together = play_matches(&game, some, &LOCKSTEP, &mut rollouts(), &mut go_on).unwrap();
    assert_eq!(together, alone);
    assert_eq!(told, [34, 30, 0]);

    let mut stop = |place: usize, _: &PlayedGame, _: &LockstepCounts| {
        if place == 0 { Next::EndMatch } else { Next::Play }
    };
    let few = Lockstep { parallel_games: 6, groups: 2 };
    let together = play_matches(&game, fixtures(&[]), &few, &mut rollouts(), &mut stop).unwrap();
    assert!((1..=6).contains(&together[0].len()), "{}", together[0].len());
    assert_eq!(together[1..], alone[1..]);

    let mut stop = |_: usize, _: &PlayedGame, _: &LockstepCounts| Next::EndAll;
    let together = play_matches(&game, fixtures(&[]), &few, &mut rollouts(), &mut stop).unwrap();
    let played = together[0].len() + together[1].len();
    assert!((1..=6).contains(&played), "{played} games of those at once");
}

#[test]
fn a_match_stops_when_told_and_goes_on_later() {
    let game = connect4();
    let plan = plan(&game, [random_player(), random_player()], 100);
    let mut told = 0;
    let mut stop = |_: &PlayedGame, _: &LockstepCounts| {
        told += 1;
        told < 10
    };
    let some = play_match(&game, &plan, Vec::new(), &LOCKSTEP, &mut rollouts(), &mut stop).unwrap();
    assert!((10..=10 + LOCKSTEP.parallel_games).contains(&some.len()), "{}", some.len());
    assert_eq!(told, some.len());
    assert_eq!(play(&game, &plan, some), play(&game, &plan, Vec::new()));
}

#[test]
fn more_playouts_beat_fewer_and_chance_beats_nobody() {
    let game = connect4();
    let anchor = |playouts| rollout_anchor("anchor", playouts, 0);
    let equal = score(&game, [random_player(), random_player()], 1000);
    assert!((equal - 0.5).abs() < 0.07, "random against random: {equal}");
    let same = score(&game, [anchor(30), anchor(30)], 200);
    assert!((same - 0.5).abs() < 0.14, "the anchor against itself: {same}");
    let easy = score(&game, [anchor(50), random_player()], 60);
    assert!(easy > 0.9, "the anchor against random: {easy}");
    let more = score(&game, [anchor(20), anchor(200)], 60);
    assert!(more < 0.25, "20 playouts against 200: {more}");
}

#[test]
fn reuse_does_not_hurt() {
    let game = connect4();
    let with = |reuse| {
        let mut setup = rollout_anchor("anchor", 60, 0);
        if let PlayerKind::Search { reuse: kept, params, .. } = &mut setup.kind {
            *kept = reuse;
            *params = SearchParams { graph: true, ..*params };
        }
        setup
    };
    let score = score(&game, [with(true), with(false)], 200);
    assert!(score > 0.4, "{score}");
}

#[test]
fn the_ply_limit_ends_games_as_draws() {
    // Nobody can have connected four after six plies.
    let game = connect4();
    let players = [random_player(), rollout_anchor("anchor", 5, 0)];
    let plan = MatchPlan { players, games: 6, openings: Vec::new(), seed: 1, plies_max: 6 };
    for played in play(&game, &plan, Vec::new()) {
        assert!(played.adjudicated);
        assert_eq!((played.moves.len(), played.outcome), (6, Outcome::DRAW));
    }
}

fn assert_distinct<G: Game>(game: &G, openings: &[Opening], plies: usize) {
    let mut seen = BTreeSet::new();
    for opening in openings {
        assert_eq!(opening.moves.len(), plies);
        let (mut state, mut history) = (game.start(), G::History::default());
        let mut legal = Vec::new();
        for &mv in &opening.moves {
            game.legal_moves(&state, &history, &mut legal);
            assert!(legal.contains(&mv));
            game.advance(&mut state, &mut history, mv);
        }
        assert!(game.to_move(&state, &history).is_some(), "an opening that is over");
        let images = (0..game.symmetry_count()).map(|s| game.map_state(Symmetry(s), &state));
        let images: Vec<_> = images.map(|image| game.eval_key(&image, &history)).collect();
        assert!(images.iter().all(|image| !seen.contains(image)), "twice, or in the mirror");
        seen.extend(images);
    }
}

#[test]
fn openings_are_distinct_also_in_the_mirror() {
    let game = connect4();
    let openings = distinct_openings(&game, 4, 200, 3);
    assert_eq!(openings.len(), 200);
    assert_distinct(&game, &openings, 4);
    assert_eq!(openings, distinct_openings(&game, 4, 200, 3));
    assert_ne!(openings, distinct_openings(&game, 4, 200, 4));
    // The first 50 are the same however many are asked for: matches of different lengths compare.
    assert_eq!(openings[..50], distinct_openings(&game, 4, 50, 3));
    assert_distinct(&game, &distinct_openings(&game, 12, 200, 3), 12);
}

#[test]
fn where_there_are_few_openings_all_are_found() {
    // Corner, edge, centre; the four columns that a mirror leaves.
    assert_eq!(distinct_openings(&TicTacToe, 1, 50, 1).len(), 3);
    assert_eq!(distinct_openings(&connect4(), 1, 50, 1).len(), 4);
    assert_eq!(distinct_openings(&TicTacToe, 0, 50, 1).len(), 1);
    // Two plies of tic-tac-toe: 12 positions up to symmetry.
    assert_eq!(distinct_openings(&TicTacToe, 2, 50, 1).len(), 12);
}

/// Game `number`, won by `winner`, with one move that tells it from others.
fn finished(number: u64, winner: Option<Player>, mv: u16) -> PlayedGame {
    let first = if number.is_multiple_of(2) { Seat::A } else { Seat::B };
    let outcome = winner.map_or(Outcome::DRAW, Outcome::win_of);
    let moves = vec![Move(mv)];
    PlayedGame {
        number,
        first,
        opening_plies: 0,
        moves,
        outcome,
        adjudicated: false,
        forfeit: None,
        dispute: None,
    }
}

#[test]
fn results_count_games_pairs_and_duplicates() {
    let (first, second) = (Some(Player::First), Some(Player::Second));
    let games = [
        // A wins both: 2 points.
        finished(0, first, 0),
        finished(1, second, 1),
        // The first player wins both: 1 point, a move list known from game 0.
        finished(2, first, 0),
        finished(3, first, 3),
        // A draw and a loss: half a point.
        finished(4, None, 4),
        finished(5, first, 5),
        // B wins both.
        finished(6, second, 6),
        finished(7, first, 7),
        // A draw and a win; the same move as game 4 with the colours swapped is no duplicate.
        finished(8, first, 8),
        finished(9, None, 4),
        // Half a pair counts as a game and as no pair.
        finished(12, second, 9),
    ];
    let result = MatchResult::of(&games);
    assert_eq!((result.games, result.wins, result.draws, result.losses), (11, 4, 2, 5));
    assert_eq!(result.pairs, [1, 1, 1, 1, 1]);
    assert_eq!(result.by_first, [[3, 1, 2], [3, 1, 1]]);
    assert_eq!(result.duplicates, 1);
    assert_eq!(result.score(), 5.0 / 11.0);
    let mut shuffled = games.to_vec();
    shuffled.reverse();
    assert_eq!(MatchResult::of(&shuffled), result);
    assert_eq!(MatchResult::of(&[]).score(), 0.5);
}

#[test]
fn the_anchor_is_what_its_description_says() {
    let PlayerKind::Search { params, budget, reuse, source, .. } =
        rollout_anchor("r", 1000, 3).kind
    else {
        panic!("the anchor searches");
    };
    assert_eq!((budget, reuse, source), (Budget::Playouts(1000), false, 3));
    assert!(!params.graph);
    let c = std::f64::consts::SQRT_2;
    assert_eq!(params.selection, dz_search::Selection::Uct { c });
}
