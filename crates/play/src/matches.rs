//! Matches: paired games in lockstep, resumed where they were interrupted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use dz_game::Game;
use dz_infer::{
    Evaluation, EvaluatorError, Lockstep, LockstepCounts, Readers, Request, Roster, Walker,
};

use crate::early_stop::EarlyStopper;
use crate::match_file::{FORMAT, KIND, MatchHeader, PlayedMatch, PlayerHeader};
use crate::pool::BoxError;
use crate::{
    EarlyStop, GameSetup, MatchCounts, MatchGame, MatchPlayer, Opening, PlayedGame, PlayerError,
    PlayerPool, distinct_openings,
};

/// Two players, the number of their games, and what fixes these games.
///
/// ```
/// use dz_game::games::TicTacToe;
/// use dz_infer::Lockstep;
/// use dz_play::{Match, MatchCounts, NoNetworks, PlayerPool, NoObserver, play_match, rollout_anchor};
///
/// let plan = Match {
///     players: [rollout_anchor("strong", 50), rollout_anchor("weak", 2)],
///     games: 20,
///     opening_plies: 2,
///     seed: 1,
///     plies_max: 9,
///     early_stop: None,
/// };
/// let mut pool = PlayerPool::new(&TicTacToe, &NoNetworks, 0);
/// let lockstep = Lockstep { parallel_games: 8, groups: 1 };
/// let played = play_match(&plan, &mut pool, &lockstep, None, &mut NoObserver).unwrap();
/// assert!(MatchCounts::of(&played.games).score() > 0.5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Players A and B. A moves first in even games.
    pub players: [MatchPlayer; 2],
    /// Games; even. Games 2k and 2k + 1 begin with one opening, colours swapped.
    pub games: u64,
    /// Random plies of each opening.
    pub opening_plies: u32,
    /// Fixes openings and games.
    pub seed: u64,
    /// Plies after which a game is a draw.
    pub plies_max: u32,
    /// Ends the match before its last game, once it is decided.
    pub early_stop: Option<EarlyStop>,
}

/// Keeps the finished games of one match, so that an interrupted match can be resumed.
pub trait GameStore: Send {
    /// Finished games of the match with this header, in any order.
    ///
    /// # Errors
    /// What the storage reports.
    fn open(&mut self, header: &MatchHeader) -> Result<Vec<PlayedGame>, BoxError>;

    /// Adds a game that has just ended.
    ///
    /// # Errors
    /// What the storage reports. No more games are started then.
    fn append(&mut self, game: &PlayedGame) -> Result<(), BoxError>;
}

/// The progress of a match.
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
    /// Positions that networks evaluated per second in this process, over all matches that are
    /// played at the same time.
    pub evaluations_per_second: f64,
}

/// Follows matches and may stop them.
pub trait MatchObserver: Send {
    /// A match begins or is resumed.
    fn begins(&mut self, _progress: &MatchProgress) {}
    /// A game has ended.
    fn progress(&mut self, progress: &MatchProgress);
    /// The matches that were played at the same time are over: decided, finished or stopped.
    fn over(&mut self) {}
    /// True if no more games are to be started.
    fn stopped(&self) -> bool {
        false
    }
}

/// Follows nothing and never stops.
#[derive(Clone, Copy, Debug)]
pub struct NoObserver;

impl MatchObserver for NoObserver {
    fn progress(&mut self, _progress: &MatchProgress) {}
}

/// Why matches cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A player cannot play.
    #[error("seating {pair}")]
    Player {
        /// Who meets whom.
        pair: String,
        /// Why.
        source: Box<PlayerError>,
    },
    /// An evaluator has failed.
    #[error("playing {pairs}")]
    Evaluator {
        /// Who meets whom.
        pairs: String,
        /// Why.
        source: EvaluatorError,
    },
    /// Finished games cannot be kept.
    #[error(transparent)]
    Store(BoxError),
}

/// A match to be played, and where its finished games are kept, if they are.
pub struct MatchTask<'p, 's> {
    /// The match.
    pub plan: &'p Match,
    /// Where its finished games are kept.
    pub store: Option<&'s mut dyn GameStore>,
}

/// Plays a match. With a store, games that it holds are not played again, and it gets every game
/// that ends. The games are the same however often the match was interrupted. Games scheduled after
/// the pair that decided the match are left out.
///
/// # Errors
/// [`MatchError`].
pub fn play_match<G: Game>(
    plan: &Match,
    pool: &mut PlayerPool<'_, G>,
    lockstep: &Lockstep,
    store: Option<&mut dyn GameStore>,
    observer: &mut dyn MatchObserver,
) -> Result<PlayedMatch, MatchError> {
    let mut played = play_together(vec![MatchTask { plan, store }], pool, lockstep, observer)?;
    observer.over();
    Ok(played.remove(0))
}

