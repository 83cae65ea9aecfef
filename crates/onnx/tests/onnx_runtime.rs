//! ONNX Runtime computes what our kernels compute, for every kind of network.
//!
//! It runs in the Python that `DAGZERO_PYTHON` names, or in `python3`, and is skipped where that
//! lacks onnxruntime or numpy. `onnx.checker` checks every model where onnx is installed.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dz_cpu_net::{CpuEvaluator, network_spec_of, plane_shape, random_network, random_positions};
use dz_game::{Encoding, Game, GameSpec, Symmetry, game_names, mix64, unpack_planes, with_game};
use dz_infer::{EncodedBatch, Leaf, NetworkEvaluator, NetworkOutputs, encode_leaves};
use dz_network_file::{Board, Head, NetworkFile, NetworkSpec};
use dz_onnx::{
    ERROR_LOGIT, GLOBALS, MARGIN, Meaning, OWNERSHIP, PLANES, POLICY, WDL, WDL_LOGITS, to_onnx,
};
use dz_testkit::script_output;
use serde_json::{Value, json};

/// The contract.
const TOLERANCE: f32 = 1e-4;

/// A network, and positions on a board that it plays on.
struct Case {
    name: String,
    file: NetworkFile,
    meaning: Meaning,
    batch: EncodedBatch,
}

impl Case {
    fn random(name: String, spec: &NetworkSpec, seed: u64) -> Self {
        let batch = random_positions(spec, 5, seed);
        Self { name, file: random_network(spec, seed), meaning: Meaning::default(), batch }
    }

    /// Writes the model and the inputs; gives the entry of `cases.json`.
    fn write(&self, folder: &Path) -> Value {
        let Self { name, file, meaning, batch } = self;
        let shape = batch.shape;
        let model = format!("{name}.onnx");
        fs::write(folder.join(&model), to_onnx(file, meaning).unwrap()).unwrap();
        let mut planes = vec![0.0; batch.len * shape.bits()];
        for (i, planes) in planes.chunks_exact_mut(shape.bits()).enumerate() {
            unpack_planes(shape, batch.position(i), planes);
        }
        write_floats(&folder.join(format!("{name}.in.{PLANES}")), &planes);
        let mut inputs = json!({ PLANES: [batch.len, shape.channels, shape.height, shape.width] });
        if shape.globals > 0 {
            write_floats(&folder.join(format!("{name}.in.{GLOBALS}")), &batch.globals);
            inputs[GLOBALS] = json!([batch.len, shape.globals]);
        }
        json!({ "name": name, "model": model, "inputs": inputs })
    }

    /// Compares what ONNX Runtime wrote with our kernels; gives the largest difference of logits.
    fn compare(&self, folder: &Path) -> f32 {
        let Self { name, batch, .. } = self;
        let theirs = |output: &str| read_floats(&folder.join(format!("{name}.out.{output}")));
        let (ours, owners) = self.ours();
        let mut pairs = vec![
            (POLICY, ours.policy_logits, theirs(POLICY)),
            (WDL_LOGITS, ours.wdl_logits.clone(), theirs(WDL_LOGITS)),
            (WDL, softmax(&ours.wdl_logits), theirs(WDL)),
        ];
        if !ours.margins.is_empty() {
            pairs.push((MARGIN, ours.margins, theirs(MARGIN)));
            pairs.push((ERROR_LOGIT, ours.error_logits, theirs(ERROR_LOGIT)));
        }
        pairs.extend(owners.map(|owners| (OWNERSHIP, owners, theirs(OWNERSHIP))));
        let mut most = 0.0_f32;
        for (output, ours, theirs) in pairs {
            assert_eq!(ours.len(), theirs.len(), "{name}: {output} of {} positions", batch.len);
            for (a, b) in ours.iter().zip(&theirs) {
                // Nor may it be NaN.
                assert!((a - b).abs() < TOLERANCE, "{name}: {output} is {b} and should be {a}");
                most = most.max((a - b).abs());
            }
        }
        most
    }

