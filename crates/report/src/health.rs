//! What self-play games look like, from their shards.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use dz_game::{AnyGame, Game, GameError, Player, Status};
use dz_shard::{GameEnd, GameRecord, ShardError, ShardReader};
use serde::{Deserialize, Serialize};

use crate::measures::{Health, OpeningNode};

/// Games whose first plies are equal, so many of them, have the same opening.
const OPENING_PLIES: usize = 4;
/// Plies of the opening tree, and replies that are kept at each of its moves.
const TREE_PLIES: usize = 3;
const REPLIES_MAX: usize = 5;
/// The least probability that a stored value can say.
const CHANCE_MIN: f64 = 1.0 / 65_535.0;

/// What a cycle's shards show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShardFacts {
    pub(crate) health: Health,
    pub(crate) openings: OpeningNode,
}

/// Reads shards of one cycle.
///
/// # Errors
/// [`GameError`] for an unknown game; inside, the first shard that cannot be read.
pub(crate) fn read_shards(
    game: &str,
    shards: &[PathBuf],
) -> Result<Result<ShardFacts, ShardError>, GameError> {
    Ok(shard_facts(&AnyGame::of(&game.parse()?)?, shards))
}

fn shard_facts(own: &AnyGame, shards: &[PathBuf]) -> Result<ShardFacts, ShardError> {
    let own_name = own.spec().to_string();
    let mut tally = Tally::default();
    for path in shards {
        let mut reader = ShardReader::open(path)?;
        let name = reader.header().game.clone();
        if name == own_name {
            reader.games().try_for_each(|record| record.map(|record| tally.add(own, &record)))?;
        } else if let Ok(board) = name.parse().and_then(|spec| AnyGame::of(&spec)) {
            for record in reader.games() {
                tally.add_elsewhere(&board, &record?);
            }
        }
    }
    Ok(tally.finish())
}

#[derive(Default)]
struct Tally {
    health: Health,
    plies: Vec<u32>,
    entropy: f64,
    /// What the entropy would be if all legal moves had equal shares.
    entropy_even: f64,
    targets: u64,
    surprise: f64,
    values: u64,
    lines: BTreeSet<Vec<u16>>,
    starts: BTreeSet<Vec<u16>>,
    tree: Branch,
}

#[derive(Default)]
struct Branch {
    games: u64,
    half_points: u64,
    replies: BTreeMap<String, Branch>,
}

impl Tally {
    /// Adds a game that was played. Reanalyzed games count in the cycle in which they were played.
    fn add<G: Game>(&mut self, game: &G, record: &GameRecord) {
        if record.reanalyzed().is_some() {
            return;
        }
        self.count(record);
        let line: Vec<u16> = record.moves().map(|mv| mv.0).collect();
        self.starts.insert(line[..line.len().min(OPENING_PLIES)].to_vec());
        if !self.lines.insert(line) {
            self.health.duplicates += 1;
        }
        let names = self.walk(game, record);
        self.tree.add(&names, half_points(record));
    }

    /// The same for a game on another board of the run, whose moves are none of the run's own.
    fn add_elsewhere<G: Game>(&mut self, game: &G, record: &GameRecord) {
        if record.reanalyzed().is_none() {
            self.count(record);
            self.walk(game, record);
        }
    }

    fn count(&mut self, record: &GameRecord) {
        let health = &mut self.health;
        health.games += 1;
        health.positions += record.plies.len() as u64;
        health.resigned += u64::from(record.end == GameEnd::Resigned);
        health.at_limit += u64::from(record.end == GameEnd::PlyLimit);
        self.plies.push(record.plies_total() as u32);
    }

    /// Adds what the plies of a game say, and returns the names of its first moves.
    fn walk<G: Game>(&mut self, game: &G, record: &GameRecord) -> Vec<String> {
        let mut state = game.start();
        let mut history = G::History::default();
        let winner = record.outcome.winner;
        let mut names = Vec::new();
        let mut legal = Vec::new();
        for &mv in &record.start_moves {
            names.push(game.format_move(mv));
            game.advance(&mut state, &mut history, mv);
        }
        for ply in &record.plies {
            // A shard is checked when it is published, so a damaged game is simply not counted.
            let Status::ToMove(mover) = game.status(&state, &history) else { break };
            let value = ply.root_value;
            let chance = match winner {
                None => value.draw,
                Some(player) if player == mover => value.win,
                Some(_) => value.loss,
            };
            self.surprise -= f64::from(chance).max(CHANCE_MIN).ln();
            self.values += 1;
            if ply.kind == dz_shard::SearchKind::Full {
                self.entropy += match &ply.target {
                    Some(shares) => entropy(shares.iter().map(|&(_, share)| u32::from(share))),
                    None => entropy(ply.visits.iter().map(|&(_, count)| count)),
                };
                game.legal_moves(&state, &history, &mut legal);
                self.entropy_even += (legal.len() as f64).ln();
                self.targets += 1;
            }
            if names.len() < TREE_PLIES {
                names.push(game.format_move(ply.mv));
            }
            game.advance(&mut state, &mut history, ply.mv);
        }
        names.truncate(TREE_PLIES);
        names
    }

