//! From positions to planes, from logits to evaluations.

use crate::common::{FakeNetwork, Fault, logit};
use dz_game::{
    Encoding, Game, Move, PlaneWriter, Symmetry, games::Connect4, games::TicTacToe, with_game,
};
use dz_infer::{
    Answer, EncodedLeaf, Evaluation, EvaluatorError, Leaf, LeafView, NetworkEvaluator, Sources,
    Ticket,
    contract::{check_network_evaluator, random_leaves},
    encode_leaves,
};

fn connect4() -> Connect4 {
    Connect4::new(7, 6, 4).expect("a possible board")
}

fn evaluate<G: Game>(
    game: &G,
    network: impl NetworkEvaluator + 'static,
    leaves: &[Leaf<G>],
) -> Result<Vec<Evaluation>, EvaluatorError> {
    let mut sources = Sources::default();
    sources.add_network(game, Box::new(network), 0)?;
    sources.evaluate(0, &leaves.iter().map(|leaf| leaf.view(game)).collect::<Vec<_>>())
}

fn softmax(logits: &[f32]) -> Vec<f64> {
    let powers: Vec<f64> = logits.iter().map(|&x| f64::from(x).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|p| p / sum).collect()
}

fn assert_near(got: &[f32], wanted: &[f64]) {
    assert_eq!(got.len(), wanted.len());
    for (g, w) in got.iter().zip(wanted) {
        assert!((f64::from(*g) - w).abs() < 1e-6, "{got:?}, expected {wanted:?}");
    }
}

/// Column 3 is full, so its logit must not count; seen in the mirror, policy indices turn round.
#[test]
fn priors_are_the_softmax_over_legal_moves_seen_through_the_symmetry() {
    let game = connect4();
    let mut state = game.start();
    for _ in 0..6 {
        game.play(&mut state, Move(2));
    }
    game.play(&mut state, Move(0));
    let mut legal = Vec::new();
    game.legal_moves(&state, &(), &mut legal);
    assert_eq!(legal, [0, 1, 3, 4, 5, 6].map(Move));
    let leaf = |symmetry| Leaf {
        state,
        history: (),
        legal: legal.clone(),
        eval_key: game.eval_key(&state, &()),
        symmetry,
    };
    let leaves = [leaf(Symmetry(0)), leaf(Symmetry(1))];
    let got = evaluate(&game, FakeNetwork::of(&game), &leaves).unwrap();
    for (evaluation, symmetry, indices) in
        [(&got[0], Symmetry(0), [0, 1, 3, 4, 5, 6]), (&got[1], Symmetry(1), [6, 5, 3, 2, 1, 0])]
    {
        let encoding = game.encoding();
        let mut planes = vec![0; encoding.planes().packed_bytes()];
        let mut writer = PlaneWriter::new(encoding.planes(), &mut planes, &mut []);
        encoding.encode(&state, &(), symmetry, &mut writer);
        assert_near(&evaluation.priors, &softmax(&indices.map(|index| logit(&planes, index))));
        let wdl = softmax(&[1000, 1001, 1002].map(|index| logit(&planes, index)));
        assert_near(&evaluation.expected.wdl.to_array(), &wdl);
    }
    assert_ne!(got[0], got[1], "the mirror shows other planes");
}

#[test]
fn the_fake_network_keeps_the_contract() {
    check_network_evaluator(&connect4(), &mut FakeNetwork::of(&connect4()), 1, 0.0).unwrap();
    check_network_evaluator(&TicTacToe, &mut FakeNetwork::of(&TicTacToe), 2, 0.0).unwrap();
}

#[test]
fn the_contract_finds_faults() {
    for (fault, found) in [
        (Fault::NotANumber, "finite"),
        (Fault::TooShort, "policy length"),
        (Fault::Unstable, "position 0 alone"),
    ] {
        let mut network = FakeNetwork { fault: Some(fault), ..FakeNetwork::of(&TicTacToe) };
        let broken = check_network_evaluator(&TicTacToe, &mut network, 1, 0.0).unwrap_err();
        assert!(broken.to_string().contains(found), "{broken}");
    }
}

