//! The laws catch faults: each is put into a game that obeys them, and the law that falls is named.

use crate::faulty::{Fault, Faulty};
use dz_game::{
    Game, GameSpec,
    games::{
        Chess, Connect4, Go, Gomoku, GomokuOpening, GomokuRule, Hex, Othello, Shuttle, TicTacToe,
    },
    laws, transcript,
};

const GAMES: u32 = 40;

/// The law that falls, or "none".
fn law_broken_by<G: Game>(game: &G, fault: Fault) -> &'static str {
    law_broken_in(&Faulty::new(game.clone(), fault), GAMES)
}

fn law_broken_in<G: Game>(game: &Faulty<G>, games: u32) -> &'static str {
    laws::check(game, 3, games).err().map_or("none", |broken| broken.law)
}

fn connect4() -> Connect4 {
    Connect4::new(7, 6, 4).expect("possible parameters")
}

fn shuttle() -> Shuttle {
    Shuttle::from_spec(&GameSpec::new("shuttle", &[])).expect("a game")
}

fn hex() -> Hex {
    Hex::new(5, true).expect("a possible size")
}

fn othello() -> Othello {
    Othello::new(6).expect("a possible size")
}

fn gomoku() -> Gomoku {
    Gomoku::new(6, GomokuRule::Freestyle).expect("a possible size")
}

fn go(text: &str) -> Go {
    Go::from_spec(&text.parse().expect("a specification")).expect("possible rules")
}

fn check<G: Game>(game: &G, expected: &[(Fault, &str)]) {
    check_from(game, &game.start(), GAMES, expected);
}

/// Games begin with `start`.
fn check_from<G: Game>(game: &G, start: &G::State, games: u32, expected: &[(Fault, &str)]) {
    let wrong: Vec<String> = [(Fault::None, "none")]
        .iter()
        .chain(expected)
        .map(|&(fault, law)| {
            let mut faulty = Faulty::new(game.clone(), fault);
            faulty.start = start.clone();
            (fault, law, law_broken_in(&faulty, games))
        })
        .filter(|(_, law, found)| law != found)
        .map(|(fault, law, found)| format!("{fault:?} breaks '{found}', not '{law}'"))
        .collect();
    assert!(wrong.is_empty(), "{}:\n{}", game.spec(), wrong.join("\n"));
}

#[test]
fn faults_of_rules() {
    let legal = "legal moves ascend";
    let empty = "no legal moves if and only if over";
    check(
        &connect4(),
        &[
            (Fault::LegalTwice, legal),
            (Fault::LegalDescending, legal),
            (Fault::LegalNotCleared, "legal_moves clears its output"),
            (Fault::LegalAfterTheEnd, empty),
            (Fault::NoMovesBeforeTheEnd, empty),
            (Fault::MovesMaxTooSmall, "moves_max bounds legal moves"),
            (Fault::PliesMaxTooSmall, "plies_max bounds games"),
            (Fault::StateTooLarge, "a state is small"),
            (Fault::PlayDependsOnChance, "play is a function"),
            (Fault::ToMoveOfTheOther, "to_move and outcome are the status"),
        ],
    );
}

#[test]
fn faults_of_keys_and_history() {
    let (sight, future) = ("equal eval_key, equal sight", "equal node_key, equal future");
    check(
        &shuttle(),
        &[
            (Fault::NodeKeyForgetsHistory, future),
            (Fault::EvalKeyForgetsHistory, sight),
            (Fault::EvalKeyKnowsMoreThanNodeKey, future),
            (Fault::ClaimsAcyclic, "an acyclic game never repeats"),
            (Fault::PopDoesNothing, "pop_history undoes push_history"),
            (Fault::AdvanceForgetsHistory, "play is a function"),
            (Fault::UnkeyedForgetsHistory, "advance_unkeyed plays as advance does"),
            (Fault::KeyedForgetsHistory, "advance_keyed plays as advance does"),
        ],
    );
    check(&shuttle(), &[(Fault::NodeKeyCollides, future)]);
    let repeats = "an acyclic game never repeats";
    check(&TicTacToe, &[(Fault::EvalKeyCollides, sight), (Fault::NodeKeyCollides, repeats)]);
    check(&connect4(), &[(Fault::EvalKeyCollides, sight), (Fault::NodeKeyCollides, repeats)]);
    check(&hex(), &[(Fault::EvalKeyCollides, sight), (Fault::NodeKeyCollides, repeats)]);
}

