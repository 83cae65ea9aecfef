//! Forged segments: each kind is refused, for its own reason.

use dz_fleet::{MatchSegments, PlanObject, PlayerPlan};
use dz_game::games::TicTacToe;
use dz_game::{Move, Outcome, Player};
use dz_infer::Lockstep;
use dz_play::{
    Cause, Forfeit, Match, NoNetworks, NoObserver, PlayerPool, PreparedMatch, play_match,
    rollout_anchor,
};

use super::*;

/// The unit that is forged: games 4 to 7.
const UNIT: u32 = 1;

/// A forgery.
type Change<T> = fn(&mut T);

/// A match of twelve games in segments of four, what checks them, and the games of one.
fn played() -> (SegmentCheck<TicTacToe>, SegmentHeader, Vec<PlayedGame>) {
    let planned = Match {
        players: [rollout_anchor("strong", 8), rollout_anchor("weak", 2)],
        games: 12,
        opening_plies: 2,
        seed: 7,
        plies_max: 9,
        early_stop: None,
    };
    let mut pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
    let prepared = PreparedMatch::new(&planned, &mut pool).unwrap();
    let (header, openings) = (prepared.header().clone(), prepared.openings().to_vec());
    let lockstep = Lockstep { parallel_games: 4, groups: 1 };
    let played = play_match(&planned, &mut pool, &lockstep, None, &mut NoObserver).unwrap();
    let anchor = |name: &str| PlayerPlan::Anchor { name: name.to_owned() };
    let segments = MatchSegments {
        players: [anchor("strong"), anchor("weak")],
        header: serde_json::to_string(&header).unwrap(),
        games: 12,
        unit_games: 4,
    };
    let plan = MatchesPlan {
        format: MatchesPlan::FORMAT,
        number: 1,
        version: "1".to_owned(),
        config: String::new(),
        results_hash: "ab".repeat(32),
        cycle: 1,
        evaluators: EvaluatorRule::Same,
        matches: vec![segments],
    };
    assert_eq!(plan.units(), 3);
    let said = SegmentHeader::of(&plan, 0, evaluators_of(&header));
    let matches = vec![CheckedMatch { header, openings }];
    let games = played.games[4..8].to_vec();
    (SegmentCheck { game: TicTacToe, plan, matches }, said, games)
}

#[test]
fn a_segment_that_was_played_passes_and_has_its_games() {
    let (check, said, games) = played();
    let bytes = write_segment(&said, &games).unwrap();
    let found = check.check(UNIT, &bytes).unwrap();
    assert_eq!(found, PlayedSegment { games, other_evaluators: Vec::new() });
    for unit in [0, 2, 3] {
        assert!(check.check(unit, &bytes).is_err(), "under the number {unit}");
    }
}

#[test]
fn files_that_are_not_whole_segments_are_refused() {
    let (check, said, games) = played();
    let whole = write_segment(&said, &games).unwrap();
    for end in 0..whole.len() {
        assert!(check.check(UNIT, &whole[..end]).is_err(), "{end} bytes");
    }
    let refused = |bytes: &[u8]| check.check(UNIT, bytes).unwrap_err();
    let games_of = |range| refused(&write_segment(&said, &games[range]).unwrap());
    assert!(games_of(0..3).contains("3 games instead of 4"));
    let more = [games.clone(), games[..1].to_vec()].concat();
    let more = refused(&write_segment(&said, &more).unwrap());
    assert!(more.contains("5 games instead of 4"), "{more}");
    let text = String::from_utf8(whole.clone()).unwrap();
    let spaced = refused(text.replacen("\"first\":", "\"first\": ", 1).as_bytes());
    assert!(spaced.contains("written"), "{spaced}");
    let longer = refused(&[&whole[..], &vec![b' '; 1 << 20]].concat());
    assert!(longer.contains("more than"), "{longer}");
    assert!(refused(&[0xff; 100]).contains("text"));
}

