//! What a network makes of a few fixed positions, for reports: types of their lines in
//! `metrics/gatekeeper.jsonl`, and the measurements.

use std::collections::BTreeMap;

use dz_game::{Game, Move};
use dz_infer::Lockstep;
use serde::{Deserialize, Serialize};

use crate::accuracy::{examine, played_out};
use crate::{CheckError, MatchPlayer, PlayerPool, Preserved, distinct_openings};

/// Plies of the positions that [`sample_positions`] makes, one each.
const SAMPLE_PLIES: [u32; 6] = [0, 2, 4, 7, 10, 14];

/// Outputs of a cycle's candidate for the run's sample positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleLine {
    /// The cycle.
    pub cycle: u32,
    /// The positions.
    pub samples: Vec<ProbedPosition>,
}

/// One position in a network's eyes, without a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbedPosition {
    /// Moves from the start.
    pub moves: Vec<String>,
    /// Chances of the player to move: win, draw, loss.
    pub value: [f64; 3],
    /// Legal moves with the network's prior, the most likely first, at most [`POLICY_MAX`].
    pub policy: Vec<(String, f64)>,
}

/// Moves of a policy that are kept.
pub const POLICY_MAX: usize = 32;

/// Effort of a process of the gatekeeper for a cycle's matches. Interrupted matches have a line for
/// each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchTimes {
    /// The cycle.
    pub cycle: u32,
    /// Wall time of gate games.
    pub gate_ms: u64,
    /// Wall time of rating games.
    pub rating_ms: u64,
}

/// How often a cycle's candidate kept the value of solved positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TruthLine {
    /// The cycle.
    pub cycle: u32,
    /// Playouts a position; 0 is the raw policy.
    pub truth_playouts: u32,
    /// Solved positions.
    pub positions: u64,
    /// Those in which the move played keeps the value.
    pub preserving: u64,
    /// Positions where some legal move loses value.
    pub nontrivial: u64,
    /// Those of them in which the move played keeps the value.
    pub nontrivial_preserving: u64,
    /// Positions in which the value's most likely outcome is the true one; none in runs of earlier
    /// versions.
    #[serde(default)]
    pub value_right: Option<u64>,
    /// The non-trivial ones by ply.
    pub by_ply: Vec<TruthAtPly>,
}

/// Non-trivial solved positions of one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruthAtPly {
    /// Plies from the start.
    pub ply: u32,
    /// Positions.
    pub positions: u64,
    /// Those in which the move played keeps the value.
    pub preserving: u64,
}

impl TruthLine {
    /// Counts answers.
    pub fn of(cycle: u32, playouts: u32, answers: &[Preserved]) -> Self {
        let mut line = Self {
            cycle,
            truth_playouts: playouts,
            positions: answers.len() as u64,
            preserving: 0,
            nontrivial: 0,
            nontrivial_preserving: 0,
            value_right: None,
            by_ply: Vec::new(),
        };
        let mut plies: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
        for answer in answers {
            line.preserving += u64::from(answer.preserved);
            if let Some(right) = answer.value_right {
                *line.value_right.get_or_insert(0) += u64::from(right);
            }
            if answer.nontrivial {
                line.nontrivial += 1;
                line.nontrivial_preserving += u64::from(answer.preserved);
                let (positions, preserving) = plies.entry(answer.ply).or_default();
                *positions += 1;
                *preserving += u64::from(answer.preserved);
            }
        }
        let by_ply = plies.into_iter().map(|(ply, (positions, preserving))| TruthAtPly {
            ply: ply as u32,
            positions,
            preserving,
        });
        line.by_ply = by_ply.collect();
        line
    }
}

/// Positions of random play at several plies, the start first, the same for a seed; fewer where
/// games are shorter.
pub fn sample_positions<G: Game>(game: &G, seed: u64) -> Vec<Vec<Move>> {
    let lines = SAMPLE_PLIES.iter().filter_map(|&plies| {
        let opening = distinct_openings(game, plies, 1, seed).into_iter().next()?;
        let (state, history) = played_out(game, &opening.moves);
        game.to_move(&state, &history).map(|_| opening.moves)
    });
    lines.collect()
}

/// Returns the answers of a player's evaluator for `positions`, in their order. None of them may be
/// over.
///
/// # Errors
/// As [`crate::check_positions`].
pub fn probe_positions<G: Game>(
    pool: &mut PlayerPool<G>,
    player: &MatchPlayer,
    positions: &[Vec<Move>],
    lockstep: &Lockstep,
) -> Result<Vec<ProbedPosition>, CheckError> {
    let game = pool.game().clone();
    let lines: Vec<&[Move]> = positions.iter().map(Vec::as_slice).collect();
    let mut probed: Vec<Option<ProbedPosition>> = vec![None; lines.len()];
    // The root's evaluation is the first playout.
    examine(pool, player, &lines, 1, lockstep, &mut |index, _, summary| {
        let mut policy: Vec<(String, f64)> = summary
            .moves
            .iter()
            .map(|root_move| (game.format_move(root_move.mv), rounded(root_move.prior)))
            .collect();
        sort_by_prior(&mut policy);
        policy.truncate(POLICY_MAX);
        probed[index] = Some(ProbedPosition {
            moves: lines[index].iter().map(|&mv| game.format_move(mv)).collect(),
            value: [summary.wdl.win, summary.wdl.draw, summary.wdl.loss]
                .map(|chance| rounded(f64::from(chance))),
            policy,
        });
    })?;
    Ok(probed.into_iter().flatten().collect())
}

/// To six decimals: what is for people need not carry noise.
fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

/// Largest first. Not generic, so that it is compiled once and not for every game.
fn sort_by_prior(policy: &mut [(String, f64)]) {
    policy.sort_by(|a, b| b.1.total_cmp(&a.1));
}
