//! Games of others as games of self-play.

use dz_game::games::{Chess, Go};
use dz_game::{Game, Komi, Outcome, Player};
use dz_record::read;
use dz_shard::{GameEnd, RowBlock, RowShape, SearchKind, rows_of_game};
use selfplay::{NotImported, ReadGame, game_of_sheet};

fn go() -> Go {
    Go::from_spec(&"go:size=5,komi=7.5".parse().unwrap()).unwrap()
}

fn chess() -> Chess {
    Chess::from_spec(&"chess".parse().unwrap()).unwrap()
}

fn imported<G: Game>(game: &G, text: &str) -> Result<ReadGame, NotImported> {
    let sheets = read(text).unwrap();
    assert_eq!(sheets.len(), 1);
    game_of_sheet(game, &sheets[0], false)
}

/// Imports a game and makes rows of it, which checks it by the rules.
fn good<G: Game>(game: &G, text: &str) -> ReadGame {
    let found = imported(game, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut rows = RowBlock::new(RowShape::of(&game.encoding()));
    rows_of_game(game, &found.record, &mut rows).unwrap();
    assert_eq!(rows.len(), found.record.plies.len());
    found
}

#[test]
fn the_move_is_the_target_and_the_outcome_the_value() {
    let found = good(&go(), "(;GM[1]SZ[5]KM[7.5]RE[B+R];B[cc];W[bb];B[dd])");
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    let record = &found.record;
    assert_eq!((record.outcome, record.end), (Outcome::win_of(Player::First), GameEnd::PlyLimit));
    assert_eq!((record.plies.len(), record.komi), (3, None));
    for (ply, winner) in record.plies.iter().zip([true, false, true]) {
        assert_eq!((ply.kind, ply.budget, ply.weight), (SearchKind::Full, 1, 1.0));
        assert_eq!(ply.visits, [(ply.mv, 1)]);
        assert_eq!(ply.root_value.score(), if winner { 1.0 } else { 0.0 });
    }
}

#[test]
fn chess_is_imported_with_its_result() {
    let found = good(&chess(), "[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Nf3 1/2-1/2\n");
    assert_eq!((found.record.outcome, found.record.plies.len()), (Outcome::DRAW, 3));
    let mate = "[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    let found = good(&chess(), mate);
    assert_eq!(found.record.end, GameEnd::Rules);
    assert_eq!(found.record.outcome.winner, Some(Player::Second));
}

#[test]
fn a_count_that_the_record_states_goes_before_that_of_the_rules() {
    // By the rules black has the whole board; the record removed his stone first.
    let stated = "(;GM[1]SZ[5]KM[7.5]RE[W+R];B[cc];W[];B[])";
    let found = good(&go(), stated);
    assert_eq!(found.record.end, GameEnd::PlyLimit);
    assert_eq!(found.record.outcome.winner, Some(Player::Second));
    assert_eq!(found.record.plies.len(), 2, "the pass that ends the game is left out");
    assert!(found.notes.iter().any(|note| note.contains("by the rules")), "{:?}", found.notes);
    // Without a stated result, and with the same one, the rules decide.
    for result in ["", "RE[B+17.5]"] {
        let found = good(&go(), &format!("(;GM[1]SZ[5]KM[7.5]{result};B[cc];W[];B[])"));
        assert_eq!((found.record.end, found.record.plies.len()), (GameEnd::Rules, 3));
        assert_eq!(found.record.outcome.winner, Some(Player::First));
    }
}

#[test]
fn games_keep_their_own_komi() {
    let found = good(&go(), "(;GM[1]SZ[5]KM[0.5]RE[B+24.5];B[cc];W[];B[])");
    assert_eq!(found.record.komi, Some(Komi { halves: 1 }));
    let wide = imported(&go(), "(;GM[1]SZ[5]KM[60.5]RE[W+R];B[cc];W[])");
    assert!(matches!(wide, Err(NotImported::Komi { .. })), "{wide:?}");
}

#[test]
fn games_with_too_little_information_are_left_out() {
    for (text, words) in [
        ("(;GM[1]SZ[5]HA[2]AB[bb][dd]RE[W+R];W[cc];B[cb])", "a position that is set up"),
        ("(;GM[1]SZ[5];B[cc];W[bb])", "has no result"),
        ("(;GM[1]SZ[5]RE[B+R])", "has no moves"),
    ] {
        let error = imported(&go(), text).unwrap_err();
        assert!(error.is_left_out(), "{text}: {error}");
        assert!(error.to_string().contains(words), "{text}: {error}");
    }
    let sheets = read("(;GM[1]SZ[5];B[cc];W[bb])").unwrap();
    let kept = game_of_sheet(&go(), &sheets[0], true).unwrap().record;
    assert_eq!((kept.outcome, kept.end), (Outcome::DRAW, GameEnd::PlyLimit));
}

#[test]
fn a_game_is_cut_off_where_moves_do_not_lead_on() {
    let found = good(&go(), "(;GM[1]SZ[5]KM[7.5]RE[W+R];B[cc];W[bb];W[dd];B[cb])");
    assert_eq!(found.record.plies.len(), 2);
    assert!(found.notes.iter().any(|note| note.contains("only the 2 moves")), "{:?}", found.notes);
}

#[test]
fn illegal_moves_are_faults() {
    let error = imported(&go(), "(;GM[1]SZ[5]RE[W+R];B[cc];W[cc])").unwrap_err();
    assert!(!error.is_left_out() && error.to_string().contains("move 2"), "{error}");
}
