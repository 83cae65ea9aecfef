//! What a stone does to a board, and which stones may be put down.

use super::{
    Go, GoHistory, GoState, NO_KO, Rules, Superko,
    board::on_grid,
    repetition,
    set::{Grid, Liberties, Set, WORDS_MAX, Words},
    zobrist::toggled,
};
use crate::{Key, Player};
use rand::{Rng, RngExt};

/// Points where the mover may put a stone, and those that only ko or superko forbids.
pub(super) struct Legality<const N: usize> {
    pub legal: Set<N>,
    pub banned: Set<N>,
}

/// Stones of the mover and of the opponent, and which of them are in atari.
pub(super) struct Sides<const N: usize> {
    pub own: Set<N>,
    pub own_atari: Set<N>,
    pub other: Set<N>,
    pub other_atari: Set<N>,
}

impl<const N: usize> Sides<N> {
    #[inline]
    fn load(state: &GoState) -> Self {
        let me = state.mover.index();
        let you = state.mover.opponent().index();
        Self {
            own: Set::load(&state.stones[me]),
            own_atari: Set::load(&state.atari[me]),
            other: Set::load(&state.stones[you]),
            other_atari: Set::load(&state.atari[you]),
        }
    }

    #[inline]
    fn store(&self, state: &mut GoState) {
        let me = state.mover.index();
        let you = state.mover.opponent().index();
        self.own.store(&mut state.stones[me]);
        self.own_atari.store(&mut state.atari[me]);
        self.other.store(&mut state.stones[you]);
        self.other_atari.store(&mut state.atari[you]);
    }
}

#[inline]
fn take<const N: usize>(key: Key, stones: Set<N>, player: Player) -> Key {
    stones.iter().fold(key, |key, point| toggled(key, point, player))
}

/// Puts a stone of the mover on `point`, takes what has no liberty, the opponent's chains first.
#[inline]
pub(super) fn put<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    state: &mut GoState,
    point: u16,
) {
    let mover = state.mover;
    let opponent = state.mover.opponent();
    let mut sides = Sides::load(state);
    let stone = Set::of(point);
    let near = grid.near(stone);
    state.hash = toggled(state.hash, point, mover);
    state.ko = NO_KO;
    sides.own = sides.own.or(stone);
    // A chain in atari next to the stone has just lost its last liberty.
    let dying = near.and(sides.other_atari);
    let mut captured = Set::EMPTY;
    if !dying.is_empty() {
        captured = grid.flood(dying, sides.other_atari);
        sides.other = sides.other.without(captured);
        sides.other_atari = sides.other_atari.without(captured);
        state.hash = take(state.hash, captured, opponent);
        sides.own_atari = freed(grid, captured, sides.own_atari);
    }
    let empty = grid.all.without(sides.own.or(sides.other));
    // The opponent's other chains here had two liberties or more and may be down to one. Most have
    // a stone that shows at once that they are not.
    let rich = grid.near_two(empty);
    let mut rest = near.and(sides.other).without(rich);
    while let Some(next) = rest.first() {
        let from = Set::of(next);
        rest = rest.without(from);
        if let Liberties::One(chain) = grid.liberties(from, sides.other, empty, rich) {
            sides.other_atari = sides.other_atari.or(chain);
            rest = rest.without(chain);
        }
    }
    // Chains in atari that the stone joins share the fate of the whole chain.
    let joined = near.and(sides.own_atari);
    if !joined.is_empty() {
        sides.own_atari = sides.own_atari.without(grid.flood(joined, sides.own_atari));
    }
    match grid.liberties(stone.or(near.and(sides.own)), sides.own, empty, rich) {
        Liberties::Many => {}
        Liberties::One(chain) => {
            sides.own_atari = sides.own_atari.or(chain);
            if chain == stone && !captured.is_empty() && !captured.has_two() {
                state.ko = captured.first().unwrap_or(NO_KO);
            }
        }
        Liberties::None(chain) => {
            sides.own = sides.own.without(chain);
            state.hash = take(state.hash, chain, mover);
            sides.other_atari = freed(grid, chain, sides.other_atari);
        }
    }
    sides.store(state);
}

