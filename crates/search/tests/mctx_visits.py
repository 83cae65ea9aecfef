"""Root visits of mctx's Gumbel MuZero search on a graph given as text, for tests/mctx.rs.

Standard input: the number of nodes and of moves; then a line a node: the sign of its mover, its value
(the first player's), its priors, its children. Arguments: numbers of simulations. For each of them and
each node as root, prints the visits of the root's moves.

The search is a tree without ends; the graph only says what its positions look like. gumbel_scale is 0.
"""

import sys

import jax
import jax.numpy as jnp
import mctx


def main():
    words = iter(sys.stdin.read().split())
    nodes, moves = int(next(words)), int(next(words))
    rows = [[float(next(words)) for _ in range(2 + 2 * moves)] for _ in range(nodes)]
    table = jnp.array(rows)
    sign, value = table[:, 0], table[:, 1]
    logits = jnp.log(table[:, 2 : 2 + moves])
    children = table[:, 2 + moves :].astype(jnp.int32)

    def recurrent(_params, _key, action, state):
        child = children[state, action]
        # A child's value is its mover's; the discount turns it into the parent's.
        output = mctx.RecurrentFnOutput(
            reward=jnp.zeros(state.shape),
            discount=sign[state] * sign[child],
            prior_logits=logits[child],
            value=(sign * value)[child],
        )
        return output, child

    states = jnp.arange(nodes)
    root = mctx.RootFnOutput(
        prior_logits=logits[states], value=(sign * value)[states], embedding=states
    )
    for simulations in map(int, sys.argv[1:]):
        output = mctx.gumbel_muzero_policy(
            params=(),
            rng_key=jax.random.PRNGKey(0),
            root=root,
            recurrent_fn=recurrent,
            num_simulations=simulations,
            max_num_considered_actions=16,
            gumbel_scale=0.0,
        )
        visits = output.search_tree.summary().visit_counts
        for row in visits.astype(int).tolist():
            print(simulations, *row)


main()
