//! Drives a search: gathers leaves, evaluates them and applies the answers.

use std::time::Instant;

use dz_game::mix64;
use dz_search::{Budget, Domain, Exact, Gathered, LeafId, NetworkAnswer, Search};

use super::{
    budget::Limit,
    subject::{LeafRequest, Subject},
};

/// Playouts between two looks at the clock.
const PLAYOUTS_PER_LOOK: u32 = 64;

/// Searches until the budget is used up, nothing is left to search, or `stop` is true.
pub(super) fn drive<S: Subject>(
    search: &mut Search<S::Domain, Exact>,
    subject: &mut S,
    limit: &Limit,
    stop: &dyn Fn() -> bool,
) -> anyhow::Result<()> {
    let Some(time) = limit.time else { return exhaust(search, subject, stop) };
    let started = Instant::now();
    loop {
        let done = u32::try_from(search.counts().playouts).unwrap_or(u32::MAX);
        search.extend(Budget::Playouts(done.saturating_add(PLAYOUTS_PER_LOOK)));
        exhaust(search, subject, &|| stop() || started.elapsed() >= time)?;
        // Without progress it is proven, or its nodes are used up.
        if stop() || started.elapsed() >= time || search.counts().playouts == u64::from(done) {
            return Ok(());
        }
    }
}

/// Searches until the search is decided, or until `is_late`.
fn exhaust<S: Subject>(
    search: &mut Search<S::Domain, Exact>,
    subject: &mut S,
    is_late: &dyn Fn() -> bool,
) -> anyhow::Result<()> {
    loop {
        let mut waiting = Vec::new();
        while let Gathered::Need(id) = search.gather() {
            waiting.push(id);
        }
        if waiting.is_empty() {
            return Ok(());
        }
        answer(search, subject, &waiting)?;
        if is_late() {
            return Ok(());
        }
    }
}

/// Gives leaves their answers, in their order.
fn answer<S: Subject>(
    search: &mut Search<S::Domain, Exact>,
    subject: &mut S,
    waiting: &[LeafId],
) -> anyhow::Result<()> {
    let mut ids = Vec::new();
    let mut positions = Vec::new();
    for &id in waiting {
        if let Some(request) = request(search, id).filter(|request| request.leaf.wants.network) {
            ids.push(id);
            positions.push(request);
        }
    }
    let evaluations = subject.evaluate(search.domain(), &positions)?;
    let mut evaluations = ids.into_iter().zip(evaluations).peekable();
    let mut moves = Vec::new();
    for &id in waiting {
        let rollouts = search.leaf(id).map_or(0, |leaf| leaf.wants.rollouts);
        let mut before = None;
        for _ in 0..rollouts {
            let Some(mut request) = request(search, id) else { break };
            request.leaf.random = before.map_or(request.leaf.random, mix64);
            before = Some(request.leaf.random);
            let outcome = subject.rollout(search.domain(), &request, &mut moves);
            search.apply_rollout(id, outcome, &moves);
        }
        if let Some((_, evaluation)) = evaluations.next_if(|(of, _)| *of == id) {
            let known = request(search, id);
            let heuristics =
                known.map_or(Vec::new(), |request| subject.heuristics(search.domain(), &request));
            let answer = NetworkAnswer {
                estimate: evaluation.estimate,
                margin: evaluation.margin,
                error: evaluation.error,
                priors: &evaluation.priors,
                heuristics: &heuristics,
                cached: false,
            };
            search.apply_network(id, &answer);
        }
    }
    Ok(())
}

fn request<D: Domain>(search: &Search<D, Exact>, id: LeafId) -> Option<LeafRequest<'_, D>> {
    Some(LeafRequest { leaf: search.leaf(id)?, eval_key: search.leaf_eval_key(id)? })
}
