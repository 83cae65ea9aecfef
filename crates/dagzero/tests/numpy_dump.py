"""Prints every game of a shard, or every row of a row file, as a line of JSON, read by docs/python/dagzero_numpy.py.

    python numpy_dump.py FOLDER_OF_THE_READER FILE

The first line is the reader's own summary. Says `none` where a package is missing.
"""

import json
import math
import sys

sys.path.insert(0, sys.argv[1])
try:
    import numpy as np
    from dagzero_numpy import SHARE, read_rows, read_shard, summary
except ImportError as error:
    print(f"none: {error}")
    sys.exit(0)


def shares(values):
    """Shares of 65,535, as they are stored."""
    return np.rint(np.asarray(values, np.float64) * SHARE).astype(int).tolist()


def some(value):
    """NaN and -1 stand for what is not there."""
    return None if value == -1 or math.isnan(value) else value


def games(shard):
    for i, number in enumerate(shard["game"].tolist()):
        part = lambda name, at: shard[name][shard[f"{name.split('_')[0]}_offset"][at] : shard[f"{name.split('_')[0]}_offset"][at + 1]]
        plies = [
            {
                "move": int(shard["move"][p]),
                "network": int(shard["network"][p]),
                "kind": int(shard["kind"][p]),
                "budget": int(shard["budget"][p]),
                "flags": int(shard["flags"][p]),
                "root": shares(shard["root"][p]),
                "weight": round(float(shard["weight"][p]) * 1024),
                "visits": np.stack([part("visit_move", p), part("visit_count", p)], 1).tolist(),
                "target": list(zip(part("target_move", p).tolist(), shares(part("target_share", p)))),
            }
            for p in range(shard["ply_offset"][i], shard["ply_offset"][i + 1])
        ]
        yield {
            "game": number,
            "seed": int(shard["seed"][i]),
            "evaluator": int(shard["evaluator"][i]),
            "winner": int(shard["winner"][i]),
            "end": int(shard["end"][i]),
            "margin": some(float(shard["margin"][i])),
            "komi": some(float(shard["komi"][i])) if "komi" in shard else None,
            "resign": some(float(shard["resign_value"][i])),
            "resign_turns": some(int(shard["resign_turns"][i])),
            "resign_enforced": some(int(shard["resign_enforced"][i])),
            "parent": [some(int(shard["parent_game"][i])), some(int(shard["parent_ply"][i]))],
            "start": part("start_move", i).tolist(),
            "plies": plies,
        }


def sparse(policy):
    return sorted((int(place), share) for place, share in enumerate(shares(policy)) if share)


def packed(planes):
    return np.packbits(planes.reshape(-1), bitorder="little").tolist()


def lines(rows):
    for i in range(len(rows["game"])):
        row = {
            "planes": packed(rows["planes"][i]),
            "globals": rows["globals"][i].tolist(),
            "policy": sparse(rows["policy"][i]),
            "outcome": shares(rows["outcome"][i]),
            "root": shares(rows["root"][i]),
            "weights": [round(float(rows[name][i]) * 1024) for name in ("policy_weight", "value_weight")],
            "from": [int(rows["game"][i]), int(rows["ply"][i])],
        }
        if "reply" in rows:
            row["reply"] = sparse(rows["reply"][i])
            row["short_term"] = shares(rows["short_term"][i])
            row["plies_left"] = int(rows["plies_left"][i])
        if "margin" in rows:
            row["margin"] = some(float(rows["margin"][i]))
        if "ownership" in rows:
            row["ownership"] = packed(rows["ownership"][i]) if rows["ownership_known"][i] else None
        yield row


path = sys.argv[2]
print(json.dumps(summary(path)))
for line in games(read_shard(path)) if path.endswith(".dzs") else lines(read_rows(path)):
    print(json.dumps(line))
