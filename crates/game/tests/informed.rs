//! Rollout policies of Gomoku and Hex, beside plain references: every point of the board is tried.

use std::collections::BTreeSet;

use dz_game::games::{Gomoku, GomokuRule, Hex};
use dz_game::{Game, Move, Outcome, Player, Status};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Samples of a position's policy: enough that each of a few moves comes up.
const SAMPLES: u32 = 200;

/// The moves that the policy samples.
fn sampled<G: Game<History = ()>>(
    game: &G,
    state: &G::State,
    last: Option<Move>,
    random: &mut Xoshiro256PlusPlus,
) -> BTreeSet<Move> {
    let mut scratch = Vec::new();
    (0..SAMPLES)
        .filter_map(|_| game.informed_move(state, &(), last, random, &mut scratch))
        .collect()
}

/// The empty points where a stone of `colour` makes a row that wins.
fn wins(game: &Gomoku, stones: &[Option<Player>], colour: Player) -> BTreeSet<Move> {
    let size = i32::from(game.size());
    let has = |row: i32, column: i32, new: i32| {
        let inside = (0..size).contains(&row) && (0..size).contains(&column);
        let point = row * size + column;
        inside && (point == new || stones[point as usize] == Some(colour))
    };
    let length = |point: i32, (down, right): (i32, i32)| {
        let (row, column) = (point / size, point % size);
        let one_way = |sign: i32| {
            let at = |steps: i32| (row + sign * steps * down, column + sign * steps * right);
            (1..size).take_while(|&steps| has(at(steps).0, at(steps).1, point)).count()
        };
        1 + one_way(1) + one_way(-1)
    };
    let is_win = |length: usize| match game.rule() {
        GomokuRule::Freestyle => length >= 5,
        GomokuRule::Exact => length == 5,
    };
    (0..size * size)
        .filter(|&point| stones[point as usize].is_none())
        .filter(|&point| {
            [(0, 1), (1, 0), (1, 1), (1, -1)].map(|way| length(point, way)).into_iter().any(is_win)
        })
        .map(|point| Move(point as u16))
        .collect()
}

