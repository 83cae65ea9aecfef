"""Reads records with libraries of others: SGF with sgfmill, PGN with python-chess.

Standard input has one JSON object a line: {"file", "game", "plies", "komi", "margin", "result", "moves"},
what the writer knows of a file with one game; "moves" are those that the file should have, as the
writer's own notation names them. Prints how many files of each game agree; exits 1 at the first that
does not.
"""

import collections
import json
import sys

import chess
import chess.pgn
from sgfmill import boards, sgf


def fail(fact, what):
    print(f"{fact['file']} ({fact['game']}): {what}")
    sys.exit(1)


def expect(fact, what, found, expected):
    if found != expected:
        fail(fact, f"{what} is {found!r}, not {expected!r}")


GTP = "ABCDEFGHJKLMNOPQRST"


def check_go(fact, game):
    """Replays the game on a board of sgfmill and scores it."""
    size = game.get_size()
    board = boards.Board(size)
    moves = []
    for node in game.get_main_sequence()[1:]:
        colour, point = node.get_move()
        moves.append("pass" if point is None else f"{GTP[point[1]]}{point[0] + 1}")
        if point is not None:
            board.play(point[0], point[1], colour)
    expect(fact, "moves", moves, fact["moves"])
    expect(fact, "komi", game.get_komi(), fact["komi"])
    if fact["margin"] is not None:
        expect(fact, "area score", board.area_score(), fact["margin"])


def check_sgf(fact, data):
    game = sgf.Sgf_game.from_bytes(data)
    root = game.get_root()
    if len(sgf.Sgf_game.from_bytes(data).get_main_sequence()) != len(fact["moves"]) + 1:
        fail(fact, "another number of nodes")
    numbers = {"go": 1, "othello": 2, "gomoku": 4, "hex": 11}
    name = fact["game"].split(":")[0]
    expect(fact, "GM", int(root.get_raw("GM")), numbers[name])
    expect(fact, "size", game.get_size(), fact["size"])
    expect(fact, "game", root.get("GC").splitlines()[0], "game: " + fact["game"])
    expect(fact, "PB", game.get_player_name("b"), fact["players"][0])
    expect(fact, "PW", game.get_player_name("w"), fact["players"][1])
    result = root.get("RE") if root.has_property("RE") else ""
    expect(fact, "result", result, fact["result"])
    winner = {"B": "b", "W": "w"}.get(result[:1])
    expect(fact, "winner", game.get_winner(), winner)
    if name == "go":
        check_go(fact, game)
        return
    moves = []
    for node in game.get_main_sequence()[1:]:
        colour, raw = node.get_raw_move()
        moves.append(raw.decode())
    expect(fact, "moves", moves, fact["moves"])


def check_pgn(fact, path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if len(line) > 80:
                fail(fact, f"a line of {len(line)} characters")
        file.seek(0)
        game = chess.pgn.read_game(file)
        if game.errors:
            fail(fact, game.errors)
        if chess.pgn.read_game(file) is not None:
            fail(fact, "more than one game")
    board, moves = game.board(), []
    sans = []
    for move in game.mainline_moves():
        sans.append(board.san(move))
        moves.append(move.uci())
        board.push(move)
    expect(fact, "moves", moves, fact["moves"])
    expect(fact, "notation", sans, fact["written"])
    # The standard (section 7) escapes quotes and backslashes; python-chess leaves them as they are.
    white = game.headers["White"].replace('\\"', '"').replace("\\\\", "\\")
    expect(fact, "White", white, fact["players"][0])
    expect(fact, "result", game.headers["Result"], fact["result"])
    if fact["over"]:
        # Draws there need no claim at the third occurrence and after 50 moves here, as with claims.
        outcome = board.outcome(claim_draw=True)
        if outcome is None:
            fail(fact, "the game is not over")
        expect(fact, "outcome", outcome.result(), fact["result"])


def main():
    counts = collections.Counter()
    for line in sys.stdin:
        fact = json.loads(line)
        if fact["file"].endswith(".pgn"):
            check_pgn(fact, fact["file"])
        else:
            with open(fact["file"], "rb") as file:
                check_sgf(fact, file.read())
        counts[fact["game"]] += 1
    for game, count in sorted(counts.items()):
        print(f"{count} {game}")


main()
