"""Go by sgfmill's board, with a set of past boards for positional superko and no suicide.

Reads a game a line: the size, then moves as numbers, row * size + column from the top left and size *
size for a pass. Answers a line a game: for each position but the last the legal points as a hexadecimal
number, bit by point, and at the end the area of black minus that of white.
"""

import sys

from sgfmill.boards import Board


def grid(board):
    return tuple(map(tuple, board.board))


def after(board, point, colour):
    """The board after a stone; sgfmill names row 0 the bottom one, which changes no rule."""
    played = board.copy()
    played.play(*divmod(point, board.side), colour)
    return played


def legal(board, past, colour):
    points = 0
    for row in range(board.side):
        for column in range(board.side):
            if board.get(row, column) is not None:
                continue
            point = row * board.side + column
            played = after(board, point, colour)
            # A chain that kills itself takes the stone just put with it.
            if played.get(row, column) == colour and grid(played) not in past:
                points |= 1 << point
    return points


def game(size, moves):
    board = Board(size)
    past = {grid(board)}
    answer = []
    for ply, move in enumerate(moves):
        colour = "bw"[ply % 2]
        answer.append(f"{legal(board, past, colour):x}")
        if move < size * size:
            board = after(board, move, colour)
            past.add(grid(board))
    return answer + [str(board.area_score())]


for line in sys.stdin.read().splitlines():
    size, *moves = map(int, line.split())
    print(*game(size, moves))
