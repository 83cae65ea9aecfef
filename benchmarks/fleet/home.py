#!/usr/bin/env python3
"""What the home needs for the units of its workers: processor time for each, and memory for a long plan.

    python3 benchmarks/fleet/home.py target/release/dagzero [--preset connect4-smoke] [--units 300] [--plan 100000]

The home plays nothing. First, two workers hand in units, and the processor time of the home's self-play process is divided by
their number; then the same with the share of audits that a run has by default. Last, a home plans many shards without any worker,
and its memory is read after it has offered them. One line of JSON each. Needs Linux.
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

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
GAMES_PER_UNIT = 64


def settings(mailbox, units, playouts, audit_share):
    words = [
        f"workers.mailbox={mailbox}",
        "workers.home_plays=false",
        "workers.mirror=false",
        f"workers.unit_games={GAMES_PER_UNIT}",
        "run.cycles=1",
        f"selfplay.games_per_shard={GAMES_PER_UNIT}",
        f"bootstrap.games={GAMES_PER_UNIT * units}",
        f"bootstrap.playouts={playouts}",
        "training.rows_max=64",
        "gate.games=0",
        "gate.rule=always",
        "rating.games=0",
        "final.games=0",
    ]
    if audit_share is not None:
        words.append(f"workers.audit_share={audit_share}")
    return [part for word in words for part in ("--set", word)]


def selfplay_process(run):
    """The process that plays for the run, or checks what workers play."""
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = status.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"selfplay" in words and str(run).encode() in words:
            return status.parent
    return None


def cpu_s(process):
    """User and system seconds of a process and its threads."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def memory_mb(process):
    lines = (process / "status").read_text().splitlines()
    value = next(line for line in lines if line.startswith("VmHWM")).split()[1]
    return int(value) / 1024


def shard_entries(run):
    return sum('"kind":"shard' in path.read_text() for path in (run / "log").glob("*.json"))


def start(args, folder, words):
    run = folder / "run"
    command = [args.dagzero, "run", args.preset, "--dir", str(run), *words]
    out = (folder / "home.txt").open("w")
    home = subprocess.Popen(command, stdout=out, stderr=out)
    deadline = time.monotonic() + 60
    while (process := selfplay_process(run)) is None:
        if home.poll() is not None or time.monotonic() > deadline:
            home.kill()
            sys.exit((folder / "home.txt").read_text())
        time.sleep(0.05)
    return home, process


def throughput(args, folder, audit_share):
    mailbox = folder / "mailbox"
    words = settings(mailbox, args.units, args.playouts, audit_share)
    home, process = start(args, folder, words)
    command = [args.dagzero, "worker", str(mailbox), "--patience", "60"]
    crowd = []
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    deadline = time.monotonic() + args.minutes * 60
    used_s = peak_mb = 0.0
    try:
        for number in range(2):
            words = [*command, "--cache", str(folder / f"cache-{number}")]
            crowd.append(subprocess.Popen(words, **quiet))
        # The process ends with the cycle, so its figures are read until then.
        while process.exists() and shard_entries(folder / "run") < args.units:
            if time.monotonic() > deadline:
                sys.exit("the workers did not finish in time; see --minutes")
            try:
                used_s, peak_mb = cpu_s(process), memory_mb(process)
            except (OSError, StopIteration):
                break
            time.sleep(0.2)
        try:
            used_s = cpu_s(process)
        except OSError:
            pass
    finally:
        for running in [home, *crowd]:
            running.kill()
            running.wait()
    return {
        "units": args.units,
        "games_per_unit": GAMES_PER_UNIT,
        "audit_share": "default" if audit_share is None else audit_share,
        "home_cpu_s": round(used_s, 2),
        "units_per_cpu_s": round(args.units / used_s, 1),
        "memory_mb": round(peak_mb, 1),
    }


def memory(args, folder):
    words = settings(folder / "mailbox", args.plan, args.playouts, None)
    home, process = start(args, folder, words)
    try:
        deadline = time.monotonic() + 120
        while not list((folder / "mailbox" / "plan").glob("*.json")) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(15)
        return {
            "planned_shards": args.plan,
            "memory_mb": round(memory_mb(process), 1),
            "home_cpu_s": round(cpu_s(process), 2),
        }
    finally:
        home.kill()
        home.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("dagzero")
    parser.add_argument("--preset", default="connect4-smoke")
    parser.add_argument("--units", type=int, default=300)
    parser.add_argument("--playouts", type=int, default=8, help="of the games that the workers play")
    parser.add_argument("--plan", type=int, default=100_000, help="shards of the long plan")
    parser.add_argument("--minutes", type=float, default=10)
    args = parser.parse_args()
    trials = [
        lambda folder: throughput(args, folder, 0.0),
        lambda folder: throughput(args, folder, None),
        lambda folder: memory(args, folder),
    ]
    for trial in trials:
        folder = Path(tempfile.mkdtemp(prefix="dagzero-home-"))
        try:
            print(json.dumps(trial(folder)), flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