#[test]
fn gomoku_wins_or_else_blocks() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(41);
    let mut counts = [0; 3];
    for (size, rule) in
        [(6, GomokuRule::Freestyle), (9, GomokuRule::Exact), (19, GomokuRule::Exact)]
    {
        let game = Gomoku::new(size, rule).unwrap();
        for game_number in 0..40 {
            let mut state = game.start();
            let mut ply = 0;
            // Small regions fill with rows, also at the edge and in corners.
            let side = u16::from(size).min(6 + game_number % 4);
            while let Status::ToMove(mover) = game.status(&state, &()) {
                let stones = game.stones(&state).unwrap();
                let [own, others] =
                    [mover, mover.opponent()].map(|colour| wins(&game, &stones, colour));
                let found = sampled(&game, &state, None, &mut random);
                if !own.is_empty() {
                    assert_eq!(found, own, "{}", game.render(&state));
                    counts[0] += 1;
                } else if !others.is_empty() {
                    assert_eq!(found, others, "{}", game.render(&state));
                    counts[1] += 1;
                } else {
                    counts[2] += usize::from(found.len() > 5);
                }
                let open: Vec<u16> = (0..u16::from(size) * u16::from(size))
                    .filter(|&point| stones[usize::from(point)].is_none())
                    .filter(|&point| {
                        point / u16::from(size) < side && point % u16::from(size) < side
                    })
                    .collect();
                if open.is_empty() || ply > 60 {
                    break;
                }
                game.play(&mut state, Move(open[random.random_range(0..open.len())]));
                ply += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
}

#[test]
fn choices_of_an_opening_are_sampled_as_moves_are() {
    let game = Gomoku::from_spec(&"gomoku:size=6,opening=swap2".parse().unwrap()).unwrap();
    let mut state = game.start();
    for point in [0, 7, 14] {
        game.play(&mut state, Move(point));
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(42);
    let mut found = BTreeSet::new();
    for _ in 0..10 {
        found.extend(sampled(&game, &state, Some(Move(14)), &mut random));
    }
    // 33 empty points, to swap, and to place two more.
    assert_eq!(found.len(), 35);
}

/// Who is connected with the stone or edge next to a point, as a map of all points and of the edges
/// around them shows it.
fn hex_cell(game: &Hex, stones: &[Option<Player>], row: i32, column: i32) -> Option<Player> {
    let size = i32::from(game.size());
    match (row, column) {
        (row, _) if row < 0 || row >= size => Some(Player::First),
        (_, column) if column < 0 || column >= size => Some(Player::Second),
        _ => stones[(row * size + column) as usize],
    }
}

/// Points that, with `last`, are the two common neighbours of two cells of `mover`.
fn bridges(game: &Hex, stones: &[Option<Player>], last: Move, mover: Player) -> BTreeSet<Move> {
    let size = i32::from(game.size());
    let near = |(row, column): (i32, i32)| {
        [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]
            .map(|(down, right)| (row + down, column + right))
    };
    let intruder = (i32::from(last.0) / size, i32::from(last.0) % size);
    let is_own = |&(row, column): &(i32, i32)| hex_cell(game, stones, row, column) == Some(mover);
    let mut found = BTreeSet::new();
    for reply in near(intruder) {
        if hex_cell(game, stones, reply.0, reply.1).is_some() {
            continue;
        }
        let common = near(intruder).into_iter().filter(|cell| near(reply).contains(cell));
        if common.filter(is_own).count() == 2 {
            found.insert(Move((reply.0 * size + reply.1) as u16));
        }
    }
    found
}

#[test]
fn hex_saves_bridges() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(43);
    let mut saved = 0;
    for (size, swap) in [(4, true), (7, false), (11, true), (19, false)] {
        let game = Hex::new(size, swap).unwrap();
        for _ in 0..8 {
            let mut state = game.start();
            let mut last = None;
            while let Status::ToMove(mover) = game.status(&state, &()) {
                let stones = game.stones(&state).unwrap();
                let area = u16::from(size) * u16::from(size);
                let expected = last
                    .filter(|last: &Move| last.0 < area)
                    .map_or_else(BTreeSet::new, |last| bridges(&game, &stones, last, mover));
                if !expected.is_empty() {
                    assert_eq!(
                        sampled(&game, &state, last, &mut random),
                        expected,
                        "{}",
                        game.render(&state)
                    );
                    saved += 1;
                }
                last = game.random_move(&state, &(), &mut random, &mut Vec::new());
                game.play(&mut state, last.unwrap());
            }
        }
    }
    assert!(saved > 300, "{saved} bridges");
}

#[test]
fn games_by_these_policies_end() {
    fn play<G: Game<History = ()>>(game: &G) -> [u32; 3] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(44);
        let mut outcomes = [0; 3];
        for _ in 0..200 {
            let (mut state, mut last) = (game.start(), None);
            while let Status::ToMove(_) = game.status(&state, &()) {
                last = game.informed_move(&state, &(), last, &mut random, &mut Vec::new());
                game.play(&mut state, last.unwrap());
            }
            assert_eq!(game.informed_move(&state, &(), last, &mut random, &mut Vec::new()), None);
            let Status::Over(outcome) = game.status(&state, &()) else { unreachable!() };
            let place = [Outcome::win_of(Player::First), Outcome::win_of(Player::Second)];
            outcomes[place.iter().position(|&win| win == outcome).unwrap_or(2)] += 1;
        }
        outcomes
    }
    // Who moves first has an advantage, and neither wins always.
    let hex = play(&Hex::new(7, false).unwrap());
    assert!(hex[0] > hex[1] && hex[1] > 20 && hex[2] == 0, "{hex:?}");
    let gomoku = Gomoku::new(15, GomokuRule::Freestyle).unwrap();
    let gomoku = play(&gomoku);
    assert!(gomoku[0] > 20 && gomoku[1] > 20, "{gomoku:?}");
}
