#!/usr/bin/env python3
"""Units a second with more and more workers, each a slow machine of its own.

    python3 benchmarks/fleet/scaling.py target/release/dagzero [--workers 2,8,64] [--share 0.01]

Every worker gets a small share of a core by a control group (cpu, version 1; needs root), so that 64 of them are no more work than
one core. The home plays nothing. Units are counted by the ledger's clock between the first and the last tenth of a cycle. One line
of JSON for each number of workers.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup/cpu/dagzero-scaling")
PERIOD_US = 100_000
GAMES_PER_UNIT = 16
# For each worker, so that the middle of the cycle lasts a while.
UNITS_PER_WORKER = 12


def settings(units, playouts):
    return [
        "run.cycles=1",
        "workers.home_plays=false",
        "workers.mirror=false",
        f"workers.unit_games={GAMES_PER_UNIT}",
        f"selfplay.games_per_shard={GAMES_PER_UNIT}",
        f"bootstrap.games={GAMES_PER_UNIT * units}",
        f"bootstrap.playouts={playouts}",
        "training.rows_max=64",
        "gate.games=0",
        "gate.rule=always",
        "rating.games=0",
        "final.games=0",
    ]


def start_worker(binary, mailbox, index, share, log):
    """A worker in a control group of its own."""
    group = GROUPS / str(index)
    group.mkdir(parents=True, exist_ok=True)
    (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
    (group / "cpu.cfs_quota_us").write_text(str(int(PERIOD_US * share)))

    def enter():
        (group / "tasks").write_text(str(os.getpid()))

    command = [binary, "worker", str(mailbox), "--cache", str(log.parent / f"cache-{index}")]
    with log.open("w") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, preexec_fn=enter)


def entries(run):
    for path in sorted((run / "log").glob("*.json")):
        yield json.loads(path.read_text())


def rate(run):
    """Units a second between the first and the last tenth of the cycle, and how many there were."""
    times = sorted(
        entry["time_unix_ms"] for entry in entries(run) if entry["entry"]["kind"] == "shard"
    )
    first, last = len(times) // 10, len(times) - 1 - len(times) // 10
    return (last - first) * 1000 / (times[last] - times[first]), len(times)


def trial(args, workers):
    folder = Path(tempfile.mkdtemp(prefix="dagzero-scaling-"))
    mailbox, run = folder / "mailbox", folder / "run"
    units = args.units or workers * UNITS_PER_WORKER
    command = [args.binary, "run", args.config, "--dir", str(run)]
    for word in [f"workers.mailbox={mailbox}", *settings(units, args.playouts)]:
        command += ["--set", word]
    begun = time.monotonic()
    with (folder / "home.txt").open("w") as out:
        home = subprocess.Popen(command, stdout=out, stderr=out)
    while not (mailbox / "run.json").is_file():
        if home.poll() is not None:
            sys.exit((folder / "home.txt").read_text())
        time.sleep(0.05)
    crowd = [
        start_worker(args.binary, mailbox, index, args.share, folder / f"worker-{index}.txt")
        for index in range(workers)
    ]
    try:
        if home.wait(timeout=args.minutes * 60) != 0:
            sys.exit((folder / "home.txt").read_text())
        per_second, counted = rate(run)
        print(
            json.dumps(
                {
                    "workers": workers,
                    "share_of_a_core": args.share,
                    "units": counted,
                    "units_per_second": round(per_second, 3),
                    "seconds": round(time.monotonic() - begun, 1),
                }
            ),
            flush=True,
        )
        return per_second
    finally:
        home.kill()
        for worker in crowd:
            worker.kill()
            worker.wait()
        for index in range(workers):
            (GROUPS / str(index)).rmdir()
        if args.keep:
            print(folder, file=sys.stderr)
        else:
            shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("binary")
    parser.add_argument("--config", default="tictactoe-smoke")
    parser.add_argument("--workers", default="2,8,64")
    parser.add_argument("--share", type=float, default=0.01, help="of a core, for each worker")
    parser.add_argument("--playouts", type=int, default=400)
    parser.add_argument("--units", type=int, help="instead of 12 for each worker")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--keep", action="store_true", help="keep the folders")
    args = parser.parse_args()
    before = None
    for workers in map(int, args.workers.split(",")):
        found = trial(args, workers)
        if before:
            print(f"{before[0]} to {workers} workers: {found / before[1]:.2f} times", flush=True)
        before = workers, found


if __name__ == "__main__":
    main()
