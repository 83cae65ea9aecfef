#!/usr/bin/env python3
"""DagZero beside PyTorch on one device, in one call: correctness first, then speed.

    python3 benchmarks/gpu/bench.py --binary target/release/dagzero --out results.json

Prints and writes each row as soon as it is known. Ours and PyTorch's take turns, shape by shape. Each
has a time limit, and everything ends within --minutes. Needs PyTorch.

Parts: `first` is what first_call.sh runs. `standard` is 9x9 b6c96 at batches 1,024 and 4,096 and takes
at most six minutes. `sizes` takes other sizes. `selfplay` plays whole games (games.py). `soak` measures
memory over a long time (soak.py). --dry-run runs tiny networks on the processor, in seconds.
"""

import argparse
import datetime
import json
import platform
import queue
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import games
import soak

# Sizes, batches to play and batches to learn.
PARTS = {
    "first": [
        ("9x9b6c96", [1024, 4096, 64, 256], [1024, 256]),
        ("9x9b6c96+pooling", [1024, 4096], [256]),
    ],
    "standard": [("9x9b6c96", [1024, 4096], [1024, 4096])],
    "sizes": [
        ("6x7b4c64", [64, 512, 1024, 4096, 8192], [64, 512, 1024, 4096, 8192]),
        ("9x9b6c96", [64, 512, 8192], [64, 512, 8192]),
        ("9x9b10c128", [1024, 4096, 8192], [1024, 4096, 8192]),
    ],
    "quick": [("6x7b2c32", [64], [64])],
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
# A child that hangs is killed after this. The first one compiles the most.
CHILD_SECONDS_MAX, DOCTOR_SECONDS_MAX = 120, 240
# PyTorch compiles for some of this.
PEER_SECONDS_MAX = 90
# Answers requests for PyTorch's figures.
PEER = str(Path(__file__).parent / "peer.py")


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


class Peer:
    """A process of PyTorch (peer.py) that answers requests.

    A process that hangs is killed. The next request starts another one.
    """

    def __init__(self):
        self.process, self.lines = None, None

    def start(self):
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        self.process = subprocess.Popen([sys.executable, PEER], text=True, **pipes)
        self.lines = queue.SimpleQueue()
        self.said = []
        puts = {self.process.stdout: self.lines.put, self.process.stderr: self.said.append}
        for pipe, put in puts.items():
            threading.Thread(target=self.read, args=(pipe, put), daemon=True).start()

    @staticmethod
    def read(pipe, put):
        for line in pipe:
            put(line)
        put("")

    def ask(self, seconds_max, **request):
        """Yields rows, and a row with an error if PyTorch failed, ended, or took too long."""
        if seconds_max < 1:
            yield {"error": "no time was left"}
            return
        if self.process is None:
            self.start()
        late = time.monotonic() + seconds_max
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            while (line := self.lines.get(timeout=max(late - time.monotonic(), 0.01))) != "end\n":
                if not line:
                    # The process ended. Its last words may still be on their way.
                    self.process.wait()
                    time.sleep(0.1)
                    raise BrokenPipeError
                row = json.loads(line)
                if "torch" not in row:
                    yield row
            return
        except queue.Empty:
            yield {"error": f"took more than {seconds_max:.0f} s. " + "".join(self.said)[-1000:]}
        except BrokenPipeError:
            yield {"error": "".join(self.said)[-1000:] or "ended without a word"}
        self.stop()

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def ours(results, args, size, batch, peak, work, learns):
    """Measures how ours plays, or learns, at one size and batch."""
    command = [args.binary, "bench", "device", "--device", args.device, "--json"]
    command += ["--network", size, "--batch", str(batch), "--seconds", str(args.seconds)]
    plays, learning = FORMATS[args.device]
    # A process for each figure, so that what hangs takes none of the others along.
    if learns:
        figures = [["--precision", "none", "--learning", name] for name in learning]
        if args.device == "cuda":
            figures.append([*figures[0], "--burn-convolution"])
    else:
        figures = [["--precision", name, "--learning", "none"] for name in plays]
        if args.device == "cuda":
            others = [["--layers"], ["--burn-convolution"], ["--layers", "--lanes", "1"]]
            figures += [[*figures[0], *options] for options in others]
    if args.part == "first":
        figures = figures[:1]
    for options in figures:
        rows, error = child(args, command + options)
        for row in rows:
            what = row["name"].split(": ", 1)[1]
            share = share_of_peak(row["value"], work, peak, learns) if "/s" in row["unit"] else None
            found = {"value": row["value"], "unit": row["unit"], "share_of_peak": share}
            results.add(what=f"{size} batch {batch} {what}", who="dagzero", **found)
        if error:
            results.add(what=f"{size} batch {batch} {' '.join(options)}", who="dagzero", error=error)


def share_of_peak(rate, work, peak, learns):
    """Returns the share of the matrix peak. Learning counts as three times the work of playing."""
    return rate * work * (3 if learns else 1) / peak if peak else None


def theirs(results, args, peer, size, batch, peak, work, learns):
    formats = FORMATS[args.device][learns]
    if args.part == "first":
        formats = formats[:1]
    for dtype in formats:
        what = f"{size} batch {batch} {'learn' if learns else 'play'}, {dtype}"
        request = {"work": "learn" if learns else "play", "size": numbers(size), "batch": batch}
        request.update(dtype=dtype, device=args.device, seconds=args.seconds, compile=args.compile)
        limit = min(PEER_SECONDS_MAX, args.deadline - time.monotonic())
        for row in peer.ask(limit, **request):
            if "error" in row:
                results.add(what=what, who="torch", error=row["error"])
                continue
            name = f"{what}, {row['way']}"
            results.add(what=name + ", until it runs", who="torch", value=row["first"], unit="s")
            share = share_of_peak(row["rate"], work, peak, learns)
            unit = "rows/s" if learns else "positions/s"
            results.add(what=name, who="torch", value=row["rate"], unit=unit, share_of_peak=share)


def numbers(size):
    """Returns [9, 9, 6, 96] for `9x9b6c96`."""
    return [int(number) for number in re.findall(r"\d+", size)]


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
    parser.add_argument("--compile", choices=["yes", "no"], help="torch.compile; default on a card: yes")
    parser.add_argument("--commit", help="what the binary was built from, where git does not know")
    parser.add_argument("--dry-run", action="store_true", help="tiny networks on the processor")
    args = parser.parse_args()
    if args.dry_run:
        args.device, args.seconds = "cpu", 0.1
        args.part = args.part if args.part in OTHER_PARTS else "quick"
    args.deadline = time.monotonic() + 60 * args.minutes
    args.compile = args.compile == "yes" if args.compile else args.device == "cuda"
    return args


def has_torch():
    """Returns whether PyTorch is installed. Without it only ours is measured."""
    tried = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True)
    found = tried.returncode == 0
    if not found:
        print("without the peer: no PyTorch (pip install torch)", flush=True)
    return found


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
    peer, peak = Peer() if has_torch() else None, None
    if peer:
        side = 256 if args.dry_run else 8192
        request = {"work": "peak", "side": side, "device": args.device, "seconds": args.seconds / 2}
        for row in peer.ask(PEER_SECONDS_MAX, **request):
            if "error" in row:
                results.add(what=f"matrix product of {side}", who="torch", error=row["error"])
            else:
                peak = row["rate"]
                results.add(what=row["way"], who="torch", value=peak / 1e12, unit="TFLOP/s")
    cases = [
        (size, batch, learns)
        for size, *batches in PARTS[args.part]
        for learns in (False, True)
        for batch in batches[learns]
    ]
    for size, batch, learns in cases:
        work = flops(*numbers(size))
        ours(results, args, size, batch, peak, work, learns)
        # The peer's networks have no pooling.
        if peer and "+" not in size:
            theirs(results, args, peer, size, batch, peak, work, learns)
    if peer:
        peer.stop()


def main():
    args = arguments()
    results = Results(args.out, facts(args))
    if args.part != "first":
        # first_call.sh runs `doctor` itself.
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
