//! Answers of a network: compared over all symmetries of a position, and with the outcomes of
//! recorded games.

use std::path::PathBuf;

use anyhow::Context;
use dz_burn_net::DeviceChoice;
use dz_game::{Game, Move, Player, Symmetry, mix64};
use dz_infer::{Evaluation, Leaf, LeafView, Sources};
use dz_play::distinct_openings;
use dz_report::Probed;
use dz_shard::{GameEnd, GameRecord, ShardReader, replay};

/// Plies of the positions that are shown through all symmetries, and positions of each.
const PLIES: [u32; 9] = [1, 2, 3, 4, 6, 8, 12, 18, 26];
const POSITIONS_EACH: usize = 8;
/// Recorded games that are looked at: enough to distinguish a correlation of 0.1 from none.
const GAMES_MAX: usize = 400;
/// Positions that are evaluated at once.
const BATCH: usize = 256;

/// Whom to ask about what.
pub(super) struct Probe<'a> {
    /// The network file.
    pub(super) network: &'a [u8],
    /// Where it is evaluated.
    pub(super) device: DeviceChoice,
    /// Shards with recorded games, the newest first.
    pub(super) shards: &'a [PathBuf],
    /// Fixes positions.
    pub(super) seed: u64,
}

impl Probe<'_> {
    /// Shows the network positions of `game`.
    pub(super) fn run<G: Game>(&self, game: G) -> anyhow::Result<Probed> {
        let network = dz_burn_net::network_evaluator_on(&game, self.network, &[self.device])?;
        let mut sources = Sources::default();
        sources.add_network(&game, network, 0)?;
        let mut asked = Asked { game, sources, probed: Probed::default() };
        asked.symmetries(self.seed)?;
        asked.games(self.shards, self.seed)?;
        Ok(asked.probed)
    }
}

/// A game, a network, and what it said so far.
struct Asked<G: Game> {
    game: G,
    /// The network alone.
    sources: Sources<G>,
    probed: Probed,
}

/// What a position of a recorded game is asked for.
enum Why {
    /// The mover won at once.
    LastPly(Player),
    /// The outcome, for the mover: win minus loss.
    Outcome(Player, f64),
}

impl<G: Game> Asked<G> {
    /// The same positions through every symmetry.
    fn symmetries(&mut self, seed: u64) -> anyhow::Result<()> {
        let count = self.game.symmetry_count();
        self.probed.symmetries = count.into();
        let openings = PLIES
            .iter()
            .flat_map(|&plies| distinct_openings(&self.game, plies, POSITIONS_EACH, seed));
        let positions: Vec<Leaf<G>> =
            openings.filter_map(|opening| self.leaf_after(&opening.moves)).collect();
        let leaves: Vec<Leaf<G>> = positions
            .iter()
            .flat_map(|leaf| (0..count).map(|s| Leaf { symmetry: Symmetry(s), ..leaf.clone() }))
            .collect();
        let answers = self.evaluate(&leaves)?;
        let values: Vec<f64> = answers.iter().map(|a| f64::from(a.expected.wdl.value())).collect();
        let middle = mean(&values);
        let mut entropies = Vec::new();
        for views in answers.chunks(count.into()) {
            self.add_value(views, middle);
            if views[0].priors.len() > 1 {
                self.add_policy(views);
                entropies.push(entropy_share(&views[0].priors));
            }
        }
        self.probed.entropy_share = (!entropies.is_empty()).then(|| mean(&entropies));
        Ok(())
    }

    /// `views` of one position, and the mean value of all positions.
    fn add_value(&mut self, views: &[Evaluation], middle: f64) {
        let values: Vec<f64> =
            views.iter().map(|view| f64::from(view.expected.wdl.value())).collect();
        let own = mean(&values);
        let scatter = &mut self.probed.value;
        scatter.within += values.iter().map(|value| (value - own).powi(2)).sum::<f64>();
        scatter.whole += values.iter().map(|value| (value - middle).powi(2)).sum::<f64>();
        scatter.views += values.len() as u64;
    }

    /// `views` of one position: their moves stand in the same order in every view.
    fn add_policy(&mut self, views: &[Evaluation]) {
        let even = 1.0 / views[0].priors.len() as f64;
        let scatter = &mut self.probed.policy;
        for place in 0..views[0].priors.len() {
            let shares: Vec<f64> = views.iter().map(|v| f64::from(v.priors[place])).collect();
            let own = mean(&shares);
            scatter.within += shares.iter().map(|share| (share - own).powi(2)).sum::<f64>();
            scatter.whole += shares.iter().map(|share| (share - even).powi(2)).sum::<f64>();
        }
        scatter.views += views.len() as u64;
    }

