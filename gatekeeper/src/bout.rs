//! Matches from openings to counted games; they go on where they were interrupted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use dz_game::{Game, mix64};
use dz_infer::{Lockstep, LockstepCounts};
use dz_play::{Fixture, MatchPlan, Next, PlayedGame, Seat, distinct_openings, play_matches};
use dz_stats::SprtPlan;
use dz_store::{MatchPurpose, MatchResult};

use crate::match_file::{FORMAT, KIND, MatchHeader, PlayerHeader};
use crate::referee::Referee;
use crate::work_file::WorkFile;
use crate::{Contestant, Players};

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Bout {
    /// Players A and B; A moves first in even games.
    pub players: [Contestant; 2],
    /// Games; even.
    pub games: u64,
    /// Random plies of each opening.
    pub opening_plies: u32,
    /// Fixes openings and games.
    pub seed: u64,
    /// Plies after which a game is a draw.
    pub plies_max: u32,
    /// Ends the match before its last game, once it is decided.
    pub decided: Option<Decided>,
}

/// When a match is decided before its last game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decided {
    /// A sequential test has ended.
    Test(SprtPlan),
    /// The games that are left cannot change on which side of this score, 0 to 1, A ends.
    Score(f64),
}

/// A match that was played to its end, or was stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// What was to be played.
    pub header: MatchHeader,
    /// Finished games, by number.
    pub games: Vec<PlayedGame>,
}

impl Played {
    /// Whether all games were played.
    pub fn is_whole(&self) -> bool {
        self.games.len() as u64 == self.header.games
    }

    /// The counts.
    pub fn result(&self) -> MatchResult {
        count(&self.games)
    }
}

/// How far a match is.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchProgress {
    /// A's name.
    pub a: String,
    /// B's name.
    pub b: String,
    /// Finished games, those of earlier processes included.
    pub games: u64,
    /// Games to be played.
    pub games_total: u64,
    /// A's mean score so far, 0 to 1; one half without games.
    pub score: f64,
    /// Positions that networks evaluated, a second, in this process, in all matches that are played
    /// beside it.
    pub evaluations_per_second: f64,
}

/// Is told how matches go, and may stop them.
pub trait Observer: Send {
    /// A match begins, or goes on where it was interrupted.
    fn begins(&mut self, _progress: &MatchProgress) {}
    /// A game has ended.
    fn progress(&mut self, progress: &MatchProgress);
    /// The matches that were played side by side are over: decided, played to their ends, or
    /// stopped.
    fn over(&mut self) {}
    /// True if no more games are to be started.
    fn stopped(&self) -> bool;
}

/// Seed of a match: of the run's seed and all that tells one match of a run from another.
pub fn match_seed(run_seed: u64, cycle: u32, purpose: MatchPurpose, players: [&str; 2]) -> u64 {
    let mut seed = mix64(run_seed ^ 0x6d61_7463_6865_7321);
    seed = mix64(seed ^ u64::from(cycle));
    seed = mix64(seed ^ u64::from(purpose == MatchPurpose::Rating));
    for name in players {
        for byte in name.bytes() {
            seed = mix64(seed ^ u64::from(byte));
        }
        seed = mix64(seed ^ 0x100);
    }
    seed
}

/// Plays `bout`. With a working file, games that it holds are not played again, and every game that
/// ends goes there at once. The games are the same however often the match was interrupted; those
/// that ended after the test had, in scheduled order, are not among them.
///
/// # Errors
/// What evaluators or the working file report.
pub fn play_bout<G: Game>(
    bout: &Bout,
    players: &mut Players<'_, G>,
    lockstep: &Lockstep,
    working_file: Option<&Path>,
    observer: &mut dyn Observer,
) -> Result<Played> {
    let bouts = [(bout, working_file)];
    let played = play_bouts(&bouts, players, lockstep, observer)?;
    played.into_iter().next().context("a match was not played; please report this")
}

