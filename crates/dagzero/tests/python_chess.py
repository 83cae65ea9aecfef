"""Two of our engines play by the clock in python-chess, which checks every move and line; then one analyses.

    python python_chess.py GAMES DAGZERO ARGUMENT...

Needs the package `chess`; says `none` where there is none.
"""

import sys
import time

try:
    import chess
    import chess.engine
except ImportError:
    print("none")
    sys.exit(0)

# Seconds of each player for a game, and seconds more with every move.
CLOCK, INCREMENT = 4.0, 0.05


def play(engines, number):
    """A game by the clock, with pondering; gives its plies, and how much time the slower player had left."""
    board = chess.Board()
    clocks = [CLOCK, CLOCK]
    while not board.is_game_over(claim_draw=False) and board.ply() < 160:
        # White first, colours swapped from game to game.
        player = board.ply() % 2
        limit = chess.engine.Limit(
            white_clock=clocks[0], black_clock=clocks[1], white_inc=INCREMENT, black_inc=INCREMENT
        )
        begun = time.monotonic()
        # python-chess refuses an illegal move, a line that is none, and an engine that ends.
        result = engines[(player + number) % 2].play(
            board, limit, game=number, ponder=True, info=chess.engine.INFO_ALL
        )
        clocks[player] -= time.monotonic() - begun
        assert clocks[player] > 0, f"game {number}, ply {board.ply()}: lost on time"
        clocks[player] += INCREMENT
        assert result.move is not None and not result.resigned
        board.push(result.move)
    return board.ply(), min(clocks)


def analyse(engine):
    """A fixed number of nodes with several lines, and an analysis without end that is stopped."""
    engine.configure({"UCI_ShowWDL": True})
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1")
    lines = engine.analyse(board, chess.engine.Limit(nodes=3000), multipv=3)
    assert len(lines) == 3 and len({line["pv"][0] for line in lines}) == 3
    for line in lines:
        assert sum(line["wdl"].pov(board.turn)) == 1000 and line["nodes"] >= 3000
    assert lines[0]["pv"][0] == chess.Move.from_uci("f3f7"), "mate in one"
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("nodes", 0) > 500:
                break
    assert analysis.wait().move in chess.Board().legal_moves
    engine.ping()


def main():
    games, command = int(sys.argv[1]), sys.argv[2:]
    engines = [chess.engine.SimpleEngine.popen_uci(command) for _ in range(2)]
    try:
        played = [play(engines, number) for number in range(games)]
        analyse(engines[0])
    finally:
        for engine in engines:
            engine.quit()
    plies = sum(plies for plies, _ in played)
    print(f"{games} games, {plies} plies, least time left {min(left for _, left in played):.2f} s")


main()
