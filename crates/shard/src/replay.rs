//! Playing a record again, checking every move against the rules.

use dz_game::{Game, Move, Player, Status};

use crate::{GameEnd, GameRecord, PlyRecord, ShardError, TurnsBelow, WdlShares};

/// A position of a game, before one of its recorded plies.
#[derive(Clone, Debug)]
pub struct Position<G: Game> {
    /// The position.
    pub state: G::State,
    /// Its past.
    pub history: G::History,
    /// Who moves.
    pub mover: Player,
    /// Plies from the start of the game.
    pub ply: u16,
}

/// The positions before each recorded ply, checked as [`replay_with`] does.
///
/// # Errors
/// [`ShardError::Replay`].
pub fn replay<G: Game>(game: &G, record: &GameRecord) -> Result<Vec<Position<G>>, ShardError> {
    let mut positions = Vec::with_capacity(record.plies.len());
    replay_with(game, record, |position, _| {
        positions.push(position.clone());
        Ok(())
    })?;
    Ok(positions)
}

/// Replays a game with its own komi, if it has one, and calls `visit` with each position before a
/// recorded ply. `game` is that of the shard. For these positions it gives the same answers as the
/// variant with that komi.
///
/// The replay checks that every played, visited and targeted move is legal, that the outcome is
/// right, and that players resigned exactly when the record's thresholds say so. For a reanalyzed
/// game the record of its parent shows who resigned.
///
/// # Errors
/// [`ShardError::Replay`], or the first error of `visit`.
pub fn replay_with<G: Game>(
    game: &G,
    record: &GameRecord,
    visit: impl FnMut(&Position<G>, &PlyRecord) -> Result<(), ShardError>,
) -> Result<(), ShardError> {
    replay_to_end(game, record, visit).map(drop)
}

/// As [`replay_with`]; answers the position after the last ply.
///
/// # Errors
/// As [`replay_with`].
pub(crate) fn replay_to_end<G: Game>(
    game: &G,
    record: &GameRecord,
    mut visit: impl FnMut(&Position<G>, &PlyRecord) -> Result<(), ShardError>,
) -> Result<G::State, ShardError> {
    let rules = record.rules(game)?;
    let mut replay = Replay::new(&rules, record);
    for &mv in &record.start_moves {
        replay.look()?;
        replay.play(mv)?;
    }
    for ply in &record.plies {
        replay.look()?;
        replay.check_searched(ply)?;
        replay.check_resign(ply)?;
        visit(&replay.position, ply)?;
        replay.play(ply.mv)?;
    }
    replay.check_end()?;
    Ok(replay.position.state)
}

struct Replay<'a, G: Game> {
    game: &'a G,
    record: &'a GameRecord,
    position: Position<G>,
    legal: Vec<Move>,
    below: TurnsBelow,
    last_mover: Option<Player>,
}

impl<'a, G: Game> Replay<'a, G> {
    fn new(game: &'a G, record: &'a GameRecord) -> Self {
        let position = Position {
            state: game.start(),
            history: G::History::default(),
            mover: Player::First,
            ply: 0,
        };
        let below = TurnsBelow::default();
        Self { game, record, position, legal: Vec::new(), below, last_mover: None }
    }

    /// Finds the mover and the legal moves of the position.
    fn look(&mut self) -> Result<(), ShardError> {
        let Position { state, history, .. } = &self.position;
        match self.game.status(state, history) {
            Status::ToMove(player) => {
                self.game.legal_moves(state, history, &mut self.legal);
                self.position.mover = player;
                Ok(())
            }
            Status::Over(_) => Err(self.error("the game was already over".to_owned())),
        }
    }

    fn check_legal(&self, mv: Move, what: &str) -> Result<(), ShardError> {
        if self.legal.binary_search(&mv).is_ok() {
            return Ok(());
        }
        // Formatting is for legal moves only, so the number is shown.
        Err(self.error(format!("{what} number {} is not legal", mv.0)))
    }

    fn check_searched(&self, ply: &PlyRecord) -> Result<(), ShardError> {
        let target = ply.target.iter().flatten().map(|&(mv, _)| mv);
        for mv in ply.visits.iter().map(|&(mv, _)| mv).chain(target) {
            self.check_legal(mv, "visited move")?;
        }
        Ok(())
    }

    /// Checks that no resignation was due where the mover went on, and the flag of the ply.
    fn check_resign(&mut self, ply: &PlyRecord) -> Result<(), ShardError> {
        let mover = self.position.mover;
        if let Some(loser) = self.due(mover) {
            return Err(self.error(format!("the {} player had to resign", loser.name())));
        }
        // Where players resign at once, the root's value may be above.
        let below = |root| {
            self.record.resign.is_some_and(|resign| resign.is_at_once() || resign.is_below(root))
        };
        if ply.is_below() && !WdlShares::new(ply.root_value).is_some_and(below) {
            let what = "the ply is marked as below the resign threshold and is not";
            return Err(self.error(what.to_owned()));
        }
        self.below.add(mover, ply);
        self.last_mover = Some(mover);
        Ok(())
    }

    /// Whom the thresholds make resign now that it is `mover`'s turn. Nobody resigns anew in a game
    /// that is reanalyzed.
    fn due(&self, mover: Player) -> Option<Player> {
        let enforced = self.record.resign.filter(|resign| resign.enforced);
        let enforced = enforced.filter(|_| self.record.reanalyzed().is_none());
        enforced.and_then(|resign| self.below.resigner(mover, &resign))
    }

    /// Checks that the right player resigned, and had to. In a reanalyzed game only the original's
    /// turns show the latter.
    fn check_resigned(&self, mover: Player) -> Result<(), ShardError> {
        let at_once = self.record.resign.is_some_and(|resign| resign.is_at_once());
        let loser = if at_once { self.last_mover } else { Some(mover) };
        let Some(winner) =
            self.record.outcome.winner.filter(|winner| loser == Some(winner.opponent()))
        else {
            return Err(self.wrong_end(&format!("{:?}", Status::ToMove(mover))));
        };
        if self.due(mover) == Some(winner.opponent()) || self.record.reanalyzed().is_some() {
            return Ok(());
        }
        let who = if at_once { "who moved last" } else { "the player to move" };
        Err(self.error(format!("the resign thresholds do not make {who} resign")))
    }

    fn wrong_end(&self, rules: &str) -> ShardError {
        let GameRecord { end, outcome, .. } = self.record;
        self.error(format!("the record ends {end:?} with {outcome:?}, but the rules give {rules}"))
    }

    fn play(&mut self, mv: Move) -> Result<(), ShardError> {
        self.check_legal(mv, "move")?;
        let Position { state, history, ply, .. } = &mut self.position;
        self.game.advance(state, history, mv);
        *ply += 1;
        Ok(())
    }

    fn check_end(&self) -> Result<(), ShardError> {
        let Position { state, history, .. } = &self.position;
        let outcome = self.record.outcome;
        match (self.game.status(state, history), self.record.end) {
            (Status::Over(over), GameEnd::Rules) if over == outcome => Ok(()),
            (Status::ToMove(mover), GameEnd::Resigned) => self.check_resigned(mover),
            (Status::ToMove(_), GameEnd::PlyLimit) => Ok(()),
            (status, _) => Err(self.wrong_end(&format!("{status:?}"))),
        }
    }

    fn error(&self, what: String) -> ShardError {
        let ply = usize::from(self.position.ply);
        ShardError::Replay { game: self.record.number, ply, what }
    }
}