/// Plays several matches at the same time, each as [`play_match`] plays it: a single match leaves
/// threads and devices idle during its last games, and its batches are small. Matches with another
/// program are played alone, one after another. Returns the matches in their order, and fewer if
/// the observer stopped before all had begun.
///
/// # Errors
/// [`MatchError`].
pub fn play_matches<G: Game>(
    tasks: Vec<MatchTask<'_, '_>>,
    pool: &mut PlayerPool<'_, G>,
    lockstep: &Lockstep,
    observer: &mut dyn MatchObserver,
) -> Result<Vec<PlayedMatch>, MatchError> {
    let numbered = tasks.into_iter().enumerate();
    let (alone, together): (Vec<_>, Vec<_>) =
        numbered.partition(|(_, task)| task.plan.has_engine());
    let alone = alone.into_iter().map(|task| vec![task]);
    let mut all = BTreeMap::new();
    for group in [together].into_iter().chain(alone).filter(|group| !group.is_empty()) {
        if !all.is_empty() && observer.stopped() {
            break;
        }
        let (places, tasks): (Vec<usize>, Vec<_>) = group.into_iter().unzip();
        let played = play_together(tasks, pool, lockstep, observer)?;
        observer.over();
        all.extend(places.into_iter().zip(played));
    }
    Ok(all.into_values().collect())
}

fn play_together<G: Game>(
    tasks: Vec<MatchTask<'_, '_>>,
    pool: &mut PlayerPool<'_, G>,
    lockstep: &Lockstep,
    observer: &mut dyn MatchObserver,
) -> Result<Vec<PlayedMatch>, MatchError> {
    let mut lockstep = *lockstep;
    if tasks.iter().any(|task| task.plan.has_engine()) {
        // A thread waits while a program thinks, so more games than threads would only wait too.
        // Groups would wait for each other.
        let threads = rayon::current_num_threads();
        lockstep = Lockstep { parallel_games: lockstep.parallel_games.min(threads), groups: 1 };
    }
    let pairs: Vec<String> = tasks.iter().map(|task| task.plan.pair()).collect();
    let mut matches = Vec::with_capacity(tasks.len());
    for task in tasks {
        matches.push(RunningMatch::begin(task, pool, observer)?);
    }
    let mut schedule = Schedule { game: pool.game(), matches, observer };
    let played = lockstep.run(pool.sources(), &mut schedule);
    let failed = |source| MatchError::Evaluator { pairs: pairs.join(", "), source };
    played.map_err(failed)?;
    schedule.matches.into_iter().map(RunningMatch::end).collect()
}

impl Match {
    /// Who plays, for people.
    fn pair(&self) -> String {
        let [a, b] = &self.players;
        format!("{} against {}", a.name, b.name)
    }

    fn has_engine(&self) -> bool {
        self.players.iter().any(MatchPlayer::is_engine)
    }
}

/// A match in progress.
struct RunningMatch<'p, 's> {
    plan: &'p Match,
    store: Option<&'s mut dyn GameStore>,
    header: MatchHeader,
    /// Sources of players A and B.
    sources: [usize; 2],
    openings: Vec<Opening>,
    /// Numbers of the games that have not begun.
    missing: std::vec::IntoIter<u64>,
    played: Vec<PlayedGame>,
    stopper: EarlyStopper,
    progress: MatchProgress,
    /// Twice A's points so far.
    half_points: u64,
    begun: Instant,
    failed: Option<BoxError>,
}

