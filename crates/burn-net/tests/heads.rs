//! Heads beside policy and value: each is learnt, and none is in the way of anything else.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::common::{
    all_heads, full, head_weights, info, on_threads, options, rows, rows_with_heads, small,
};
use dz_burn_net::{
    BurnEvaluator, BurnLearner, DeviceChoice, EvaluatorOptions, Learner, LearnerOptions,
};
use dz_cpu_net::{CpuEvaluator, Reference};
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_network_file::{Head, NetworkFile, NetworkSpec, PerHead, TensorData, container};

/// Gradients are never clipped: the norm of all of them is the one thing that heads have a part in.
fn learner(spec: &NetworkSpec) -> BurnLearner {
    let options = LearnerOptions { head_weights: head_weights(), clip_norm: 1e9, ..options() };
    BurnLearner::new(spec.clone(), DeviceChoice::Cpu, options).unwrap()
}

fn tensors(checkpoint: &[u8]) -> BTreeMap<String, TensorData> {
    let (_, all): (serde_json::Value, _) = container::unpack("checkpoint", 1, checkpoint).unwrap();
    all
}

/// Rows without targets of heads leave every other number unchanged, to the bit: the learner's
/// whole state, its losses, and the file that plays.
#[test]
fn heads_without_targets_change_nothing_else() {
    let plain = full();
    for heads in [all_heads(full()), NetworkSpec { heads: [Head::PliesLeft].into(), ..full() }] {
        let (mut with, mut without) = (learner(&heads), learner(&plain));
        for i in 0..6 {
            let batch = rows_with_heads(&heads, 70, i, 0.0);
            // The soft policy learns from what is there, so it counts nothing here.
            let batch = dz_burn_net::TrainBatch {
                policy_weights: vec![f32::from(!heads.heads.contains(&Head::SoftPolicy)); 70],
                ..batch
            };
            let bare = dz_burn_net::TrainBatch { heads: PerHead::default(), ..batch.clone() };
            let (one, other) = (with.step(&batch, 0.003), without.step(&bare, 0.003));
            let (one, other) = (one.unwrap().losses, other.unwrap().losses);
            assert_eq!(
                (one.policy_loss, one.value_loss, one.policy_entropy),
                (other.policy_loss, other.value_loss, other.policy_entropy)
            );
            assert!(one.heads.present().all(|(_, &loss)| loss == 0.0));
        }
        let (more, fewer) = (tensors(&with.save().unwrap()), tensors(&without.save().unwrap()));
        assert!(more.len() > fewer.len());
        for (name, tensor) in fewer {
            assert_eq!(more[&name], tensor, "{name}");
        }
        let (file, bare) = (with.export(&info()).unwrap(), without.export(&info()).unwrap());
        assert!(bare.tensors.iter().all(|(name, tensor)| file.tensors[name] == *tensor));
        let exported = heads.heads.iter().filter(|head| head.is_exported()).count();
        assert_eq!(file.tensors.len(), bare.tensors.len() + 2 * exported);
        if exported == 0 {
            assert_eq!(file.to_bytes().unwrap(), bare.to_bytes().unwrap(), "the same file");
        }
    }
}

#[test]
fn every_head_is_learnt_by_heart() {
    let spec = all_heads(full());
    let mut learner = learner(&spec);
    let batch = rows_with_heads(&spec, 32, 3, 1.0);
    let first = learner.step(&batch, 0.01).unwrap().losses.heads;
    for _ in 0..150 {
        learner.step(&batch, 0.01).unwrap();
    }
    let last = learner.evaluate(&batch).unwrap().losses.heads;
    // Rows count more for the optimistic policy as errors are learnt, so its loss need not fall.
    for head in Head::ALL.into_iter().filter(|head| *head != Head::OptimisticPolicy) {
        let (first, last) = (first[head].unwrap(), last[head].unwrap());
        // A little below the entropy of the targets: nine tenths on one of three, or of six moves.
        let least = match head {
            Head::PliesLeft | Head::Margin | Head::ShortTermError => 0.0,
            Head::ShortTerm | Head::Ownership => 0.29,
            Head::Reply => 0.4,
            Head::SoftPolicy | Head::OptimisticPolicy => 1.689,
        };
        println!("{head}: {first} -> {last}, at least {least}");
        assert!(last < first && last - least < 0.6 * (first - least), "{head}: {first} {last}");
    }
}

