//! Results between pairs of players, pooled, and how they connect the players.

use std::collections::BTreeMap;

use crate::error::StatsError;
use crate::score::Record;

/// Games between two players in which `first` made the first move of every game.
///
/// The same two players may appear in any number of these, in either order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairResult {
    /// Index of the player who moved first.
    pub first: usize,
    /// Index of the player who moved second.
    pub second: usize,
    /// Games that `first` won.
    pub wins_first: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that `second` won.
    pub wins_second: u64,
}

impl PairResult {
    /// All games.
    pub fn games(&self) -> u64 {
        self.wins_first + self.draws + self.wins_second
    }
}

/// Adds up results of the same two players in the same order, drops empty ones and sorts. So the
/// fit does not depend on the order of its input, to the last bit.
pub(crate) fn pool(players: usize, games: &[PairResult]) -> Result<Vec<PairResult>, StatsError> {
    let mut pooled: BTreeMap<(usize, usize), PairResult> = BTreeMap::new();
    for game in games {
        for index in [game.first, game.second] {
            if index >= players {
                return Err(StatsError::UnknownPlayer { index, players });
            }
        }
        if game.first == game.second {
            return Err(StatsError::SelfPlay { index: game.first });
        }
        let sum = pooled.entry((game.first, game.second)).or_insert(PairResult {
            wins_first: 0,
            draws: 0,
            wins_second: 0,
            ..*game
        });
        sum.wins_first += game.wins_first;
        sum.draws += game.draws;
        sum.wins_second += game.wins_second;
    }
    Ok(pooled.into_values().filter(|game| game.games() > 0).collect())
}

/// Wins, draws and losses of each player.
pub(crate) fn records(players: usize, games: &[PairResult]) -> Vec<Record> {
    let mut records = vec![Record::default(); players];
    for game in games {
        let first = &mut records[game.first];
        first.wins += game.wins_first;
        first.draws += game.draws;
        first.losses += game.wins_second;
        let second = &mut records[game.second];
        second.wins += game.wins_second;
        second.draws += game.draws;
        second.losses += game.wins_first;
    }
    records
}

/// For each player the smallest index among the players it is connected with by games, itself
/// included.
pub(crate) fn components(players: usize, games: &[PairResult]) -> Vec<usize> {
    let both_ways = |game: &PairResult| [(game.first, game.second), (game.second, game.first)];
    let edges = adjacency(players, games.iter().flat_map(both_ways));
    let mut label = vec![usize::MAX; players];
    for start in 0..players {
        if label[start] == usize::MAX {
            for reached in reachable(&edges, start) {
                label[reached] = start;
            }
        }
    }
    label
}

/// Whether the likelihood alone has a finite maximum: everybody can be reached from everybody along
/// "scored against" (L. R. Ford, *Solution of a Ranking Problem from Binary Comparisons*, Am. Math.
/// Monthly 64, 1957).
pub(crate) fn strongly_connected(players: usize, games: &[PairResult]) -> bool {
    let mut scored = Vec::new();
    for game in games {
        if game.wins_first + game.draws > 0 {
            scored.push((game.first, game.second));
        }
        if game.wins_second + game.draws > 0 {
            scored.push((game.second, game.first));
        }
    }
    let forwards = adjacency(players, scored.iter().copied());
    let backwards = adjacency(players, scored.iter().map(|&(a, b)| (b, a)));
    players == 0
        || (reachable(&forwards, 0).len() == players && reachable(&backwards, 0).len() == players)
}

fn adjacency(players: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut adjacency = vec![Vec::new(); players];
    for (from, to) in edges {
        adjacency[from].push(to);
    }
    adjacency
}

fn reachable(edges: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    seen[start] = true;
    let mut found = vec![start];
    let mut next = 0;
    while let Some(&player) = found.get(next) {
        next += 1;
        for &to in &edges[player] {
            if !seen[to] {
                seen[to] = true;
                found.push(to);
            }
        }
    }
    found
}
