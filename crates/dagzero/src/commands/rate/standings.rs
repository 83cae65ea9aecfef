//! What is printed: every player's place, and what is missing.

use std::io::Write as _;

use dz_stats::{Draws, RatingOptions, Ratings, Record, rate};
use dz_store::PlayerName;
use serde::Serialize;

use super::results::Results;

/// The terms of the model.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) draws: Draws,
    pub(super) first_mover: bool,
    /// Virtual draws.
    pub(super) prior: f64,
    /// Whether each network and the one before it have virtual draws, as in a run's report.
    pub(super) lineage: bool,
}

/// The result. Outside programs rely on the names.
#[derive(Debug, Serialize)]
pub(super) struct Standings {
    /// Best first; players without a rating last.
    pub(super) ratings: Vec<Row>,
    /// Value of moving first; null without the term, or without ratings.
    pub(super) first_mover_elo: Option<f64>,
    pub(super) first_mover_error95: Option<f64>,
    /// Of all games; with Davidson's term of games between equals.
    pub(super) draw_rate: Option<f64>,
    /// The player at 0; null if the mean is at 0.
    pub(super) anchor: Option<String>,
    /// `half` or `davidson`.
    pub(super) draws: &'static str,
    pub(super) prior: f64,
    /// Finished games.
    pub(super) games: u64,
    /// Games without a result, which are left out.
    pub(super) unfinished: u64,
    /// Games of match files that repeat another one of their match, which are left out.
    pub(super) repeated: u64,
    /// How many groups of players there are that never met each other.
    pub(super) groups: usize,
    /// What is missing or strange, for people.
    pub(super) notes: Vec<String>,
    /// Whether all that was asked for is there.
    #[serde(skip)]
    pub(super) is_complete: bool,
}

/// One player.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) player: String,
    pub(super) elo: Option<f64>,
    /// Half the width of the 95 % interval of `elo`.
    pub(super) error95: Option<f64>,
    /// Mean score a game, 0 to 1; one half without games.
    pub(super) score: f64,
    pub(super) games: u64,
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    /// From 1; players of different groups never met, not even through others.
    pub(super) group: usize,
    /// The difference to the next player of the list.
    pub(super) above_next: Option<Above>,
}

/// A difference.
#[derive(Debug, Serialize)]
pub(super) struct Above {
    pub(super) elo: f64,
    pub(super) error95: f64,
    /// Probability that this player is the stronger one.
    pub(super) los: f64,
}

impl Standings {
    /// Rates the players; `notes` are those of reading the files.
    pub(super) fn of(
        results: &Results,
        terms: &Terms,
        anchor: Option<&str>,
        notes: Vec<String>,
    ) -> Self {
        let roster = &results.roster;
        let place = anchor.and_then(|name| roster.find(name));
        let mut standings = Self {
            ratings: Vec::new(),
            first_mover_elo: None,
            first_mover_error95: None,
            draw_rate: None,
            anchor: place.map(|index| roster.names()[index].clone()),
            draws: match terms.draws {
                Draws::HalfPoints => "half",
                Draws::Davidson => "davidson",
            },
            prior: terms.prior,
            games: results.games.len() as u64,
            unfinished: results.unfinished,
            repeated: results.repeated,
            groups: 0,
            notes,
            is_complete: true,
        };
        if let (Some(name), None) = (anchor, place) {
            standings.missing(format!(
                "no game names the anchor {name}; the mean of all players is at 0 Elo instead"
            ));
        }
        standings.fill(results, terms, place);
        standings
    }

    /// Adds a note about what is missing.
    fn missing(&mut self, note: String) {
        self.notes.push(note);
        self.is_complete = false;
    }

