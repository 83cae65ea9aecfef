//! The match that ended a run.

use dz_config::{AnchorKind, RolloutMoves, RunConfig, SelectionWord};
use dz_stats::Pentanomial;
use dz_store::{MatchResult, PlayerName, RunState};
use serde::Serialize;

use crate::count;

/// The newest champion's final match.
#[derive(Clone, Debug, Serialize)]
pub struct FinalFacts {
    /// The cycle that it ended.
    pub cycle: u32,
    /// The champion's name in matches.
    pub champion: String,
    /// The anchor's name.
    pub opponent: String,
    /// How the anchor plays, in words. Its name where the configuration does not hold that.
    pub described: String,
    /// The counts, in the champion's view.
    pub result: MatchResult,
    /// The champion's mean score, 0 to 1.
    pub score: f64,
    /// Lower end of its 95 % interval.
    pub score_lo95: f64,
    /// Upper end.
    pub score_hi95: f64,
}

impl FinalFacts {
    /// The final match of the run's champion. `None` if the champion has played none: of a run that
    /// was given more cycles, the match of an earlier champion does not count.
    pub(crate) fn of(state: &RunState, config: Option<&RunConfig>) -> Option<Self> {
        let champion = PlayerName::network(state.champion.as_ref()?.cycle);
        let (cycle, played) = state.final_match().filter(|(_, played)| played.a == champion)?;
        let result = played.result.clone();
        let distinct = result.games.saturating_sub(result.duplicates);
        let interval = Pentanomial(result.pairs).interval().of_distinct(distinct);
        let opponent = played.b.to_string();
        Some(Self {
            cycle,
            champion: champion.to_string(),
            described: config.and_then(|c| described(c, &opponent)).unwrap_or(opponent.clone()),
            opponent,
            result,
            score: interval.score.0,
            score_lo95: interval.lo95.0,
            score_hi95: interval.hi95.0,
        })
    }

    /// The answer of the run: `The champion beats tree search with 1,000 rollouts in 87 % of games
    /// (84 to 90).`
    pub(crate) fn sentence(&self) -> String {
        let Self { described, result, .. } = self;
        let [score, lo, hi] =
            [self.score, self.score_lo95, self.score_hi95].map(count::whole_percent);
        let games = count::whole(result.games);
        let sure = format!("({lo} to {hi}, from {games} games)");
        if result.draws > 0 {
            let points = "with a draw as half a win";
            return format!("The champion scores {score} % against {described}, {points} {sure}.");
        }
        if self.score_lo95 > 0.5 {
            format!("The champion beats {described} in {score} % of games {sure}.")
        } else if self.score_hi95 < 0.5 {
            let [lost, lo, hi] = [self.score, self.score_hi95, self.score_lo95]
                .map(|share| count::whole_percent(1.0 - share));
            let sure = format!("({lo} to {hi}, from {games} games)");
            format!("The champion loses to {described} in {lost} % of games {sure}.")
        } else {
            format!("The champion wins {score} % of games against {described} {sure}.")
        }
    }

    /// `87 % (84 to 90)`.
    pub(crate) fn score_text(&self) -> String {
        let [score, lo, hi] =
            [self.score, self.score_lo95, self.score_hi95].map(count::whole_percent);
        format!("{score} % ({lo} to {hi})")
    }
}

/// How an anchor plays, for people who do not know its name.
fn described(config: &RunConfig, name: &str) -> Option<String> {
    let anchor = config.rating.anchors.iter().find(|anchor| anchor.name == name)?;
    Some(match &anchor.kind {
        AnchorKind::Random => "random play".to_owned(),
        AnchorKind::Rollout(rollout) => {
            let search = match rollout.selection {
                SelectionWord::Rave => "tree search (RAVE)",
                _ => "tree search",
            };
            let by = match rollout.policy {
                RolloutMoves::Uniform => "",
                RolloutMoves::Mogo => " by hand-made rules",
                RolloutMoves::Learned(_) => " by a policy that was learned",
            };
            format!("{search} with {}{by}", count::plural(rollout.playouts.into(), "rollout"))
        }
        AnchorKind::Solver { depth: Some(1) } => "a player that looks 1 ply ahead".to_owned(),
        AnchorKind::Solver { depth: Some(depth) } => {
            format!("a player that looks {depth} plies ahead")
        }
        AnchorKind::Solver { depth: None } => "perfect play".to_owned(),
        AnchorKind::Engine(_) => name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Facts of pairs by points, as [`MatchResult::pairs`]; single games where a pair has 1 point
    /// are one won and one lost, and drawn where it has an odd number of half points.
    fn facts(pairs: [u64; 5]) -> FinalFacts {
        let draws = pairs[1] + pairs[3];
        let wins = pairs[2] + pairs[3] + 2 * pairs[4];
        let losses = 2 * pairs[0] + pairs[1] + pairs[2];
        let games = wins + draws + losses;
        let result = MatchResult { games, wins, draws, losses, pairs, ..MatchResult::default() };
        let interval = Pentanomial(pairs).interval();
        FinalFacts {
            cycle: 3,
            champion: "network-0003".to_owned(),
            opponent: "rollout-1000".to_owned(),
            described: "tree search with 1,000 rollouts".to_owned(),
            result,
            score: interval.score.0,
            score_lo95: interval.lo95.0,
            score_hi95: interval.hi95.0,
        }
    }

    #[test]
    fn the_answer_is_in_plain_words() {
        for (pairs, says) in [
            (
                [0, 0, 52, 0, 148],
                "The champion beats tree search with 1,000 rollouts in 87 % of games (84 to 90, from 400 games).",
            ),
            (
                [148, 0, 52, 0, 0],
                "The champion loses to tree search with 1,000 rollouts in 87 % of games (84 to 90, from 400 games).",
            ),
            (
                [5, 0, 10, 0, 5],
                "The champion wins 50 % of games against tree search with 1,000 rollouts (35 to 65, from 40 games).",
            ),
            (
                [0, 10, 0, 0, 10],
                "The champion scores 63 % against tree search with 1,000 rollouts, with a draw as half a win \
                 (46 to 77, from 40 games).",
            ),
        ] {
            assert_eq!(facts(pairs).sentence(), says);
        }
    }
}
