//! A match in progress: which games have begun, which are finished, and how it stands.

use std::collections::BTreeSet;
use std::time::Instant;

use dz_game::Game;
use dz_infer::LockstepCounts;

use crate::early_stop::EarlyStopper;
use crate::match_file::{FORMAT, KIND, MatchHeader, PlayedMatch, PlayerHeader};
use crate::match_plan::{GameStore, Match, MatchError, MatchObserver, MatchProgress, MatchTask};
use crate::pool::BoxError;
use crate::{
    GameSetup, MatchCounts, MatchGame, Opening, PlayedGame, PlayerPool, Ready, distinct_openings,
};

/// A match in progress.
pub(crate) struct RunningMatch<'p, 's> {
    plan: &'p Match,
    store: Option<&'s mut dyn GameStore>,
    header: MatchHeader,
    /// Sources of players A and B.
    ready: [Ready; 2],
    openings: Vec<Opening>,
    /// Numbers of the games that have not begun.
    missing: std::vec::IntoIter<u64>,
    played: Vec<PlayedGame>,
    stopper: EarlyStopper,
    progress: MatchProgress,
    /// Twice A's points so far.
    half_points: u64,
    begun: Instant,
    /// The first game that could not be stored.
    pub(crate) failed: Option<BoxError>,
}

impl<'p, 's> RunningMatch<'p, 's> {
    /// Loads the players, reads finished games from the store and reports the match.
    pub(crate) fn begin<G: Game>(
        task: MatchTask<'p, 's>,
        pool: &mut PlayerPool<G>,
        observer: &mut dyn MatchObserver,
    ) -> Result<Self, MatchError> {
        let MatchTask { plan, mut store } = task;
        let failed = |error| MatchError::Player { pair: plan.pair(), source: Box::new(error) };
        let [a, b] = &plan.players;
        let ready = [pool.prepare(a).map_err(failed)?, pool.prepare(b).map_err(failed)?];
        let pairs = plan.games.div_ceil(2) as usize;
        let openings = distinct_openings(pool.game(), plan.opening_plies, pairs, plan.seed);
        let game = pool.game().spec().to_string();
        let ids = pool.sources().ids();
        let id_of = |seat: usize| ids.get(ready[seat].source).map_or("", String::as_str);
        let header = MatchHeader {
            kind: KIND.to_owned(),
            format: FORMAT,
            game,
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
            ready,
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

    /// The next game to begin, if one is left.
    pub(crate) fn next<G: Game>(&mut self, game: &G) -> Option<MatchGame<G>> {
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
            ready: self.ready.each_ref(),
            opening,
            number,
            seed: self.plan.seed,
            plies_max: self.plan.plies_max,
        };
        Some(MatchGame::new(game, &plan))
    }

    /// Takes a finished game: stores, counts and reports it.
    pub(crate) fn finished(
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

    /// Lets no more games begin.
    pub(crate) fn start_no_more(&mut self) {
        self.missing = Vec::new().into_iter();
    }

    /// The match with the games that count.
    pub(crate) fn end(mut self) -> Result<PlayedMatch, MatchError> {
        self.failed.map_or(Ok(()), |error| Err(MatchError::Store(error)))?;
        sort_by_number(&mut self.played);
        self.header.games = self.stopper.games_counted(self.plan.games);
        self.played.retain(|game| game.number < self.header.games);
        Ok(PlayedMatch { header: self.header, games: self.played })
    }
}

/// Not generic, so that it is compiled once and not for every game.
fn sort_by_number(games: &mut [PlayedGame]) {
    games.sort_by_key(|game| game.number);
}
