//! The reference bot of the computer-go list: random games from the position at hand, and
//! all-moves-as-first values instead of a tree.

use dz_game::{Game, Move, Player, Wdl, mix64};
use dz_infer::{InstantEvaluator, LeafView, Rollout};

/// An evaluator that plays random games from a position and puts all priors on the moves with the
/// best all-moves-as-first value.
///
/// D. Dailey's rule for his MC-AMAF reference bot (computer-go list, 2008): a random game counts
/// for a move if the player to move made it in that game, at any time, and the opponent had not
/// made it before. M. Boon found in the mail of 2 December 2008 that his tree search won a third
/// of its games against it with 2,000 playouts for both.
#[derive(Clone, Debug)]
pub struct Amaf {
    playouts: u32,
    rollout: Rollout,
    id: String,
}

impl Amaf {
    /// With so many random games a move, at least 1, which move by `rollout`.
    pub fn new(playouts: u32, rollout: Rollout) -> Self {
        let playouts = playouts.max(1);
        Self { playouts, rollout, id: format!("amaf-{playouts}") }
    }
}

/// Games that count for a move, and the sum of their values for the player to move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct MoveValue {
    games: u32,
    sum: f64,
}

impl MoveValue {
    /// The mean; the least of all where no game counts.
    fn mean(self) -> f64 {
        if self.games == 0 { f64::NEG_INFINITY } else { self.sum / f64::from(self.games) }
    }
}

/// The values of the legal moves of `mover`, given the moves of random games and their results.
fn count(
    values: &mut [MoveValue],
    legal: &[Move],
    mover: Player,
    moves: &[(Player, Move)],
    value: f64,
) {
    let mut met = vec![false; legal.len()];
    for &(player, mv) in moves {
        // Moves that are not legal now, as those at points where stones are taken later, have no
        // value.
        let Ok(place) = legal.binary_search(&mv) else { continue };
        if std::mem::replace(&mut met[place], true) || player != mover {
            continue;
        }
        values[place].games += 1;
        values[place].sum += value;
    }
}

impl<G: Game> InstantEvaluator<G> for Amaf {
    fn id(&self) -> &str {
        &self.id
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        let mut values = vec![MoveValue::default(); leaf.legal.len()];
        let mut moves = Vec::new();
        let mut total = [0.0_f32; 3];
        // Only finished positions have no player to move, and they are never asked for.
        let mover = leaf.game.to_move(leaf.state, leaf.history).unwrap_or(Player::First);
        for game in 0..u64::from(self.playouts) {
            let leaf = LeafView { random: mix64(leaf.random ^ mix64(game)), ..*leaf };
            let wdl = self.rollout.play(&leaf, &mut moves);
            count(&mut values, leaf.legal, mover, &moves, f64::from(wdl.value()));
            for (sum, chance) in total.iter_mut().zip([wdl.win, wdl.draw, wdl.loss]) {
                *sum += chance / self.playouts as f32;
            }
        }
        let best = values.iter().map(|value| value.mean()).fold(f64::NEG_INFINITY, f64::max);
        let is_best = |value: &&MoveValue| value.mean() == best;
        let share = 1.0 / values.iter().filter(is_best).count().max(1) as f32;
        priors.clear();
        priors.extend(values.iter().map(|value| if is_best(&value) { share } else { 0.0 }));
        let [win, draw, loss] = total;
        Wdl { win, draw, loss }
    }
}

#[cfg(test)]
mod tests {
    use dz_game::{Symmetry, games::TicTacToe};

    use super::*;

    const FIRST: Player = Player::First;
    const SECOND: Player = Player::Second;

    fn counted(moves: &[(Player, Move)], value: f64) -> Vec<MoveValue> {
        let legal: Vec<Move> = [0, 2, 5, 7].map(Move).into();
        let mut values = vec![MoveValue::default(); legal.len()];
        count(&mut values, &legal, FIRST, moves, value);
        values
    }

    #[test]
    fn a_game_counts_for_the_movers_moves_that_nobody_made_before() {
        let moves = [(FIRST, Move(5)), (SECOND, Move(2)), (FIRST, Move(0)), (SECOND, Move(9))];
        let once = MoveValue { games: 1, sum: -1.0 };
        let never = MoveValue::default();
        assert_eq!(counted(&moves, -1.0), [once, never, once, never]);
        // The opponent was there first, and a move that is made twice counts once.
        let again = [(SECOND, Move(7)), (FIRST, Move(7)), (FIRST, Move(2)), (FIRST, Move(2))];
        assert_eq!(counted(&again, -1.0), [never, once, never, never]);
    }

    /// Crosses have two in a row with the third place free: of random games those with that move
    /// are won most often.
    #[test]
    fn a_win_in_one_is_found() {
        let game = TicTacToe;
        let mut state = game.start();
        for place in [0, 3, 1, 4] {
            game.advance(&mut state, &mut (), Move(place));
        }
        let mut legal = Vec::new();
        game.legal_moves(&state, &(), &mut legal);
        let leaf = LeafView {
            game: &game,
            state: &state,
            history: &(),
            legal: &legal,
            eval_key: game.eval_key(&state, &()),
            symmetry: Symmetry::IDENTITY,
            last: None,
            random: 3,
        };
        let mut priors = Vec::new();
        let amaf = Amaf::new(500, Rollout::default());
        let wdl = amaf.evaluate(&leaf, &mut priors);
        let place = priors.iter().position(|&prior| prior == 1.0).expect("one move is best");
        assert_eq!(legal[place], Move(2));
        assert!(
            (wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-4 && wdl.win > wdl.loss,
            "{wdl:?}"
        );
        let mut again = Vec::new();
        assert_eq!((amaf.evaluate(&leaf, &mut again), again), (wdl, priors));
        assert_eq!(InstantEvaluator::<TicTacToe>::id(&amaf), "amaf-500");
    }
}
