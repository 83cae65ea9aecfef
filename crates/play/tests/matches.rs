//! Matches: pairs, openings, resuming, and who beats whom.

use std::collections::{BTreeMap, BTreeSet};

use dz_game::{Game, Move, Outcome, Player, Symmetry, games::Connect4, games::TicTacToe};
use dz_infer::Lockstep;
use dz_play::{
    BoxError, EarlyStop, GameStore, Match, MatchCounts, MatchHeader, MatchObserver, MatchPlayer,
    MatchProgress, MatchTask, NoNetworks, NoObserver, Opening, PlayedGame, PlayerEvaluator,
    PlayerKind, PlayerPool, Seat, distinct_openings, play_match, play_matches, rollout_anchor,
};
use dz_search::{Budget, SearchParams};

const LOCKSTEP: Lockstep = Lockstep { parallel_games: 16, groups: 2 };

fn connect4() -> Connect4 {
    Connect4::new(7, 6, 4).expect("a possible board")
}

fn random_player() -> MatchPlayer {
    MatchPlayer { name: "random".into(), kind: PlayerKind::Random }
}

fn plan(players: [MatchPlayer; 2], games: u64) -> Match {
    Match { players, games, opening_plies: 3, seed: 5, plies_max: 1000, early_stop: None }
}

/// Games of an interrupted match in memory.
struct Kept(Vec<PlayedGame>);

impl GameStore for Kept {
    fn open(&mut self, _header: &MatchHeader) -> Result<Vec<PlayedGame>, BoxError> {
        Ok(self.0.clone())
    }

    fn append(&mut self, game: &PlayedGame) -> Result<(), BoxError> {
        self.0.push(game.clone());
        Ok(())
    }
}

/// Counts games by A's name, and stops all matches after so many games.
struct Watch {
    reported: BTreeMap<String, usize>,
    stop_after: usize,
}

impl Watch {
    fn new(stop_after: usize) -> Self {
        Self { reported: BTreeMap::new(), stop_after }
    }
}

impl MatchObserver for Watch {
    fn progress(&mut self, progress: &MatchProgress) {
        *self.reported.entry(progress.a.clone()).or_default() += 1;
    }

    fn stopped(&self) -> bool {
        self.reported.values().sum::<usize>() >= self.stop_after
    }
}

fn play_with<G: Game>(
    game: &G,
    plan: &Match,
    played: Vec<PlayedGame>,
    lockstep: &Lockstep,
    observer: &mut dyn MatchObserver,
) -> Vec<PlayedGame> {
    let mut pool = PlayerPool::new(game, NoNetworks, 0);
    let mut kept = Kept(played);
    let played = play_match(plan, &mut pool, lockstep, Some(&mut kept), observer);
    let games = played.expect("rollouts do not fail").games;
    kept.0.sort_by_key(|game| game.number);
    assert_eq!(kept.0, games, "every game is kept");
    games
}

fn play<G: Game>(game: &G, plan: &Match, played: Vec<PlayedGame>) -> Vec<PlayedGame> {
    play_with(game, plan, played, &LOCKSTEP, &mut NoObserver)
}

fn score<G: Game>(game: &G, players: [MatchPlayer; 2], games: u64) -> f64 {
    MatchCounts::of(&play(game, &plan(players, games), Vec::new())).score()
}