/// Plays several bouts, each as [`play_bout`] plays it, side by side; those with a player that is a
/// program of its own alone, one after another. Returns them in their order; fewer where it was
/// stopped before all had begun.
///
/// # Errors
/// As [`play_bout`].
pub fn play_bouts<G: Game>(
    bouts: &[(&Bout, Option<&Path>)],
    players: &mut Players<'_, G>,
    lockstep: &Lockstep,
    observer: &mut dyn Observer,
) -> Result<Vec<Played>> {
    let (alone, together): (Vec<usize>, Vec<usize>) =
        (0..bouts.len()).partition(|&place| bouts[place].0.has_program());
    let alone = alone.into_iter().map(|place| vec![place]);
    let mut all = BTreeMap::new();
    for places in [together].into_iter().chain(alone).filter(|places| !places.is_empty()) {
        if !all.is_empty() && observer.stopped() {
            break;
        }
        let bouts: Vec<_> = places.iter().map(|&place| bouts[place]).collect();
        let played = play_together(&bouts, players, lockstep, observer)?;
        observer.over();
        all.extend(places.into_iter().zip(played));
    }
    Ok(all.into_values().collect())
}

fn play_together<G: Game>(
    bouts: &[(&Bout, Option<&Path>)],
    players: &mut Players<'_, G>,
    lockstep: &Lockstep,
    observer: &mut dyn Observer,
) -> Result<Vec<Played>> {
    let mut plans = Vec::new();
    let mut scribes = Vec::new();
    let mut played = Vec::new();
    for &(bout, working_file) in bouts {
        let (plan, header) =
            bout.plan(players).with_context(|| format!("seating {}", bout.pair()))?;
        let (file, games) = match working_file {
            Some(path) => {
                let (file, games) = WorkFile::open(path, &header)?;
                (Some(file), games)
            }
            None => (None, Vec::new()),
        };
        let scribe = Scribe::new(header, file, Referee::new(bout, &games), &games);
        observer.begins(&scribe.progress);
        scribes.push(scribe);
        plans.push(plan);
        played.push(games);
    }
    let undecided = |place: &usize| !scribes[*place].referee.is_over();
    let places: Vec<usize> = (0..bouts.len()).filter(undecided).collect();
    let fixtures = places
        .iter()
        .map(|&place| Fixture { plan: &plans[place], played: std::mem::take(&mut played[place]) });
    let fixtures = fixtures.collect();
    let mut each = |fixture: usize, game: &PlayedGame, counts: &LockstepCounts| {
        scribes[places[fixture]].game_over(game, counts, observer)
    };
    let finished = play_matches(players.game(), fixtures, lockstep, players.sources(), &mut each);
    let finished = finished.with_context(|| {
        let pairs = bouts.iter().map(|(bout, _)| bout.pair());
        format!("playing {}", pairs.collect::<Vec<_>>().join(", "))
    })?;
    for (&place, games) in places.iter().zip(finished) {
        played[place] = games;
    }
    scribes.into_iter().zip(played).map(|(scribe, games)| scribe.end(games)).collect()
}

impl Bout {
    /// Who plays, for people.
    fn pair(&self) -> String {
        let [a, b] = &self.players;
        format!("{} against {}", a.name, b.name)
    }

    /// Whether a player is a program of its own.
    fn has_program(&self) -> bool {
        self.players.iter().any(Contestant::is_program)
    }

