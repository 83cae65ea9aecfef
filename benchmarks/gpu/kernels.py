#!/usr/bin/env python3
"""Time of each kernel of a training step, by Nsight Compute.

    python3 benchmarks/gpu/kernels.py --out kernels.json -- COMMAND...

The last step counts: what ran from behind the last `adam` but one to the last. Clocks stay as they are.
"""

import argparse
import csv
import io
import json
import os
import subprocess
import sys


def rows(command):
    """Yields name and microseconds of each launch."""
    ncu = ["ncu", "--csv", "--clock-control", "none", "--target-processes", "all"]
    ncu += ["--metrics", "gpu__time_duration.sum", "--print-units", "base"]
    done = subprocess.run(
        [*ncu, *command],
        capture_output=True,
        text=True,
        env={**os.environ, "DAGZERO_CUDA_GRAPH": "0"},
    )
    start = done.stdout.find('"ID"')
    if start < 0:
        sys.exit(f"ncu printed no table: {done.stdout[-500:]} {done.stderr[-500:]}")
    for row in csv.DictReader(io.StringIO(done.stdout[start:])):
        yield row["Kernel Name"], float(row["Metric Value"].replace(",", "")) / 1e3


def last_step(launches):
    ends = [i for i, (name, _) in enumerate(launches) if name.startswith("adam")]
    if len(ends) < 2:
        sys.exit(f"{len(ends)} steps in {len(launches)} launches; two are needed")
    return launches[ends[-2] + 1 : ends[-1] + 1]


def summary(launches):
    kernels = {}
    for name, us in launches:
        kernel = kernels.setdefault(name, {"name": name, "launches": 0, "us": 0.0})
        kernel["launches"] += 1
        kernel["us"] += us
    found = sorted(kernels.values(), key=lambda kernel: -kernel["us"])
    for kernel in found:
        kernel["us"] = round(kernel["us"], 1)
    total = round(sum(us for _, us in launches), 1)
    order = [[name, round(us, 1)] for name, us in launches]
    return {"launches": len(launches), "us": total, "kernels": found, "in_order": order}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--out", required=True, help="where the table is written as JSON")
    parser.add_argument("command", nargs="+", help="what is measured, behind --")
    args = parser.parse_args()
    found = summary(last_step(list(rows(args.command))))
    with open(args.out, "w") as file:
        json.dump({"command": args.command, **found}, file, indent=1)
        file.write("\n")
    print(f"{found['us']:,} us in {found['launches']} launches")
    for kernel in found["kernels"][:40]:
        print(f"{kernel['us']:9.1f} us {kernel['launches']:4} {kernel['name'][:90]}")


if __name__ == "__main__":
    main()
