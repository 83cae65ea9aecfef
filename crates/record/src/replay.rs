//! The current position while a record is played.

use dz_game::{Game, GameError, Move, Player, Status};

use crate::{Format, RecordError, error::short};

/// A position with its history and its legal moves.
pub(crate) struct Replay<'a, G: Game> {
    game: &'a G,
    pub(crate) state: G::State,
    history: G::History,
    legal: Vec<Move>,
}

impl<'a, G: Game> Replay<'a, G> {
    /// Makes the game's start, or the position that a text describes.
    pub(crate) fn new(game: &'a G, start: Option<&str>, line: usize) -> Result<Self, RecordError> {
        let state = game.start();
        let history = G::History::default();
        let mut replay = Self { game, state, history, legal: Vec::new() };
        if let Some(start) = start {
            replay.set_position(start, line)?;
        }
        Ok(replay)
    }

    /// Sets the position that a text describes, with an empty history.
    pub(crate) fn set_position(&mut self, position: &str, line: usize) -> Result<(), RecordError> {
        let state = self.game.parse_position(position);
        self.state = state.map_err(|e| RecordError::Start { line, what: short(&e.to_string()) })?;
        self.history = G::History::default();
        self.legal.clear();
        Ok(())
    }

    pub(crate) fn status(&self) -> Status {
        self.game.status(&self.state, &self.history)
    }

    /// Returns who moves, if the game goes on.
    pub(crate) fn mover(&self) -> Option<Player> {
        self.game.to_move(&self.state, &self.history)
    }

    /// Computes the legal moves. Returns the mover if the game goes on.
    pub(crate) fn update_legal(&mut self) -> Option<Player> {
        self.game.legal_moves(&self.state, &self.history, &mut self.legal);
        self.mover()
    }

    pub(crate) fn is_legal(&self, mv: Move) -> bool {
        self.legal.binary_search(&mv).is_ok()
    }

    /// Returns the only legal move if records leave it out.
    pub(crate) fn unrecorded_move(&self) -> Option<Move> {
        let &[mv] = self.legal.as_slice() else { return None };
        self.game.record_move(&self.state, mv).is_none().then_some(mv)
    }

    /// Returns the move that `text` names, legal or not.
    pub(crate) fn parse(&self, text: &str, format: Format) -> Result<Move, GameError> {
        if format.is_community() {
            self.game.parse_record_move(&self.state, text)
        } else {
            self.game.parse_move(&self.state, text)
        }
    }

    /// Returns the error of a move that is not legal.
    pub(crate) fn illegal(&self, text: &str, format: Format) -> GameError {
        let name = |&mv: &Move| {
            let own = || Some(self.game.format_move(mv));
            let recorded = format.is_community().then(|| self.game.record_move(&self.state, mv));
            recorded.unwrap_or_else(own).unwrap_or_else(|| self.game.format_move(mv))
        };
        let legal = self.legal.iter().map(name).collect::<Vec<_>>().join(" ");
        GameError::IllegalMove { text: text.to_owned(), legal }
    }

    pub(crate) fn play(&mut self, mv: Move) {
        self.game.advance(&mut self.state, &mut self.history, mv);
    }

    /// Returns the stones on the board; empty in games without stones.
    pub(crate) fn stones(&self) -> Vec<Option<Player>> {
        self.game.stones(&self.state).unwrap_or_default()
    }

    /// Returns the name of a point in records.
    pub(crate) fn point_name(&self, point: usize) -> Option<String> {
        self.game.record_move(&self.state, Move(u16::try_from(point).ok()?))
    }

    /// Returns the text of a position from which the game can go on with `mover`: the same stones,
    /// or the same board with its count of moves towards a draw reset.
    pub(crate) fn position_for(&self, mover: Player) -> Option<String> {
        if let Some(text) = self.game.position_of(&self.stones(), mover) {
            return Some(text);
        }
        let text = self.game.position_text(&self.state)?;
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [pieces, side, castling, en_passant, clock, number] = fields[..] else { return None };
        let clocks = [clock, "0"].into_iter();
        let texts =
            clocks.map(|clock| [pieces, side, castling, en_passant, clock, number].join(" "));
        let open = |text: &String| {
            let state = self.game.parse_position(text).ok()?;
            self.game.to_move(&state, &G::History::default())
        };
        texts.into_iter().find(|text| open(text) == Some(mover))
    }
}