    fn fill(&mut self, results: &Results, terms: &Terms, anchor: Option<usize>) {
        if results.unfinished > 0 {
            let count = results.unfinished;
            self.notes.push(format!("{count} unfinished games (result *) are left out"));
        }
        if results.repeated > 0 {
            let count = results.repeated;
            self.notes.push(format!(
                "games that repeat another of their match move by move are left out: {count}"
            ));
        }
        let players = results.roster.len();
        if results.games.is_empty() {
            self.missing(match players {
                0 => "there are no games, so nobody can be rated".to_owned(),
                1 => "there is one player and no game against another".to_owned(),
                _ => "no game has a result, so nobody can be rated".to_owned(),
            });
        }
        let line = |name: &str| PlayerName::new(name).line();
        let lineage = if terms.lineage { results.roster.chain(line) } else { Vec::new() };
        let options = |prior_draws| RatingOptions {
            draws: terms.draws,
            first_mover: terms.first_mover,
            prior_draws,
            ..RatingOptions::of_run(anchor, lineage.clone())
        };
        let names = results.roster.names();
        if players > PLAYERS_QUICK {
            // For people who wait; the result goes to standard output.
            let games = results.games.len();
            let line = format!("rating {players} players by {games} games: this can take seconds");
            let _ = writeln!(std::io::stderr(), "{line}");
        }
        let fit = rate(players, &results.games, &options(terms.prior));
        if let (Err(error), false) = (&fit, results.games.is_empty()) {
            self.missing(error.to_string());
        }
        let is_rated = fit.is_ok() && !results.games.is_empty();
        // Scores and groups do not depend on the prior, and are there in any case.
        let Ok(ratings) = fit.or_else(|_| rate(players, &results.games, &options(1.0))) else {
            return;
        };
        self.look_at(names, &ratings);
        self.ratings = rows(names, &ratings, is_rated);
        if is_rated {
            self.draw_rate = Some(ratings.draw_rate);
            if terms.first_mover {
                self.first_mover_elo = Some(ratings.first_mover.0);
                self.first_mover_error95 = Some(ratings.first_mover_error95.0);
            }
        }
    }

    /// Counts the groups, and notes facts that make ratings less reliable than they seem.
    fn look_at(&mut self, names: &[String], ratings: &Ratings) {
        let labels = group_labels(ratings);
        self.groups = labels.len();
        if self.games > 0 && labels.len() > 1 {
            let leader = |&label: &usize| {
                let size = ratings.components.iter().filter(|&&c| c == label).count();
                match size {
                    1 => names[label].clone(),
                    _ => format!("{} and {} more", names[label], size - 1),
                }
            };
            let shown: Vec<String> = labels.iter().take(GROUPS_SHOWN).map(leader).collect();
            let rest = if labels.len() > GROUPS_SHOWN { "; ..." } else { "" };
            self.notes.push(format!(
                "the players are {} groups that never met ({}{rest}): compare ratings within a \
                 group only",
                labels.len(),
                shown.join("; ")
            ));
        }
        if ratings.errors_are_estimates {
            self.notes.push(format!(
                "the errors of so many players ({}) are estimates from each player's own games, and may be too small; \
                 the ratings are exact",
                names.len()
            ));
        }
        let decided = ratings.players.iter().any(|player| player.record.wins > 0);
        if self.games > 0 && !decided {
            self.notes.push("every game was drawn: the players cannot be ranked".to_owned());
        }
    }
}

/// Up to so many players are rated in less than a second.
const PLAYERS_QUICK: usize = 2_000;

/// So many groups are named in a note.
const GROUPS_SHOWN: usize = 4;

/// The first player of each group, ascending.
fn group_labels(ratings: &Ratings) -> Vec<usize> {
    let mut labels = ratings.components.clone();
    labels.sort_unstable();
    labels.dedup();
    labels
}

fn rows(names: &[String], ratings: &Ratings, is_rated: bool) -> Vec<Row> {
    let labels = group_labels(ratings);
    let mut order: Vec<usize> = (0..names.len()).collect();
    let key = |player: usize| {
        let rating = &ratings.players[player];
        if is_rated { rating.elo.0 } else { rating.record.score().0 }
    };
    // Equal players stay in the order of the file.
    order.sort_by(|&one, &other| key(other).total_cmp(&key(one)));
    let row = |(place, &player): (usize, &usize)| {
        let rating = &ratings.players[player];
        let Record { wins, draws, losses } = rating.record;
        let next = order.get(place + 1).filter(|_| is_rated);
        let above_next = next.map(|&next| {
            let difference = ratings.difference(player, next);
            let elo = difference.elo.0;
            let error95 = difference.error95.0;
            Above { elo, error95, los: difference.los }
        });
        Row {
            player: names[player].clone(),
            elo: is_rated.then_some(rating.elo.0),
            error95: is_rated.then_some(rating.error95.0),
            score: rating.record.score().0,
            games: rating.record.games(),
            wins,
            draws,
            losses,
            group: labels.partition_point(|&label| label < ratings.components[player]) + 1,
            above_next,
        }
    };
    order.iter().enumerate().map(row).collect()
}
