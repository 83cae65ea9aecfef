#!/usr/bin/env python3
"""Reads DagZero's shards (.dzs, whole games) and row files (.dzr, training rows) into NumPy arrays.

    python dagzero_numpy.py FILE            prints a summary as JSON

    from dagzero_numpy import read_rows, read_shard
    games = read_shard("data/connect4-quick/shards/cycle-0001/00000000.dzs")
    rows = read_rows("data/connect4-quick/rows/cycle-0012/train-0000.dzr")

Needs the packages numpy, msgpack and zstandard. If blake3 is installed too, all hashes are compared. The formats are
in data/README.md, which also says what each column means. This reader does not know the rules of games:
`dagzero shard FILE` replays every game.

Letters: G games, P recorded plies, R rows, C planes, H rows and W columns of the board, A places of the policy.
Lists of different lengths are flat: those of item i are `x_move[x_offset[i]:x_offset[i + 1]]`.
"""

import json
import struct
import sys
from collections import Counter
from pathlib import Path

import msgpack
import numpy as np
import zstandard

try:
    from blake3 import blake3
except ImportError:
    blake3 = None

SHARE = 65535  # what the shares of a distribution sum to


class Container:
    """A shard or row file: `kind` ("shard" or "rows"), `header`, `index` with its `frames`, and `columns` of a frame."""

    def __init__(self, path):
        self.data = data = Path(path).read_bytes()
        magic, length, name, version = struct.unpack_from("<II8sI", data)
        kinds = {b"DZSHARD\0": "shard", b"DZROWS\0\0": "rows"}
        if magic != 0x184D2A50 or name not in kinds or version not in (1, 2):
            raise ValueError(f"{path} is no shard or row file of format 1 or 2")
        self.kind = kinds[name]
        self.header = msgpack.unpackb(data[20 : 8 + length])
        footer, end = struct.unpack("<Q8s", data[-16:])
        if end != b"DZFOOTER":
            raise ValueError(f"{path} is cut off: it has no footer")
        index = data[len(data) - footer + 8 : -48]
        self.index = msgpack.unpackb(index)
        self._check(index, data[-48:-16], 32)
        self._check(data[: 8 + length], bytes(self.index["header_hash"]), 32)

    @staticmethod
    def _check(data, expected, length):
        if blake3 is not None and blake3(data).digest()[:length] != expected:
            raise ValueError("a hash differs: the file is damaged")

    def columns(self, entry):
        """The columns of one frame of the index, by name, as bytes."""
        frame = self.data[entry["offset"] : entry["offset"] + entry["bytes"]]
        self._check(frame, bytes(entry["hash"]), 16)
        return msgpack.unpackb(zstandard.decompress(frame, max_output_size=entry["raw_bytes"]))


def leb128(data, at):
    """A number of 7 bits a byte, lowest first, and where the next one begins."""
    value = shift = 0
    while True:
        byte = data[at]
        value, at, shift = value | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return value, at


def unpack(data, count, at=0):
    """`count` numbers of a column, and where they end."""
    if count == 0:
        return np.zeros(0, np.uint64), at
    tag, at = data[at], at + 1
    if tag == 0:
        value, at = leb128(data, at)
        return np.full(count, value, np.uint64), at
    planes = 1 if tag == 1 else tag - 1
    found = np.frombuffer(data, np.uint8, planes * count, at).reshape(planes, count)
    at += planes * count
    values = np.zeros(count, np.uint64)
    for plane in found:
        values = values << np.uint64(8) | plane
    if tag == 1:
        for place in np.flatnonzero(values == 255):
            more, at = leb128(data, at)
            values[place] += np.uint64(more)
    return values, at


def numbers(columns, name, count, kind=np.int64):
    """All `count` numbers of a column."""
    values, end = unpack(columns[name], int(count))
    if end != len(columns[name]):
        raise ValueError(f"column {name} has another length than its index states")
    return values.astype(kind)


def given(columns, flag, name, count, missing, undo):
    """Numbers that only some items have; `missing` stands for the others."""
    has = numbers(columns, flag, count, bool)
    values = undo(numbers(columns, name, has.sum()))
    result = np.full(count, missing, values.dtype if missing == -1 else np.float32)
    result[has] = values
    return result


def zigzag(values):
    """Small numbers to small numbers of either sign."""
    return (values >> 1) ^ -(values & 1)


def wdl(win, draw):
    """Win, draw and loss in [0, 1], in the last axis."""
    return (np.stack([win, draw, SHARE - win - draw], -1) / SHARE).astype(np.float32)


