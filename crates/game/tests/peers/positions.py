"""Answers games on standard input with what an independent program says about each of their positions.

    python positions.py hex:size=5,swap=false

A line of input is a game, moves as DagZero writes them. The answer has a line for each position, the
start among them: `first`, `second` and the legal moves in alphabetical order, or `over`, the winner
(`first`, `second`, `draw`) and the margin (`-` where the game counts no points). With `check` in place
of games it exits with 0 if the program is installed.
"""

import sys

FILES = "abcdefghijklmnopqrs"


class OpenSpiel:
    """A game of OpenSpiel (pip install open_spiel); `names` are the moves by the number of the action."""

    def __init__(self, text, names, counts_points=False):
        import pyspiel

        self.game, self.names, self.counts_points = pyspiel.load_game(text), names, counts_points
        self.actions = {name: action for action, name in enumerate(names)}

    def start(self):
        self.state = self.game.new_initial_state()

    def play(self, move):
        action = self.actions[move]
        assert action in self.state.legal_actions(), move
        self.state.apply_action(action)

    def answer(self):
        if not self.state.is_terminal():
            legal = sorted(self.names[action] for action in self.state.legal_actions())
            return " ".join([["first", "second"][self.state.current_player()], *legal])
        value = self.state.returns()[0]
        margin = self.points() if self.counts_points else "-"
        return f"over {'first' if value > 0 else 'second' if value < 0 else 'draw'} {margin}"

    def points(self):
        # Discs on the board that OpenSpiel draws, between its letters and numbers.
        board = "".join(line[2:-2] for line in str(self.state).splitlines()[1:-1])
        return board.count("x") - board.count("o")


class PythonChess:
    """python-chess (pip install chess), with draws that need no claim."""

    def __init__(self):
        import chess

        self.chess = chess

    def start(self):
        self.board = self.chess.Board()

    def play(self, move):
        move = self.chess.Move.from_uci(move)
        assert self.board.is_legal(move), move
        self.board.push(move)

    def answer(self):
        board = self.board
        legal = sorted(move.uci() for move in board.legal_moves)
        if not legal and board.is_check():
            return f"over {'second' if board.turn else 'first'} -"
        drawn = board.is_repetition(3) or board.halfmove_clock >= 100
        if not legal or drawn or board.is_insufficient_material():
            return "over draw -"
        return " ".join(["first" if board.turn else "second", *legal])


def peer(spec):
    name, _, parameters = spec.partition(":")
    given = dict(pair.split("=") for pair in parameters.split(",") if pair)

    def points():
        size = int(given["size"])
        return [f"{FILES[column]}{row + 1}" for row in range(size) for column in range(size)]

    if name == "chess":
        return PythonChess()
    if name == "connect4":
        rows, columns, connect = given["height"], given["width"], given["connect"]
        names = [str(1 + column) for column in range(int(columns))]
        text = f"connect_four(rows={rows},columns={columns},x_in_row={connect})"
        return OpenSpiel(text, names)
    if name == "gomoku":
        return OpenSpiel(f"gomoku(size={given['size']},connect=5)", points())
    if name == "hex":
        swap = given["swap"] == "true"
        text = f"hex(board_size={given['size']},swap={swap})"
        return OpenSpiel(text, points() + ["swap"] * swap)
    if name == "othello":
        return OpenSpiel("othello", [*points(), "pass"], counts_points=True)
    if name == "tictactoe":
        return OpenSpiel("tic_tac_toe", [str(1 + point) for point in range(9)])
    raise SystemExit(f"no program for {spec}")


def main():
    try:
        position = peer(sys.argv[1])
    except ImportError as error:
        raise SystemExit(str(error))
    if sys.argv[2:] == ["check"]:
        return
    for line in sys.stdin:
        position.start()
        answers = [position.answer()]
        for move in line.split():
            position.play(move)
            answers.append(position.answer())
        print("\n".join(answers), flush=True)


main()