#[test]
fn faults_of_symmetries() {
    let commute = "symmetries commute with play";
    let slots = "policy slots follow symmetries";
    let follow = "encoding through a symmetry is encoding the mapped position";
    check(
        &connect4(),
        &[
            (Fault::MapStateMissing, commute),
            (Fault::MapMoveMissing, slots),
            (Fault::IdentityMoves, "symmetry 0 is the identity"),
            (Fault::EncodeIgnoresSymmetry, follow),
            (Fault::SlotIgnoresSymmetry, slots),
        ],
    );
    check(
        &TicTacToe,
        &[
            (Fault::GroupNotClosed, "symmetries compose"),
            (Fault::MapMoveMissing, slots),
            (Fault::EncodeIgnoresSymmetry, follow),
        ],
    );
    check(
        &hex(),
        &[
            (Fault::MapStateMissing, commute),
            (Fault::MapMoveMissing, slots),
            (Fault::IdentityMoves, "symmetry 0 is the identity"),
            (Fault::EncodeIgnoresSymmetry, follow),
            (Fault::SlotIgnoresSymmetry, slots),
        ],
    );
}

#[test]
fn faults_of_encoding_and_text() {
    let slot = "each move has a policy slot of its own";
    check(
        &connect4(),
        &[
            (Fault::SlotShared, slot),
            (Fault::SlotOutOfRange, slot),
            (Fault::NamesMissing, "planes and globals have names"),
            (Fault::MovesShareName, "moves have names of their own"),
            (Fault::SplitJoins, "a list of moves splits into its moves"),
            (Fault::PlaysIllegalText, "play_text plays legal moves only"),
            (Fault::SpecIncomplete, "a specification names its game"),
        ],
    );
    let cases = "notation reads back in either case";
    check(&shuttle(), &[(Fault::ParseMindsCase, cases)]);
    check(
        &hex(),
        &[
            (Fault::SlotShared, slot),
            (Fault::SlotOutOfRange, slot),
            (Fault::NamesMissing, "planes and globals have names"),
            (Fault::MovesShareName, "moves have names of their own"),
            (Fault::ParseMindsCase, cases),
            (Fault::PlaysIllegalText, "play_text plays legal moves only"),
        ],
    );
}

#[test]
fn faults_of_othello() {
    let slot = "each move has a policy slot of its own";
    let slots = "policy slots follow symmetries";
    let repeats = "an acyclic game never repeats";
    check(
        &othello(),
        &[
            (Fault::LegalAfterTheEnd, "no legal moves if and only if over"),
            (Fault::PliesMaxTooSmall, "plies_max bounds games"),
            (Fault::PlayDependsOnChance, "play is a function"),
            (Fault::EvalKeyCollides, "equal eval_key, equal sight"),
            (Fault::NodeKeyCollides, repeats),
            // The start looks different in a mirror, so its moves do.
            (Fault::MapStateMissing, "symmetries map legal moves"),
            (Fault::MapMoveMissing, "symmetries map legal moves"),
            (Fault::IdentityMoves, "symmetry 0 is the identity"),
            (Fault::GroupNotClosed, "symmetries compose"),
            (
                Fault::EncodeIgnoresSymmetry,
                "encoding through a symmetry is encoding the mapped position",
            ),
            (Fault::SlotIgnoresSymmetry, slots),
            (Fault::SlotShared, slot),
            (Fault::SlotOutOfRange, slot),
            (Fault::MovesShareName, "moves have names of their own"),
            (Fault::ParseMindsCase, "notation reads back in either case"),
            (Fault::PlaysIllegalText, "play_text plays legal moves only"),
            (Fault::RandomMoveAnywhere, "a random move is a legal one"),
            (Fault::MarginHidden, "outcomes have a margin if it is offered"),
            (Fault::OwnersMissing, "points have owners if that is offered"),
            (Fault::OwnersExchanged, "owned points make the margin"),
            (
                Fault::OwnersIgnoreSymmetry,
                "owners through a symmetry are those of the mapped position",
            ),
        ],
    );
}

