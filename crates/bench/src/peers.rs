//! Who else is measured beside our rules, in the same run.

use anyhow::Context;
use cozy_chess::Board;
use dz_game::GameSpec;

use crate::python::PythonPeer;

/// `OpenSpiel`'s rollouts, in C++: one leaf of its search bot is evaluated by many of them, so that
/// Python's share of the time is nothing. A process answers a line for each sample that is asked
/// for.
pub(crate) struct OpenSpiel {
    peer: PythonPeer,
    /// What it is, with its version.
    pub(crate) name: String,
    /// Plies of one of its random games, on average.
    pub(crate) plies_mean: f64,
}

/// Prints "none" without the package, else its version and the plies of a random game; then a rate
/// for each line that it reads.
const SCRIPT: &str = r#"
import random, sys, time
try:
    import pyspiel
    from importlib.metadata import version
    version = version("open_spiel")
except ImportError:
    print("none")
    sys.exit()
game = pyspiel.load_game(sys.argv[1])
start, draw = game.new_initial_state(), random.Random(1)
plies, games, until = 0, 0, time.perf_counter() + 1
while games < 1000 and time.perf_counter() < until:
    state, games = start.clone(), games + 1
    while not state.is_terminal():
        state.apply_action(draw.choice(state.legal_actions()))
        plies += 1
print(version, plies / games, flush=True)

def seconds(rollouts):
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, draw.randrange(1 << 30))
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 100, False, 1, False)
    begun = time.perf_counter()
    bot.mcts_search(start)
    return time.perf_counter() - begun

rollouts = 10
while seconds(rollouts) < 0.1:
    rollouts *= 2
for _ in sys.stdin:
    print(rollouts / seconds(rollouts), flush=True)
"#;

impl OpenSpiel {
    /// Starts it, unless there is no Python for it or it does not have the game.
    ///
    /// # Errors
    /// As [`PythonPeer::start`].
    pub(crate) fn start(game: &GameSpec) -> anyhow::Result<Option<Self>> {
        let Some(theirs) = their_name(game) else { return Ok(None) };
        let Some(peer) = PythonPeer::start(SCRIPT, "open_spiel", &[theirs.as_ref()])? else {
            return Ok(None);
        };
        let (version, plies) = peer.greeting.split_once(' ').context("the peer's greeting")?;
        let name = format!("OpenSpiel {version} {theirs}, rollouts in C++");
        let plies_mean = plies.parse().context("plies of the peer")?;
        Ok(Some(Self { peer, name, plies_mean }))
    }

    /// Games a second in one more sample.
    ///
    /// # Errors
    /// If the process has ended.
    pub(crate) fn sample(&mut self) -> anyhow::Result<f64> {
        self.peer.ask("")?.parse().context("the peer's rate")
    }
}

/// The same game as `OpenSpiel` names it, if it has it.
fn their_name(game: &GameSpec) -> Option<String> {
    let value = |key: &str| game.parameter(key);
    Some(match game.name() {
        "connect4" => {
            let rows = value("height")?;
            let columns = value("width")?;
            format!("connect_four(rows={rows},columns={columns},x_in_row={})", value("connect")?)
        }
        "tictactoe" => "tic_tac_toe".to_owned(),
        "othello" if value("size")? == "8" => "othello".to_owned(),
        "go" => format!("go(board_size={})", value("size")?),
        "hex" => {
            let swap = if value("swap")? == "true" { "True" } else { "False" };
            format!("hex(board_size={},swap={swap})", value("size")?)
        }
        "gomoku" if value("rule")? == "freestyle" => format!("gomoku(size={})", value("size")?),
        "chess" => "chess".to_owned(),
        _ => return None,
    })
}

/// Leaf nodes of chess from the start at `depth`, counted by the generator that our chess is built
/// on, in the way of its own example: moves at the last depth are counted, not played.
pub(crate) fn chess_leaves(depth: u32) -> u64 {
    leaves(&Board::startpos(), depth)
}

fn leaves(board: &Board, depth: u32) -> u64 {
    let mut found = u64::from(depth == 0);
    board.generate_moves(|moves| {
        match depth {
            0 => return true,
            1 => found += moves.len() as u64,
            _ => {
                for mv in moves {
                    let mut child = board.clone();
                    child.play_unchecked(mv);
                    found += leaves(&child, depth - 1);
                }
            }
        }
        false
    });
    found
}

#[cfg(test)]
mod tests {
    use dz_game::canonical_spec;

    use super::*;

    #[test]
    fn games_have_other_names_elsewhere() {
        let name = |text: &str| their_name(&canonical_spec(&text.parse().unwrap()).unwrap());
        let connect_four = "connect_four(rows=6,columns=7,x_in_row=4)";
        assert_eq!(name("connect4").as_deref(), Some(connect_four));
        assert_eq!(name("hex:size=5").as_deref(), Some("hex(board_size=5,swap=False)"));
        assert_eq!(name("go").as_deref(), Some("go(board_size=9)"));
        assert_eq!(name("othello").as_deref(), Some("othello"));
        assert_eq!(name("othello:size=6"), None, "theirs is 8x8 only");
        assert_eq!(name("shuttle"), None);
    }

    #[test]
    fn the_generator_counts_as_published() {
        for (depth, count) in [1, 20, 400, 8902].into_iter().enumerate() {
            assert_eq!(chess_leaves(depth as u32), count);
        }
    }
}