def moves(columns, name, count):
    """Ascending lists of moves, which are masks or gaps: their lengths, and all moves in one array."""
    if numbers(columns, f"{name}_form", 1)[0]:
        bits = numbers(columns, f"{name}_set", count)[:, None] >> np.arange(16) & 1
        return bits.sum(1), np.nonzero(bits)[1]
    lengths = numbers(columns, f"{name}_len", count)
    gaps = numbers(columns, f"{name}_gap", lengths.sum()) + 1
    sums = np.cumsum(gaps)
    before = np.concatenate([[0], sums])[np.cumsum(lengths) - lengths]
    return lengths, sums - np.repeat(before, lengths) - 1


def games_of_frame(columns, games, plies):
    """The games of a frame."""
    same = lambda values: values
    first, at = unpack(columns["game"], min(games, 1))
    steps, _ = unpack(columns["game"], games - 1, at)
    out = {"game": np.cumsum(np.concatenate([first, steps])).astype(np.int64)}
    out["seed"] = numbers(columns, "seed", games, np.uint64)
    for name in ("evaluator", "winner", "end", "plies", "start_len"):
        out[name] = numbers(columns, name, games)
    out["start_move"] = numbers(columns, "start_move", out["start_len"].sum())
    out["margin"] = given(columns, "margin_given", "margin", games, np.nan, zigzag)
    bits = lambda values: values.astype(np.uint32).view(np.float32)
    out["resign_value"] = given(columns, "resign_given", "resign_value", games, np.nan, bits)
    for name in ("parent_game", "parent_ply", "resign_turns", "resign_enforced"):
        out[name] = given(columns, f"{name.split('_')[0]}_given", name, games, -1, same)
    if "komi" in columns:
        out["komi"] = given(columns, "komi_given", "komi", games, np.nan, lambda v: zigzag(v) / 2)
    for name in ("move", "network", "kind", "budget", "flags"):
        out[name] = numbers(columns, name, plies)
    out["root"] = wdl(numbers(columns, "root_win", plies), numbers(columns, "root_draw", plies))
    out["weight"] = (numbers(columns, "weight", plies) / 1024).astype(np.float32)
    # A ply's last count is what is left of its sum.
    length, out["visit_move"] = moves(columns, "visit", plies)
    total, some = numbers(columns, "visit_sum", plies), length > 0
    last = np.cumsum(length)[some] - 1
    count = np.zeros(length.sum(), np.int64)
    count[np.setdiff1d(np.arange(len(count)), last)] = numbers(columns, "visit_count", len(count) - len(last))
    count[last] = total[some] - np.add.reduceat(count, last - length[some] + 1) if len(last) else 0
    out["visit_len"], out["visit_count"] = length, count
    has = numbers(columns, "target_given", plies, bool)
    out["target_len"] = np.zeros(plies, np.int64)
    out["target_len"][has], out["target_move"] = moves(columns, "target", has.sum())
    out["target_share"] = numbers(columns, "target_share", len(out["target_move"])) / SHARE
    return out


def dense(columns, name, rows, places):
    """Sparse policies as [R, A] in [0, 1]."""
    length = numbers(columns, f"{name}_len", rows)
    out = np.zeros((rows, places), np.float32)
    index = numbers(columns, f"{name}_index", length.sum())
    out[np.repeat(np.arange(rows), length), index] = numbers(columns, f"{name}_share", length.sum()) / SHARE
    return out


def bit_planes(column, rows, shape):
    """Packed bits as [R, ...] of 0 and 1."""
    packed = np.frombuffer(column, np.uint8, offset=1 if column else 0).reshape(rows, -1)
    return np.unpackbits(packed, axis=1, count=int(np.prod(shape)), bitorder="little").reshape(rows, *shape)


