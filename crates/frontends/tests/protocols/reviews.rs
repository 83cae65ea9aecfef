//! Games with what a player thinks of them.

use dz_frontends::{Judgement, ReviewError, ReviewedPly, comment, review};
use dz_game::Move;

use crate::common::{Eyes, gumbel_player, session, session_of};

fn moves(list: &[u16]) -> Vec<Move> {
    list.iter().map(|&mv| Move(mv)).collect()
}

#[test]
fn a_lost_move_is_a_blunder_and_the_win_is_best() {
    let spec = "tictactoe".parse().expect("a game");
    let mut game = session(&spec, Eyes::Rollouts).expect("a session");
    // X has 1 and 2 and O does not block at 3: points 0, 4, 1, 8, 2.
    let plies = review(&mut *game, &moves(&[0, 4, 1, 8, 2]), 2_000, &mut |_| {}).expect("legal");
    assert_eq!(plies.len(), 5);
    let lost = &plies[3];
    assert_eq!(
        (lost.judgement, lost.best.as_str(), lost.player),
        (Judgement::Blunder, "3", "second")
    );
    assert!(lost.loss > 0.3 && lost.score_after < 0.1, "{lost:?}");
    let won = &plies[4];
    assert_eq!((won.judgement, won.score_after, won.first_score), (Judgement::Best, 1.0, 1.0));
    assert!(comment(lost).contains("blunder") && comment(lost).contains("better 3"));
    let good = ReviewedPly { judgement: Judgement::Good, loss: 0.0, ..lost.clone() };
    assert!(comment(&good).contains(", good; first choice 3"), "{}", comment(&good));
    for ply in &plies {
        assert!((0.0..=1.0).contains(&ply.score_before) && ply.loss >= 0.0);
        assert_eq!(ply.best_line.first(), Some(&ply.best));
    }
}

/// Sequential halving visits bad moves often, so its mean says little of a position.
#[test]
fn sequential_halving_sees_blunders_and_its_curve_does_not_swing() {
    let spec = "tictactoe".parse().expect("a game");
    let player = gumbel_player("halving", Eyes::Rollouts.evaluator());
    let mut game = session_of(&spec, &player).expect("a session");
    let plies = review(&mut *game, &moves(&[0, 4, 1, 8, 2]), 2_000, &mut |_| {}).expect("legal");
    let lost = &plies[3];
    assert_eq!((lost.judgement, lost.best.as_str()), (Judgement::Blunder, "3"));
    // The block draws. The other five moves lose at once.
    assert!(lost.score_before > 0.45 && lost.loss > 0.45, "{lost:?}");
    let curve: Vec<f64> = plies.iter().map(|ply| ply.first_score).collect();
    assert!(curve[..3].iter().all(|score| (score - 0.5).abs() < 0.1), "{curve:?}");
}

#[test]
fn a_move_that_cannot_be_played_is_named() {
    let spec = "tictactoe".parse().expect("a game");
    let mut game = session(&spec, Eyes::Uniform).expect("a session");
    let error = review(&mut *game, &moves(&[0, 0]), 5, &mut |_| {}).expect_err("taken");
    assert!(matches!(error, ReviewError::Move { ply: 2, .. }), "{error}");
    let all = moves(&[0, 3, 1, 4, 2, 5]);
    let mut game = session(&spec, Eyes::Uniform).expect("a session");
    let error = review(&mut *game, &all, 5, &mut |_| {}).expect_err("over");
    assert!(error.to_string().starts_with("move 6: "), "{error}");
}