#[test]
fn games_follow_the_rules_and_the_schedule() {
    let game = connect4();
    let plan = plan([random_player(), rollout_anchor("anchor", 10)], 40);
    let openings = distinct_openings(&game, 3, 20, plan.seed);
    let games = play(&game, &plan, Vec::new());
    assert_eq!(games.len(), 40);
    for (number, played) in games.iter().enumerate() {
        assert_eq!(played.number, number as u64);
        assert_eq!(played.first, if number % 2 == 0 { Seat::A } else { Seat::B });
        assert_eq!(played.opening_plies, 3);
        assert_eq!(played.moves[..3], openings[number / 2].moves);
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
    let plan = plan([rollout_anchor("a", 30), rollout_anchor("b", 20)], 30);
    let whole = play(&game, &plan, Vec::new());
    for keep in [&[0u64, 1, 2][..], &[29, 4, 11], &[]] {
        let some: Vec<PlayedGame> =
            whole.iter().filter(|g| keep.contains(&g.number)).cloned().rev().collect();
        assert_eq!(play(&game, &plan, some), whole);
    }
    // The lockstep's shape changes nothing either.
    let other = Lockstep { parallel_games: 3, groups: 1 };
    let again = play_with(&game, &plan, Vec::new(), &other, &mut NoObserver);
    assert_eq!(again, whole);
}

/// Plays matches of connect4 at the same time, given the finished games of each.
fn play_all(
    plans: &[Match; 3],
    played: [Vec<PlayedGame>; 3],
    lockstep: &Lockstep,
    observer: &mut dyn MatchObserver,
) -> [Vec<PlayedGame>; 3] {
    let game = connect4();
    let mut pool = PlayerPool::new(&game, NoNetworks, 0);
    let mut stores = played.map(Kept);
    let tasks = plans
        .iter()
        .zip(&mut stores)
        .map(|(plan, store)| MatchTask { plan, store: Some(store) })
        .collect();
    let all = play_matches(tasks, &mut pool, lockstep, observer).expect("rollouts do not fail");
    let games: Vec<_> = all.into_iter().map(|played| played.games).collect();
    games.try_into().expect("three matches")
}

/// Three matches in parallel have the same results as each alone, whatever part is played already.
/// The end of one leaves the others alone, and after the end of all nothing more begins.
#[test]
fn matches_side_by_side_are_the_same_matches() {
    let game = connect4();
    let plans = [("x", 30, 20, 40), ("y", 10, 40, 30), ("z", 5, 5, 8)]
        .map(|(name, a, b, games)| plan([rollout_anchor(name, a), rollout_anchor("b", b)], games));
    let alone = plans.each_ref().map(|plan| play(&game, plan, Vec::new()));
    let mut watch = Watch::new(usize::MAX);
    let some = [alone[0][3..9].to_vec(), Vec::new(), alone[2].clone()];
    assert_eq!(play_all(&plans, some, &LOCKSTEP, &mut watch), alone);
    let reported = ["x", "y", "z"].map(|name| watch.reported.get(name).copied().unwrap_or(0));
    assert_eq!(reported, [34, 30, 0]);

    // The first match is decided as soon as a pair brings A half a point.
    let mut decided = plans.clone();
    decided[0].early_stop = Some(EarlyStop::Score(1.0 / 80.0));
    let few = Lockstep { parallel_games: 6, groups: 2 };
    let none = || [Vec::new(), Vec::new(), Vec::new()];
    let together = play_all(&decided, none(), &few, &mut NoObserver);
    assert!((1..=6).contains(&together[0].len()), "{}", together[0].len());
    assert_eq!(together[1..], alone[1..]);

    let together = play_all(&plans, none(), &few, &mut Watch::new(1));
    let played = together[0].len() + together[1].len();
    assert!((1..=6).contains(&played), "{played} games of those at once");
}

#[test]
fn a_match_stops_on_request_and_goes_on_later() {
    let game = connect4();
    let plan = plan([random_player(), random_player()], 100);
    let mut watch = Watch::new(10);
    let some = play_with(&game, &plan, Vec::new(), &LOCKSTEP, &mut watch);
    assert!((10..=10 + LOCKSTEP.parallel_games).contains(&some.len()), "{}", some.len());
    assert_eq!(watch.reported["random"], some.len());
    assert_eq!(play(&game, &plan, some), play(&game, &plan, Vec::new()));
}

#[test]
fn more_playouts_beat_fewer_and_chance_beats_nobody() {
    let game = connect4();
    let anchor = |playouts| rollout_anchor("anchor", playouts);
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
        let mut player = rollout_anchor("anchor", 60);
        if let PlayerKind::Search(search) = &mut player.kind {
            search.reuse = reuse;
            search.params = SearchParams { graph: true, ..search.params };
        }
        player
    };
    let score = score(&game, [with(true), with(false)], 200);
    assert!(score > 0.4, "{score}");
}

#[test]
fn the_ply_limit_ends_games_as_draws() {
    // Nobody can have connected four after six plies.
    let game = connect4();
    let players = [random_player(), rollout_anchor("anchor", 5)];
    let plan = Match { opening_plies: 0, seed: 1, plies_max: 6, ..plan(players, 6) };
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

/// Game `number`, won by `winner`, with one move that distinguishes it from others.
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
    let result = MatchCounts::of(&games);
    assert_eq!((result.games, result.wins, result.draws, result.losses), (11, 4, 2, 5));
    assert_eq!(result.pairs, [1, 1, 1, 1, 1]);
    assert_eq!(result.by_first, [[3, 1, 2], [3, 1, 1]]);
    assert_eq!(result.duplicates, 1);
    assert_eq!(result.score(), 5.0 / 11.0);
    let mut shuffled = games.to_vec();
    shuffled.reverse();
    assert_eq!(MatchCounts::of(&shuffled), result);
    assert_eq!(MatchCounts::of(&[]).score(), 0.5);
}

#[test]
fn the_anchor_is_what_its_description_says() {
    let PlayerKind::Search(search) = rollout_anchor("r", 1000).kind else {
        panic!("the anchor searches");
    };
    assert_eq!((search.budget, search.reuse), (Budget::Playouts(1000), false));
    assert_eq!(search.evaluator, PlayerEvaluator::Rollout);
    assert!(!search.params.graph);
    let c = std::f64::consts::SQRT_2;
    assert_eq!(search.params.selection, dz_search::Selection::Uct { c });
}
