//! Playing a sheet by the rules, as far as they allow it.

use dz_game::{Game, Move, Player, Status};

use crate::{
    Break, BreakCause, By, Format, Notes, Played, Record, RecordEnd, RecordError, RecordedMove,
    Score, Sheet, SheetMove, Winner, error::short, replay::Replay, setup,
};

/// The most breaks of a record. No real game has so many, and each costs the text of a position.
const BREAKS_MAX: usize = 2000;

impl Sheet {
    /// Plays the sheet by the rules of `game`, checking every move.
    ///
    /// Events that moves cannot express begin a new position ([`Break`]): stones that are set up, a
    /// player who moves twice in a row, a game that is played on after its end. No passes are
    /// invented. In games without such positions a move out of turn is an error, and moves after
    /// the end are left out with a note.
    ///
    /// # Errors
    /// [`RecordError::Variant`], [`RecordError::Start`], [`RecordError::Move`] or
    /// [`RecordError::Turn`] with the line.
    pub fn play<G: Game>(&self, game: &G) -> Result<Played, RecordError> {
        if let Some(variant) = &self.variant {
            return Err(RecordError::Variant { line: self.line, variant: short(variant) });
        }
        let mut player = SheetPlayer::new(self, game)?;
        player.set_up(0)?;
        for (index, written) in self.moves.iter().enumerate() {
            if index > 0 {
                player.set_up(index)?;
            }
            player.play_written(index, written)?;
        }
        if !self.moves.is_empty() {
            player.set_up(self.moves.len())?;
        }
        Ok(player.finish())
    }

    /// Returns how the game ended: by the rules if they end it, else as the sheet states. A decided
    /// game of chess without mate was resigned.
    fn end(&self, status: Status) -> RecordEnd {
        let Score { winner, by } = self.score;
        match (status, winner) {
            (Status::Over(outcome), _) => RecordEnd::Rules(outcome),
            (_, Winner::Unknown) => RecordEnd::Open,
            (_, Winner::Draw) => RecordEnd::Adjudicated { winner: None },
            (_, Winner::Player(player)) => {
                let resigned = by == By::Rules && self.format == Format::Pgn;
                if resigned || by == By::Resignation {
                    RecordEnd::Resigned { loser: player.opponent() }
                } else {
                    RecordEnd::Adjudicated { winner: Some(player) }
                }
            }
        }
    }
}

/// Plays a sheet move by move.
struct SheetPlayer<'a, G: Game> {
    sheet: &'a Sheet,
    game: &'a G,
    position: Replay<'a, G>,
    start: Option<String>,
    moves: Vec<RecordedMove>,
    sources: Vec<Option<u32>>,
    breaks: Vec<Break>,
    /// Who moved from the last position that was set up, and the number of moves before it.
    turn: (Player, usize),
    left_out: Vec<String>,
    /// Moves that were read so far, for messages: in plain text a word may be several.
    read: usize,
    notes: Notes,
}

impl<'a, G: Game> SheetPlayer<'a, G> {
    fn new(sheet: &'a Sheet, game: &'a G) -> Result<Self, RecordError> {
        let position = Replay::new(game, sheet.start.as_deref(), sheet.line)?;
        let turn = (position.mover().unwrap_or(Player::First), 0);
        Ok(Self {
            sheet,
            game,
            position,
            start: sheet.start.clone(),
            moves: Vec::with_capacity(sheet.moves.len()),
            sources: Vec::with_capacity(sheet.moves.len()),
            breaks: Vec::new(),
            turn,
            left_out: Vec::new(),
            read: 0,
            notes: sheet.notes.clone(),
        })
    }

