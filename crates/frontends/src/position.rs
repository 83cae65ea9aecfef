//! The game so far, as a front end sends it.

use dz_game::{Game, GameError, Move, Outcome, Player, Status};
use thiserror::Error;

/// Why a move cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The rules forbid it.
    #[error("illegal move")]
    Illegal,
    /// The other player moves, and cannot pass.
    #[error("illegal move: it is the other player's turn, and this game has no pass here")]
    NotTheirTurn,
    /// The game is over.
    #[error("illegal move: the game is over")]
    Over,
}

/// A part of a game in which players take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ply {
    /// A move that the front end has sent.
    Move(Move),
    /// A turn that the front end has skipped: the same player moves twice in a row
    /// ([`Game::skip_turn`]).
    Skipped,
}

/// A position with the moves that led to it. Front ends may move twice in a row and play on after
/// the end of a game. [`Position::line_with_turn`] says what that means under rules by which
/// players take turns.
#[derive(Clone, Debug)]
pub(crate) struct Position<G: Game> {
    game: G,
    start: G::State,
    /// The notation of `start`, where it is not the game's own.
    start_text: Option<String>,
    /// The moves as the front end sent them.
    log: Vec<(Player, Move)>,
    /// How many of `log` are handicap stones, which are not taken back.
    handicap_moves: usize,
    /// The same moves as a game in which players take turns.
    line: Vec<Ply>,
    state: G::State,
    history: G::History,
    pass: Option<Move>,
}

impl<G: Game> Position<G> {
    pub(crate) fn new(game: G) -> Self {
        let start = game.start();
        let pass = game.parse_move(&start, "pass").ok();
        Self {
            game,
            state: start.clone(),
            start,
            start_text: None,
            log: Vec::new(),
            handicap_moves: 0,
            line: Vec::new(),
            history: G::History::default(),
            pass,
        }
    }

    /// Returns to the game's start, or to the position that `text` describes, without moves.
    pub(crate) fn reset(&mut self, text: Option<&str>) -> Result<(), GameError> {
        let start = text.map_or_else(|| Ok(self.game.start()), |t| self.game.parse_position(t))?;
        (self.start, self.start_text) = (start, text.map(str::to_owned));
        (self.log, self.handicap_moves) = (Vec::new(), 0);
        self.set_line(Vec::new());
        Ok(())
    }

    pub(crate) fn start_text(&self) -> Option<&str> {
        self.start_text.as_deref()
    }

    /// Declares all moves so far to be handicap stones, which [`Position::undo`] does not take
    /// back.
    pub(crate) fn fix_handicap(&mut self) {
        self.handicap_moves = self.log.len();
    }

    pub(crate) fn handicap_moves(&self) -> usize {
        self.handicap_moves
    }

    pub(crate) fn game(&self) -> &G {
        &self.game
    }

    pub(crate) fn state(&self) -> &G::State {
        &self.state
    }

    pub(crate) fn history(&self) -> &G::History {
        &self.history
    }

    pub(crate) fn log(&self) -> &[(Player, Move)] {
        &self.log
    }

    pub(crate) fn pass(&self) -> Option<Move> {
        self.pass
    }

    pub(crate) fn status(&self) -> Status {
        self.game.status(&self.state, &self.history)
    }

    pub(crate) fn legal(&self) -> Vec<Move> {
        legal(&self.game, &self.state, &self.history)
    }

    /// Returns who moves and the moves if only our rules call the position a draw
    /// ([`Game::moves_after_draw`]).
    pub(crate) fn moves_after_draw(&self) -> Option<(Player, Vec<Move>)> {
        let mut moves = Vec::new();
        let mover = self.game.moves_after_draw(&self.state, &self.history, &mut moves)?;
        Some((mover, moves))
    }

