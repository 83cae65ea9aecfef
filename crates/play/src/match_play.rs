//! Matches: paired games in lockstep, resumable.

use std::collections::BTreeSet;

use dz_game::Game;
use dz_infer::{
    Evaluation, EvaluatorError, Lockstep, LockstepCounts, Readers, Request, Roster, Sources, Walker,
};

use crate::{MatchGame, Opening, PlayedGame, PlayerSetup};

/// Who plays whom, how often and from where.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// Players A and B.
    pub players: [PlayerSetup; 2],
    /// Games; even. Games 2k and 2k + 1 start from opening k, with colours swapped.
    pub games: u64,
    /// Openings; taken from the start again where there are fewer than pairs.
    pub openings: Vec<Opening>,
    /// Fixes every random choice.
    pub seed: u64,
    /// A game that is not over by then counts as a draw.
    pub plies_max: u32,
}

/// Told of every game that ends, in the order in which they end; says whether to go on.
pub trait MatchProgress: Send {
    /// A game is over; `counts` are those of the lockstep. With `false` no more games are started;
    /// those in progress are finished.
    fn game_over(&mut self, game: &PlayedGame, counts: &LockstepCounts) -> bool;
}

impl<F: FnMut(&PlayedGame, &LockstepCounts) -> bool + Send> MatchProgress for F {
    fn game_over(&mut self, game: &PlayedGame, counts: &LockstepCounts) -> bool {
        self(game, counts)
    }
}

/// Plays the games of `plan` that are not among `played`, and returns all, by number.
///
/// # Errors
/// What the evaluators report.
pub fn play_match<G: Game>(
    game: &G,
    plan: &MatchPlan,
    played: Vec<PlayedGame>,
    lockstep: &Lockstep,
    sources: &mut Sources<G>,
    progress: &mut impl MatchProgress,
) -> Result<Vec<PlayedGame>, EvaluatorError> {
    let mut each = |_: usize, game: &PlayedGame, counts: &LockstepCounts| {
        if progress.game_over(game, counts) { Next::Play } else { Next::EndMatch }
    };
    let all = play_matches(game, vec![Fixture { plan, played }], lockstep, sources, &mut each)?;
    Ok(all.into_iter().flatten().collect())
}

/// What follows a game that has ended. Games in progress are finished in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// More games.
    Play,
    /// Its match starts no more.
    EndMatch,
    /// No match starts any more.
    EndAll,
}

/// One of several matches, and the games of it that are played already.
#[derive(Debug)]
pub struct Fixture<'a> {
    /// The match.
    pub plan: &'a MatchPlan,
    /// Finished games.
    pub played: Vec<PlayedGame>,
}

/// Plays several matches side by side, as one after another would come out: a match alone leaves
/// threads and devices idle when its last games go on, and its batches are small. Returns each
/// one's games, by number. `progress` is [`MatchProgress::game_over`], told the place of the game's
/// match.
///
/// # Errors
/// What the evaluators report.
pub fn play_matches<G: Game>(
    game: &G,
    fixtures: Vec<Fixture<'_>>,
    lockstep: &Lockstep,
    sources: &mut Sources<G>,
    progress: &mut (impl FnMut(usize, &PlayedGame, &LockstepCounts) -> Next + Send),
) -> Result<Vec<Vec<PlayedGame>>, EvaluatorError> {
    let mut players = fixtures.iter().flat_map(|fixture| &fixture.plan.players);
    let lockstep = if players.any(PlayerSetup::is_external) {
        // Every such game has a program of its own that thinks while the walk waits for it: as many
        // as there are threads, and all in one group, or groups would wait for each other.
        let threads = rayon::current_num_threads();
        Lockstep { parallel_games: lockstep.parallel_games.min(threads), groups: 1 }
    } else {
        *lockstep
    };
    let matches = fixtures.into_iter().map(Open::new).collect();
    let mut schedule = Schedule { game, matches, progress };
    lockstep.run(sources, &mut schedule)?;
    let all = schedule.matches.into_iter().map(|mut open| {
        open.played.sort_by_key(|game| game.number);
        open.played
    });
    Ok(all.collect())
}

/// A match in progress.
struct Open<'a> {
    plan: &'a MatchPlan,
    /// Numbers of the games to be started; none once it has ended.
    missing: std::vec::IntoIter<u64>,
    played: Vec<PlayedGame>,
}

impl<'a> Open<'a> {
    fn new(Fixture { plan, played }: Fixture<'a>) -> Self {
        let done: BTreeSet<u64> = played.iter().map(|game| game.number).collect();
        let missing: Vec<u64> = (0..plan.games).filter(|number| !done.contains(number)).collect();
        Self { plan, missing: missing.into_iter(), played }
    }

    fn next<G: Game>(&mut self, game: &G) -> Option<MatchGame<G>> {
        let number = self.missing.next()?;
        let plan = self.plan;
        let start = Opening { moves: Vec::new() };
        let pair = (number / 2) as usize;
        let opening = match plan.openings.len() {
            0 => &start,
            openings => &plan.openings[pair % openings],
        };
        let players = [&plan.players[0], &plan.players[1]];
        Some(MatchGame::new(game, players, opening, number, plan.seed, plan.plies_max))
    }

    fn end(&mut self) {
        self.missing = Vec::new().into_iter();
    }
}

/// A game and the place of its match.
struct Placed<G: Game> {
    place: usize,
    game: MatchGame<G>,
}

impl<G: Game> Walker<G> for Placed<G> {
    fn walk(&mut self, readers: &Readers<G>) -> Option<Request<G>> {
        self.game.walk(readers)
    }

    fn apply(&mut self, evaluation: Evaluation) {
        self.game.apply(evaluation);
    }
}

struct Schedule<'a, G: Game, P> {
    game: &'a G,
    matches: Vec<Open<'a>>,
    progress: &'a mut P,
}

impl<G: Game, P> Roster<Placed<G>> for Schedule<'_, G, P>
where
    P: FnMut(usize, &PlayedGame, &LockstepCounts) -> Next + Send,
{
    type Error = EvaluatorError;

    fn next(&mut self) -> Option<Placed<G>> {
        let mut games = self.matches.iter_mut().enumerate();
        games.find_map(|(place, open)| Some(Placed { place, game: open.next(self.game)? }))
    }

    fn finished(
        &mut self,
        walker: Placed<G>,
        counts: &LockstepCounts,
    ) -> Result<(), EvaluatorError> {
        let record = walker.game.into_record();
        match (self.progress)(walker.place, &record, counts) {
            Next::Play => {}
            Next::EndMatch => self.matches[walker.place].end(),
            Next::EndAll => self.matches.iter_mut().for_each(Open::end),
        }
        self.matches[walker.place].played.push(record);
        Ok(())
    }
}