    fn finish(mut self) -> ShardFacts {
        self.plies.sort_unstable();
        let at = |share: f64| {
            let last = self.plies.len().saturating_sub(1);
            self.plies.get((share * last as f64).round() as usize).copied().unwrap_or(0)
        };
        let health = Health {
            plies_p10: at(0.1),
            plies_p50: at(0.5),
            plies_p90: at(0.9),
            target_entropy: self.entropy / self.targets.max(1) as f64,
            target_entropy_even: self.entropy_even / self.targets.max(1) as f64,
            value_surprise: self.surprise / self.values.max(1) as f64,
            openings: self.starts.len() as u64,
            ..self.health
        };
        ShardFacts { health, openings: self.tree.node(String::new()) }
    }
}

/// What a game brought the first player: 2 for a win, 1 for a draw.
fn half_points(record: &GameRecord) -> u64 {
    match record.outcome.winner {
        Some(Player::First) => 2,
        None => 1,
        Some(Player::Second) => 0,
    }
}

impl Branch {
    fn add(&mut self, names: &[String], half_points: u64) {
        self.games += 1;
        self.half_points += half_points;
        if let [name, rest @ ..] = names {
            self.replies.entry(name.clone()).or_default().add(rest, half_points);
        }
    }

    /// The most frequent replies, by name where equal.
    fn node(self, name: String) -> OpeningNode {
        let mut replies: Vec<(String, Self)> = self.replies.into_iter().collect();
        replies.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(&b.0)));
        replies.truncate(REPLIES_MAX);
        OpeningNode {
            name,
            games: self.games,
            score: self.half_points as f64 / (2 * self.games).max(1) as f64,
            replies: replies.into_iter().map(|(name, branch)| branch.node(name)).collect(),
        }
    }
}

/// Entropy of counts as shares, in nats; 0 of none.
fn entropy(counts: impl Iterator<Item = u32> + Clone) -> f64 {
    let total: f64 = counts.clone().map(f64::from).sum();
    let share = counts.filter(|&count| count > 0).map(|count| f64::from(count) / total);
    -share.map(|share| share * share.ln()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_in_nats() {
        assert_eq!(entropy([5, 0].into_iter()), 0.0);
        assert!((entropy([3, 3].into_iter()) - std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(entropy(std::iter::empty()), 0.0);
    }

    /// A game that repeats another counts as such; one that was reanalyzed was not played.
    #[test]
    fn games_searched_anew_are_no_duplicates() {
        let game = dz_game::games::TicTacToe;
        let record = dz_shard::random_records(&game, 1, 20, 3).remove(0);
        let ply = record.plies_total() as u16;
        let facts = |parent: Option<dz_shard::ParentGame>| {
            let mut tally = Tally::default();
            tally.add(&game, &record);
            tally.add(&game, &GameRecord { number: 7, parent, ..record.clone() });
            tally.finish().health
        };
        let parent = |ply| Some(dz_shard::ParentGame { game: 0, ply });
        for played in [None, parent(ply - 1)] {
            assert_eq!((facts(played).games, facts(played).duplicates), (2, 1));
        }
        assert_eq!((facts(parent(ply)).games, facts(parent(ply)).duplicates), (1, 0));
    }

    #[test]
    fn the_tree_keeps_the_most_frequent_replies() {
        let mut root = Branch::default();
        for (first, times) in [("4", 6), ("3", 5), ("1", 4), ("2", 3), ("5", 2), ("6", 1)] {
            for _ in 0..times {
                root.add(&[first.to_owned(), "4".to_owned()], 2);
            }
        }
        let node = root.node(String::new());
        assert_eq!((node.games, node.score), (21, 1.0));
        let names: Vec<&str> = node.replies.iter().map(|reply| reply.name.as_str()).collect();
        assert_eq!(names, ["4", "3", "1", "2", "5"]);
        assert_eq!(node.replies[0].replies[0].games, 6);
    }
}
