#!/usr/bin/env python3
"""DagZero beside PyTorch on one device, in one call: correctness first, then speed.

    python3 benchmarks/gpu/bench.py --binary target/release/dagzero --out results.json

Prints and writes each row as soon as it is known, so that a call that is cut off has not been in vain. Ours comes first,
PyTorch with what is left of --minutes, which nothing exceeds. --part standard (9x9 b6c96, batches 1,024 and
4,096) is meant to end within six minutes, compilation included; `sizes` takes other sizes, `selfplay` whole games
(games.py), `soak` memory over a long time (soak.py). Needs PyTorch; --dry-run takes every step but those of a card on the
processor, with tiny networks, in seconds.
"""

import argparse
import datetime
import json
import platform
import re
import subprocess
import time

import games
import soak

PARTS = {
    "standard": [("9x9b6c96", [1024, 4096])],
    "sizes": [
        ("6x7b4c64", [64, 512, 1024, 4096, 8192]),
        ("9x9b6c96", [64, 512, 8192]),
        ("9x9b10c128", [1024, 4096, 8192]),
    ],
    "quick": [("6x7b2c32", [64])],
}
# Parts that are scripts of their own.
OTHER_PARTS = ("selfplay", "soak")
# Formats that ours plays and learns in.
FORMATS = {
    "cuda": (["f16", "bf16"], ["bf16", "f32"]),
    "cpu": (["f32"], ["f32", "bf16"]),
}
# Planes, channels of the policy's and the value's head, width of the value's hidden layer.
HEADS = (16, 16, 8, 64)
# A child that hangs (kernel tuning has been seen to) costs this much and no more; the first one compiles the most.
CHILD_SECONDS_MAX, DOCTOR_SECONDS_MAX = 120, 240
# PyTorch is not begun with less left than this: it compiles for about as long.
PEER_SECONDS_MIN = 40


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


def whole(text):
    """What a child of ours printed as JSON; of a list that was cut off, the lines that are whole."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line.rstrip(",")))
        except json.JSONDecodeError:
            continue
    return [row for row in found if isinstance(row, dict)]


def child(args, command, seconds_max=CHILD_SECONDS_MAX):
    """What a command of ours prints as JSON, and an error if it ended with one or did not end."""
    limit = min(seconds_max, args.deadline - time.monotonic())
    if limit < 1:
        return [], "no time was left"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired as late:
        # Bytes, whatever was asked for.
        printed, said = ((text or b"").decode(errors="replace") for text in (late.stdout, late.stderr))
        return whole(printed), f"took more than {limit:.0f} s. {said.strip()[-1000:]}"
    error = None if done.returncode == 0 else done.stderr.strip()[-2000:] or "no message"
    return whole(done.stdout), error


def ours(results, args, size, batch, peak, work):
    plays, learns = FORMATS[args.device]
    command = [args.binary, "bench", "device", "--device", args.device, "--json"]
    command += ["--network", size, "--batch", str(batch), "--seconds", str(args.seconds)]
    # A process for each figure, so that what hangs takes none of the others along.
    figures = [["--precision", name, "--learning", "none"] for name in plays]
    figures += [["--precision", "none", "--learning", name] for name in learns]
    if args.device == "cuda":
        for other in (["--burn-convolution"], ["--lanes", "1"]):
            figures.append(["--precision", plays[0], "--learning", "none", *other])
        figures.append(["--precision", "none", "--learning", learns[0], "--burn-convolution"])
    for options in figures:
        rows, error = child(args, command + options)
        for row in rows:
            what = row["name"].split(": ", 1)[1]
            factor = 3 if what.startswith("learn") else 1
            share = row["value"] * work * factor / peak if "/s" in row["unit"] and peak else None
            found = {"value": row["value"], "unit": row["unit"], "share_of_peak": share}
            results.add(what=f"{size} batch {batch} {what}", who="dagzero", **found)
        if error:
            results.add(what=f"{size} batch {batch} {' '.join(options)}", who="dagzero", error=error)


def theirs(results, args, peer, numbers, size, batch, peak, work):
    torch = peer.torch

    def one(what, unit, factor, run):
        what = f"{size} batch {batch} {what}"
        if args.deadline - time.monotonic() < PEER_SECONDS_MIN and args.device == "cuda":
            results.add(what=what, who="torch", error="no time was left")
            return
        try:
            first, value = run()
        except Exception as error:  # a failing compiler must not end the other measurements
            results.add(what=what, who="torch", error=repr(error)[:500])
            return
        share = value * work * factor / peak if peak else None
        results.add(what=what + ", until it is compiled", who="torch", value=first, unit="s")
        results.add(what=what, who="torch", value=value, unit=unit, share_of_peak=share)

    dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
    plays, learns = FORMATS[args.device]
    for name in plays:
        run = (numbers, batch, args.seconds, args.device, dtypes[name], args.compile)
        one(f"play, {name}", "positions/s", 1, lambda run=run: peer.play(*run))
    for name in learns:
        run = (numbers, batch, args.seconds, args.device, dtypes[name], args.compile)
        one(f"learn, {name}", "rows/s", 3, lambda run=run: peer.learn(*run))


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
    parser.add_argument("--part", choices=[*PARTS, *OTHER_PARTS], default="standard")
    parser.add_argument("--device", choices=FORMATS, default="cuda")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each figure")
    parser.add_argument("--minutes", type=float, default=9.0, help="for everything")
    parser.add_argument("--compile", choices=["yes", "no"], help="torch.compile; on a card unless told otherwise")
    parser.add_argument("--commit", help="what the binary was built from, where git cannot tell")
    parser.add_argument("--dry-run", action="store_true", help="tiny networks on the processor")
    args = parser.parse_args()
    if args.dry_run:
        args.device, args.seconds = "cpu", 0.1
        args.part = args.part if args.part in OTHER_PARTS else "quick"
    args.deadline = time.monotonic() + 60 * args.minutes
    args.compile = args.compile == "yes" if args.compile else args.device == "cuda"
    return args


def peers():
    """The module with PyTorch's networks, or none without PyTorch."""
    try:
        import peer
    except ImportError as missing:
        print(f"without the peer: {missing} (pip install torch)", flush=True)
        return None
    return peer


