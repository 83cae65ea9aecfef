"""Makes the games of this folder, and rates them once more, for the tests of `dagzero rate`.

    python3 make.py games > tournament.pgn
    python3 make.py rate half 0                              # ordo-first-mover.csv, to 0.001 Elo
    python3 make.py rate davidson 0 > scipy-davidson.json
    python3 make.py rate davidson 2.5 > scipy-davidson-prior.json

The games are simulated (Davidson's draws, a first-mover advantage of 45 Elo). The fit is a direct
maximisation of the log-likelihood by scipy's BFGS, written for this check: it shares no code, no
derivatives and no parametrisation of draws with crates/stats. Needs numpy and scipy (1.17.1 was used).
"""

import json
import math
import random
import re
import sys

import numpy as np
from scipy.optimize import minimize

NAT = 400 / math.log(10)
TRUTH = [0, 70, 95, 180, 240, 330, 350, 480]


def games():
    rng = random.Random(20261121)
    lines = []
    for a, elo_a in enumerate(TRUTH):
        for b, elo_b in enumerate(TRUTH):
            if a == b or abs(a - b) > 4:
                continue
            for _ in range(4 + (3 * a + b) % 9):
                d = (elo_a - elo_b + 45) / NAT
                weights = [math.exp(d / 2), 0.7, math.exp(-d / 2)]
                result = rng.choices(["1-0", "1/2-1/2", "0-1"], weights)[0]
                lines.append(f'[White "engine {a}"]\n[Black "engine {b}"]\n[Result "{result}"]\n\n{result}\n')
    rng.shuffle(lines)
    print("\n".join(lines))


def rate(draws, prior):
    text = open("tournament.pgn").read()
    played = re.findall(r'White "(.*)"\]\n.*Black "(.*)"\]\n.*Result "(.*)"', text)
    names = sorted({name for game in played for name in game[:2]})
    first = np.array([names.index(game[0]) for game in played])
    second = np.array([names.index(game[1]) for game in played])
    points = np.array([{"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[game[2]] for game in played])
    n = len(names)

    def minus_log_likelihood(x):
        d = x[first] - x[second] + x[n]
        p = 1 / (1 + np.exp(-d))
        if draws == "half":
            total = np.sum(points * np.log(p) + (1 - points) * np.log(1 - p))
            pulled = x[: n + 1]
        else:
            # Davidson as he wrote it: nu sqrt(pi_i pi_j) against pi_i and pi_j; x[n + 1] is ln nu.
            nu = np.exp(x[n + 1])
            root = nu * np.sqrt(p * (1 - p))
            total = np.sum(np.log(np.where(points == 1, p, np.where(points == 0, 1 - p, root)) / (1 + root)))
            pulled = np.append(x[: n + 1], x[n + 1] - math.log(2))
        # `prior` virtual draws of every parameter, in half points; see crates/stats/src/model.rs.
        q = 1 / (1 + np.exp(-pulled))
        total += prior / 2 * np.sum(np.log(q) + np.log(1 - q))
        gauge = 0.5 * np.sum(x[:n]) ** 2 if prior == 0 else 0
        return -total + gauge

    start = np.zeros(n + 1 + (draws == "davidson"))
    best = minimize(minus_log_likelihood, start, method="BFGS", options={"gtol": 1e-5, "maxiter": 10000})
    elo = (best.x[:n] - np.mean(best.x[:n])) * NAT
    out = {"ratings": dict(zip(names, elo)), "first_mover_elo": best.x[n] * NAT}
    if draws == "davidson":
        nu = math.exp(best.x[n + 1])
        out["draw_rate"] = nu / (2 + nu)
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    games() if sys.argv[1] == "games" else rate(sys.argv[2], float(sys.argv[3]))
