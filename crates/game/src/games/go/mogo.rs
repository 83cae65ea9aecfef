//! The policy of MoGo's rollouts (Gelly, Wang, Munos and Teytaud, Modification of UCT with Patterns
//! in Monte-Carlo Go, INRIA RR-6062, 2006, section 3.2): the first of these steps that finds moves
//! decides, and one of its moves is sampled.
//!
//! 1. The opponent's last stone put chains in atari: moves that save one, by a liberty more or by
//!    taking a neighbour.
//! 2. The last move was a stone: moves on the eight points around it where a 3x3 pattern holds.
//! 3. Moves that take stones.
//! 4. All moves but those that fill an own eye.
//!
//! Without a move the player passes. Three rules that the report does not give: a chain that is
//! still in atari with one more liberty is not saved by it; if several chains are in atari, the
//! moves for all of them are sampled from; a point is an eye if all neighbours are own stones and
//! the opponent has at most one of its four diagonal points, none at the edge.

use rand::{Rng, RngExt};

use super::{
    GoHistory, GoState, Rules,
    moves::Open,
    patterns,
    set::{Grid, Liberties, Set},
};

/// Samples the mover's point in a game that is not over; `None` is a pass. `last` is the point of
/// the opponent's stone that was just put down.
#[inline]
pub(super) fn point<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    rules: &Rules,
    state: &GoState,
    history: &GoHistory,
    last: Option<u16>,
    random: &mut impl Rng,
) -> Option<u16> {
    let open = Open::of(grid, rules, state);
    let mut sample = |mut left: Set<N>| {
        while !left.is_empty() {
            let count = left.len();
            let n = if count == 1 { 0 } else { random.random_range(0..count) };
            let point = left.nth(n)?;
            if !open.is_banned(grid, rules, state, history, point) {
                return Some(point);
            }
            left = left.without(Set::of(point));
        }
        None
    };
    let sides = &open.sides;
    if let Some(last) = last {
        let attacked = grid.near(Set::of(last)).and(sides.own_atari);
        if !attacked.is_empty() {
            let found = sample(saving(grid, &open, attacked));
            if found.is_some() {
                return found;
            }
        }
        let near = grid.around(Set::of(last)).and(open.legal);
        let fitting = near.iter().fold(Set::EMPTY, |fitting, point| {
            let fits = patterns::matches(grid, sides.own, sides.other, point);
            if fits { fitting.or(Set::of(point)) } else { fitting }
        });
        let found = sample(fitting);
        if found.is_some() {
            return found;
        }
    }
    if !sides.other_atari.is_empty() {
        let found = sample(grid.near(sides.other_atari).and(open.legal));
        if found.is_some() {
            return found;
        }
    }
    sample(open.legal.without(eyes(grid, sides.own, sides.other)))
}

/// Moves that save a chain around `attacked`, stones of the mover in atari.
fn saving<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    open: &Open<N>,
    attacked: Set<N>,
) -> Set<N> {
    let sides = &open.sides;
    let empty = grid.all.without(sides.own.or(sides.other));
    let chains = grid.flood(attacked, sides.own_atari);
    // Each stone of the opponent in atari beside them is taken on its chain's only liberty.
    let beside = grid.near(chains).and(sides.other_atari);
    let takes = if beside.is_empty() {
        Set::EMPTY
    } else {
        grid.near(grid.flood(beside, sides.other_atari)).and(empty)
    };
    let liberties = grid.near(chains).and(empty);
    let escapes = liberties.without(takes).iter().fold(Set::EMPTY, |escapes, point| {
        let stone = Set::of(point);
        let own = sides.own.or(stone);
        let left = empty.without(stone);
        match grid.liberties(stone, own, left, Set::EMPTY) {
            Liberties::Many => escapes.or(stone),
            Liberties::One(_) | Liberties::None(_) => escapes,
        }
    });
    takes.or(escapes).and(open.legal)
}

/// Points that the player of `own` would lose by filling them.
pub(super) fn eyes<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    own: Set<N>,
    other: Set<N>,
) -> Set<N> {
    let open = grid.all.without(own);
    let surrounded = open.without(other).without(grid.near(open));
    if surrounded.is_empty() {
        return surrounded;
    }
    surrounded.without(grid.broken_eyes(other))
}