#[test]
fn faults_of_gomoku() {
    let slot = "each move has a policy slot of its own";
    let slots = "policy slots follow symmetries";
    let repeats = "an acyclic game never repeats";
    check(
        &gomoku(),
        &[
            (Fault::LegalAfterTheEnd, "no legal moves if and only if over"),
            (Fault::MovesMaxTooSmall, "moves_max bounds legal moves"),
            (Fault::PliesMaxTooSmall, "plies_max bounds games"),
            (Fault::PlayDependsOnChance, "play is a function"),
            (Fault::EvalKeyCollides, "equal eval_key, equal sight"),
            (Fault::NodeKeyCollides, repeats),
            (Fault::MapStateMissing, "symmetries commute with play"),
            (Fault::MapMoveMissing, slots),
            (Fault::IdentityMoves, "symmetry 0 is the identity"),
            (Fault::GroupNotClosed, "symmetries compose"),
            (
                Fault::EncodeIgnoresSymmetry,
                "encoding through a symmetry is encoding the mapped position",
            ),
            (Fault::SlotIgnoresSymmetry, slots),
            (Fault::SlotShared, slot),
            (Fault::SlotOutOfRange, slot),
            (Fault::MovesShareName, "moves have names of their own"),
            (Fault::ParseMindsCase, "notation reads back in either case"),
            (Fault::PlaysIllegalText, "play_text plays legal moves only"),
        ],
    );
}

#[test]
fn faults_of_go() {
    let slot = "each move has a policy slot of its own";
    let (sight, future) = ("equal eval_key, equal sight", "equal node_key, equal future");
    let commute = "symmetries commute with play";
    let follow = "encoding through a symmetry is encoding the mapped position";
    check(
        &go("go:size=3"),
        &[
            (Fault::LegalAfterTheEnd, "no legal moves if and only if over"),
            (Fault::MovesMaxTooSmall, "moves_max bounds legal moves"),
            (Fault::PlayDependsOnChance, "play is a function"),
            (Fault::EvalKeyCollides, sight),
            (Fault::NodeKeyCollides, "an acyclic game never repeats"),
            (Fault::PopDoesNothing, "pop_history undoes push_history"),
            (Fault::AdvanceForgetsHistory, "play is a function"),
            (Fault::RandomMoveAnywhere, "a random move is a legal one"),
            (Fault::MapStateMissing, commute),
            (Fault::MapMoveMissing, "policy slots follow symmetries"),
            (Fault::IdentityMoves, "symmetry 0 is the identity"),
            (Fault::GroupNotClosed, "symmetries compose"),
            (Fault::EncodeIgnoresSymmetry, follow),
            (Fault::SlotIgnoresSymmetry, "policy slots follow symmetries"),
            (Fault::SlotShared, slot),
            (Fault::SlotOutOfRange, slot),
            (Fault::MovesShareName, "moves have names of their own"),
            (Fault::ParseMindsCase, "notation reads back in either case"),
            (Fault::PlaysIllegalText, "play_text plays legal moves only"),
            (Fault::MarginHidden, "outcomes have a margin if it is offered"),
            (Fault::OwnersMissing, "points have owners if that is offered"),
            (Fault::OwnersExchanged, "owned points make the margin"),
            (
                Fault::OwnersIgnoreSymmetry,
                "owners through a symmetry are those of the mapped position",
            ),
        ],
    );
    // Where boards come back in most games.
    check(
        &go("go:size=2"),
        &[
            (Fault::NodeKeyForgetsHistory, future),
            (Fault::EvalKeyForgetsHistory, sight),
            (Fault::UnkeyedForgetsHistory, "advance_unkeyed plays as advance does"),
            (Fault::KeyedForgetsHistory, "advance_keyed plays as advance does"),
        ],
    );
    check(
        &go("go:size=2,superko=simple"),
        &[(Fault::ClaimsAcyclic, "an acyclic game never repeats")],
    );
    // Planes of past positions that the key does not cover.
    check(&go("go:size=3,history_planes=2"), &[(Fault::EvalKeyForgetsHistory, sight)]);
}

