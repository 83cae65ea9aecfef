//! A search of one game, driven piece by piece.

use std::sync::Arc;

use dz_game::{Game, Move};
use dz_infer::{EvaluatorError, Sources};
use dz_play::{GameSeed, Guide, MoveSearch, Pipeline, Ready, SearchPlayer};
use dz_search::{Budget, Outlook, Search, Summary, choose_move};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    MoveReport, Report,
    position::{Ply, Position},
};

/// Plies of a line in a report at most.
const LINE_PLIES: usize = 20;

/// Descents of a session's search that may end at a leaf which already waits for its evaluation.
/// This many keep several threads busy; more find little more (`benchmarks/engine.md`).
pub const COLLISIONS_MAX: u32 = 32;

/// What a session's player searches with.
pub(crate) struct Searcher<G: Game> {
    pub(crate) player: SearchPlayer,
    pub(crate) source: usize,
    guide: Arc<Guide>,
    pub(crate) random: Xoshiro256PlusPlus,
    /// The search and the moves after which it stands.
    pub(crate) search: Option<(MoveSearch<G>, Vec<Ply>)>,
    /// The search was restricted to some moves, so its tree is of no use for an unrestricted one.
    pub(crate) restricted: bool,
    pub(crate) playouts_max: Option<u32>,
    /// Its batches, which stay out between two calls of `search`.
    pub(crate) pipeline: Pipeline,
}

impl<G: Game> Searcher<G> {
    pub(crate) fn new(player: SearchPlayer, ready: Ready, random: Xoshiro256PlusPlus) -> Self {
        Self {
            player,
            source: ready.source,
            guide: ready.guide,
            random,
            search: None,
            restricted: false,
            playouts_max: None,
            pipeline: Pipeline::default(),
        }
    }

    /// Ends the search and discards the batches that are in flight.
    pub(crate) fn stop(&mut self, sources: &mut Sources<G>) {
        self.pipeline.clear(sources, self.source);
    }

    /// Prepares a search of the position after `line`. The tree of the earlier search is kept if
    /// `line` continues its line. The search is restricted to the moves `among` unless that is
    /// empty.
    pub(crate) fn set_position(
        &mut self,
        position: &Position<G>,
        line: Vec<Ply>,
        among: &[Move],
        seed: GameSeed,
    ) {
        let was_restricted = std::mem::replace(&mut self.restricted, !among.is_empty());
        let known = self.search.take().filter(|(_, old)| {
            // After another move a search of some moves is as good as any. A search knows moves
            // only.
            line.starts_with(old)
                && !line[old.len()..].contains(&Ply::Skipped)
                && !(was_restricted && line.len() == old.len())
        });
        let mut search = if let Some((mut search, old)) = known {
            for &ply in &line[old.len()..] {
                if let Ply::Move(mv) = ply {
                    search.advance(mv);
                }
            }
            search
        } else {
            let (state, history) = position.after(&line);
            let search = Search::new(position.game().clone(), self.player.params, state, history);
            MoveSearch::at(search, self.player.reuse, self.source, seed).guided(self.guide.clone())
        };
        if self.restricted {
            search.restrict(among);
        }
        self.search = Some((search, line));
    }

    /// Does about `playouts` more; true once nothing is left to do.
    pub(crate) fn search_on(
        &mut self,
        sources: &mut Sources<G>,
        playouts: u32,
    ) -> Result<bool, EvaluatorError> {
        let Some((search, _)) = &mut self.search else { return Ok(true) };
        let done = playouts_of(search);
        // Playouts that need no evaluation would go on for ever. The bound lies some batches away,
        // so that it cuts none short.
        let bound = playouts.max(8 * self.player.params.leaves_max);
        let halves = self.player.params.selection.halves();
        let goal = match self.playouts_max {
            // Sequential halving is planned for all playouts that are to come. Where that number is
            // unknown, it is planned for as many as there were.
            Some(most) if halves => most,
            None if halves => done.saturating_add(bound.max(done)),
            most => done.saturating_add(bound).min(most.unwrap_or(u32::MAX)),
        };
        search.extend(Budget::Playouts(goal));
        while search.step_pipelined(sources, &mut self.pipeline)? {
            if playouts_of(search) >= done.saturating_add(playouts) {
                break;
            }
        }
        // Without progress it is proven, over, or its nodes are used up.
        let now = playouts_of(search);
        Ok(now == done || self.playouts_max.is_some_and(|most| now >= most))
    }

    /// What was found since the search began.
    pub(crate) fn report(&self) -> Option<Report> {
        let (search, _) = self.search.as_ref()?;
        let summary = search.summary();
        let search = search.search();
        let mut moves: Vec<MoveReport> = summary
            .moves
            .iter()
            .map(|m| MoveReport {
                mv: m.mv,
                visits: m.visits,
                prior: m.prior,
                wdl: m.wdl,
                lead: m.lead,
                line: search.line_from(m.mv, LINE_PLIES),
            })
            .collect();
        sort_by_visits(&mut moves);
        let mut outlook = Outlook { wdl: summary.wdl, lead: summary.lead };
        if !moves.is_empty() {
            // A random choice uses a copy of the stream, so that reports do not change the game.
            let best = choose_move(&summary, self.player.choice, &mut self.random.clone());
            let at = moves.iter().position(|m| m.mv == best).unwrap_or_default();
            moves[..=at].rotate_right(1);
            outlook = summary.outlook(&self.player.params.selection, best);
        }
        let Summary { visits, counts, .. } = summary;
        let Outlook { wdl, lead } = outlook;
        Some(Report { visits, counts, wdl, lead, moves })
    }
}

fn playouts_of<G: Game>(search: &MoveSearch<G>) -> u32 {
    u32::try_from(search.search().counts().playouts).unwrap_or(u32::MAX)
}

/// Most visits first, then the largest prior. Not generic, so that it is compiled once and not for
/// every game.
fn sort_by_visits(moves: &mut [MoveReport]) {
    moves.sort_by(|a, b| {
        (b.visits, b.prior).partial_cmp(&(a.visits, a.prior)).unwrap_or(std::cmp::Ordering::Equal)
    });
}