    /// Plays `mv` for `player`. A pass out of turn, or after the end, is logged and changes
    /// nothing. A draw that other programs leave to a claim is played on.
    pub(crate) fn play(&mut self, player: Player, mv: Move) -> Result<(), Refusal> {
        let in_turn = self.status() == Status::ToMove(player);
        let unclaimed = self.moves_after_draw().filter(|(mover, _)| *mover == player);
        if !in_turn && unclaimed.is_none() && Some(mv) == self.pass {
            self.log.push((player, mv));
            return Ok(());
        }
        if in_turn || unclaimed.is_some() {
            let moves = unclaimed.map_or_else(|| self.legal(), |(_, moves)| moves);
            if moves.binary_search(&mv).is_err() {
                return Err(Refusal::Illegal);
            }
        } else {
            let line = self.line_with_turn(player)?;
            let (state, history) = self.after(&line);
            if legal(&self.game, &state, &history).binary_search(&mv).is_err() {
                return Err(Refusal::Illegal);
            }
            (self.line, self.state, self.history) = (line, state, history);
        }
        self.game.advance(&mut self.state, &mut self.history, mv);
        self.line.push(Ply::Move(mv));
        self.log.push((player, mv));
        Ok(())
    }

    /// Takes the last move back, with the turns that were skipped before it. False if there are no
    /// moves but handicap stones.
    pub(crate) fn undo(&mut self) -> bool {
        if self.log.len() <= self.handicap_moves {
            return false;
        }
        let mut log = std::mem::take(&mut self.log);
        log.pop();
        self.set_line(Vec::new());
        for (player, mv) in log {
            // It was legal after the same moves before.
            let again = self.play(player, mv);
            debug_assert!(again.is_ok(), "{again:?}");
        }
        true
    }

    /// Returns the game so far as a line after which `player` is to move. If it is the opponent's
    /// turn, that turn is skipped: a pass of `player` just before is taken back, else nobody moves
    /// in that turn. In games that do not allow skipping, the opponent passes, if that is legal.
    /// After an end by passes, as many passes as needed are taken back.
    pub(crate) fn line_with_turn(&self, player: Player) -> Result<Vec<Ply>, Refusal> {
        let wanted = Status::ToMove(player);
        let mut line = self.line.clone();
        if self.status() == wanted {
            return Ok(line);
        }
        let over = matches!(self.status(), Status::Over(_));
        while let Some(&Ply::Move(mv)) = line.last()
            && Some(mv) == self.pass
        {
            line.pop();
            let (state, history) = self.after(&line);
            if self.game.status(&state, &history) == wanted {
                return Ok(line);
            }
        }
        if over {
            return Err(Refusal::Over);
        }
        let pass = self.pass.filter(|pass| self.legal().binary_search(pass).is_ok());
        for turn in [Some(Ply::Skipped), pass.map(Ply::Move)].into_iter().flatten() {
            let mut line = self.line.clone();
            line.push(turn);
            let (state, history) = self.after(&line);
            if self.game.status(&state, &history) == wanted {
                return Ok(line);
            }
        }
        Err(Refusal::NotTheirTurn)
    }

    /// Returns state and history after `line`, from the start.
    pub(crate) fn after(&self, line: &[Ply]) -> (G::State, G::History) {
        let mut state = self.start.clone();
        let mut history = G::History::default();
        for &ply in line {
            match ply {
                Ply::Move(mv) => self.game.advance(&mut state, &mut history, mv),
                // If the game does not allow it, the callers see that the mover is unchanged.
                Ply::Skipped => drop(self.game.skip_turn(&mut state, &mut history)),
            }
        }
        (state, history)
    }

    /// Returns the outcome if the game is over, or the outcome after both players pass, if they
    /// may.
    pub(crate) fn score(&self) -> Option<Outcome> {
        let mut state = self.state.clone();
        let mut history = self.history.clone();
        for _ in 0..2 {
            if let Some(outcome) = self.game.outcome(&state, &history) {
                return Some(outcome);
            }
            let pass = self.pass?;
            legal(&self.game, &state, &history).binary_search(&pass).ok()?;
            self.game.advance(&mut state, &mut history, pass);
        }
        self.game.outcome(&state, &history)
    }

    fn set_line(&mut self, line: Vec<Ply>) {
        (self.state, self.history) = self.after(&line);
        self.line = line;
    }
}

pub(crate) fn legal<G: Game>(game: &G, state: &G::State, history: &G::History) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(state, history, &mut moves);
    moves
}

#[cfg(test)]
mod tests {
    use dz_game::Player::{First, Second};
    use dz_game::games::{Go, Hex, Othello};

    use super::*;

    fn go() -> Position<Go> {
        Position::new(Go::from_spec(&"go:size=5".parse().expect("a spec")).expect("a game"))
    }

