"""Self-play on a device: ours beside pgx and mctx, with the same network and playouts, and beside what host and device of ours
reach alone."""

import subprocess
import sys
import time
from pathlib import Path

# Game, the network's size, playouts of a move, batch sizes, and the game's name in pgx.
CASES = {
    "cuda": [
        ("go:size=9", "9x9b6c96", 32, [1024, 2048, 4096], "go_9x9"),
        ("connect4", "6x7b6c128", 32, [1024, 2048], "connect_four"),
    ],
    "cpu": [("connect4", "6x7b1c8", 4, [64], "connect_four")],
}
# Their batches, of which the best counts: all games move at a time there.
PEER_BATCHES = {"cuda": "1024,4096", "cpu": "32"}
PEER = Path(__file__).parent.parent / "pgx_peer.py"
OURS_SECONDS_MAX, PEER_SECONDS_MAX = 90, 200
SAMPLES = 3


def measure(results, args, child):
    for game, size, playouts, batches, _ in CASES[args.device]:
        for batch in batches:
            command = [args.binary, "bench", "games", "--device", args.device, "--json"]
            command += ["--game", game, "--network", size, "--batch", str(batch)]
            command += ["--playouts", str(playouts), "--seconds", str(args.seconds)]
            rows, error = child(args, command, OURS_SECONDS_MAX)
            for row in rows:
                found = {"value": row["value"], "unit": row["unit"]}
                if row.get("peer_value"):
                    found["share_of_network"] = row["value"] / row["peer_value"]
                results.add(what=row["name"], who="dagzero", **found)
            if error:
                results.add(what=f"{game} {size} batch {batch}", who="dagzero", error=error)
    for _, size, playouts, _, name in CASES[args.device]:
        theirs(results, args, size, playouts, name)


def theirs(results, args, size, playouts, name):
    """Games, evaluations and playouts a second of pgx and mctx: the median of samples after it has compiled."""
    what = f"{name} {size}, {playouts} playouts"
    blocks, channels = size.split("b")[1].split("c")
    dtype = "bfloat16" if args.device == "cuda" else "float32"
    command = [sys.executable, str(PEER), blocks, channels, str(playouts)]
    command += [name, PEER_BATCHES[args.device], dtype]
    limit = min(PEER_SECONDS_MAX, args.deadline - time.monotonic())
    if limit < 1:
        results.add(what=what, who="pgx", error="no time was left")
        return
    try:
        done = subprocess.run(
            command, input="\n" * SAMPLES, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        results.add(what=what, who="pgx", error=f"took more than {limit:.0f} s")
        return
    greeting, *samples = done.stdout.splitlines() or ["none"]
    if greeting == "none" or len(samples) < SAMPLES:
        error = done.stderr.strip()[-1000:] or "no pgx, mctx or jax (pip install pgx mctx jax)"
        results.add(what=what, who="pgx", error=error)
        return
    numbers = [[float(number) for number in sample.split()] for sample in samples]
    for column, unit in enumerate(["games/s", "evaluations/s", "playouts/s"]):
        value = sorted(sample[column] for sample in numbers)[SAMPLES // 2]
        results.add(what=f"{what}, {greeting}", who="pgx", value=value, unit=unit)