    fn ours(&self) -> (NetworkOutputs, Option<Vec<f32>>) {
        let Self { file, batch, .. } = self;
        let spec = &file.header.spec;
        let [game, encoding] = [&spec.game, &spec.encoding].map(|id| self.on_this_board(id));
        let policy_len = batch.shape.area() + spec.policy_len - spec.area();
        let (height, width) = (batch.shape.height, batch.shape.width);
        let board = Board { game: &game, encoding: &encoding, height, width, policy_len };
        let here = if spec.any_size { file.on_board(&board) } else { file.on_own_board() };
        let mut evaluator = CpuEvaluator::load(&here.unwrap()).unwrap();
        let ticket = evaluator.submit(batch.clone()).unwrap();
        (evaluator.wait(ticket).unwrap(), evaluator.ownership(batch).unwrap())
    }

    fn on_this_board(&self, id: &str) -> String {
        let NetworkSpec { height, width, .. } = self.file.header.spec;
        let shape = self.batch.shape;
        id.replace(&format!("{height}x{width}"), &format!("{}x{}", shape.height, shape.width))
    }
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let one = |logits: &[f32; 3]| {
        let powers = logits.map(|x| f64::from(x).exp());
        powers.map(|x| (x / powers.iter().sum::<f64>()) as f32)
    };
    logits.as_chunks::<3>().0.iter().flat_map(one).collect()
}

fn write_floats(path: &Path, numbers: &[f32]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(path, bytes).unwrap();
}

fn read_floats(path: &Path) -> Vec<f32> {
    let bytes = fs::read(path).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect()
}