def canary(results, args):
    """Whether ours answers rightly there at all."""
    doctor = [args.binary, "doctor", "--device", args.device, "--json"]
    doctor, error = child(args, doctor, DOCTOR_SECONDS_MAX)
    results.content["doctor"] = doctor
    results.write()
    print(json.dumps(doctor, indent=1), flush=True)
    if error:
        # Wrong answers are news enough, and no speed makes up for them; PyTorch is measured all the same.
        results.add(what="canary", who="dagzero", error=error)


def speeds(results, args):
    """Networks without games, ours and PyTorch's."""
    peer, peak = peers(), None
    if peer and (args.device == "cuda" or args.dry_run):
        side = 256 if args.dry_run else 8192
        what = f"matrix product of {side}, bf16"
        try:
            peak = peer.matrix_peak(args.device, peer.torch.bfloat16, side, args.seconds / 2)
            results.add(what=what, who="torch", value=peak / 1e12, unit="TFLOP/s")
        except Exception as error:  # what PyTorch cannot do says nothing of ours
            results.add(what=what, who="torch", error=repr(error)[:500])
    # Each size as its numbers.
    sizes = {size: [int(n) for n in re.findall(r"\d+", size)] for size, _ in PARTS[args.part]}
    cases = [(size, batch) for size, batches in PARTS[args.part] for batch in batches]
    for size, batch in cases:
        ours(results, args, size, batch, peak, flops(*sizes[size]))
    for size, batch in cases if peer else []:
        numbers = sizes[size]
        theirs(results, args, peer, numbers, size, batch, peak, flops(*numbers))


def main():
    args = arguments()
    results = Results(args.out, facts(args))
    canary(results, args)
    if args.part == "selfplay":
        games.measure(results, args, child)
    elif args.part == "soak":
        soak.measure(results, args, child)
    else:
        speeds(results, args)
    print(f"{len(results.content['rows'])} rows in {args.out}", flush=True)


if __name__ == "__main__":
    main()
