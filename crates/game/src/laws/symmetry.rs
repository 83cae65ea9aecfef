//! Laws of symmetries: a group that commutes with play, and an encoding that follows it.

use super::{
    LawBroken, Position, broken_at_start,
    encoding::{Encoded, owners},
};
use crate::{Encoding, Game, Move, Symmetry};

fn all<G: Game>(game: &G) -> impl Iterator<Item = Symmetry> + use<G> {
    (0..game.symmetry_count()).map(Symmetry)
}

/// For each pair of symmetries, which single ones still may be their composition. Every position
/// rules some out; a group keeps one for each pair, and has the identity among each one's products.
pub(super) struct Group<G: Game> {
    count: u8,
    candidates: Vec<Vec<Symmetry>>,
    game: std::marker::PhantomData<G>,
}

impl<G: Game> Group<G> {
    pub fn new(game: &G) -> Result<Self, LawBroken> {
        let count = game.symmetry_count();
        if count == 0 {
            return Err(broken_at_start("there is an identity", "symmetry_count is 0"));
        }
        let pairs = usize::from(count) * usize::from(count);
        let candidates = vec![all(game).collect(); pairs];
        Ok(Self { count, candidates, game: std::marker::PhantomData })
    }

    pub fn check(&mut self, here: &Position<'_, G>) -> Result<(), LawBroken> {
        let game = here.game;
        let state = here.state;
        let identity = game.map_state(Symmetry::IDENTITY, state) == *state
            && here.legal.iter().all(|&mv| game.map_move(Symmetry::IDENTITY, mv) == mv);
        here.law("symmetry 0 is the identity", identity, || "it moves something")?;
        let views: Vec<G::State> = all(game).map(|s| game.map_state(s, state)).collect();
        for first in all(game) {
            for second in all(game) {
                let twice = game.map_state(second, &views[usize::from(first.0)]);
                let both = |mv| game.map_move(second, game.map_move(first, mv));
                let pair = usize::from(first.0) * usize::from(self.count) + usize::from(second.0);
                self.candidates[pair].retain(|&one| {
                    views[usize::from(one.0)] == twice
                        && here.legal.iter().all(|&mv| game.map_move(one, mv) == both(mv))
                });
                here.law("symmetries compose", !self.candidates[pair].is_empty(), || {
                    format!("{first:?} and then {second:?} is no symmetry")
                })?;
            }
        }
        self.check_inverses(here)
    }

    fn check_inverses(&self, here: &Position<'_, G>) -> Result<(), LawBroken> {
        self.candidates.chunks(usize::from(self.count)).enumerate().try_for_each(|(s, products)| {
            let inverse = products.iter().any(|one| one.contains(&Symmetry::IDENTITY));
            here.law("symmetries have inverses", inverse, || {
                format!("nothing undoes Symmetry({s})")
            })
        })
    }
}

/// The same game played once in each symmetry's view.
pub(super) struct Mirrors<G: Game> {
    views: Vec<(Symmetry, G::State, G::History)>,
}

impl<G: Game> Mirrors<G> {
    pub fn new(game: &G) -> Self {
        let start = game.start();
        let view = |s| (s, game.map_state(s, &start), G::History::default());
        Self { views: all(game).map(view).collect() }
    }

    pub fn play(&mut self, game: &G, mv: Move) {
        for (symmetry, state, history) in &mut self.views {
            game.advance(state, history, game.map_move(*symmetry, mv));
        }
    }

    pub fn check(&self, here: &Position<'_, G>) -> Result<(), LawBroken> {
        self.views
            .iter()
            .try_for_each(|(symmetry, state, history)| check_view(here, *symmetry, state, history))
    }
}

/// `state` and `history` were reached by mapped moves from the mapped start.
fn check_view<G: Game>(
    here: &Position<'_, G>,
    symmetry: Symmetry,
    state: &G::State,
    history: &G::History,
) -> Result<(), LawBroken> {
    let game = here.game;
    let mapped = game.map_state(symmetry, here.state);
    here.law("symmetries commute with play", mapped == *state, || {
        format!("{symmetry:?}: mapped {mapped:?}, played {state:?}")
    })?;
    let statuses = (game.status(here.state, here.history), game.status(state, history));
    here.law("symmetries keep the status", statuses.0 == statuses.1, || {
        format!("{symmetry:?}: {:?} becomes {:?}", statuses.0, statuses.1)
    })?;
    let mut expected: Vec<Move> =
        here.legal.iter().map(|&mv| game.map_move(symmetry, mv)).collect();
    expected.sort_unstable();
    let mut legal = Vec::new();
    game.legal_moves(state, history, &mut legal);
    here.law("symmetries map legal moves", legal == expected, || {
        format!("{symmetry:?}: mapped {expected:?}, legal there {legal:?}")
    })?;
    let seen = Encoded::of(game, here.state, here.history, symmetry);
    let there = Encoded::of(game, state, history, Symmetry::IDENTITY);
    here.law("encoding through a symmetry is encoding the mapped position", seen == there, || {
        format!("{symmetry:?}: planes or globals differ")
    })?;
    if here.legal.is_empty() {
        let seen = owners(game, here.state, symmetry);
        let there = owners(game, state, Symmetry::IDENTITY);
        here.law(
            "owners through a symmetry are those of the mapped position",
            seen == there,
            || format!("{symmetry:?}: {seen:?} and {there:?}"),
        )?;
    }
    let encoding = game.encoding();
    here.legal.iter().try_for_each(|&mv| {
        let seen = encoding.policy_index(here.state, mv, symmetry);
        let mapped = game.map_move(symmetry, mv);
        let there = encoding.policy_index(state, mapped, Symmetry::IDENTITY);
        here.law("policy slots follow symmetries", seen == there, || {
            format!("{symmetry:?}, {}: slots {seen} and {there}", game.format_move(mv))
        })
    })
}
