//! Writes playouts down while a search runs.

use dz_game::Move;

use crate::{
    Numbers, Search,
    domain::Domain,
    node::NodeId,
    numbers::{Prior, Real},
    path::Walk,
    scores::MoveScores,
    select::Choice,
    trace::{PlayoutEnd, TracedMove, TracedPlayout, TracedStep, Tracer},
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Begins or ends to write playouts down. It costs time and memory with each.
    pub fn set_trace(&mut self, on: bool) {
        self.tracer = on.then(|| Tracer { playouts: Vec::new(), counts: self.counts });
    }

    /// The playouts written down since the last call.
    pub fn take_trace(&mut self) -> Vec<TracedPlayout> {
        self.tracer.as_mut().map(|tracer| std::mem::take(&mut tracer.playouts)).unwrap_or_default()
    }

    /// Notes the choice of a place at a node.
    pub(crate) fn trace_step(&self, id: NodeId, place: usize, walk: &mut Walk<D, N>, held: bool) {
        if self.tracer.is_none() {
            return;
        }
        let node = self.arena.node(id);
        let step = TracedStep {
            node: id.0,
            visits: node.visits,
            value: (node.sign() * node.average.value).to_f64(),
            mv: Move(self.arena.priors(node)[place].mv()),
            held,
            moves: self.traced_moves(id),
        };
        walk.trace.push(step);
    }

    /// Notes the end of a playout, which is counted by now.
    pub(crate) fn finish_trace(&mut self, walk: &mut Walk<D, N>, number: u64) {
        let Some(tracer) = &mut self.tracer else { return };
        let root = &self.arena.nodes[0];
        let before = tracer.counts;
        let now = self.counts;
        tracer.playouts.push(TracedPlayout {
            number,
            steps: std::mem::take(&mut walk.trace),
            end: if now.cache_hits > before.cache_hits {
                PlayoutEnd::CacheHit
            } else if now.terminals > before.terminals {
                PlayoutEnd::Terminal
            } else if now.cut > before.cut {
                PlayoutEnd::Cut
            } else if now.cycle_ends > before.cycle_ends {
                PlayoutEnd::Cycle
            } else {
                PlayoutEnd::Evaluation
            },
            root_value: (root.sign() * root.average.value).to_f64(),
        });
        tracer.counts = now;
    }

    fn traced_moves(&self, id: NodeId) -> Vec<TracedMove> {
        let choice = Choice::new(&self.arena, id, &self.params, &self.setup);
        let mut dense = MoveScores::default();
        let is_dense = self.is_dense_at(id);
        if is_dense {
            self.score_all(&choice, &mut dense);
        }
        let scorer = choice.scorer();
        let mut moves: Vec<TracedMove> = (0..choice.priors.len())
            .map(|place| {
                let edge = choice.edges.get(place).filter(|edge| edge.visits > 0);
                let score = match scorer {
                    Some(scorer) if !is_dense && place < choice.edges.len() => {
                        choice.score_visited(scorer, place).to_f64()
                    }
                    Some(scorer) if !is_dense => choice.score_unvisited(scorer, place).to_f64(),
                    _ => dense.scores[place],
                };
                TracedMove {
                    mv: Move(choice.priors[place].mv()),
                    visits: edge.map_or(0, |edge| edge.visits),
                    prior: choice.priors[place].probability().to_f64(),
                    q: edge.map(|_| choice.edge_stats(place).value.to_f64()),
                    score,
                }
            })
            .collect();
        sort_by_move(&mut moves);
        moves
    }
}

fn sort_by_move(moves: &mut [TracedMove]) {
    moves.sort_by_key(|traced| traced.mv);
}
