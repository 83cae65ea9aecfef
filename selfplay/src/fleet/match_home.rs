//! The home of matches with workers: an arena that offers segments of the gatekeeper's matches.

use dz_game::{GameSpec, Move};
use dz_infer::Lockstep;
use dz_play::{
    Arena, CheckError, MatchError, MatchObserver, MatchPlayer, MatchTask, Opening, PlayedMatch,
    PlayerError, PositionCheck, Preserved, ProbedPosition,
};
use dz_stage::StageContext;

use super::match_context::MatchContext;
use super::match_scheduler::HomeScheduler;

/// Returns an arena that plays matches together with the workers of a run. Without workers it is
/// `arena` itself. Everything but matches happens in `arena`, and so do matches with a player that
/// workers cannot have. `version` is that of this program: workers of another one are refused.
pub fn share_matches(
    arena: Box<dyn Arena>,
    context: &StageContext,
    cycle: u32,
    version: &str,
) -> Box<dyn Arena> {
    if context.config.mailbox().is_none() {
        return arena;
    }
    let context = MatchContext {
        run: context.run.clone(),
        config: context.config.clone(),
        events: context.events.clone(),
        stop: context.stop.clone(),
        spec: arena.spec(),
        cycle,
        version: version.to_owned(),
    };
    Box::new(SharedArena { arena, context })
}

struct SharedArena {
    arena: Box<dyn Arena>,
    context: MatchContext,
}

impl Arena for SharedArena {
    fn spec(&self) -> GameSpec {
        self.arena.spec()
    }

    fn prepare(&mut self, player: &MatchPlayer) -> Result<usize, PlayerError> {
        self.arena.prepare(player)
    }

    fn play(
        &mut self,
        tasks: Vec<MatchTask<'_, '_>>,
        lockstep: &Lockstep,
        observer: &mut dyn MatchObserver,
    ) -> Result<Vec<PlayedMatch>, MatchError> {
        let mut scheduler = HomeScheduler::new(self.context.clone());
        self.arena.play_with(tasks, lockstep, observer, &mut scheduler)
    }

    fn play_with(
        &mut self,
        tasks: Vec<MatchTask<'_, '_>>,
        lockstep: &Lockstep,
        observer: &mut dyn MatchObserver,
        scheduler: &mut dyn dz_play::MatchScheduler,
    ) -> Result<Vec<PlayedMatch>, MatchError> {
        self.arena.play_with(tasks, lockstep, observer, scheduler)
    }

    fn check(
        &mut self,
        player: &MatchPlayer,
        positions: &[PositionCheck],
        playouts: u32,
        lockstep: &Lockstep,
    ) -> Result<Vec<Preserved>, CheckError> {
        self.arena.check(player, positions, playouts, lockstep)
    }

    fn probe(
        &mut self,
        player: &MatchPlayer,
        positions: &[Vec<Move>],
        lockstep: &Lockstep,
    ) -> Result<Vec<ProbedPosition>, CheckError> {
        self.arena.probe(player, positions, lockstep)
    }

    fn samples(&self, seed: u64) -> Vec<Vec<Move>> {
        self.arena.samples(seed)
    }

    fn openings(&self, plies: u32, count: usize, seed: u64) -> Vec<Opening> {
        self.arena.openings(plies, count, seed)
    }
}