    /// Seats the players; what is to be played, and how the match's file begins.
    fn plan<G: Game>(&self, players: &mut Players<'_, G>) -> Result<(MatchPlan, MatchHeader)> {
        let game = players.game();
        let [a, b] = &self.players;
        let setups = [players.seat(a)?, players.seat(b)?];
        let pairs = self.games.div_ceil(2) as usize;
        let openings = distinct_openings(game, self.opening_plies, pairs, self.seed);
        let ids = players.sources().ids();
        let header = MatchHeader {
            kind: KIND.to_owned(),
            format: FORMAT,
            game: game.spec().to_string(),
            players: [
                PlayerHeader::of(&setups[0], a.network_key(), ids),
                PlayerHeader::of(&setups[1], b.network_key(), ids),
            ],
            games: self.games,
            openings: openings.len() as u64,
            opening_plies: self.opening_plies,
            seed: self.seed,
            plies_max: self.plies_max,
        };
        let (games, seed, plies_max) = (self.games, self.seed, self.plies_max);
        Ok((MatchPlan { players: setups, games, openings, seed, plies_max }, header))
    }
}

/// Counts games; those that repeat an earlier one are counted, but say nothing to ratings.
fn count(games: &[PlayedGame]) -> MatchResult {
    let mut seen = BTreeSet::new();
    let is_new = |game: &&PlayedGame| seen.insert((game.first == Seat::A, game.moves.clone()));
    let mut sorted: Vec<&PlayedGame> = games.iter().collect();
    sorted.sort_by_key(|game| game.number);
    let distinct: Vec<PlayedGame> = sorted.into_iter().filter(is_new).cloned().collect();
    let (all, distinct) = (dz_play::MatchResult::of(games), dz_play::MatchResult::of(&distinct));
    let ended = |how: fn(&PlayedGame) -> bool| games.iter().filter(|game| how(game)).count() as u64;
    MatchResult {
        games: all.games,
        wins: all.wins,
        draws: all.draws,
        losses: all.losses,
        pairs: all.pairs,
        duplicates: all.duplicates,
        by_first: distinct.by_first,
        plies: games.iter().map(|game| game.moves.len() as u64).sum(),
        adjudicated: ended(|game| game.adjudicated),
        forfeits: ended(|game| game.forfeit.is_some()),
    }
}

/// Keeps a match's finished games and reports them.
struct Scribe {
    header: MatchHeader,
    file: Option<WorkFile>,
    referee: Referee,
    /// Twice A's points so far.
    half_points: u64,
    progress: MatchProgress,
    begun: Instant,
    failed: Option<anyhow::Error>,
}

impl Scribe {
    fn new(
        header: MatchHeader,
        file: Option<WorkFile>,
        referee: Referee,
        played: &[PlayedGame],
    ) -> Self {
        let [a, b] = [&header.players[0].name, &header.players[1].name].map(Clone::clone);
        let result = count(played);
        let progress = MatchProgress {
            a,
            b,
            games: result.games,
            games_total: header.games,
            score: result.score(),
            evaluations_per_second: 0.0,
        };
        let half_points = 2 * result.wins + result.draws;
        Self { header, file, referee, half_points, progress, begun: Instant::now(), failed: None }
    }

    /// Answers what follows.
    fn game_over(
        &mut self,
        game: &PlayedGame,
        counts: &LockstepCounts,
        observer: &mut dyn Observer,
    ) -> Next {
        if let Some(file) = &mut self.file
            && let Err(error) = file.append(game)
        {
            self.failed.get_or_insert(error);
        }
        let result = count(std::slice::from_ref(game));
        self.half_points += 2 * result.wins + result.draws;
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        self.progress.games += 1;
        self.progress.score = self.half_points as f64 / (2 * self.progress.games) as f64;
        self.progress.evaluations_per_second = counts.evaluations as f64 / seconds;
        observer.progress(&self.progress);
        let is_over = self.referee.see(game);
        // What cannot be kept need not be played.
        match self.failed.is_some() || observer.stopped() {
            true => Next::EndAll,
            false if is_over => Next::EndMatch,
            false => Next::Play,
        }
    }

    /// The match, of which these games were played.
    fn end(self, games: Vec<PlayedGame>) -> Result<Played> {
        let Self { header, referee, failed, .. } = self;
        failed.map_or(Ok(()), Err)?;
        Ok(referee.cut(Played { header, games }))
    }
}
