//! Whether a saved search belongs to a position: every node is reached by legal moves and has those
//! of its position, so that no walk leaves the rules.

use dz_game::{Key, Move, Player};

use crate::{
    Numbers, SavedError, Search,
    domain::{Domain, Status},
    node::{Kind, NodeId, ROOT},
    numbers::Prior,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Walks over all edges from the root. Returns which nodes are reached; others belong to leaves
    /// that were dropped.
    ///
    /// # Errors
    /// [`SavedError::Position`] at the first node that is another position's.
    pub(crate) fn reach_saved(&self) -> Result<Vec<bool>, SavedError> {
        let mut reached = vec![false; self.arena.nodes.len()];
        let Some(seen) = reached.first_mut() else { return Ok(reached) };
        *seen = true;
        let mut stack = vec![(ROOT, self.root_state.clone(), self.root_history.clone())];
        let mut legal = Vec::new();
        while let Some((id, state, history)) = stack.pop() {
            self.check_node(id, &state, &history, &mut legal)?;
            let node = self.arena.node(id);
            let priors = self.arena.priors(node);
            for (prior, edge) in priors.iter().zip(self.arena.edges(node)) {
                let mut next = state.clone();
                let mut past = history.clone();
                self.domain.advance(&mut next, &mut past, Move(prior.mv()));
                let is_new = !std::mem::replace(&mut reached[edge.child.index()], true);
                let key = self.arena.keys[edge.child.index()];
                let fits = if self.params.graph {
                    key == self.domain.node_key(&next, &past)
                } else {
                    is_new && key.high == 0 && key.low <= self.private_keys
                };
                if !fits {
                    return Err(SavedError::Position);
                }
                if is_new {
                    stack.push((edge.child, next, past));
                }
            }
        }
        Ok(reached)
    }

    /// A node's mover, and its moves where it has any.
    fn check_node(
        &self,
        id: NodeId,
        state: &D::State,
        history: &D::History,
        legal: &mut Vec<Move>,
    ) -> Result<(), SavedError> {
        let node = self.arena.node(id);
        let status = self.domain.status(state, history);
        let sign = if status == Status::ToMove(Player::Second) { -1 } else { 1 };
        let is_over = matches!(status, Status::Over { .. });
        let key_fits =
            id != ROOT || self.arena.keys[0] == Key::default() || !self.params.graph || {
                // A root that was a child before keeps its key.
                self.arena.keys[0] == self.domain.node_key(state, history)
            };
        if node.sign != sign || is_over != (node.kind == Kind::Terminal) || !key_fits {
            return Err(SavedError::Position);
        }
        if node.kind != Kind::Expanded {
            let is_bare = node.moves == 0;
            return if is_bare { Ok(()) } else { Err(SavedError::Position) };
        }
        self.domain.legal_moves(state, history, legal);
        let mut moves: Vec<Move> =
            self.arena.priors(node).iter().map(|prior| Move(prior.mv())).collect();
        moves.sort_unstable();
        let fits = if id == ROOT {
            // The root may be restricted to some of its moves.
            moves == self.root_legal && moves.iter().all(|mv| legal.binary_search(mv).is_ok())
        } else {
            moves == *legal
        };
        if fits { Ok(()) } else { Err(SavedError::Position) }
    }
}
