//! Known positions: does the search find the move that keeps the value?

use std::sync::Arc;

use dz_game::{Move, games::Connect4};
use dz_infer::{Hashed, Lockstep};
use dz_play::{
    MatchPlayer, NoNetworks, PlayerEvaluator, PlayerKind, PlayerPool, PositionCheck, Preserved,
    SearchPlayer, check_positions, rollout_anchor,
};
use dz_search::{MoveChoice, TieBreak};

/// Columns from 1 as people write them.
fn check(moves: &str, preserving: &[u16]) -> PositionCheck {
    let column = |c: u8| Move(u16::from(c - b'1'));
    let preserving = preserving.iter().map(|&c| Move(c - 1)).collect();
    PositionCheck { moves: moves.bytes().map(column).collect(), preserving, value: None }
}

/// Positions with one right move, seen by hand.
fn tactics() -> Vec<PositionCheck> {
    vec![
        // Three on each other in column 1: the mover wins on top, then must block there.
        check("121212", &[1]),
        check("12121", &[1]),
        // Three in a row at the left edge: only column 4 completes or blocks it.
        check("112233", &[4]),
        check("11223", &[4]),
        // Full columns in the way; the win is in column 7.
        check("767676", &[7]),
    ]
}

fn anchor() -> SearchPlayer {
    match rollout_anchor("anchor", 1).kind {
        PlayerKind::Search(search) => search,
        kind => panic!("the anchor searches: {kind:?}"),
    }
}

fn answers(positions: &[PositionCheck], playouts: u32, lockstep: &Lockstep) -> Vec<Preserved> {
    let game = Connect4::new(7, 6, 4).expect("a possible board");
    let mut pool = PlayerPool::new(&game, NoNetworks, 0);
    let player = MatchPlayer::search("anchor", anchor());
    check_positions(&mut pool, &player, positions, playouts, lockstep)
        .expect("rollouts do not fail")
}

/// What a player with an evaluator of [`Hashed`] does.
fn hashed_answers(
    search: &SearchPlayer,
    positions: &[PositionCheck],
    playouts: u32,
) -> Vec<Preserved> {
    let game = Connect4::new(7, 6, 4).expect("a possible board");
    let lockstep = Lockstep { parallel_games: 8, groups: 1 };
    let mut pool = PlayerPool::new(&game, NoNetworks, 0);
    let hashed = pool.sources().add_instant(Arc::new(Hashed));
    let search = SearchPlayer { evaluator: PlayerEvaluator::Added(hashed), ..search.clone() };
    let player = MatchPlayer::search("player", search);
    check_positions(&mut pool, &player, positions, playouts, &lockstep)
        .expect("a fake does not fail")
}

#[test]
fn a_search_finds_wins_and_blocks() {
    let positions = tactics();
    let lockstep = Lockstep { parallel_games: 2, groups: 1 };
    let got = answers(&positions, 1000, &lockstep);
    for (index, (answer, position)) in got.iter().zip(&positions).enumerate() {
        assert_eq!((answer.index, answer.ply), (index, position.moves.len()));
        assert!(answer.preserved, "{position:?}");
        assert!(answer.nontrivial);
    }
    assert_eq!(got, answers(&positions, 1000, &Lockstep { parallel_games: 64, groups: 2 }));
}

#[test]
fn wrong_answers_and_trivial_positions_are_counted_apart() {
    // The truth turned round: what the search finds is not among these.
    let wrong = [check("121212", &[2, 3, 4, 5, 6, 7]), check("", &[1, 2, 3, 4, 5, 6, 7])];
    let got = answers(&wrong, 1000, &Lockstep { parallel_games: 8, groups: 1 });
    assert_eq!((got[0].preserved, got[0].nontrivial), (false, true));
    assert_eq!((got[1].preserved, got[1].nontrivial), (true, false), "any move will do");
}

/// 0 playouts ask for one evaluation and take the largest prior.
#[test]
fn without_playouts_the_policy_decides() {
    let mut search = anchor();
    search.params.tie_break = TieBreak::LowestMove;
    let game = Connect4::new(7, 6, 4).unwrap();
    let lockstep = Lockstep { parallel_games: 8, groups: 1 };
    let mut pool = PlayerPool::new(&game, NoNetworks, 0);
    let uniform = SearchPlayer { evaluator: PlayerEvaluator::Uniform, ..search.clone() };
    let uniform = MatchPlayer::search("uniform", uniform);
    let lowest = [check("44", &[1])];
    let answers = check_positions(&mut pool, &uniform, &lowest, 0, &lockstep).unwrap();
    assert!(answers[0].preserved, "equal priors: the lowest move");
    let ask = |column| hashed_answers(&search, &[check("44", &[column])], 0)[0].preserved;
    let best: Vec<u16> = (1..=7).filter(|&column| ask(column)).collect();
    assert_eq!(best.len(), 1);
}

/// The move is the player's choice under every rule. Without playouts the rule has no effect.
#[test]
fn the_move_is_the_players_choice() {
    let chosen = |choice, playouts| -> Vec<u16> {
        let search = SearchPlayer { choice, ..anchor() };
        let kept = |position: &str, column: u16| {
            hashed_answers(&search, &[check(position, &[column])], playouts)[0].preserved
        };
        ["", "4", "44", "43", "444", "4321"]
            .into_iter()
            .flat_map(|position| {
                (1..=7).filter(|&column| kept(position, column)).collect::<Vec<_>>()
            })
            .collect()
    };
    let visits = chosen(MoveChoice::MostVisits, 30);
    let value = chosen(MoveChoice::BestValue, 30);
    assert_eq!((visits.len(), value.len()), (6, 6), "one move a position");
    assert_ne!(visits, value);
    assert_eq!(chosen(MoveChoice::MostVisits, 0), chosen(MoveChoice::BestValue, 0));
}