#[test]
fn heads_resume_exactly_on_any_number_of_threads() {
    let spec = all_heads(full());
    let train = |learner: &mut BurnLearner, steps: std::ops::Range<u64>| {
        for i in steps {
            learner.step(&rows_with_heads(&spec, 130, i, 1.0), 0.003).unwrap();
        }
    };
    let whole = on_threads(1, || {
        let mut learner = learner(&spec);
        train(&mut learner, 0..5);
        learner.save().unwrap()
    });
    let half = on_threads(2, || {
        let mut learner = learner(&spec);
        train(&mut learner, 0..2);
        learner.save().unwrap()
    });
    let mut resumed = learner(&spec);
    resumed.load(&half).unwrap();
    train(&mut resumed, 2..5);
    assert!(resumed.save().unwrap() == whole);
    // A checkpoint without the heads is one of another network, and says which.
    let error = resumed.load(&learner(&full()).save().unwrap()).unwrap_err().to_string();
    assert!(error.contains("its heads is []") && error.contains("ownership"), "{error}");
}

fn ask(network: &mut dyn NetworkEvaluator, batch: &EncodedBatch) -> NetworkOutputs {
    let ticket = network.submit(batch.clone()).unwrap();
    network.wait(ticket).unwrap()
}

/// In one and the same position one move was followed by a win half of the time, and another by a
/// loss. The policy learns both; the optimistic policy learns what turned out well.
#[test]
fn the_optimistic_policy_learns_what_turned_out_well() {
    let heads = [Head::ShortTerm, Head::ShortTermError, Head::OptimisticPolicy].into();
    let spec = NetworkSpec { heads, ..small() };
    let mut learner = learner(&spec);
    let mut batch = rows_with_heads(&spec, 32, 3, 1.0);
    let bytes = batch.planes.shape.packed_bytes();
    for row in 0..32 {
        let is_good = row % 2 == 0;
        batch.planes.bits.copy_within(0..bytes, row * bytes);
        let policy = &mut batch.policy[row * spec.policy_len..(row + 1) * spec.policy_len];
        policy.fill(0.0);
        policy[if is_good { 1 } else { 4 }] = 1.0;
        let came = if is_good { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        batch.heads[Head::ShortTerm].targets[9 * row..9 * row + 9]
            .copy_from_slice(&[came, came, came].concat());
    }
    for _ in 0..300 {
        learner.step(&batch, 0.01).unwrap();
    }
    let file = learner.export(&info()).unwrap();
    let chance = |optimism: f64| {
        let plays = file.with_optimism(optimism).unwrap();
        let outputs = ask(&mut CpuEvaluator::load(&plays).unwrap(), &batch.planes);
        let [good, bad] = [1, 4].map(|mv| outputs.policy_logits[mv]);
        1.0 / (1.0 + (bad - good).exp())
    };
    let [plain, optimistic] = [0.0, 1.0].map(chance);
    assert!((plain - 0.5).abs() < 0.05, "{plain}");
    assert!(optimistic > 0.9, "{optimistic}");
}

/// The optimistic policy is mixed into the layer that plays: logits are those of the mix, and
/// nothing else changes.
#[test]
fn optimism_mixes_the_logits_of_both_policies() {
    for spec in [small(), NetworkSpec { any_size: true, policy_len: 21, ..full() }] {
        let spec = all_heads(spec);
        let mut learner = learner(&spec);
        for i in 0..20 {
            learner.step(&rows_with_heads(&spec, 24, i % 3, 1.0), 0.02).unwrap();
        }
        let file = learner.export(&info()).unwrap();
        let batch = rows_with_heads(&spec, 9, 77, 1.0).planes;
        let answers = [0.0, 1.0, 0.25].map(|optimism| {
            let mixed = file.with_optimism(optimism).unwrap().into_owned();
            mixed.check().unwrap();
            let plays = mixed.on_own_board().unwrap();
            ask(&mut CpuEvaluator::load(&plays).unwrap(), &batch)
        });
        let [plain, optimistic, mix] = answers;
        let far = plain.policy_logits.iter().zip(&optimistic.policy_logits);
        assert!(far.clone().any(|(a, b)| (a - b).abs() > 0.05), "the two policies differ");
        for ((a, b), found) in far.zip(&mix.policy_logits) {
            assert!((0.75 * a + 0.25 * b - found).abs() < 1e-4, "{a} {b} {found}");
        }
        for other in [optimistic, mix] {
            let policy_logits = plain.policy_logits.clone();
            assert_eq!(NetworkOutputs { policy_logits, ..other }, plain);
        }
        // A file without the head plays as it is, and with optimism not at all.
        let bare = file.with_optimism(0.0).unwrap().into_owned();
        assert!(bare.with_optimism(0.5).is_err() && *bare.with_optimism(0.0).unwrap() == bare);
        assert_eq!(*file.on_own_board().unwrap(), *bare.on_own_board().unwrap());
    }
}

/// A file with exported heads plays as one without them, and they are what the learner's losses are
/// of.
#[test]
fn exported_heads_do_not_disturb_who_plays() {
    let spec = all_heads(small());
    let mut learner = learner(&spec);
    for i in 0..20 {
        learner.step(&rows_with_heads(&spec, 24, i % 3, 1.0), 0.01).unwrap();
    }
    let bytes = learner.export(&info()).unwrap().to_bytes().unwrap();
    let file = NetworkFile::from_bytes(&bytes).unwrap();
    let exported = [Head::Margin, Head::Ownership, Head::ShortTermError, Head::OptimisticPolicy];
    assert_eq!(file.header.spec.heads, exported.into());
    assert_eq!(file.header.spec.format(), 3);
    let mut bare = file.clone();
    bare.header.spec.heads.clear();
    let is_beside = |name: &str| exported.iter().any(|head| name.starts_with(head.layer()));
    bare.tensors.retain(|name, _| !is_beside(name));
    let batch = rows_with_heads(&spec, 9, 77, 1.0);
    let options = EvaluatorOptions::fixed(4);
    let outputs = [&file, &bare].map(|file| {
        let mut burn = BurnEvaluator::load(file, DeviceChoice::Cpu, options).unwrap();
        let mut cpu = CpuEvaluator::load(file).unwrap();
        [ask(&mut burn, &batch.planes), ask(&mut cpu, &batch.planes)]
    });
    let [[burn, cpu], plain] = outputs;
    let literal = Reference(&file).evaluate(&batch.planes);
    assert_eq!((literal.margins.len(), literal.error_logits.len()), (9, 9));
    for outputs in [&burn, &cpu] {
        let far = literal.difference_max(outputs);
        assert!(far < 1e-4, "{far}");
    }
    let margins = literal.margins;
    let bare_of =
        |outputs| NetworkOutputs { margins: Vec::new(), error_logits: Vec::new(), ..outputs };
    assert_eq!([bare_of(burn), bare_of(cpu)], plain);
    let targets = &batch.heads[Head::Margin].targets;
    let unit = (spec.area() as f64).sqrt();
    let huber = |(&margin, &points): (&f32, &f32)| {
        let distance = (f64::from(margin) - f64::from(points) / unit).abs();
        if distance < 0.5 { distance * distance / 2.0 } else { 0.5 * (distance - 0.25) }
    };
    let wanted = margins.iter().zip(targets).map(huber).sum::<f64>() / 9.0;
    let found = learner.evaluate(&batch).unwrap().losses.heads[Head::Margin].unwrap();
    assert!((f64::from(found) - wanted).abs() < 1e-5, "{found} {wanted}");
    assert_eq!(Reference(&bare).ownership(&batch.planes), None);
    let logits = Reference(&file).ownership(&batch.planes).unwrap();
    assert_eq!(logits.len(), 9 * 20 * 3);
    let mut loss = 0.0;
    for (logits, targets) in
        logits.chunks_exact(3).zip(batch.heads[Head::Ownership].targets.chunks_exact(3))
    {
        let total: f64 = logits.iter().map(|&x| f64::from(x).exp()).sum();
        loss += logits
            .iter()
            .zip(targets)
            .map(|(&x, &t)| f64::from(t) * (total.ln() - f64::from(x)))
            .sum::<f64>();
    }
    let found = learner.evaluate(&batch).unwrap().losses.heads[Head::Ownership].unwrap();
    assert!((f64::from(found) - loss / 180.0).abs() < 1e-5, "{found} {}", loss / 180.0);
}

#[test]
fn targets_that_are_missing_or_misshapen_are_refused() {
    let spec = all_heads(small());
    let mut learner = learner(&spec);
    let error = learner.step(&rows(&spec, 4, 1), 0.01).unwrap_err().to_string();
    assert!(error.contains("head reply"), "{error}");
    for head in Head::ALL {
        let mut batch = rows_with_heads(&spec, 4, 1, 1.0);
        batch.heads[head].targets.push(0.0);
        let error = learner.step(&batch, 0.01).unwrap_err().to_string();
        assert!(error.contains(&format!("head {head}")), "{error}");
        let mut batch = rows_with_heads(&spec, 4, 1, 1.0);
        batch.heads[head].weights = vec![-1.0; batch.heads[head].weights.len().max(1)];
        assert!(learner.step(&batch, 0.01).is_err(), "{head}");
    }
    let mut weights = head_weights();
    weights[Head::Margin] = f64::NAN;
    let options = LearnerOptions { head_weights: weights, ..options() };
    let error = BurnLearner::new(spec, DeviceChoice::Cpu, options).unwrap_err().to_string();
    assert!(error.contains("head_weights"), "{error}");
}