impl<'p, 's> RunningMatch<'p, 's> {
    fn begin<G: Game>(
        task: MatchTask<'p, 's>,
        pool: &mut PlayerPool<'_, G>,
        observer: &mut dyn MatchObserver,
    ) -> Result<Self, MatchError> {
        let MatchTask { plan, mut store } = task;
        let failed = |error| MatchError::Player { pair: plan.pair(), source: Box::new(error) };
        let [a, b] = &plan.players;
        let sources = [pool.prepare(a).map_err(failed)?, pool.prepare(b).map_err(failed)?];
        let pairs = plan.games.div_ceil(2) as usize;
        let openings = distinct_openings(pool.game(), plan.opening_plies, pairs, plan.seed);
        let game = pool.game();
        let ids = pool.sources().ids();
        let id_of = |seat: usize| ids.get(sources[seat]).map_or("", String::as_str);
        let header = MatchHeader {
            kind: KIND.to_owned(),
            format: FORMAT,
            game: game.spec().to_string(),
            players: [PlayerHeader::of(a, id_of(0)), PlayerHeader::of(b, id_of(1))],
            games: plan.games,
            openings: openings.len() as u64,
            opening_plies: plan.opening_plies,
            seed: plan.seed,
            plies_max: plan.plies_max,
        };
        let played = match &mut store {
            Some(store) => store.open(&header).map_err(MatchError::Store)?,
            None => Vec::new(),
        };
        let stopper = EarlyStopper::new(plan.early_stop, plan.games, &played);
        let done: BTreeSet<u64> = played.iter().map(|game| game.number).collect();
        let mut missing: Vec<u64> = (0..plan.games).filter(|game| !done.contains(game)).collect();
        if stopper.is_decided() {
            missing.clear();
        }
        let counts = MatchCounts::of(&played);
        let progress = MatchProgress {
            a: a.name.clone(),
            b: b.name.clone(),
            games: counts.games,
            games_total: plan.games,
            score: counts.score(),
            evaluations_per_second: 0.0,
        };
        observer.begins(&progress);
        Ok(Self {
            plan,
            store,
            header,
            sources,
            openings,
            missing: missing.into_iter(),
            played,
            stopper,
            progress,
            half_points: counts.half_points(),
            begun: Instant::now(),
            failed: None,
        })
    }

    fn next<G: Game>(&mut self, game: &G) -> Option<MatchGame<G>> {
        let number = self.missing.next()?;
        let no_opening = Opening { moves: Vec::new() };
        let pair = (number / 2) as usize;
        // Where there are fewer openings than pairs, they are used again.
        let opening = match self.openings.len() {
            0 => &no_opening,
            count => &self.openings[pair % count],
        };
        let plan = GameSetup {
            players: [&self.plan.players[0], &self.plan.players[1]],
            sources: self.sources,
            opening,
            number,
            seed: self.plan.seed,
            plies_max: self.plan.plies_max,
        };
        Some(MatchGame::new(game, &plan))
    }

    fn finished(
        &mut self,
        game: PlayedGame,
        counts: &LockstepCounts,
        observer: &mut dyn MatchObserver,
    ) {
        if let Some(store) = &mut self.store
            && let Err(error) = store.append(&game)
        {
            self.failed.get_or_insert(error);
        }
        self.half_points += MatchCounts::of(std::slice::from_ref(&game)).half_points();
        self.progress.games += 1;
        self.progress.score = self.half_points as f64 / (2 * self.progress.games) as f64;
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        self.progress.evaluations_per_second = counts.evaluations as f64 / seconds;
        observer.progress(&self.progress);
        if self.stopper.add(&game) {
            self.start_no_more();
        }
        self.played.push(game);
    }

    fn start_no_more(&mut self) {
        self.missing = Vec::new().into_iter();
    }

    fn end(mut self) -> Result<PlayedMatch, MatchError> {
        self.failed.map_or(Ok(()), |error| Err(MatchError::Store(error)))?;
        self.played.sort_by_key(|game| game.number);
        self.header.games = self.stopper.games_counted(self.plan.games);
        self.played.retain(|game| game.number < self.header.games);
        Ok(PlayedMatch { header: self.header, games: self.played })
    }
}

/// A game and the index of its match.
struct ScheduledGame<G: Game> {
    match_index: usize,
    game: MatchGame<G>,
}

impl<G: Game> Walker<G> for ScheduledGame<G> {
    fn walk(&mut self, readers: &Readers<G>) -> Option<Request<G>> {
        self.game.walk(readers)
    }

    fn apply(&mut self, evaluation: Evaluation) {
        self.game.apply(evaluation);
    }
}

struct Schedule<'a, 'p, 's, G: Game> {
    game: &'a G,
    matches: Vec<RunningMatch<'p, 's>>,
    observer: &'a mut dyn MatchObserver,
}

impl<G: Game> Roster<ScheduledGame<G>> for Schedule<'_, '_, '_, G> {
    type Error = EvaluatorError;

    fn next(&mut self) -> Option<ScheduledGame<G>> {
        let mut matches = self.matches.iter_mut().enumerate();
        matches.find_map(|(match_index, running)| {
            Some(ScheduledGame { match_index, game: running.next(self.game)? })
        })
    }

    fn finished(
        &mut self,
        scheduled: ScheduledGame<G>,
        counts: &LockstepCounts,
    ) -> Result<(), EvaluatorError> {
        let running = &mut self.matches[scheduled.match_index];
        running.finished(scheduled.game.into_record(), counts, self.observer);
        // Games that cannot be kept need not be played.
        if running.failed.is_some() || self.observer.stopped() {
            self.matches.iter_mut().for_each(RunningMatch::start_no_more);
        }
        Ok(())
    }
}
