//! Whose points are: logits of a network that sees the stones, as the board has them through every
//! symmetry.

#![allow(clippy::unwrap_used)] // These are tests.

use dz_game::{
    Encoding, Game, Symmetry,
    games::{Go, Othello, TicTacToe},
    unpack_planes,
};
use dz_infer::{
    EncodedBatch, EvaluatorError, InTurns, NetworkEvaluator, NetworkOutputs, Sources, Ticket,
    Workers, contract::random_leaves, encode_leaves,
};

/// Holds every stone that it sees for its owner's, by `logit`; the first two planes are mine and
/// theirs.
struct Stones {
    encoding_id: String,
    policy_len: usize,
    logit: f32,
}

impl Stones {
    fn of<G: Game>(game: &G) -> Self {
        let encoding = game.encoding();
        Self { encoding_id: encoding.id(), policy_len: encoding.policy_len(), logit: 3.0 }
    }
}

impl NetworkEvaluator for Stones {
    fn id(&self) -> &'static str {
        "stones"
    }
    fn encoding_id(&self) -> &str {
        &self.encoding_id
    }
    fn policy_len(&self) -> usize {
        self.policy_len
    }
    fn submit(&mut self, _: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        unreachable!("whose points are is asked for apart")
    }
    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        Err(EvaluatorError::UnknownTicket(ticket))
    }
    fn ownership(&mut self, batch: &EncodedBatch) -> Result<Option<Vec<f32>>, EvaluatorError> {
        assert_eq!(batch.len, 1);
        let area = batch.shape.area();
        let mut planes = vec![0.0; batch.shape.bits()];
        unpack_planes(batch.shape, batch.position(0), &mut planes);
        let point = |p: usize| [self.logit * planes[p], 0.0, self.logit * planes[area + p]];
        Ok(Some((0..area).flat_map(point).collect()))
    }
    fn handle(&self) -> Option<Box<dyn NetworkEvaluator>> {
        Some(Box::new(Self { encoding_id: self.encoding_id.clone(), ..*self }))
    }
}

/// What is mine and not theirs where my logit is 3 and the others' 0.
fn share() -> f32 {
    let e = 3.0_f32.exp();
    (e - 1.0) / (e + 2.0)
}

fn check<G: Game>(game: &G) {
    let mut sources = Sources::default();
    sources.add_network(game, Box::new(Stones::of(game)), 0).unwrap();
    let mut seen = 0;
    for mut leaf in random_leaves(game, 60, 3) {
        let mover = game.to_move(&leaf.state, &leaf.history).unwrap();
        let stones = game.stones(&leaf.state).unwrap();
        for symmetry in 0..game.symmetry_count() {
            leaf.symmetry = Symmetry(symmetry);
            let owned = sources.ownership(0, &leaf.view(game)).unwrap().unwrap();
            assert_eq!(owned.len(), stones.len());
            for (got, stone) in owned.iter().zip(&stones) {
                let sign = stone.map_or(0.0, |player| if player == mover { 1.0 } else { -1.0 });
                assert!((got - sign * share()).abs() < 1e-6, "{got} {sign} through {symmetry}");
                seen += usize::from(stone.is_some());
            }
        }
    }
    assert!(seen > 1000);
    // Whatever stands between the network and who asks hands the question on.
    let batch = encode_leaves::<G>(&game.encoding(), &random_leaves(game, 1, 8));
    let mut network: Box<dyn NetworkEvaluator> = Box::new(Stones::of(game));
    let wanted = network.ownership(&batch).unwrap();
    assert!(wanted.is_some());
    assert_eq!(Workers::of(&*network, 2).unwrap().ownership(&batch).unwrap(), wanted);
    assert_eq!(network.handle().unwrap().ownership(&batch).unwrap(), wanted);
    assert_eq!(InTurns::new(vec![network]).unwrap().ownership(&batch).unwrap(), wanted);
}

#[test]
fn points_are_where_the_board_has_them_through_every_symmetry() {
    check(&Othello::new(6).unwrap());
    check(&Go::from_spec(&"go:size=5".parse().unwrap()).unwrap());
}

#[test]
fn who_does_not_know_says_so() {
    // A game without owners, whatever the network says.
    let leaf = random_leaves(&TicTacToe, 1, 1).remove(0);
    let mut sources: Sources<TicTacToe> = Sources::default();
    let network = Box::new(Stones::of(&TicTacToe));
    let network = sources.add_network(&TicTacToe, network, 0).unwrap();
    let instant = sources.add_instant(std::sync::Arc::new(dz_infer::Uniform));
    for source in [network, instant] {
        assert_eq!(sources.ownership(source, &leaf.view(&TicTacToe)).unwrap(), None);
    }
    let go = Go::from_spec(&"go:size=5".parse().unwrap()).unwrap();
    let leaf = random_leaves(&go, 1, 1).remove(0);
    let diverged = Box::new(Stones { logit: f32::NAN, ..Stones::of(&go) });
    let mut sources = Sources::default();
    sources.add_network(&go, diverged, 0).unwrap();
    let owned = sources.ownership(0, &leaf.view(&go));
    assert!(matches!(owned, Err(EvaluatorError::NotFinite { .. })));
}
