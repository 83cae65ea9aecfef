//! A game in progress with the player that is asked for moves.

use dz_game::{Display, GameError, GameSpec, Move, Outcome, Player, Status, Symmetry, Wdl};
use dz_infer::EvaluatorError;
use dz_record::{Format, Played, Record, RecordError, Sheet};

use crate::{Refusal, Report};

/// Makes a session of a game, for example by loading a network for it. The error is for people.
pub type SessionMaker = Box<dyn FnMut(&GameSpec) -> Result<Box<dyn Session>, String>>;

/// A game in progress with its player. Moves are named as protocols name them
/// ([`Game::protocol_move`](dz_game::Game::protocol_move)).
///
/// ```
/// use dz_frontends::{GameSession, Session};
/// use dz_game::{Player, games::TicTacToe};
/// use dz_play::{NoNetworks, PlayerPool, rollout_anchor};
///
/// let pool = PlayerPool::new(&TicTacToe, NoNetworks, 0);
/// let player = rollout_anchor("rollouts", 400);
/// let mut session = GameSession::new(&player, pool, 1).expect("rollouts need no file");
/// // The first player threatens to complete the top row.
/// for (player, name) in [(Player::First, "1"), (Player::Second, "5"), (Player::First, "2")] {
///     let mv = session.parse(name).expect("the name of a point");
///     session.play(player, mv).expect("a legal move");
/// }
/// session.begin(Player::Second, Some(400)).expect("the second player is to move");
/// while !session.search(50).expect("rollouts do not fail") {}
/// let mv = session.choose().expect("the search has a move");
/// assert_eq!(session.format(mv), "3");
/// ```
pub trait Session {
    /// The game with its parameters.
    fn spec(&self) -> GameSpec;
    /// How the game is shown to people.
    fn display(&self) -> Display;
    /// Whether the rules have a komi.
    fn has_komi(&self) -> bool;
    /// Rows, which are as many as columns, where the game has points.
    fn size(&self) -> Option<u16>;
    /// The player's name.
    fn player(&self) -> &str;
    /// Whose move it is, or how the game ended.
    fn status(&self) -> Status;
    /// The legal moves, ascending.
    fn legal(&self) -> Vec<Move>;
    /// The pass, in games that have one.
    fn pass(&self) -> Option<Move>;
    /// A move's name.
    fn format(&self, mv: Move) -> String;
    /// The move that `text` names; not checked for legality.
    fn parse(&self, text: &str) -> Result<Move, GameError>;
    /// What was played, moves out of turn included.
    fn log(&self) -> &[(Player, Move)];
    /// Plays a move.
    fn play(&mut self, player: Player, mv: Move) -> Result<(), Refusal>;
    /// Takes the last move back. False if there is none, or only what [`Session::fix_handicap`]
    /// keeps.
    fn undo(&mut self) -> bool;
    /// Declares all moves so far to be handicap stones, which `undo` does not take back.
    fn fix_handicap(&mut self);
    /// The number of moves of [`Session::log`] that are handicap stones.
    fn handicap_moves(&self) -> usize;
    /// Who moves and the moves, ascending, in a position that our rules call a draw while other
    /// programs play on until a player claims it
    /// ([`Game::moves_after_draw`](dz_game::Game::moves_after_draw)).
    fn moves_after_draw(&self) -> Option<(Player, Vec<Move>)>;
    /// The position that the game began from, as it was passed to [`Session::begin_game`].
    fn start_text(&self) -> Option<&str>;
    /// Begins a game: at the start, or at a position that the game has a notation for.
    fn begin_game(&mut self, position: Option<&str>) -> Result<(), GameError>;
    /// Whose stone lies on each point, row by row from the top left, where the game has points.
    fn stones(&self) -> Option<Vec<Option<Player>>>;
    /// The position in the game's notation, where it has one.
    fn position_text(&self) -> Option<String>;
    /// The board as text ([`Game::render`](dz_game::Game::render)).
    fn board(&self) -> String;
    /// How the game ended, or would if both players passed now.
    fn score(&self) -> Option<Outcome>;
    /// A record's game by these rules, every move checked.
    fn read_record(&self, sheet: &Sheet) -> Result<Played, RecordError>;
    /// A record of such a game in `format`.
    fn write_record(&self, record: &Record, format: Format) -> Result<String, RecordError>;
    /// The format in which records of this game are kept.
    fn record_format(&self) -> Format;

    /// Begins to search for `player`'s move, with at most `playouts`. What earlier searches found
    /// about the position is kept.
    fn begin(&mut self, player: Player, playouts: Option<u32>) -> Result<(), Refusal> {
        self.begin_among(player, playouts, &[])
    }
    /// As [`Session::begin`], but restricted to the moves `among`, with a new search. All moves are
    /// searched if none is given or legal.
    fn begin_among(
        &mut self,
        player: Player,
        playouts: Option<u32>,
        among: &[Move],
    ) -> Result<(), Refusal>;
    /// Does about `playouts` more. Returns true once nothing is left to do.
    fn search(&mut self, playouts: u32) -> Result<bool, EvaluatorError>;
    /// The content of a file from which the search of the position at hand can go on; the error is
    /// for people.
    fn save_search(&mut self) -> Result<Vec<u8>, String>;
    /// Takes the search of the position at hand from such a file; later searches keep its visits.
    /// Returns the visits; the error is for people, and nothing changes then.
    fn load_search(&mut self, bytes: &[u8]) -> Result<u32, String>;
    /// What the search has found so far.
    fn report(&self) -> Report;
    /// The move to play; `None` before `begin`.
    fn choose(&mut self) -> Option<Move>;
    /// The evaluation of the position by the player's evaluator, through one of its symmetries: the
    /// mover's chances and a prior for each legal move. `None` if the game is over or the player
    /// has no evaluator.
    fn evaluate(&mut self, symmetry: Symmetry) -> Result<Option<Evaluated>, EvaluatorError>;
    /// The expected owner of each point at the end, row by row from the top left, through a
    /// symmetry: from 1, the mover's, to -1, the opponent's. `None` if the game is over or the
    /// evaluator does not predict ownership.
    fn ownership(&mut self, symmetry: Symmetry) -> Result<Option<Vec<f32>>, EvaluatorError>;
    /// The number of symmetries.
    fn symmetry_count(&self) -> u8;
}

/// The mover's chances, and a prior for each legal move.
pub type Evaluated = (Wdl, Vec<(Move, f32)>);
