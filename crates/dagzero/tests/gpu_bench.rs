//! The script that measures cards runs to its end, on the processor and with tiny networks. Needs a
//! Python with `PyTorch`: `DAGZERO_PYTHON`, or `python3`.

#![allow(clippy::unwrap_used)]

use std::process::Command;

use dz_testkit::{python, python_with, repository};
use serde_json::Value;

#[test]
fn a_dry_run_measures_ours_and_pytorch() {
    let Some(python) = python_with("torch") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let results = scratch.path().join("gpu.json");
    let script = repository().join("benchmarks/gpu/bench.py");
    let mut command = Command::new(&python);
    command.arg(script).args(["--dry-run", "--binary", env!("CARGO_BIN_EXE_dagzero"), "--out"]);
    let output = command.arg(&results).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let found: Value = serde_json::from_slice(&std::fs::read(&results).unwrap()).unwrap();
    assert_eq!(found["doctor"]["canary_passed"], true, "{found}");
    let rows = found["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["value"].as_f64().is_some_and(|v| v > 0.0)), "{rows:?}");
    for what in ["play, f32", "learn, f32", "learn, bf16"] {
        for who in ["dagzero", "torch"] {
            // PyTorch's rows say in which way, too.
            let one = |row: &&Value| {
                let text = row["what"].as_str().unwrap();
                row["who"] == who && text.contains(what) && row["unit"] != "s"
            };
            let row = rows.iter().find(|row| one(row) && row["unit"] != "nats");
            let row = row.unwrap_or_else(|| panic!("no row of {who} for {what}: {rows:?}"));
            assert!(row["share_of_peak"].as_f64().is_some_and(|share| share > 0.0), "{row}");
        }
    }
}

/// What the script makes of a child that hangs or fails after its first figures.
#[test]
fn what_a_child_printed_before_it_ended_is_read() {
    let folder = repository().join("benchmarks/gpu");
    let checks = r#"
import bench, sys, time, types
assert bench.whole('[\n{"a": 1},\n{"a": 2}\n]\n') == [{"a": 1}, {"a": 2}]
assert bench.whole('[\n{"a": 1},\n{"a": 2') == [{"a": 1}]
assert bench.whole('') == []
assert bench.whole('{"canary": true}') == {"canary": True}
args = types.SimpleNamespace(deadline=time.monotonic() + 100)
hangs = "import sys, time; print('[', flush=True); print('{\"a\": 1}', flush=True); "
hangs += "print('tuning', file=sys.stderr, flush=True); time.sleep(60)"
late = bench.child(args, [sys.executable, "-c", hangs], 2)
assert late == ([{"a": 1}], "took more than 2 s. tuning"), late
# A peer that hangs is killed, one that fails says why, and the next request is answered.
peer = bench.Peer()
rows = lambda path, limit: list(peer.ask(limit, work=path))
bench.PEER = sys.argv[1]
assert rows("answer", 20) == [{"way": "a", "rate": 1}]
assert "took more than 1 s" in rows("hang", 1)[0]["error"]
assert rows("answer", 20) == [{"way": "a", "rate": 1}]
assert "no card" in rows("fail", 20)[0]["error"]
assert rows("answer", 0) == [{"error": "no time was left"}]
peer.stop()
fails = "import sys; print('[\\n{\"a\": 1}\\n]'); sys.exit('no card')"
assert bench.child(args, [sys.executable, "-c", fails]) == ([{"a": 1}], "no card")
# No child outlives the whole, and none is begun without time.
args.deadline = time.monotonic() + 2
assert bench.child(args, [sys.executable, "-c", hangs])[1] == "took more than 2 s. tuning"
assert bench.child(args, [sys.executable, "-c", fails]) == ([], "no time was left")
"#;
    let peer = r#"
import json, sys, time
print(json.dumps({"torch": "none"}), flush=True)
for line in sys.stdin:
    work = json.loads(line)["work"]
    if work == "hang":
        time.sleep(60)
    if work == "fail":
        sys.exit("no card")
    print('{"way": "a", "rate": 1}\nend', flush=True)
"#;
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("peer.py");
    std::fs::write(&path, peer).unwrap();
    let mut command = Command::new(python());
    command.args(["-B", "-c", checks]).arg(&path).env("PYTHONPATH", folder);
    let Ok(output) = command.output() else {
        println!("skipped: there is no Python; set DAGZERO_PYTHON");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
