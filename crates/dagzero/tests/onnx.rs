//! `export --onnx`, and the Python of the book's page, as a reader would run it.
//!
//! The Python runs where `DAGZERO_PYTHON`, or else `python3`, has onnxruntime and numpy.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::cli::{command, refused};
use dagzero::Exit;
use dz_cpu_net::{Reference, network_spec_of, random_network};
use dz_game::games::Connect4;
use dz_game::{Game, Move, Symmetry};
use dz_infer::{EncodedBatch, Leaf, encode_leaves};
use dz_network_file::NetworkFile;
use dz_testkit::{python, repository};

/// A network of random weights with every kind of layer, as a file in `folder`.
fn network(folder: &Path) -> (NetworkFile, String) {
    let game = Connect4::new(7, 6, 4).expect("a board");
    let mut spec = network_spec_of(&game, 2, 16);
    (spec.global_pooling, spec.squeeze_ratio) = (true, 4);
    let file = random_network(&spec, 1);
    let path = folder.join("random.dzn");
    fs::write(&path, file.to_bytes().expect("bytes")).expect("written");
    (file, path.display().to_string())
}

#[test]
fn both_forms_of_the_command_write_one_model_and_overwrite_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, network) = network(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [short, long, weights] = ["short.onnx", "long.onnx", "both.safetensors"].map(path);
    for args in [
        &["export", &network, "--onnx", &short][..],
        &["export", "network", &network, "--onnx", &long, "--out", &weights],
    ] {
        let (result, out) = command(args, "");
        assert_eq!((result.expect("written"), out.as_str()), (Exit::Done, ""), "{args:?}");
    }
    let written = fs::read(&short).expect("a model");
    assert_eq!(written, fs::read(&long).expect("a model"));
    assert_eq!(fs::read(&weights).expect("weights"), fs::read(&network).expect("a network"));
    for part in ["policy_logits", "landing points", "index = column - 1"] {
        let found = written.windows(part.len()).any(|bytes| bytes == part.as_bytes());
        assert!(found, "{part}");
    }
    let said = refused(&["export", &network, "--onnx", &short]);
    assert!(said.contains("short.onnx exists; name another file"), "{said}");
    let said = refused(&["export", "rollout:5", "--onnx", &path("new.onnx")]);
    assert!(said.contains("there is neither a run nor a network file"), "{said}");
}

/// The position of the page: 4, 4 and 3 were played.
fn position() -> EncodedBatch {
    let game = Connect4::new(7, 6, 4).expect("a board");
    let mut state = game.start();
    for column in [3, 3, 2] {
        game.play(&mut state, Move(column));
    }
    let mut legal = Vec::new();
    game.legal_moves(&state, &(), &mut legal);
    let eval_key = game.eval_key(&state, &());
    let leaf = Leaf { state, history: (), legal, eval_key, symmetry: Symmetry::IDENTITY };
    encode_leaves::<Connect4>(&game.encoding(), &[leaf])
}

fn shares(logits: &[f32]) -> Vec<f64> {
    let powers: Vec<f64> = logits.iter().map(|&x| f64::from(x).exp()).collect();
    powers.iter().map(|x| x / powers.iter().sum::<f64>()).collect()
}

/// The numbers of the line that begins with `words`.
fn numbers(said: &str, words: &str) -> Vec<f64> {
    let line = said.lines().find_map(|line| line.strip_prefix(words)).expect("a line of numbers");
    let line = line.trim().trim_start_matches('[').trim_end_matches(']');
    line.split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

#[test]
fn the_python_of_the_book_evaluates_the_position_as_we_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, network) = network(folder.path());
    let model = folder.path().join("connect4.onnx").display().to_string();
    command(&["export", &network, "--onnx", &model], "").0.expect("written");
    let page = repository().join("docs/book/src/guide/onnx.md");
    let page = fs::read_to_string(page).expect("the page");
    let blocks = page.split("```python\n").skip(1);
    let code: String = blocks.map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert_eq!(code.matches("session.run").count(), 2, "both blocks of the page");
    let code = format!("import numpy, onnxruntime; print('ready')\n{code}");
    let python = python();
    let ran = Command::new(&python).args(["-c", &code]).current_dir(folder.path()).output();
    let Ok(ran) = ran else {
        println!("skipped: there is no {python}; set DAGZERO_PYTHON");
        return;
    };
    let said = String::from_utf8(ran.stdout).expect("text");
    let faults = String::from_utf8_lossy(&ran.stderr);
    if !said.starts_with("ready") {
        println!("skipped: {python} lacks numpy or onnxruntime ({})", faults.trim());
        return;
    }
    assert!(ran.status.success(), "{said}{faults}");
    let ours = Reference(&file).evaluate(&position());
    for (words, ours) in
        [("moves", shares(&ours.policy_logits)), ("win, draw, loss", shares(&ours.wdl_logits))]
    {
        let theirs = numbers(&said, words);
        assert_eq!(theirs.len(), ours.len(), "{said}");
        // The page rounds to three places.
        let far = ours.iter().zip(&theirs).any(|(a, b)| (a - b).abs() > 6e-4);
        assert!(!far, "{ours:?}: {said}");
    }
    assert_eq!(said.matches(" True\n").count(), 4, "the examples of the metadata: {said}");
    assert!(said.contains("connect4:width=7,height=6,connect=4"), "{said}");
}
