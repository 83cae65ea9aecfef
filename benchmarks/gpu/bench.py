#!/usr/bin/env python3
"""DagZero beside PyTorch on one device, in one call: correctness first, then speed.

    python3 benchmarks/gpu/bench.py --binary target/release/dagzero --out results.json

Prints and writes each row as soon as it is known, so that a call that is cut off has not been in vain.
--part standard (9x9 b6c96, batches 1,024 and 4,096) ends within six minutes, compilation included; the other
parts take other sizes. Needs PyTorch; on a machine without a card, `--device cpu` checks the script itself.
"""

import argparse
import datetime
import json
import platform
import re
import subprocess

PARTS = {
    "standard": [("9x9b6c96", [1024, 4096])],
    "sizes": [
        ("6x7b4c64", [64, 512, 1024, 4096, 8192]),
        ("9x9b6c96", [64, 512, 8192]),
        ("9x9b10c128", [1024, 4096, 8192]),
    ],
    "quick": [("6x7b2c32", [64])],
}
# Planes, channels of the policy's and the value's head, width of the value's hidden layer.
HEADS = (16, 16, 8, 64)
# A child that hangs (kernel tuning has been seen to) costs this much and no more.
CHILD_SECONDS_MAX = 150


def flops(height, width, blocks, channels):
    """Multiplications and additions of a position, both counted, as the layers' definitions count."""
    planes, policy, value, hidden = HEADS
    area = height * width
    towers = 9 * (planes * channels + 2 * blocks * channels**2)
    heads = channels * (policy + value)
    linear = policy * area * (area + 1) + value * area * hidden
    return 2 * (area * (towers + heads) + linear)


class Results:
    """The rows found so far, on disk after each."""

    def __init__(self, path, facts):
        self.path, self.content = path, {**facts, "rows": []}

    def add(self, **row):
        self.content["rows"].append(row)
        value = row.get("value")
        text = row["error"] if value is None else f"{value:,.4g} {row['unit']}"
        if row.get("share_of_peak"):
            text += f", {row['share_of_peak']:.1%} of the matrix peak"
        print(f"{row['what']:<56} {row['who']:<8} {text}", flush=True)
        self.write()

    def write(self):
        with open(self.path, "w") as file:
            json.dump(self.content, file, indent=1)
            file.write("\n")


def child(command):
    """What a command of ours prints as JSON, or an error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=CHILD_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None, f"took more than {CHILD_SECONDS_MAX} s"
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        answer = None
    error = None if done.returncode == 0 else done.stderr.strip()[-2000:] or "no message"
    return answer, error


def ours(results, args, size, batch, precision, peak, work):
    command = [args.binary, "bench", "device", "--device", args.device, "--json"]
    command += ["--network", size, "--batch", str(batch), "--precision", precision]
    answer, error = child([*command, "--seconds", str(args.seconds)])
    if error:
        results.add(what=f"{size} batch {batch} {precision}", who="dagzero", error=error)
    for row in answer or []:
        what = row["name"].split(": ", 1)[1]
        factor = 3 if what.startswith("learn") else 1
        share = row["value"] * work * factor / peak if "/s" in row["unit"] and peak else None
        found = {"value": row["value"], "unit": row["unit"], "share_of_peak": share}
        results.add(what=f"{size} batch {batch} {what}", who="dagzero", **found)


def theirs(results, args, peer, numbers, size, batch, peak, work):
    torch = peer.torch
    compiles = args.device != "cpu"

    def one(what, unit, factor, run):
        what = f"{size} batch {batch} {what}"
        try:
            first, value = run()
        except Exception as error:  # a failing compiler must not end the other measurements
            results.add(what=what, who="torch", error=repr(error)[:500])
            return
        share = value * work * factor / peak if peak else None
        results.add(what=what + ", until it is compiled", who="torch", value=first, unit="s")
        results.add(what=what, who="torch", value=value, unit=unit, share_of_peak=share)

    formats = {"f16": torch.float16, "bf16": torch.bfloat16} if compiles else {"f32": torch.float32}
    for name, dtype in formats.items():
        run = (numbers, batch, args.seconds, args.device, dtype, compiles)
        one(f"play, {name}", "positions/s", 1, lambda run=run: peer.play(*run))
    run = (numbers, batch, args.seconds, args.device, compiles)
    one("learn", "rows/s", 3, lambda: peer.learn(*run))


def facts(args):
    def output(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True).stdout.strip()
        except FileNotFoundError:
            return ""

    query = "--query-gpu=name,driver_version,memory.total,clocks.max.sm"
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": args.commit or output("git", "rev-parse", "HEAD"),
        "card": output("nvidia-smi", query, "--format=csv,noheader"),
        "machine": platform.platform(),
        "part": args.part,
    }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--binary", default="target/release/dagzero")
    parser.add_argument("--out", default="gpu.json", help="where the rows are written as JSON")
    parser.add_argument("--part", choices=PARTS, default="standard")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each figure")
    parser.add_argument("--commit", help="what the binary was built from, where git cannot tell")
    return parser.parse_args()


def main():
    args = arguments()
    results = Results(args.out, facts(args))
    doctor, error = child([args.binary, "doctor", "--device", args.device, "--json"])
    results.content["doctor"] = doctor
    results.write()
    print(json.dumps(doctor, indent=1), flush=True)
    if error:
        # Wrong answers are news enough, and no speed makes up for them; PyTorch is measured all the same.
        results.add(what="canary", who="dagzero", error=error)
    try:
        import peer
    except ImportError as missing:
        peer = None
        print(f"without the peer: {missing} (pip install torch)", flush=True)
    peak = None
    if peer and args.device == "cuda":
        peak = peer.matrix_peak(args.device, peer.torch.bfloat16)
        found = {"value": peak / 1e12, "unit": "TFLOP/s"}
        results.add(what="matrix product of 8192, bf16", who="torch", **found)
    for size, batches in PARTS[args.part]:
        numbers = [int(n) for n in re.findall(r"\d+", size)]
        work = flops(*numbers)
        for batch in batches:
            for precision in ["f16", "bf16"] if args.device == "cuda" else ["f32"]:
                ours(results, args, size, batch, precision, peak, work)
            if peer:
                theirs(results, args, peer, numbers, size, batch, peak, work)


if __name__ == "__main__":
    main()
