//! A match in progress: which games have begun, which are finished, and how it stands.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::time::Instant;

use dz_game::Game;
use dz_infer::LockstepCounts;

use crate::early_stop::EarlyStopper;
use crate::match_file::{FORMAT, KIND, MatchHeader, PlayedMatch, PlayerHeader};
use crate::match_plan::{GameStore, Match, MatchError, MatchObserver, MatchProgress, MatchTask};
use crate::pool::BoxError;
use crate::scheduler::SharedMatch;
use crate::{
    GameSetup, MatchCounts, MatchGame, Opening, PlayedGame, PlayerPool, Ready, distinct_openings,
};

/// A match whose players are ready: all that fixes its games.
#[derive(Debug)]
pub struct PreparedMatch<'p> {
    plan: &'p Match,
    header: MatchHeader,
    /// Sources of players A and B.
    ready: [Ready; 2],
    openings: Vec<Opening>,
}

impl<'p> PreparedMatch<'p> {
    /// Makes the players ready and samples the openings.
    ///
    /// # Errors
    /// [`MatchError::Player`].
    pub fn new<G: Game>(plan: &'p Match, pool: &mut PlayerPool<G>) -> Result<Self, MatchError> {
        let failed = |error| MatchError::Player { pair: plan.pair(), source: Box::new(error) };
        let [a, b] = &plan.players;
        let ready = [pool.prepare(a).map_err(failed)?, pool.prepare(b).map_err(failed)?];
        let pairs = plan.games.div_ceil(2) as usize;
        let openings = distinct_openings(pool.game(), plan.opening_plies, pairs, plan.seed);
        let game = pool.game().spec().to_string();
        let ids = pool.sources().ids();
        // With the hashes of files that a player's moves depend on.
        let id_of = |seat: usize| {
            let id = ids.get(ready[seat].source).map_or("", String::as_str);
            ready[seat].guide.named(id)
        };
        let header = MatchHeader {
            kind: KIND.to_owned(),
            format: FORMAT,
            game,
            players: [PlayerHeader::of(a, &id_of(0)), PlayerHeader::of(b, &id_of(1))],
            games: plan.games,
            openings: openings.len() as u64,
            opening_plies: plan.opening_plies,
            seed: plan.seed,
            plies_max: plan.plies_max,
            other_evaluators: Vec::new(),
        };
        Ok(Self { plan, header, ready, openings })
    }

    /// The header of the match's file.
    pub const fn header(&self) -> &MatchHeader {
        &self.header
    }

    /// The match's openings, by pair; used again where there are fewer than pairs.
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// The game of this number, at its beginning.
    fn game<G: Game>(&self, game: &G, number: u64) -> MatchGame<G> {
        let no_opening = Opening { moves: Vec::new() };
        let pair = (number / 2) as usize;
        // Where there are fewer openings than pairs, they are used again.
        let opening = match self.openings.len() {
            0 => &no_opening,
            count => &self.openings[pair % count],
        };
        let setup = GameSetup {
            players: [&self.plan.players[0], &self.plan.players[1]],
            ready: self.ready.each_ref(),
            opening,
            number,
            seed: self.plan.seed,
            plies_max: self.plan.plies_max,
        };
        MatchGame::new(game, &setup)
    }
}

/// A match in progress.
pub(crate) struct RunningMatch<'p, 's> {
    prepared: PreparedMatch<'p>,
    store: Option<&'s mut dyn GameStore>,
    /// Numbers of the games that are to begin here, in this order.
    pending: VecDeque<u64>,
    /// Numbers of games that are pending, have begun here or are finished.
    taken: BTreeSet<u64>,
    /// Finished games.
    played: BTreeMap<u64, PlayedGame>,
    /// Those of them that were played elsewhere, with the evaluators if they are other ones.
    others: BTreeMap<u64, Vec<String>>,
    stopper: EarlyStopper,
    progress: MatchProgress,
    /// Twice A's points so far.
    half_points: u64,
    begun: Instant,
    /// The first game that could not be stored.
    pub(crate) failed: Option<BoxError>,
}

impl<'p, 's> RunningMatch<'p, 's> {
    /// Loads the players, reads finished games from the store and reports the match. No game is to
    /// begin yet.
    pub(crate) fn begin<G: Game>(
        task: MatchTask<'p, 's>,
        pool: &mut PlayerPool<G>,
        observer: &mut dyn MatchObserver,
    ) -> Result<Self, MatchError> {
        let MatchTask { plan, mut store } = task;
        let prepared = PreparedMatch::new(plan, pool)?;
        let played = match &mut store {
            Some(store) => store.open(&prepared.header).map_err(MatchError::Store)?,
            None => Vec::new(),
        };
        let stopper = EarlyStopper::new(plan.early_stop, plan.games, &played);
        let counts = MatchCounts::of(&played);
        let [a, b] = &plan.players;
        let progress = MatchProgress {
            a: a.name.clone(),
            b: b.name.clone(),
            games: counts.games,
            games_total: plan.games,
            score: counts.score(),
            evaluations_per_second: 0.0,
        };
        observer.begins(&progress);
        let played: BTreeMap<u64, PlayedGame> =
            played.into_iter().map(|game| (game.number, game)).collect();
        Ok(Self {
            prepared,
            store,
            pending: VecDeque::new(),
            taken: played.keys().copied().collect(),
            played,
            others: BTreeMap::new(),
            stopper,
            progress,
            half_points: counts.half_points(),
            begun: Instant::now(),
            failed: None,
        })
    }

