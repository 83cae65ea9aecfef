//! A card's answers, compared with the processor's. Without a card nothing is tested; with
//! `DAGZERO_CARD=cuda:0` the test fails where there is none.

#![allow(clippy::unwrap_used)]

use dz_cpu_net::{CpuEvaluator, random_network, random_positions};
use dz_cuda_net::TowerEvaluator;
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_network_file::NetworkSpec;

/// How far a logit may be off, for each unit of the largest one: eleven bits of halves.
const TOLERANCE: f64 = 0.01;

fn answer(evaluator: &mut dyn NetworkEvaluator, batch: &EncodedBatch) -> NetworkOutputs {
    let ticket = evaluator.submit(batch.clone()).unwrap();
    evaluator.wait(ticket).unwrap()
}

/// Boards that fill tiles and boards that do not, narrow and wide towers, long policies, pooling,
/// heads for any board.
fn networks() -> Vec<NetworkSpec> {
    let plain = NetworkSpec::plain;
    let pooling = |spec| NetworkSpec { global_pooling: true, any_size: true, ..spec };
    vec![
        plain([16, 9, 9], 82, 6, 96),
        plain([3, 6, 7], 7, 6, 128),
        plain([18, 9, 9], 82, 2, 64),
        plain([5, 8, 8], 64, 1, 64),
        plain([3, 3, 3], 9, 1, 32),
        plain([20, 13, 13], 170, 2, 32),
        NetworkSpec { value_hidden: 128, ..plain([24, 8, 8], 1858, 2, 80) },
        pooling(plain([18, 9, 9], 82, 6, 96)),
        pooling(plain([3, 6, 7], 42, 4, 128)),
        NetworkSpec { global_pooling: true, ..plain([12, 7, 7], 50, 5, 48) },
        NetworkSpec { globals: 3, ..plain([18, 9, 9], 82, 3, 96) },
        pooling(NetworkSpec { globals: 2, ..plain([18, 9, 9], 82, 2, 64) }),
    ]
}

/// Returns the first `len` positions of a batch.
fn first(batch: &EncodedBatch, len: usize) -> EncodedBatch {
    EncodedBatch {
        len,
        bits: batch.bits[..len * batch.shape.packed_bytes()].to_vec(),
        globals: batch.globals[..len * batch.shape.globals].to_vec(),
        ..*batch
    }
}

#[test]
fn a_tower_answers_as_the_processor_does() {
    let wanted = std::env::var("DAGZERO_CARD").is_ok();
    let folder = std::env::temp_dir().join(format!("dagzero-on-card-{}", std::process::id()));
    for spec in networks() {
        let file = random_network(&spec, 3);
        let mut evaluator = match TowerEvaluator::load(&file, 0, &folder) {
            Ok(Some(evaluator)) => evaluator,
            other if wanted => panic!("no network on the card: {other:?}"),
            _ => {
                eprintln!("skipped: there is no card of compute capability 9.0");
                return;
            }
        };
        let name = format!("{}x{} c{}", spec.height, spec.width, spec.channels);
        let all = random_positions(&spec, 1500, 5);
        let expected = answer(&mut CpuEvaluator::load(&file).unwrap(), &all);
        let logits = expected.policy_logits.iter().chain(&expected.wdl_logits);
        let size = logits.fold(1.0, |most: f64, logit| most.max(f64::from(logit.abs())));
        // Two under way at a time.
        let tickets = [(); 2].map(|()| evaluator.submit(all.clone()).unwrap());
        let [whole, behind] = tickets.map(|ticket| evaluator.wait(ticket).unwrap());
        assert_eq!(whole, behind, "the same positions, the same bits");
        let off = expected.difference_max(&whole) / size;
        println!("{name}: {off:.1e}");
        assert!(off < TOLERANCE, "{spec:?}: {off}");
        let empty = answer(&mut evaluator, &random_positions(&spec, 0, 5));
        assert_eq!(empty, NetworkOutputs::default(), "{name}");
        // Fewer than fill a block of threads, and slots that hold more than are asked for.
        for len in [1, 7, 400] {
            let found = answer(&mut evaluator, &first(&all, len));
            assert_eq!(found.policy_logits, whole.policy_logits[..len * spec.policy_len], "{name}");
            assert_eq!(found.wdl_logits, whole.wdl_logits[..len * 3], "{name}");
        }
        assert_eq!(answer(&mut evaluator, &all), whole, "{name}");
    }
    let _ = std::fs::remove_dir_all(folder);
}
