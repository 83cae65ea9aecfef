"""Self-play with pgx and mctx on JAX: the peer of `dagzero bench selfplay`, and of benchmarks/gpu/games.py.

usage: pgx_peer.py BLOCKS CHANNELS SIMULATIONS [GAME BATCHES DTYPE]

GAME is pgx's name (connect_four), BATCHES are numbers of games between commas (32,128,512), DTYPE is what the network
computes in (float32).

Plays as pgx's own AlphaZero example does (examples/alphazero in its repository): a batch of games in one compiled
loop, each move found by `mctx.gumbel_muzero_policy`, games that end begin again. The network has the shape of
ours: 3x3 stem, residual blocks, batch norm folded, 16 policy channels, 8 value channels, 64 hidden; its weights
are random. The best of several batch sizes is taken. Prints what it is, then answers each line with `GAMES EVALUATIONS
PLAYOUTS` a second of one more sample; a playout is a simulation or the root's evaluation. Prints `none` without
the packages.
"""

import sys
import time
from functools import partial

try:
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx
    from importlib.metadata import version
    from pgx.experimental import auto_reset
except ImportError:
    print("none")
    sys.exit()

BLOCKS, CHANNELS, SIMULATIONS = (int(arg) for arg in sys.argv[1:4])
GAME, BATCHES, DTYPE = sys.argv[4:7] or ("connect_four", "32,128,512", "float32")
SECONDS = 4.0

env = pgx.make(GAME)


def random_network(key):
    """Weights that keep the size of activations."""
    keys = iter(jax.random.split(key, 100))

    def layer(*shape):
        inputs = 1
        for size in shape[:-1]:
            inputs *= size
        bound = (3 / inputs) ** 0.5
        weights = jax.random.uniform(next(keys), shape, minval=-bound, maxval=bound)
        return weights.astype(DTYPE), jnp.zeros(shape[-1], DTYPE)

    height, width, planes = env.observation_shape
    area = height * width
    return {
        "stem": layer(3, 3, planes, CHANNELS),
        "blocks": [
            (layer(3, 3, CHANNELS, CHANNELS), layer(3, 3, CHANNELS, CHANNELS)) for _ in range(BLOCKS)
        ],
        "policy_conv": layer(1, 1, CHANNELS, 16),
        "policy": layer(16 * area, env.num_actions),
        "value_conv": layer(1, 1, CHANNELS, 8),
        "hidden": layer(8 * area, 64),
        "output": layer(64, 3),
    }


def conv(layer, x):
    weight, bias = layer
    dims = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME", dimension_numbers=dims) + bias


def linear(layer, x):
    return x @ layer[0] + layer[1]


def evaluate(network, observation):
    """Policy logits and value of the player to move."""
    x = jax.nn.relu(conv(network["stem"], observation.astype(DTYPE)))
    for first, second in network["blocks"]:
        x = jax.nn.relu(x + conv(second, jax.nn.relu(conv(first, x))))
    flat = lambda y: y.reshape(y.shape[0], -1)
    logits = linear(network["policy"], flat(jax.nn.relu(conv(network["policy_conv"], x))))
    value = flat(jax.nn.relu(conv(network["value_conv"], x)))
    wdl = linear(network["output"], jax.nn.relu(linear(network["hidden"], value)))
    wdl = jax.nn.softmax(wdl.astype(jnp.float32))
    return logits.astype(jnp.float32), wdl[:, 0] - wdl[:, 2]


def legal_logits(logits, state):
    logits = logits - jnp.max(logits, axis=-1, keepdims=True)
    return jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)


def recurrent(network, key, action, state):
    player = state.current_player
    state = jax.vmap(env.step)(state, action)
    logits, value = evaluate(network, state.observation)
    reward = state.rewards[jnp.arange(state.rewards.shape[0]), player]
    over = state.terminated
    output = mctx.RecurrentFnOutput(
        reward=reward,
        discount=jnp.where(over, 0.0, -1.0),
        prior_logits=legal_logits(logits, state),
        value=jnp.where(over, 0.0, value),
    )
    return output, state


@partial(jax.jit, static_argnames="moves")
def play(network, state, key, moves):
    """`moves` moves of every game; how many games ended."""

    def move(state, key):
        search_key, reset_key = jax.random.split(key)
        logits, value = evaluate(network, state.observation)
        root = mctx.RootFnOutput(
            prior_logits=legal_logits(logits, state), value=value, embedding=state
        )
        policy = mctx.gumbel_muzero_policy(
            params=network,
            rng_key=search_key,
            root=root,
            recurrent_fn=recurrent,
            num_simulations=SIMULATIONS,
            invalid_actions=~state.legal_action_mask,
            qtransform=mctx.qtransform_completed_by_mix_value,
            gumbel_scale=1.0,
        )
        keys = jax.random.split(reset_key, state.legal_action_mask.shape[0])
        state = jax.vmap(auto_reset(env.step, env.init))(state, policy.action, keys)
        return state, jnp.sum(state.terminated)

    state, ended = jax.lax.scan(move, state, jax.random.split(key, moves))
    return state, jnp.sum(ended)


class Games:
    """A batch of games that goes on and on."""

    def __init__(self, network, batch):
        self.network, self.batch, self.moves = network, batch, 1
        self.key = jax.random.PRNGKey(batch)
        self.state = jax.jit(jax.vmap(env.init))(jax.random.split(self.key, batch))
        self.run()
        self.moves = max(1, round(SECONDS / self.run()[0]))
        self.run()

    def run(self):
        """Seconds and ended games of one call, which compiles if the number of moves is new."""
        self.key, key = jax.random.split(self.key)
        begun = time.perf_counter()
        self.state, ended = play(self.network, self.state, key, self.moves)
        ended = int(ended)
        return time.perf_counter() - begun, ended

    def rates(self):
        seconds, ended = self.run()
        searches = self.batch * self.moves / seconds
        return ended / seconds, searches * (SIMULATIONS + 1), searches * (SIMULATIONS + 1)


def main():
    network = random_network(jax.random.PRNGKey(0))
    tried = [Games(network, batch) for batch in map(int, BATCHES.split(","))]
    best = max(tried, key=lambda games: games.rates()[2])
    names = " + ".join(f"{name} {version(name)}" for name in ("pgx", "mctx", "jax"))
    print(f"{names}, batch {best.batch}", flush=True)
    for _ in sys.stdin:
        print(*best.rates(), flush=True)


main()