    /// The match as a scheduler sees it, with the finished games as a list.
    pub(crate) fn shared<'a>(&'a self, played: &'a [PlayedGame]) -> SharedMatch<'a> {
        let PreparedMatch { plan, header, openings, .. } = &self.prepared;
        SharedMatch { plan, header, openings, played, is_over: self.is_over() }
    }

    /// The finished games, by number.
    pub(crate) fn played(&self) -> Vec<PlayedGame> {
        self.played.values().cloned().collect()
    }

    /// All games of the match.
    pub(crate) const fn numbers(&self) -> Range<u64> {
        0..self.prepared.plan.games
    }

    /// Lets those of these games begin here that have not begun and are wanted.
    pub(crate) fn begin_here(&mut self, games: Range<u64>) {
        if !self.is_over() {
            self.pending.extend(games.filter(|&number| self.taken.insert(number)));
        }
    }

    /// Whether a game is left to begin here.
    pub(crate) fn has_games(&self) -> bool {
        !self.pending.is_empty()
    }

    /// The next game to begin here, if one is left.
    pub(crate) fn next<G: Game>(&mut self, game: &G) -> Option<MatchGame<G>> {
        let number = self.pending.pop_front()?;
        Some(self.prepared.game(game, number))
    }

    /// Takes a game that has ended here: stores, counts and reports it.
    pub(crate) fn finished(
        &mut self,
        game: PlayedGame,
        counts: &LockstepCounts,
        observer: &mut dyn MatchObserver,
    ) {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        self.progress.evaluations_per_second = counts.evaluations as f64 / seconds;
        if self.played.contains_key(&game.number) {
            // Another machine was faster.
            return;
        }
        if let Some(store) = &mut self.store
            && let Err(error) = store.append(&game)
        {
            self.failed.get_or_insert(error);
        }
        self.count(game);
        observer.progress(&self.progress);
    }

    /// Takes games that were played elsewhere.
    pub(crate) fn take(
        &mut self,
        games: Vec<PlayedGame>,
        other_evaluators: &[String],
        observer: &mut dyn MatchObserver,
    ) {
        for game in games {
            if !self.played.contains_key(&game.number) {
                self.taken.insert(game.number);
                self.others.insert(game.number, other_evaluators.to_vec());
                self.count(game);
            }
        }
        observer.progress(&self.progress);
    }

    /// Gives those of these games back that were played elsewhere.
    pub(crate) fn take_back(&mut self, games: Range<u64>) {
        for number in games {
            if self.others.remove(&number).is_some() {
                self.played.remove(&number);
                self.taken.remove(&number);
            }
        }
        let (plan, played) = (self.prepared.plan, self.played());
        self.stopper = EarlyStopper::new(plan.early_stop, plan.games, &played);
        let counts = MatchCounts::of(&played);
        self.half_points = counts.half_points();
        (self.progress.games, self.progress.score) = (counts.games, counts.score());
    }

    fn count(&mut self, game: PlayedGame) {
        self.half_points += MatchCounts::of(std::slice::from_ref(&game)).half_points();
        self.progress.games += 1;
        self.progress.score = self.half_points as f64 / (2 * self.progress.games) as f64;
        if self.stopper.add(&game) {
            self.start_no_more();
        }
        self.played.insert(game.number, game);
    }

    /// Whether no more games are wanted: the match is decided, or all of them are here.
    pub(crate) fn is_over(&self) -> bool {
        self.stopper.is_decided() || self.played.len() as u64 == self.prepared.plan.games
    }

    /// Lets no more games begin.
    pub(crate) fn start_no_more(&mut self) {
        for number in self.pending.drain(..) {
            self.taken.remove(&number);
        }
    }

    /// Games that count: up to the pair that decided the match.
    fn games_counted(&self) -> u64 {
        self.stopper.games_counted(self.prepared.plan.games)
    }

    /// Stores the games that were played elsewhere and count. Those of other evaluators are left
    /// out, since the store does not record which evaluators played them.
    pub(crate) fn keep_others(&mut self) -> Result<(), BoxError> {
        let counted = self.games_counted();
        let Some(store) = &mut self.store else { return Ok(()) };
        for (number, _) in self.others.range(..counted).filter(|(_, ids)| ids.is_empty()) {
            if let Some(game) = self.played.get(number) {
                store.append(game)?;
            }
        }
        Ok(())
    }

    /// The match with the games that count.
    pub(crate) fn end(mut self) -> Result<PlayedMatch, MatchError> {
        let counted = self.games_counted();
        self.failed.map_or(Ok(()), |error| Err(MatchError::Store(error)))?;
        let ids: BTreeSet<&String> =
            self.others.range(..counted).flat_map(|(_, ids)| ids).collect();
        let mut header = self.prepared.header;
        header.games = counted;
        header.other_evaluators = ids.into_iter().cloned().collect();
        let games = self.played.split_off(&0).into_values();
        let games = games.filter(|game| game.number < counted).collect();
        Ok(PlayedMatch { header, games })
    }
}
