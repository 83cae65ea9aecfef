#!/usr/bin/env python3
"""Time of the same run by two builds, without workers.

    benchmarks/fleet/ratio.py BEFORE NOW [PAIRS]

Each pair is one run by each build, in alternating order. Nothing else should use the cores.
"""

import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = Path(__file__).resolve().parents[2] / "configs" / "connect4-smoke.toml"
# Enough games that self-play takes most of the time, and no matches.
SETTINGS = [
    "run.cycles=2",
    "bootstrap.games=2000",
    "selfplay.games=3000",
    "selfplay.playouts=48",
    "selfplay.parallel_games=64",
    "selfplay.games_per_shard=64",
    "gate.games=0",
    "rating.games=0",
    "final.games=0",
]


def seconds(program: str, folder: str) -> dict[str, float]:
    """Wall time and processor time of one run."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [program, "run", str(CONFIG), "--dir", folder]
    for setting in SETTINGS:
        command += ["--set", setting]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    wall = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"wall": wall, "user": after.ru_utime - before.ru_utime}


def main() -> None:
    programs = {"before": sys.argv[1], "now": sys.argv[2]}
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(sys.argv[3]) if len(sys.argv) > 3 else 16):
            order = ["before", "now"] if number % 2 == 0 else ["now", "before"]
            pair = {name: seconds(programs[name], f"{folder}/{name}") for name in order}
            print(json.dumps(pair), flush=True)
            pairs.append(pair)
    for kind in ["wall", "user"]:
        ratios = sorted(pair["now"][kind] / pair["before"][kind] for pair in pairs)
        median = statistics.median(ratios)
        print(f"{kind}: median ratio {median:.3f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
