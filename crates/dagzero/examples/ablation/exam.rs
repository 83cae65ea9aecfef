//! One search a position, driven in lockstep.

use std::collections::HashSet;

use dz_game::{Game, Key, games::Connect4};
use dz_infer::{
    Answer, Evaluation, EvaluatorError, GameTask, LeafView, LockstepCounts, Readers, Request,
    Roster, symmetry_of,
};
use dz_search::{
    Budget, Gathered, LeafId, MoveChoice, NetworkAnswer, Search, SearchParams, choose_move,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Position;

/// What a search came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// 1 if the most visited move keeps the value.
    pub(crate) preserved: f64,
    /// Share of the visits on moves that keep it.
    pub(crate) mass: f64,
    /// Positions evaluated, the same one twice if the search came there twice.
    pub(crate) evaluations: f64,
    /// Different positions evaluated: what the search would cost with a cache of its own.
    pub(crate) distinct: f64,
    /// Playouts that ended at a child with more visits than the edge.
    pub(crate) cut: f64,
}

/// A search for every position.
pub(crate) struct Exam<'a> {
    game: &'a Connect4,
    positions: &'a [Position],
    params: SearchParams,
    budget: Budget,
    next: usize,
    outcomes: Vec<Option<Outcome>>,
}

impl<'a> Exam<'a> {
    pub(crate) fn new(
        game: &'a Connect4,
        positions: &'a [Position],
        params: SearchParams,
        budget: Budget,
    ) -> Self {
        let outcomes = vec![None; positions.len()];
        Self { game, positions, params, budget, next: 0, outcomes }
    }

    /// By position, after the run.
    pub(crate) fn outcomes(self) -> Vec<Outcome> {
        self.outcomes.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// A search under way.
pub(crate) struct Question {
    index: usize,
    search: Search<Connect4>,
    asked: Option<LeafId>,
    seen: HashSet<Key>,
    priors: Vec<f32>,
}

impl GameTask<Connect4> for Question {
    fn resume(&mut self, readers: &Readers<Connect4>, request: &mut Request) -> bool {
        while let Gathered::Need(id) = self.search.gather() {
            let found = self.search.leaf(id).zip(self.search.leaf_eval_key(id));
            let Some((leaf, eval_key)) = found else { return false };
            self.seen.insert(eval_key);
            let game = self.search.domain();
            let view = LeafView {
                game,
                state: leaf.state,
                history: leaf.history,
                legal: leaf.legal,
                eval_key,
                // The same view of a position in every search, so that all can share a cache.
                symmetry: symmetry_of(0, 0, 0, eval_key, game.symmetry_count()),
                last: None,
                random: leaf.random,
            };
            match readers.ask(0, &view, &mut self.priors) {
                Answer::Instant(expected) | Answer::Cached(expected) => {
                    let answer = NetworkAnswer {
                        margin: expected.margin,
                        error: expected.error,
                        ..NetworkAnswer::new(expected.wdl.into(), &self.priors)
                    };
                    self.search.apply_network(id, &answer);
                }
                Answer::Missing => {
                    readers.encode(0, &view, &mut request.leaf);
                    request.source = 0;
                    self.asked = Some(id);
                    return true;
                }
            }
        }
        false
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        if let Some(id) = self.asked.take() {
            self.search.apply(id, evaluation.expected.wdl, &evaluation.priors);
        }
    }
}

impl Roster<Question> for Exam<'_> {
    type Error = EvaluatorError;

    fn next(&mut self) -> Option<Question> {
        let index = self.next;
        let position = self.positions.get(index)?;
        self.next += 1;
        let mut state = self.game.start();
        for &mv in &position.moves {
            self.game.play(&mut state, mv);
        }
        let mut search = Search::new(self.game.clone(), self.params, state, ());
        search.start(self.budget, 0, None);
        Some(Question { index, search, asked: None, seen: HashSet::new(), priors: Vec::new() })
    }

    fn finished(&mut self, question: Question, _: &LockstepCounts) -> Result<(), EvaluatorError> {
        let preserving = &self.positions[question.index].preserving;
        let summary = question.search.summary();
        let mut unused = Xoshiro256PlusPlus::seed_from_u64(0);
        let mv = choose_move(&summary, MoveChoice::MostVisits, &mut unused);
        let all: u32 = summary.moves.iter().map(|m| m.visits).sum();
        let good = summary.moves.iter().filter(|m| preserving.contains(&m.mv));
        let counts = summary.counts;
        self.outcomes[question.index] = Some(Outcome {
            preserved: f64::from(u8::from(preserving.contains(&mv))),
            mass: f64::from(good.map(|m| m.visits).sum::<u32>()) / f64::from(all.max(1)),
            evaluations: counts.evaluations as f64,
            distinct: question.seen.len() as f64,
            cut: counts.cut as f64,
        });
        Ok(())
    }
}