/// Of the chains in `atari`, those that stay in atari when `removed` leaves the board: a neighbour
/// has one liberty more, which makes two.
#[inline]
fn freed<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    removed: Set<N>,
    atari: Set<N>,
) -> Set<N> {
    let gained = grid.near(removed).and(atari);
    if gained.is_empty() { atari } else { atari.without(grid.flood(gained, atari)) }
}

/// What the board alone determines about the mover's moves, in a game that is not over.
pub(super) struct Open<const N: usize> {
    pub sides: Sides<N>,
    /// Points where a stone has a liberty afterwards: beside an empty point, in a chain with
    /// another liberty, or by a capture.
    lives: Set<N>,
    /// Where a stone may be put but for ko and superko.
    pub legal: Set<N>,
}

impl<const N: usize> Open<N> {
    #[inline]
    pub fn of<const ROW: u32>(grid: &Grid<N, ROW>, rules: &Rules, state: &GoState) -> Self {
        let sides = Sides::load(state);
        let empty = grid.all.without(sides.own.or(sides.other));
        let helps = empty.or(sides.own.without(sides.own_atari)).or(sides.other_atari);
        let lives = empty.and(grid.near(helps));
        Self { sides, lives, legal: if rules.suicide { empty } else { lives } }
    }

    /// True if ko or superko forbids a stone on `point`, which is one of `legal`.
    #[inline]
    pub fn is_banned<const ROW: u32>(
        &self,
        grid: &Grid<N, ROW>,
        rules: &Rules,
        state: &GoState,
        history: &GoHistory,
        point: u16,
    ) -> bool {
        if rules.superko == Superko::Simple {
            return point == state.ko;
        }
        let mover = state.mover;
        let opponent = state.mover.opponent();
        let stone = Set::of(point);
        let hash = if !self.lives.has(point) {
            let own = self.sides.own;
            let chain = grid.flood(stone, own.or(stone)).without(stone);
            // A single stone's suicide leaves the current position to the opponent.
            if rules.superko == Superko::Positional && chain.is_empty() {
                return true;
            }
            take(state.hash, chain, mover)
        } else if !history.ever::<N>(mover.index()).has(point) {
            // The position is one that was never there.
            return false;
        } else {
            let hash = toggled(state.hash, point, mover);
            let dying = grid.near(stone).and(self.sides.other_atari);
            if dying.is_empty() {
                hash
            } else {
                take(hash, grid.flood(dying, self.sides.other_atari), opponent)
            }
        };
        history.contains(repetition::repetition_key(rules, hash, opponent))
    }
}

/// Which points the mover may play, in a game that is not over.
#[inline]
pub(super) fn legality<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    rules: &Rules,
    state: &GoState,
    history: &GoHistory,
) -> Legality<N> {
    let open = Open::of(grid, rules, state);
    let mut suspects = open.legal.without(open.lives).or(history.ever(state.mover.index()));
    if rules.superko == Superko::Simple {
        suspects = if state.ko == NO_KO { Set::EMPTY } else { Set::of(state.ko) };
    }
    let banned = suspects.and(open.legal).iter().fold(Set::EMPTY, |banned, point| {
        let is_banned = open.is_banned(grid, rules, state, history, point);
        if is_banned { banned.or(Set::of(point)) } else { banned }
    });
    Legality { legal: open.legal.without(banned), banned }
}

/// Returns a point that the mover may play, or `None` for a pass, all equally likely. Samples from
/// the points that the board allows, and again if superko forbids the point.
#[inline]
pub(super) fn random_point<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    rules: &Rules,
    state: &GoState,
    history: &GoHistory,
    random: &mut impl Rng,
) -> Option<u16> {
    let open = Open::of(grid, rules, state);
    let mut left = open.legal;
    loop {
        let point = left.nth(random.random_range(0..=left.len()))?;
        if !open.is_banned(grid, rules, state, history, point) {
            return Some(point);
        }
        left = left.without(Set::of(point));
    }
}

impl Go {
    /// Points that only ko or superko forbids.
    pub(super) fn banned(&self, state: &GoState, history: &GoHistory) -> Words {
        let mut words = [0; WORDS_MAX];
        if !state.is_over() {
            on_grid!(self.board, grid => {
                legality(grid, &self.rules, state, history).banned.store(&mut words);
            });
        }
        words
    }
}
