"""What python-chess makes of UCI's `position`: a line of input each, a line of output each.

`illegal` for a position that cannot be, or a move that is illegal; else the legal moves, which may be none.
Castling rights without king and rook, and squares for en passant that mean nothing, are left out.
"""
import sys

import chess

# Left out or of no matter.
HARMLESS = chess.STATUS_BAD_CASTLING_RIGHTS | chess.STATUS_INVALID_EP_SQUARE


def board_of(words):
    if words[0] == "startpos":
        return chess.Board()
    fields = words[1:] + ["-", "-", "0", "1"][max(0, len(words) - 3):]
    if set(fields[2]) - set("KQkq-"):
        raise ValueError("castling rights")
    # Stockfish and we read the rights in any order; python-chess wants White's first.
    fields[2] = "".join(right for right in "KQkq" if right in fields[2]) or "-"
    if fields[3] not in chess.SQUARE_NAMES:
        fields[3] = "-"
    for at, least in ((4, "0"), (5, "1")):
        if fields[at].startswith("-"):
            fields[at] = least
    board = chess.Board(" ".join(fields))
    board.castling_rights = board.clean_castling_rights()
    return board


def answer(line):
    words = line.split()
    at = words.index("moves") if "moves" in words else len(words)
    try:
        board = board_of(words[:at])
        if board.status() & ~HARMLESS:
            raise ValueError("status")
        for move in words[at + 1:]:
            board.push_uci(move)
    except ValueError:
        return "illegal"
    return "legal " + " ".join(move.uci() for move in board.legal_moves)


for line in sys.stdin:
    print(answer(line))