#[test]
fn faults_of_openings() {
    let repeats = "an acyclic game never repeats";
    for opening in [GomokuOpening::Swap, GomokuOpening::Swap2] {
        check(
            &gomoku().with_opening(opening),
            &[
                (Fault::LegalDescending, "legal moves ascend"),
                (Fault::PliesMaxTooSmall, "plies_max bounds games"),
                (Fault::PlayDependsOnChance, "play is a function"),
                (Fault::EvalKeyCollides, "equal eval_key, equal sight"),
                (Fault::NodeKeyCollides, repeats),
                (Fault::MapStateMissing, "symmetries commute with play"),
                (Fault::MapMoveMissing, "policy slots follow symmetries"),
                (Fault::GroupNotClosed, "symmetries compose"),
                (
                    Fault::EncodeIgnoresSymmetry,
                    "encoding through a symmetry is encoding the mapped position",
                ),
                (Fault::SlotShared, "each move has a policy slot of its own"),
                (Fault::SlotOutOfRange, "each move has a policy slot of its own"),
                (Fault::NamesMissing, "planes and globals have names"),
                (Fault::MovesShareName, "moves have names of their own"),
                (Fault::ParseMindsCase, "notation reads back in either case"),
                (Fault::PlaysIllegalText, "play_text plays legal moves only"),
                (Fault::SpecIncomplete, "a specification names its game"),
            ],
        );
    }
}

#[test]
fn faults_of_chess() {
    let game = Chess::default();
    check_from(
        &game,
        &game.start(),
        2,
        &[
            (Fault::LegalTwice, "legal moves ascend"),
            (Fault::LegalDescending, "legal moves ascend"),
            (Fault::LegalNotCleared, "legal_moves clears its output"),
            (Fault::LegalAfterTheEnd, "no legal moves if and only if over"),
            (Fault::NoMovesBeforeTheEnd, "no legal moves if and only if over"),
            (Fault::PliesMaxTooSmall, "plies_max bounds games"),
            (Fault::StateTooLarge, "a state is small"),
            (Fault::PlayDependsOnChance, "play is a function"),
            (Fault::AdvanceForgetsHistory, "play is a function"),
            (Fault::PopDoesNothing, "pop_history undoes push_history"),
            (Fault::ToMoveOfTheOther, "to_move and outcome are the status"),
            (Fault::EvalKeyCollides, "equal eval_key, equal sight"),
            (Fault::NodeKeyCollides, "an acyclic game never repeats"),
            (Fault::SlotShared, "each move has a policy slot of its own"),
            (Fault::NamesMissing, "planes and globals have names"),
            (Fault::MovesShareName, "moves have names of their own"),
            (Fault::ParseMindsCase, "notation reads back in either case"),
            (Fault::PlaysIllegalText, "play_text plays legal moves only"),
            (Fault::RandomMoveAnywhere, "a random move is a legal one"),
        ],
    );
    // With nothing but kings to move, positions come again, in one game and in several.
    let kings = game.parse_position("7k/8/8/p7/P7/8/8/K7 w - - 0 1").expect("a position");
    check_from(
        &game,
        &kings,
        GAMES,
        &[
            (Fault::NodeKeyForgetsHistory, "equal node_key, equal future"),
            (Fault::EvalKeyForgetsHistory, "equal eval_key, equal sight"),
            (Fault::UnkeyedForgetsHistory, "advance_unkeyed plays as advance does"),
            (Fault::KeyedForgetsHistory, "advance_keyed plays as advance does"),
            (Fault::PopDoesNothing, "pop_history undoes push_history"),
        ],
    );
    let drawn = Chess::from_spec(&"chess:history_planes=2".parse().expect("a specification"));
    let expected = [(Fault::EvalKeyForgetsHistory, "equal eval_key, equal sight")];
    check_from(&drawn.expect("a game"), &kings, GAMES, &expected);
}

/// A view that is consistently wrong contradicts nothing. This is why goldens are read.
#[test]
fn laws_miss_swapped_planes_and_the_transcript_shows_them() {
    let swapped = Faulty::new(connect4(), Fault::StonesSwapped);
    assert_eq!(law_broken_by(&connect4(), Fault::StonesSwapped), "none");
    assert_ne!(transcript(&swapped, 1), transcript(&connect4(), 1));
}

#[test]
fn a_broken_law_names_the_place() {
    let broken = laws::check(&Faulty::new(connect4(), Fault::PliesMaxTooSmall), 3, GAMES);
    let broken = broken.expect_err("six plies are more than five");
    assert_eq!(broken.moves.split(' ').count(), 6);
    assert_eq!(broken.detail, "6 plies, at most 5");
    assert!(broken.to_string().starts_with("plies_max bounds games is broken after moves ["));
}