def rows_of_frame(columns, rows, shape):
    """The rows of a frame."""
    planes = shape["planes"]
    channels, board = planes["channels"], (planes["height"], planes["width"])
    floats = numbers(columns, "global", rows * planes["globals"], np.uint32).view(np.float32)
    out = {"planes": bit_planes(columns["bits"], rows, (channels, *board))}
    out["globals"] = floats.reshape(rows, planes["globals"])
    out["policy"] = dense(columns, "policy", rows, shape["policy_len"])
    for name in ("outcome", "root"):
        out[name] = wdl(numbers(columns, f"{name}_win", rows), numbers(columns, f"{name}_draw", rows))
    for name in ("policy_weight", "value_weight"):
        out[name] = (numbers(columns, name, rows) / 1024).astype(np.float32)
    out["game"], out["ply"] = numbers(columns, "game", rows), numbers(columns, "ply", rows)
    targets = shape.get("targets") or []
    if "reply" in targets:
        out["reply"] = dense(columns, "reply", rows, shape["policy_len"])
    if "short_term" in targets:
        win, draw = (numbers(columns, f"short_{name}", 3 * rows).reshape(3, rows) for name in ("win", "draw"))
        out["short_term"] = wdl(win, draw).swapaxes(0, 1)
    if "plies_left" in targets:
        out["plies_left"] = numbers(columns, "plies_left", rows)
    if "margin" in targets:
        stored = numbers(columns, "margin", rows)
        out["margin"] = np.where(stored > 0, zigzag(stored - 1), np.nan).astype(np.float32)
    if "ownership" in targets:
        out["ownership_known"] = numbers(columns, "ownership_known", rows, bool)
        out["ownership"] = bit_planes(columns["ownership"], rows, (2, *board))
    return out


def join(frames):
    """The arrays of all frames; lengths of lists become offsets."""
    out = {name: np.concatenate([frame[name] for frame in frames]) for name in (frames[0] if frames else ())}
    for name in [name for name in out if name.endswith("_len") or name == "plies"]:
        ends = np.cumsum(out.pop(name) if name != "plies" else out[name])
        out[name.replace("plies", "ply_len").replace("_len", "_offset")] = np.concatenate([[0], ends])
    return out


def read_shard(path):
    """All games of a shard.

    Of games [G]: `game`, `seed`, `evaluator`, `winner` (0 draw, 1 first, 2 second player), `end` (0 rules, 1 resigned,
    2 ply limit), `plies`, `margin`, `resign_value`, `komi` (NaN where there is none), `parent_game`, `parent_ply`,
    `resign_turns`, `resign_enforced` (-1 where there is none), `start_move` with `start_offset`. The plies of game i
    are `ply_offset[i]` to `ply_offset[i + 1]`. Of plies [P]: `move`, `network`, `kind` (0 full, 1 fast search),
    `budget`, `flags`, `weight`, `root` [P, 3] (win, draw, loss of the mover), `visit_move` and `visit_count` with
    `visit_offset`, `target_move` and `target_share` with `target_offset`.
    """
    file = Container(path)
    if file.kind != "shard":
        raise ValueError(f"{path} is a row file: use read_rows")
    frames = [(file.columns(entry), entry) for entry in file.index["frames"]]
    return join([games_of_frame(columns, entry["games"], entry["positions"]) for columns, entry in frames])


def read_rows(path):
    """All rows of a row file.

    `planes` [R, C, H, W] of 0 and 1, `globals`, `policy` [R, A], `outcome` and `root` [R, 3] (win, draw, loss of the
    mover), `policy_weight`, `value_weight`, `game`, `ply`; and, where the file has these targets: `reply` [R, A],
    `short_term` [R, 3, 3] (longest horizon first), `plies_left`, `margin` (NaN where it is not known),
    `ownership` [R, 2, H, W] with `ownership_known`.
    """
    file = Container(path)
    if file.kind != "rows":
        raise ValueError(f"{path} is a shard: use read_shard")
    shape = file.header["shape"]
    return join([rows_of_frame(file.columns(entry), entry["positions"], shape) for entry in file.index["frames"]])


def summary(path):
    """What `dagzero shard FILE --json` prints, without the moves of the first game; or the shapes of a row file."""
    file = Container(path)
    out = {"header": file.header, "bytes": len(file.data)}
    if file.kind == "rows":
        return out | {"arrays": {name: list(array.shape) for name, array in read_rows(path).items()}}
    shard = read_shard(path)
    count = lambda name, words: dict(Counter(words[value] for value in shard[name].tolist()))
    return out | {
        "games": file.index["games"],
        "positions": file.index["positions"],
        "bytes_per_position": len(file.data) / max(file.index["positions"], 1),
        "content_hash": bytes(file.index["content_hash"]).hex(),
        "outcomes": count("winner", ["draw", "first", "second"]),
        "ends": count("end", ["rules", "resigned", "ply_limit"]),
        "searches": count("kind", ["full", "fast"]),
        "visits": int(shard["visit_count"].sum()),
        "frames": [{name: entry[name] for name in entry if name != "hash"} for entry in file.index["frames"]],
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(json.dumps(summary(sys.argv[1])))