    /// Positions of recorded games, upright.
    fn games(&mut self, shards: &[PathBuf], seed: u64) -> anyhow::Result<()> {
        let mut leaves = Vec::new();
        let mut whys = Vec::new();
        let mut left = GAMES_MAX;
        for path in shards {
            let mut shard = ShardReader::open(path)?;
            for record in shard.games().take(left) {
                let record = record?;
                left -= 1;
                for (leaf, why) in self.of_game(&record, seed)? {
                    leaves.push(leaf);
                    whys.push(why);
                }
            }
        }
        let answers = self.evaluate(&leaves)?;
        let values: Vec<f64> =
            answers.iter().map(|answer| answer.expected.wdl.value().into()).collect();
        let mut usual = [Vec::new(), Vec::new()];
        for (&value, why) in values.iter().zip(&whys) {
            if let Why::Outcome(mover, outcome) = *why {
                self.probed.outcomes[mover.index()].add(value, outcome);
                usual[mover.index()].push(value);
            }
        }
        let usual = usual.map(|values| mean(&values));
        for (&value, why) in values.iter().zip(&whys) {
            if let Why::LastPly(mover) = *why {
                let sign = &mut self.probed.last_plies[mover.index()];
                sign.positions += 1;
                sign.right += u64::from(value > usual[mover.index()]);
            }
        }
        Ok(())
    }

    /// One position of each player to move, sampled by the game's number, and the last one if its
    /// move won.
    fn of_game(&self, record: &GameRecord, seed: u64) -> anyhow::Result<Vec<(Leaf<G>, Why)>> {
        let positions = replay(&self.game, record).context("replaying a recorded game")?;
        let leaf = |place: usize| {
            let position = &positions[place];
            self.leaf(position.state.clone(), position.history.clone())
        };
        let mut asked = Vec::new();
        for player in Player::BOTH {
            let own: Vec<usize> =
                (0..positions.len()).filter(|&place| positions[place].mover == player).collect();
            if own.is_empty() {
                continue;
            }
            let word = mix64(mix64(seed ^ record.number) ^ player.index() as u64);
            let place = own[(word % own.len() as u64) as usize];
            let outcome = f64::from(record.outcome.wdl_for(player).value());
            asked.extend(leaf(place).map(|leaf| (leaf, Why::Outcome(player, outcome))));
        }
        if let Some(last) = positions.last()
            && record.end == GameEnd::Rules
            && record.outcome.winner == Some(last.mover)
        {
            let mover = last.mover;
            asked.extend(leaf(positions.len() - 1).map(|leaf| (leaf, Why::LastPly(mover))));
        }
        Ok(asked)
    }

    fn leaf_after(&self, moves: &[Move]) -> Option<Leaf<G>> {
        let mut state = self.game.start();
        let mut history = G::History::default();
        for &mv in moves {
            self.game.advance(&mut state, &mut history, mv);
        }
        self.leaf(state, history)
    }

    /// The position as a leaf, upright; none where the game is over.
    fn leaf(&self, state: G::State, history: G::History) -> Option<Leaf<G>> {
        let mut legal = Vec::new();
        self.game.legal_moves(&state, &history, &mut legal);
        let eval_key = self.game.eval_key(&state, &history);
        let symmetry = Symmetry::IDENTITY;
        (!legal.is_empty()).then_some(Leaf { state, history, legal, eval_key, symmetry })
    }

    fn evaluate(&mut self, leaves: &[Leaf<G>]) -> anyhow::Result<Vec<Evaluation>> {
        let mut answers = Vec::with_capacity(leaves.len());
        for batch in leaves.chunks(BATCH) {
            let views: Vec<LeafView<'_, G>> =
                batch.iter().map(|leaf| leaf.view(&self.game)).collect();
            answers.extend(self.sources.evaluate(0, &views)?);
        }
        Ok(answers)
    }
}

/// Entropy over that of equal chances.
fn entropy_share(priors: &[f32]) -> f64 {
    let parts = priors.iter().map(|&share| f64::from(share)).filter(|&share| share > 0.0);
    -parts.map(|share| share * share.ln()).sum::<f64>() / (priors.len() as f64).ln()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