#[test]
fn segments_of_other_players_and_programs_are_refused() {
    let (check, said, games) = played();
    let kinds: [(&str, Change<SegmentHeader>); 5] = [
        ("kind", |header| header.kind = "match".to_owned()),
        ("format", |header| header.format += 1),
        ("version", |header| header.version.push('x')),
        ("configuration", |header| header.results_hash = "0".repeat(64)),
        ("match", |header| header.match_hash = "0".repeat(64)),
    ];
    for (kind, change) in kinds {
        let mut forged = said.clone();
        change(&mut forged);
        let refused = check.check(UNIT, &write_segment(&forged, &games).unwrap()).unwrap_err();
        assert!(refused.contains("header"), "{kind}: {refused}");
    }
    let matches: [(&str, Change<MatchHeader>); 4] = [
        ("swapped players", |header| header.players.swap(0, 1)),
        ("another network", |header| header.players[0].network = Some("cd".repeat(32))),
        ("another seed", |header| header.seed += 1),
        ("more playouts", |header| {
            header.players[1].search.iter_mut().for_each(|search| search.budget += 1);
        }),
    ];
    for (kind, change) in matches {
        let mut header = check.matches[0].header.clone();
        change(&mut header);
        let mut plan = check.plan.clone();
        plan.matches[0].header = serde_json::to_string(&header).unwrap();
        let forged = SegmentHeader::of(&plan, 0, said.evaluators.clone());
        let refused = check.check(UNIT, &write_segment(&forged, &games).unwrap()).unwrap_err();
        assert!(refused.contains("header"), "{kind}: {refused}");
    }
}

#[test]
fn other_evaluators_count_only_where_any_may_play() {
    let (mut check, said, games) = played();
    let with = |a: &str, b: &str| {
        let evaluators = [a, b].map(str::to_owned);
        write_segment(&SegmentHeader { evaluators, ..said.clone() }, &games).unwrap()
    };
    let [own, _] = &said.evaluators;
    let (other, none) = (with("another", own), with("", own));
    assert!(check.check(UNIT, &other).unwrap_err().contains("the evaluator \"another\""));
    check.plan.evaluators = EvaluatorRule::Any;
    assert_eq!(check.check(UNIT, &other).unwrap().other_evaluators, ["another"]);
    assert!(check.check(UNIT, &none).is_err(), "a player that searches has an evaluator");
}

#[test]
fn games_that_were_not_played_so_are_refused() {
    let (check, said, games) = played();
    let kinds: [(&str, Change<PlayedGame>); 11] = [
        ("number", |game| game.number += 2),
        ("first", |game| game.first = if game.first == Seat::A { Seat::B } else { Seat::A }),
        ("opening", |game| game.opening_plies = 0),
        ("opening", |game| game.moves.swap(0, 1)),
        ("legal", |game| game.moves[2] = game.moves[0]),
        ("legal", |game| game.moves[2] = Move(500)),
        ("after its end", |game| {
            let free = (0..9).map(Move).find(|mv| !game.moves.contains(mv));
            // A full board has no move left, and an own one is not legal.
            game.moves.push(free.unwrap_or(Move(0)));
        }),
        ("outcome", |game| {
            let winner = match game.outcome.winner {
                Some(Player::First) => Player::Second,
                _ => Player::First,
            };
            game.outcome = Outcome::win_of(winner);
        }),
        ("over", |game| {
            game.moves.pop();
            (game.outcome, game.adjudicated) = (Outcome::DRAW, true);
        }),
        ("program", |game| game.dispute = Some("it was a draw".to_owned())),
        ("program", |game| {
            game.moves.pop();
            let (loser, cause) = (Player::First, Cause::Resigned);
            game.forfeit = Some(Forfeit { loser, cause, what: String::new() });
        }),
    ];
    for (word, change) in kinds {
        let mut forged = games.clone();
        change(&mut forged[1]);
        let refused = check.check(UNIT, &write_segment(&said, &forged).unwrap()).unwrap_err();
        let is_full = word == "after its end" && refused.contains("plies");
        assert!(
            refused.contains("game 5") && (refused.contains(word) || is_full),
            "{word}: {refused}"
        );
    }
    let swapped = [1, 0, 3, 2].map(|place: usize| games[place].clone());
    assert!(check.check(UNIT, &write_segment(&said, &swapped).unwrap()).is_err());
}
