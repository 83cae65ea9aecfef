//! A device that takes no time, to measure what feeds devices.

use dz_game::{Encoding, Game, mix64};
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};

/// Answers with pieces of one list of random logits, chosen by the bits of the position. Gives no
/// handles, so batches come to it as they do to a device.
pub(crate) struct AtOnce {
    encoding_id: String,
    policy_len: usize,
    logits: Vec<f32>,
    /// Answers that were not asked for yet.
    done: Vec<(Ticket, NetworkOutputs)>,
    next: u64,
}

/// Spreads logits over 8, like a network that prefers a handful of moves.
const LOGIT_MAX: f32 = 8.0;

impl AtOnce {
    pub(crate) fn new<G: Game>(game: &G) -> Self {
        let encoding = game.encoding();
        let logit = |word: u64| (mix64(word) >> 40) as f32 / (1 << 24) as f32 * LOGIT_MAX;
        let policy_len = encoding.policy_len();
        Self {
            encoding_id: encoding.id(),
            policy_len,
            logits: (0..(1 << 16) + policy_len as u64).map(logit).collect(),
            done: Vec::new(),
            next: 0,
        }
    }

    /// So many logits, by a word.
    fn piece(&self, word: u64, len: usize) -> &[f32] {
        let first = mix64(word) as usize % (self.logits.len() - len);
        &self.logits[first..first + len]
    }
}

/// A word of a position's bits.
fn word_of(position: &[u8]) -> u64 {
    position.chunks(8).fold(0, |word: u64, bytes| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        (word.rotate_left(7) ^ u64::from_le_bytes(eight)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

impl NetworkEvaluator for AtOnce {
    fn id(&self) -> &'static str {
        "at-once"
    }

    fn encoding_id(&self) -> &str {
        &self.encoding_id
    }

    fn policy_len(&self) -> usize {
        self.policy_len
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let mut outputs = NetworkOutputs::default();
        outputs.policy_logits.reserve(batch.len * self.policy_len);
        for index in 0..batch.len {
            let word = word_of(batch.position(index));
            outputs.policy_logits.extend_from_slice(self.piece(word, self.policy_len));
            // Less sure of who wins than of the move.
            outputs.wdl_logits.extend(self.piece(!word, 3).iter().map(|logit| logit / 4.0));
        }
        let ticket = Ticket(self.next);
        self.next += 1;
        self.done.push((ticket, outputs));
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        let place = self.done.iter().position(|(other, _)| *other == ticket);
        let place = place.ok_or(EvaluatorError::UnknownTicket(ticket))?;
        Ok(self.done.swap_remove(place).1)
    }
}

#[cfg(test)]
mod tests {
    use dz_game::games::Connect4;
    use dz_infer::contract::check_network_evaluator;

    use super::*;

    #[test]
    fn it_keeps_the_contract_of_evaluators() {
        let game = Connect4::new(7, 6, 4).unwrap();
        check_network_evaluator(&game, &mut AtOnce::new(&game), 1, 0.0).unwrap();
    }
}