    /// Sets up what comes before a move of the sheet.
    fn set_up(&mut self, before: usize) -> Result<(), RecordError> {
        let sheet = self.sheet;
        let from = sheet.setups.partition_point(|set_up| set_up.before < before);
        let setups = &sheet.setups[from..];
        let setups = &setups[..setups.partition_point(|set_up| set_up.before == before)];
        let Some(first) = setups.first() else { return Ok(()) };
        if self.game.position_of(&self.position.stones(), Player::First).is_none() {
            return setup::check_start(sheet, setups, self.game);
        }
        let mut stones = self.position.stones();
        let mut mover = setup::apply(setups, &mut stones, &self.position, &mut self.notes)?;
        // The player of the next move decides whose turn it is.
        let next = sheet.moves.get(before).and_then(|mv| mv.player);
        mover = next.or(mover);
        let unchanged = stones == self.position.stones();
        let natural = self.position.mover();
        if unchanged && (natural == mover || mover.is_none()) {
            return Ok(());
        }
        let black_only = !stones.contains(&Some(Player::Second));
        let handicap = self.moves.is_empty() && black_only && !unchanged;
        let usual = if handicap { Player::Second } else { natural.unwrap_or(Player::First) };
        self.continue_from_stones(mover.unwrap_or(usual), &stones, BreakCause::SetUp, first.line)
    }

    /// Continues from a position with these stones: the start of the game if nothing was played,
    /// else a break.
    fn continue_from_stones(
        &mut self,
        mover: Player,
        stones: &[Option<Player>],
        cause: BreakCause,
        line: usize,
    ) -> Result<(), RecordError> {
        let position = self.game.position_of(stones, mover).unwrap_or_default();
        self.continue_from(position, mover, cause, line)
    }

    fn continue_from(
        &mut self,
        position: String,
        mover: Player,
        cause: BreakCause,
        line: usize,
    ) -> Result<(), RecordError> {
        self.position.set_position(&position, line)?;
        self.turn = (mover, self.moves.len());
        if self.moves.is_empty() && self.sheet.format == Format::Sgf {
            self.start = Some(position);
            return Ok(());
        }
        if self.breaks.len() == BREAKS_MAX {
            let what =
                format!("more than {BREAKS_MAX} positions do not follow from the moves before");
            return Err(RecordError::Start { line, what });
        }
        let ply = self.moves.len();
        let said = match cause {
            BreakCause::Turn => Some(format!("the {} player moves twice in a row", mover.name())),
            BreakCause::SetUp => Some("stones are set up in the middle of the game".to_owned()),
            BreakCause::AfterEnd => {
                Some("the rules end the game here, and it is played on".to_owned())
            }
            BreakCause::Repetition => Some("the move repeats a position".to_owned()),
        };
        // A handicap of single stones is noted once.
        let again = self.breaks.last().is_some_and(|last| last.cause == cause);
        if let Some(said) = said.filter(|_| !again) {
            self.notes.add(line, format!("{said}: read on from the position after move {ply}"));
        }
        self.breaks.push(Break { ply, position, mover, cause });
        Ok(())
    }

    /// Plays what is written as one move; in plain text it may be a list.
    fn play_written(&mut self, index: usize, written: &SheetMove) -> Result<(), RecordError> {
        let words = if self.sheet.format.is_community() {
            vec![written.text.as_str()]
        } else {
            self.game.split_moves(&written.text)
        };
        let mut played = false;
        for text in words {
            self.read += 1;
            if !self.left_out.is_empty() || !self.take_turn(written)? {
                self.left_out.push(text.to_owned());
                continue;
            }
            let mv = self.read_move(written, text)?;
            self.push(mv, Some(index));
            played = true;
        }
        if let Some(last) = self.moves.last_mut().filter(|_| played) {
            last.comment.clone_from(&written.comment);
        }
        Ok(())
    }

    fn push(&mut self, mv: Move, source: Option<usize>) {
        self.position.play(mv);
        self.moves.push(RecordedMove { mv, comment: None });
        self.sources.push(source.and_then(|index| u32::try_from(index).ok()));
    }

