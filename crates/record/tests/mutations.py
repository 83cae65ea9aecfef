"""Reads records with libraries of others, whatever they make of them: PGN with python-chess, SGF with sgfmill.

Standard input has the path of a file a line. Standard output has a JSON object for each: {"error"} if the
library refuses the file, else {"games"}; of each game of PGN white, black, moves in UCI and the number of
errors, of each game of SGF size, komi, names, stones that are set up, and moves.
"""

import io
import json
import logging
import sys

import chess.pgn
from sgfmill import sgf, sgf_moves

logging.disable(logging.CRITICAL)
GTP = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def vertex(point):
    return "pass" if point is None else f"{GTP[point[1]]}{point[0] + 1}"


def text_of(data):
    """The text, by mark, as UTF-8 or as Latin-1, with universal line ends."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    return io.StringIO(text, newline=None)


def plain(value):
    """python-chess leaves escapes in values as they are."""
    return value.replace('\\"', '"').replace("\\\\", "\\").strip()


def games_of_pgn(data):
    handle, games = text_of(data), []
    while (game := chess.pgn.read_game(handle)) is not None:
        headers = game.headers
        games.append(
            {
                "white": plain(headers.get("White", "?")) or "?",
                "black": plain(headers.get("Black", "?")) or "?",
                "result": headers.get("Result", "*"),
                "moves": [move.uci() for move in game.mainline_moves()],
                "variant": type(game.board()).__name__ if not game.board().chess960 else "chess960",
                "errors": len(game.errors),
            }
        )
    return games


def game_of_sgf(data):
    game = sgf.Sgf_game.from_bytes(data)
    root = game.get_root()
    board, moves = sgf_moves.get_setup_and_moves(game)
    komi = None
    if root.has_property("KM"):
        try:
            komi = game.get_komi()
        except ValueError:
            komi = "unreadable"
    setup = sorted([colour, vertex(point)] for colour, point in board.list_occupied_points())
    return {
        "size": game.get_size(),
        "komi": komi,
        "black": game.get_player_name("b"),
        "white": game.get_player_name("w"),
        "setup": setup,
        "moves": [[colour, vertex(point)] for colour, point in moves],
    }


def main():
    for line in sys.stdin:
        path = line.rstrip("\n")
        with open(path, "rb") as file:
            data = file.read()
        try:
            games = games_of_pgn(data) if path.endswith(".pgn") else [game_of_sgf(data)]
            print(json.dumps({"games": games}), flush=True)
        except Exception as error:  # noqa: BLE001: whatever it does not read
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)


main()
