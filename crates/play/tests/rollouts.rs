//! Players whose rollouts come from a file, count several times, or enter the graph.

use std::fs;

use dz_game::{
    Move,
    games::{Go, TicTacToe},
};
use dz_infer::Lockstep;
use dz_linear::PolicyStudent;
use dz_play::{
    Guide, MatchPlayer, MoveHeuristic, NoNetworks, PlayerError, PlayerKind, PlayerPool,
    PositionCheck, check_positions, rollout_player, rollout_section,
};
use dz_search_settings::{Grow, LeafValue, RolloutMoves, SearchSection, SelectionWord, Untried};

const LOCKSTEP: Lockstep = Lockstep { parallel_games: 4, groups: 1 };

/// Positions of tic-tac-toe with one move that wins or saves.
fn tactics() -> Vec<PositionCheck> {
    [(vec![0, 3, 1, 4], 2), (vec![4, 1, 8], 0), (vec![0, 4, 1], 2)]
        .into_iter()
        .map(|(moves, best)| PositionCheck {
            moves: moves.into_iter().map(Move).collect(),
            preserving: vec![Move(best)],
            value: None,
        })
        .collect()
}

#[test]
fn each_way_of_rolling_out_finds_the_only_move() {
    let plain = rollout_section();
    let rave = SearchSection { selection: SelectionWord::Rave, ..plain.clone() };
    let sections = [
        SearchSection { leaf_rollouts: 4, ..plain.clone() },
        SearchSection { grow: Grow::Episode, ..plain.clone() },
        SearchSection { grow: Grow::Episode, untried: Untried::Rollout, ..rave.clone() },
        SearchSection { untried: Untried::Rollout, equivalent_visits: 5, ..rave.clone() },
        rave,
        plain,
    ];
    for section in sections {
        let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
        let player = rollout_player("tried", &section, 800);
        let found = check_positions(&mut pool, &player, &tactics(), 800, &LOCKSTEP).unwrap();
        let right = found.iter().filter(|answer| answer.preserved).count();
        assert_eq!(right, tactics().len(), "{section:?}");
    }
}

/// All-moves-as-first values need the moves of rollouts, which the search must ask for itself.
#[test]
fn a_search_that_uses_rollouts_moves_plays_them_itself() {
    let leaf_value = |section: SearchSection| {
        let PlayerKind::Search(search) = rollout_player("any", &section, 1).kind else {
            panic!("it searches")
        };
        search.params.leaf_value
    };
    assert_eq!(leaf_value(rollout_section()), LeafValue::Network);
    let rave = SearchSection { selection: SelectionWord::Rave, ..rollout_section() };
    assert_eq!(leaf_value(rave), LeafValue::Rollout);
    let several = SearchSection { leaf_rollouts: 2, ..rollout_section() };
    assert_eq!(leaf_value(several), LeafValue::Rollout);
}

#[test]
fn a_policy_from_a_file_moves_in_rollouts() {
    let game = Go::from_spec(&"go:size=4,komi=0".parse().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("go4.policy").display().to_string();
    let policy = PolicyStudent::new(&game, &[1, 2], 0.1).unwrap().policy();
    fs::write(&path, policy.to_bytes().unwrap()).unwrap();
    let player = |path: &str| -> MatchPlayer {
        let rollout = RolloutMoves::Learned(path.to_owned());
        rollout_player("learned", &SearchSection { rollout, ..rollout_section() }, 20)
    };
    let mut pool = PlayerPool::new(&game, NoNetworks, 0);
    let position = PositionCheck { moves: vec![Move(5)], preserving: vec![Move(6)], value: None };
    let found = check_positions(&mut pool, &player(&path), &[position], 20, &LOCKSTEP).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(pool.sources().ids(), ["rollout-learned"]);
    let error = pool.prepare(&player("/nowhere/at.all")).unwrap_err();
    assert!(matches!(error, PlayerError::Guide(_)) && error.to_string().contains("/nowhere"));
}

/// A search goes on with the same files alone.
#[test]
fn searches_are_named_after_the_files_that_they_take_moves_from() {
    let game = Go::from_spec(&"go:size=4,komi=0".parse().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("go4.policy").display().to_string();
    let named = |sides: &[u8]| {
        let policy = PolicyStudent::new(&game, sides, 0.1).unwrap().policy();
        fs::write(&path, policy.to_bytes().unwrap()).unwrap();
        let rollouts = RolloutMoves::Learned(path.clone());
        Guide::load(&game, &rollouts, &MoveHeuristic::None).unwrap().named("rollout")
    };
    assert_eq!(named(&[1]), named(&[1]));
    assert_ne!(named(&[1]), named(&[1, 2]));
    assert_eq!(Guide::default().named("rollout"), "rollout");
}