    /// Makes the player of a move the mover. False if the game is over and cannot go on.
    fn take_turn(&mut self, written: &SheetMove) -> Result<bool, RecordError> {
        let line = written.line;
        let Some(mover) = self.position.update_legal() else {
            let natural = self.natural_mover();
            // In chess the text of a position says who moves.
            let players =
                written.player.map_or([natural, natural.opponent()], |player| [player; 2]);
            let on = players.into_iter().find_map(|p| Some((p, self.position.position_for(p)?)));
            let Some((player, position)) = on else { return Ok(false) };
            if self.breaks.len() == BREAKS_MAX {
                return Ok(false);
            }
            let turned = written.player.is_some_and(|player| player != natural);
            let cause = if turned { BreakCause::Turn } else { BreakCause::AfterEnd };
            self.continue_from(position, player, cause, line)?;
            self.position.update_legal();
            return Ok(true);
        };
        let Some(player) = written.player.filter(|&player| player != mover) else {
            return Ok(true);
        };
        if let Some(forced) = self.position.unrecorded_move() {
            self.push(forced, None);
            self.position.update_legal();
            return Ok(true);
        }
        let stones = self.position.stones();
        if self.game.position_of(&stones, player).is_none() {
            let number = self.read;
            return Err(RecordError::Turn { number, line, to_move: mover.name() });
        }
        self.continue_from_stones(player, &stones, BreakCause::Turn, line)?;
        self.position.update_legal();
        Ok(true)
    }

    /// Returns who would move next if the game were not over.
    fn natural_mover(&self) -> Player {
        let (mover, from) = self.turn;
        if (self.moves.len() - from).is_multiple_of(2) { mover } else { mover.opponent() }
    }

    /// Returns the legal move that a text names.
    fn read_move(&mut self, written: &SheetMove, text: &str) -> Result<Move, RecordError> {
        let format = self.sheet.format;
        let number = self.read;
        let line = written.line;
        let error = |source| RecordError::Move { number, line, source };
        let mv = self.position.parse(text, format).map_err(error)?;
        if self.position.is_legal(mv) {
            return Ok(mv);
        }
        let illegal = error(self.position.illegal(text, format));
        // The original game's rules may allow a move that ours forbid because of the past.
        let mover = self.position.mover().ok_or_else(|| illegal.clone())?;
        let stones = self.position.stones();
        let free = |position: &Replay<'_, G>| position.is_legal(mv);
        let position = self.game.position_of(&stones, mover).ok_or_else(|| illegal.clone())?;
        let mut without_past = Replay::new(self.game, Some(&position), line)?;
        without_past.update_legal();
        if !free(&without_past) {
            return Err(illegal);
        }
        self.continue_from(position, mover, BreakCause::Repetition, line)?;
        self.position.update_legal();
        Ok(mv)
    }

    fn finish(mut self) -> Played {
        let sheet = self.sheet;
        let status = self.position.status();
        let after = self.left_out.len();
        let ply = self.moves.len();
        if let Some(first) = self.left_out.first() {
            let line = sheet.moves.iter().find(|mv| mv.text.contains(first.as_str()));
            let what =
                format!("the rules end the game after move {ply}; {after} more moves are left out");
            self.notes.add(line.map_or(0, |mv| mv.line), what);
        }
        let end = sheet.end(status);
        if let Status::Over(outcome) = status {
            let ruled = outcome.winner.map_or(Winner::Draw, Winner::Player);
            if ![Winner::Unknown, ruled].contains(&sheet.score.winner) {
                let stated = sheet.score;
                let ruled = Score { winner: ruled, by: By::Rules };
                let what = format!("the record states {stated}, by the rules it is {ruled}");
                self.notes.add(sheet.line, what);
            }
        }
        let Self { start, moves, sources, breaks, left_out, notes, .. } = self;
        let record = Record { header: sheet.header.clone(), start, moves, breaks, end };
        Played { record, stated: sheet.score, moves_after_end: after, left_out, sources, notes }
    }
}
