//! The script that measures a card in one call is rehearsed on the processor, with stand-ins for
//! NVIDIA's programs. One of them is broken, which costs only its own step.

use dz_testkit::repository;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Two training steps as Nsight Compute prints them.
const KERNELS: &str = r#"cat <<'TABLE'
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","adam_step","gpu__time_duration.sum","ns","1,000"
"1","convolve","gpu__time_duration.sum","ns","2,500"
"2","adam_step","gpu__time_duration.sum","ns","1,000"
TABLE"#;

/// Programs that the card's machine has, by name.
fn stand_ins() -> [(&'static str, String); 4] {
    [
        ("nvidia-smi", "echo 'NVIDIA-SMI stand-in'".to_owned()),
        ("nvcc", "echo 'nvcc stand-in'".to_owned()),
        ("ncu", KERNELS.to_owned()),
        ("compute-sanitizer", "\"$@\"".to_owned()),
    ]
}

fn write_script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
}

/// A program as `pack.sh` packs it.
fn pack(folder: &Path, name: &str, body: &str) {
    let path = folder.join(name);
    write_script(&path, body);
    let packed = Command::new("xz").arg(&path).status().expect("xz runs");
    assert!(packed.success());
}

fn has(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
}

/// Runs the script on the processor, with the programs in `cuda` before all others.
fn rehearse(binaries: &Path, out: &Path, cuda: &Path) -> Output {
    let script = repository().join("benchmarks/gpu/first_call.sh");
    let path = std::env::var("PATH").expect("a path");
    Command::new("bash")
        .arg(script)
        .args([binaries, out])
        .env("PATH", format!("{}:{path}", cuda.display()))
        .env("FIRST_CALL_DEVICE", "cpu")
        .env("FIRST_CALL_BENCH", "--dry-run")
        .env("FIRST_CALL_GAMES", "--network 9x9b1c8 --batch 4 --seconds 0.2 --playouts 4")
        .output()
        .expect("bash runs")
}

/// Name and exit code of each step, and what its line says.
fn steps(text: &str) -> BTreeMap<String, String> {
    let cells = |line: &str| {
        let (name, rest) = line.split_once('\t').expect("a name");
        (name.to_owned(), rest.to_owned())
    };
    text.lines().map(cells).collect()
}

#[test]
fn the_first_call_ends_with_every_file_and_a_broken_step_costs_only_itself() {
    if !has("xz", "--version") || !has("python3", "--version") {
        println!("skipped: there is no xz or no python3 here");
        return;
    }
    let scratch = tempfile::tempdir().expect("a folder");
    let [binaries, cuda, out] = ["binaries", "cuda/bin", "out"].map(|name| {
        let path = scratch.path().join(name);
        fs::create_dir_all(&path).expect("a folder");
        path
    });
    pack(&binaries, "dagzero", &format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_dagzero")));
    pack(&binaries, "layers_on_card", "echo 'layers stand-in'");
    pack(&binaries, "tower_on_card", "echo 'it breaks here'; exit 3");
    pack(&binaries, "speed", "echo 'speed stand-in'");
    fs::write(binaries.join("commit"), "0123456789\n").expect("written");
    for (name, body) in stand_ins() {
        write_script(&cuda.join(name), &body);
    }
    let ended = rehearse(&binaries, &out, &cuda);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");

    let archive = out.join("first-call.tar.xz");
    let unpacked = Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(&out).status();
    assert!(unpacked.expect("tar runs").success());
    let logs = out.join("first-call");
    let read = |name: &str| fs::read_to_string(logs.join(name)).unwrap_or_default();
    let steps = steps(&read("steps.tsv"));
    let good = [
        "facts",
        "doctor-first",
        "layers_on_card",
        "doctor-second",
        "speed",
        "bench",
        "games",
        "kernels-256",
        "kernels-1024",
        "ncu",
        "sanitizer",
    ];
    for name in good {
        let line = steps.get(name).unwrap_or_else(|| panic!("no step {name}: {steps:?}"));
        let text = read(&format!("{name}.txt"));
        // Without PyTorch, what the facts say last fails.
        assert!(line.starts_with("exit 0") || name == "facts", "{name}: {line}\n{text}");
        assert!(!text.is_empty(), "{name}");
    }
    assert!(steps["tower_on_card"].starts_with("exit 3"), "{steps:?}");
    assert_eq!(read("tower_on_card.txt"), "it breaks here\n");
    assert!(steps.contains_key("torch-warm"), "{steps:?}");
    assert!(read("facts.txt").contains("NVIDIA-SMI stand-in"));
    for name in ["doctor-second.txt", "sanitizer.txt"] {
        assert!(read(name).contains("\"canary_passed\""), "{name}: {}", read(name));
    }
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_str(&read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert_eq!(json("bench.json")["commit"], "0123456789");
    for name in ["kernels-256.json", "kernels-1024.json"] {
        assert_eq!(json(name)["launches"], 2, "{name}");
    }
    assert!(fs::metadata(&archive).expect("the archive").len() < 64 << 20);
}