    fn say(position: &mut Position<Go>, player: Player, text: &str) -> Result<(), Refusal> {
        let mv = position.game.parse_move(&position.state, text).expect("a vertex");
        position.play(player, mv)
    }

    #[test]
    fn moves_in_a_row_leave_turns_out() {
        let mut position = go();
        for vertex in ["B2", "D4", "B4"] {
            assert_eq!(say(&mut position, First, vertex), Ok(()));
        }
        assert_eq!(position.line.len(), 5, "two turns left out between three stones");
        assert_eq!(position.status(), Status::ToMove(Second));
        assert_eq!(say(&mut position, Second, "B4"), Err(Refusal::Illegal));
        assert!(position.undo());
        assert_eq!((position.line.len(), position.log.len()), (3, 2));
    }

    #[test]
    fn play_goes_on_after_two_passes_by_either_player() {
        for player in Player::BOTH {
            let mut position = go();
            say(&mut position, First, "B2").expect("legal");
            say(&mut position, Second, "pass").expect("legal");
            say(&mut position, First, "pass").expect("legal");
            assert!(matches!(position.status(), Status::Over(_)));
            say(&mut position, First, "pass").expect("a pass more is nothing");
            assert!(matches!(position.status(), Status::Over(_)));
            say(&mut position, player, "D4").expect("legal");
            assert_eq!(position.status(), Status::ToMove(player.opponent()));
            assert!(position.undo() && position.undo());
            assert!(
                matches!(position.status(), Status::Over(_)),
                "the fourth move was a pass, too"
            );
        }
    }

    #[test]
    fn a_turn_left_out_is_no_pass() {
        let mut position = go();
        for vertex in ["B2", "D4"] {
            say(&mut position, First, vertex).expect("legal");
        }
        let line = position.line_with_turn(First).expect("a turn");
        let (mut state, mut history) = position.after(&line);
        let pass = position.pass.expect("Go has a pass");
        position.game.advance(&mut state, &mut history, pass);
        assert_eq!(position.game.status(&state, &history), Status::ToMove(Second));
        say(&mut position, Second, "pass").expect("legal");
        assert_eq!(position.status(), Status::ToMove(First), "one pass ends no game");
    }

    #[test]
    fn handicap_stones_are_not_taken_back() {
        let mut position = go();
        say(&mut position, First, "B2").expect("legal");
        say(&mut position, First, "D4").expect("legal");
        position.fix_handicap();
        assert!(!position.undo());
        say(&mut position, Second, "C3").expect("legal");
        assert!(position.undo() && !position.undo());
        assert_eq!(position.log.len(), 2);
    }

    #[test]
    fn superko_remembers_a_position_whose_turn_was_left_out() {
        // Black is to move and leaves the turn out; White takes the ko, which would come back to
        // the same board.
        let mut position = go();
        let stones = ["C4", "D4", "B3", "E3", "C2", "D2", "D3", "A5"];
        for (vertex, player) in stones.iter().zip(Player::BOTH.into_iter().cycle()) {
            say(&mut position, player, vertex).expect("legal");
        }
        say(&mut position, Second, "C3").expect("legal");
        assert_eq!(say(&mut position, First, "D3"), Err(Refusal::Illegal));
        say(&mut position, First, "A1").expect("legal");
        say(&mut position, Second, "E1").expect("legal");
        assert_eq!(say(&mut position, First, "D3"), Ok(()), "the board is another one");
    }

    #[test]
    fn a_pass_of_one_s_own_is_taken_back_and_not_answered() {
        let mut position = go();
        say(&mut position, First, "pass").expect("legal");
        say(&mut position, First, "C3").expect("legal");
        assert_eq!((position.line.len(), position.status()), (1, Status::ToMove(Second)));
    }

    #[test]
    fn games_without_pass_keep_their_turns() {
        let hex = Position::new(Hex::new(4, false).expect("a game"));
        assert_eq!(hex.line_with_turn(Second), Err(Refusal::NotTheirTurn));
        let othello = Position::new(Othello::new(8).expect("a game"));
        assert_eq!(othello.line_with_turn(Second), Err(Refusal::NotTheirTurn));
        assert_eq!(othello.score(), None);
        assert!(go().score().is_some_and(|outcome| outcome.winner == Some(Second)), "komi");
    }
}