#[test]
fn wrong_outputs_are_refused() {
    let game = connect4();
    let leaves = random_leaves(&game, 3, 1);
    let ask = |fault| {
        let network = FakeNetwork { fault: Some(fault), ..FakeNetwork::of(&game) };
        evaluate(&game, network, &leaves).unwrap_err()
    };
    assert!(matches!(ask(Fault::NotANumber), EvaluatorError::NotFinite { .. }));
    assert!(matches!(
        ask(Fault::TooShort),
        EvaluatorError::WrongLength { got: 20, wanted: 21, .. }
    ));
}

#[test]
fn wrong_networks_and_tickets_are_refused() {
    let add = |network| Sources::default().add_network(&connect4(), Box::new(network), 0);
    let other = add(FakeNetwork::of(&TicTacToe)).unwrap_err();
    assert!(matches!(other, EvaluatorError::WrongEncoding { .. }), "{other}");
    let short = FakeNetwork { policy_len: 6, ..FakeNetwork::of(&connect4()) };
    let short = add(short).unwrap_err();
    assert!(matches!(short, EvaluatorError::WrongPolicy { network: 6, game: 7 }), "{short}");
    let mut sources = Sources::default();
    sources.add_network(&connect4(), Box::new(FakeNetwork::of(&connect4())), 0).unwrap();
    let waited = sources.wait(0, Ticket(9), Vec::new());
    assert!(matches!(waited, Err(EvaluatorError::UnknownTicket(Ticket(9)))));
}

#[test]
fn random_leaves_are_open_positions_with_their_planes() {
    let game = connect4();
    let leaves = random_leaves(&game, 100, 5);
    let batch = encode_leaves(&game.encoding(), &leaves);
    assert_eq!((leaves.len(), batch.len, batch.globals.len()), (100, 100, 0));
    assert!(leaves.iter().all(|leaf| !leaf.legal.is_empty()));
    assert!(leaves.iter().any(|leaf| leaf.symmetry == Symmetry(1)));
}

/// Chess has globals, the others have none.
#[test]
fn a_batch_that_threads_share_is_the_one_of_a_single_thread() {
    with_game!(&"chess".parse().unwrap(), |game| check_shared_batch(&game)).unwrap();
    with_game!(&"go:size=5".parse().unwrap(), |game| check_shared_batch(&game)).unwrap();
    with_game!(&"connect4".parse().unwrap(), |game| check_shared_batch(&game)).unwrap();
}

fn check_shared_batch<G: Game>(game: &G) {
    let leaves = random_leaves(game, 301, 7);
    let views: Vec<LeafView<'_, G>> = leaves.iter().map(|leaf| leaf.view(game)).collect();
    let evaluate = |threads| {
        let mut sources = Sources::default();
        sources.add_network(game, Box::new(FakeNetwork::of(game)), 1 << 12).expect("it fits");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let evaluations = pool.install(|| sources.evaluate(0, &views)).expect("answered");
        (sources, evaluations)
    };
    let (_, wanted) = evaluate(1);
    let (mut sources, got) = evaluate(3);
    assert_eq!(got, wanted);
    assert_eq!(sources.evaluate(0, &views).expect("answered"), wanted);
    // Positions that were evaluated twice are in the cache, except those that another has replaced.
    let mut priors = Vec::new();
    let mut known = 0;
    for (view, evaluation) in views.iter().zip(&got) {
        if let Answer::Cached(expected) = sources.readers().ask(0, view, &mut priors) {
            known += 1;
            assert_eq!((expected, &priors), (evaluation.expected, &evaluation.priors));
        }
    }
    assert!(known > 250, "{known}");
    // Rows are those that all leaves give together.
    let mut leaf = EncodedLeaf::default();
    let batch = encode_leaves::<G>(&game.encoding(), &leaves);
    for (index, view) in views.iter().enumerate() {
        sources.readers().encode(0, view, &mut leaf);
        assert_eq!(leaf.bits, batch.position(index));
        let globals = batch.shape.globals;
        assert_eq!(leaf.globals, batch.globals[index * globals..(index + 1) * globals]);
        assert_eq!(leaf.policy.len(), view.legal.len());
    }
}
