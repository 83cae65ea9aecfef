"""Plays our rollout anchor against OpenSpiel's MCTSBot at Connect Four, equal settings on both sides:
tree UCT, c = sqrt 2 on values in [-1, 1], one uniform rollout a leaf, no proven values, most visits.

    openspiel_match.py ANCHOR_MOVE_BINARY [--games 200] [--simulations 1000] [--bot cpp|python] [--seed 1]

Colours are swapped every game. Prints one JSON object, the score being the anchor's.
"""

import argparse
import json
import math
import subprocess
import time


def make_bot(kind, game, simulations, seed):
    import pyspiel

    c = math.sqrt(2)
    if kind == "cpp":
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        return pyspiel.MCTSBot(game, evaluator, c, simulations, 1000, False, seed, False)
    import numpy
    from open_spiel.python.algorithms import mcts

    random = numpy.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    return mcts.MCTSBot(game, c, simulations, evaluator, solve=False, random_state=random)


class Anchor:
    def __init__(self, binary, simulations):
        self.process = subprocess.Popen(
            [binary, "connect4", str(simulations)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )

    def move(self, seed, moves):
        words = " ".join(str(move + 1) for move in moves)
        self.process.stdin.write(f"{seed} {words}".rstrip() + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("the anchor's process ended; its message is above")
        return int(answer) - 1

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def play(game, anchor, bot, anchor_first, seed):
    """One game; the anchor's score."""
    state, moves = game.new_initial_state(), []
    while not state.is_terminal():
        anchor_to_move = (state.current_player() == 0) == anchor_first
        move = anchor.move(seed, moves) if anchor_to_move else bot.step(state)
        state.apply_action(move)
        moves.append(move)
    returns = state.returns()[0 if anchor_first else 1]
    return (returns + 1) / 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("anchor")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--bot", choices=["cpp", "python"], default="cpp")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    import pyspiel

    game, started = pyspiel.load_game("connect_four"), time.time()
    anchor = Anchor(options.anchor, options.simulations)
    scores = []
    for number in range(options.games):
        seed = options.seed * 1_000_000 + number
        bot = make_bot(options.bot, game, options.simulations, seed)
        scores.append(play(game, anchor, bot, number % 2 == 0, seed))
    anchor.close()
    print(json.dumps({
        "bot": options.bot,
        "simulations": options.simulations,
        "games": len(scores),
        "wins": scores.count(1.0),
        "draws": scores.count(0.5),
        "losses": scores.count(0.0),
        "score": sum(scores) / len(scores),
        "seconds": round(time.time() - started, 1),
    }))


if __name__ == "__main__":
    main()
