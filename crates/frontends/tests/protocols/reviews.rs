//! Games with what a player thinks of them.

use dz_frontends::{Judgement, ReviewError, comment, review};
use dz_game::Move;

use crate::common::{Eyes, session};

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
    for ply in &plies {
        assert!((0.0..=1.0).contains(&ply.score_before) && ply.loss >= 0.0);
        assert_eq!(ply.best_line.first(), Some(&ply.best));
    }
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