/// Evaluates all cases with ONNX Runtime, compares, and returns Python's output for each model;
/// `None` where there is no such Python.
fn evaluated(cases: &[Case]) -> Option<Vec<Value>> {
    let folder = tempfile::tempdir().unwrap();
    let list: Vec<Value> = cases.iter().map(|case| case.write(folder.path())).collect();
    fs::write(folder.path().join("cases.json"), json!(list).to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run_onnx.py");
    let said = script_output(&script, &[folder.path()])?;
    let said: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(said.len(), cases.len());
    let most = cases.iter().map(|case| case.compare(folder.path())).fold(0.0, f32::max);
    let checked = if said[0]["checked"] == true { "checked" } else { "not checked (no onnx)" };
    println!("{} models, {checked}: the largest difference is {most:.1e}", cases.len());
    Some(said)
}

/// Every combination of a network's options, on small boards with odd sizes.
#[test]
fn onnx_runtime_agrees_on_every_kind_of_network() {
    let mut cases = Vec::new();
    for kind in 0..2 * 2 * 2 * 2 * 3 * 4 {
        let bit = |place: u32| kind >> place & 1 == 1;
        let bottleneck_blocks = kind / 16 % 3;
        // Boards of one size, those of any size without and with moves beside the points, and
        // policies of planes.
        let beside = [None, Some(0), Some(2), None][kind / 48];
        let policy_planes = if kind / 48 == 3 { 3 } else { 0 };
        let policy_len = if policy_planes > 0 { 60 } else { 20 + beside.unwrap_or(1) };
        let plain = NetworkSpec::plain([3, 5, 4], policy_len, 3, 12);
        let spec = NetworkSpec {
            game: "none:board=5x4".to_owned(),
            encoding: "none-v1:5x4".to_owned(),
            global_pooling: bit(0),
            squeeze_ratio: if bit(1) { 5 } else { 0 },
            globals: if bit(2) { 2 } else { 0 },
            heads: if bit(3) {
                [Head::Margin, Head::Ownership, Head::ShortTermError].into()
            } else {
                [].into()
            },
            bottleneck_blocks,
            any_size: beside.is_some(),
            policy_planes,
            policy_channels: 3,
            value_channels: 2,
            value_hidden: 9,
            ..plain
        };
        let own = Case::random(format!("kind-{kind}"), &spec, kind as u64);
        if spec.any_size {
            // The same file on a larger board.
            let there = NetworkSpec { height: 9, width: 7, ..spec.clone() };
            let batch = random_positions(&there, 3, 77);
            let (file, meaning) = (own.file.clone(), own.meaning.clone());
            cases.push(Case { name: format!("kind-{kind}-larger"), file, meaning, batch });
        }
        cases.push(own);
    }
    evaluated(&cases);
}

/// Networks of the presets' sizes.
#[test]
fn onnx_runtime_agrees_on_usual_sizes() {
    let spec = |[height, width]: [usize; 2], moves, blocks, channels| {
        NetworkSpec::plain([5, height, width], moves, blocks, channels)
    };
    let pooled = NetworkSpec { global_pooling: true, ..spec([9, 9], 82, 6, 96) };
    let nested = NetworkSpec { bottleneck_blocks: 2, squeeze_ratio: 8, ..pooled.clone() };
    let cases = [spec([6, 7], 7, 4, 32), spec([6, 7], 7, 6, 64), pooled, nested];
    let cases: Vec<Case> = cases
        .iter()
        .enumerate()
        .map(|(i, spec)| Case::random(format!("size-{i}"), spec, i as u64))
        .collect();
    evaluated(&cases);
}

/// Positions of random games.
fn played<G: Game>(game: &G, plies: u64) -> EncodedBatch {
    let (mut state, mut history) = (game.start(), G::History::default());
    let (mut leaves, mut legal) = (Vec::new(), Vec::new());
    for ply in 0..plies {
        game.legal_moves(&state, &history, &mut legal);
        if legal.is_empty() {
            break;
        }
        let eval_key = game.eval_key(&state, &history);
        leaves.push(Leaf {
            state: state.clone(),
            history: history.clone(),
            legal: legal.clone(),
            eval_key,
            symmetry: Symmetry::IDENTITY,
        });
        let mv = legal[mix64(ply + 3) as usize % legal.len()];
        game.advance(&mut state, &mut history, mv);
    }
    encode_leaves::<G>(&game.encoding(), &leaves)
}

fn case_of<G: Game>(game: &G) -> Case {
    let encoding = game.encoding();
    let spec = NetworkSpec { global_pooling: true, ..network_spec_of(game, 2, 16) };
    let batch = played(game, 20);
    assert_eq!(batch.shape, plane_shape(&spec));
    let meaning = Meaning {
        planes: encoding.plane_names(),
        globals: encoding.global_names(),
        policy: encoding.policy_layout(),
        metadata: BTreeMap::from([("extra".to_owned(), "ä \"quoted\"\n".to_owned())]),
    };
    Case { name: game.spec().name().to_owned(), file: random_network(&spec, 11), meaning, batch }
}

/// Real positions of every game, and what the file says for people without our code.
#[test]
fn onnx_runtime_agrees_on_positions_of_every_game() {
    let of_name = |name: &&str| {
        let spec: GameSpec = name.parse().unwrap();
        with_game!(&spec, |game| case_of(&game)).unwrap()
    };
    let cases: Vec<Case> = game_names().iter().map(of_name).collect();
    let Some(said) = evaluated(&cases) else { return };
    for (case, said) in cases.iter().zip(&said) {
        let spec = &case.file.header.spec;
        let metadata = &said["metadata"];
        assert_eq!(metadata["game"], spec.game.as_str());
        assert_eq!(metadata["encoding"], spec.encoding.as_str());
        assert_eq!(metadata["planes"], case.meaning.planes.join("\n"));
        assert_eq!(metadata["policy"], case.meaning.policy.as_str());
        assert_eq!(metadata["extra"], "ä \"quoted\"\n");
        let planes = json!(["batch", spec.channels_in, spec.height, spec.width]);
        assert_eq!(said["inputs"][PLANES], planes);
        assert_eq!(said["inputs"].get(GLOBALS).is_some(), spec.globals > 0);
        assert_eq!(said["outputs"][POLICY], json!(["batch", spec.policy_len]));
        assert_eq!(said["outputs"][WDL], json!(["batch", 3]));
        if let Some(docs) = said.get("docs") {
            let doc = |name: &str| docs[name].as_str().unwrap();
            assert!(doc(PLANES).contains(case.meaning.planes.last().unwrap()), "{docs}");
            assert!(doc(POLICY).contains(&case.meaning.policy), "{docs}");
            assert!(doc(WDL).contains("player to move"), "{docs}");
        }
    }
}

/// One file for boards of any size says so.
#[test]
fn axes_of_boards_of_any_size_are_open() {
    let spec = NetworkSpec {
        any_size: true,
        heads: [Head::Ownership].into(),
        ..NetworkSpec::plain([2, 5, 5], 26, 1, 8)
    };
    let Some(said) = evaluated(&[Case::random("open".to_owned(), &spec, 1)]) else { return };
    assert_eq!(said[0]["inputs"][PLANES], json!(["batch", 2, "height", "width"]));
    assert_eq!(said[0]["outputs"][POLICY], json!(["batch", "moves"]));
    assert_eq!(said[0]["outputs"][OWNERSHIP], json!(["batch", "height", "width", 3]));
}
