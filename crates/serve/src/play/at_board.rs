//! A game between a person and a session's player, as a page shows it.

use dz_frontends::Session;
use dz_game::{GameError, Komi, Player, Status, Symmetry};
use serde::{Deserialize, Serialize};

use crate::board_view::{BoardShape, BoardView, PlacedMove, sides_of};
use crate::outcome_text::outcome_text;

/// Most playouts a move.
pub(crate) const PLAYOUTS_MAX: u32 = 20_000;
/// Playouts between two looks at whether the page is still there.
const SLICE: u32 = 16;
/// Moves of a hint.
const HINTS: usize = 5;
/// Plies of a line in a hint.
const LINE_PLIES: usize = 8;

/// Who the person plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SideChoice {
    #[default]
    First,
    Second,
    Both,
}

impl SideChoice {
    fn includes(self, player: Player) -> bool {
        match self {
            Self::Both => true,
            Self::First => player == Player::First,
            Self::Second => player == Player::Second,
        }
    }
}

/// What a page asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Command {
    /// The position, and a move of the program if it is its turn.
    Look,
    /// A move of the person.
    Move { name: String },
    /// The person's last move back, with the answer to it.
    Undo,
    /// What the program would play.
    Hint,
    /// Another side.
    Side { side: SideChoice },
    /// More or fewer playouts.
    Playouts { playouts: u32 },
    /// A new game.
    New,
    /// What the network says of a position, without a search.
    Policy { moves: Vec<String> },
}

/// The game as it stands.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Position {
    game: String,
    player: String,
    side: SideChoice,
    playouts: u32,
    board: BoardShape,
    cells: String,
    legal: Vec<PlacedMove>,
    /// 0 and 1 for the players, none where the game is over.
    to_move: Option<usize>,
    /// How it ended, in words.
    over: Option<String>,
    moves: Vec<String>,
    /// Points of the last move.
    last: Vec<(usize, usize)>,
    /// The first player's expected score, 0 to 1, by the last search.
    score: Option<f64>,
    hints: Vec<Hint>,
    /// The network's policy, as the answer to [`Command::Policy`].
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<PolicyView>,
}

/// A move that a search looked at.
#[derive(Clone, Debug, Serialize)]
struct Hint {
    #[serde(flatten)]
    mv: PlacedMove,
    visits: u32,
    prior: f64,
    /// The mover's expected score.
    score: Option<f64>,
    line: Vec<String>,
}

/// What a network says of a position.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PolicyView {
    /// The mover's chances: win, draw, loss.
    wdl: [f32; 3],
    priors: Vec<(PlacedMove, f32)>,
    /// The mover's expected points, from 1 to -1, row by row.
    ownership: Option<Vec<f32>>,
}

/// A game in progress.
pub(crate) struct AtBoard {
    session: Box<dyn Session>,
    side: SideChoice,
    playouts: u32,
    score: Option<f64>,
}

impl AtBoard {
    /// A game at its start.
    pub(crate) fn new(session: Box<dyn Session>, side: SideChoice, playouts: u32) -> Self {
        Self { session, side, playouts: playouts.clamp(1, PLAYOUTS_MAX), score: None }
    }

    /// Does what is asked, then lets the program move. It stops thinking once `stop` is true, and
    /// goes on when it is asked again.
    ///
    /// # Errors
    /// A line for people; the game has not changed then.
    pub(crate) fn obey(
        &mut self,
        command: &Command,
        stop: &dyn Fn() -> bool,
    ) -> Result<Position, String> {
        let mut hints = Vec::new();
        match command {
            Command::Look => {}
            Command::Move { name } => self.play(name)?,
            Command::Undo => self.undo(),
            Command::Side { side } => self.side = *side,
            Command::Playouts { playouts } => self.playouts = (*playouts).clamp(1, PLAYOUTS_MAX),
            Command::New => self.begin(),
            Command::Hint => {
                if let Some(mover) = self.mover() {
                    self.think(mover, stop)?;
                    hints = self.hints();
                }
            }
            Command::Policy { moves } => {
                let policy = self.policy(moves)?;
                return Ok(Position { policy: Some(policy), ..self.position(Vec::new()) });
            }
        }
        self.answer(stop)?;
        Ok(self.position(hints))
    }

    fn mover(&self) -> Option<Player> {
        match self.session.status() {
            Status::ToMove(player) => Some(player),
            Status::Over(_) => None,
        }
    }

    fn begin(&mut self) {
        // The start has no notation that could be wrong.
        let begun = self.session.begin_game(None);
        debug_assert!(begun.is_ok(), "{begun:?}");
        self.score = None;
    }

    fn play(&mut self, name: &str) -> Result<(), String> {
        let Some(mover) = self.mover() else { return Err("the game is over".to_owned()) };
        let shown = dz_text::line(name.trim());
        let mv = match self.session.parse(name.trim()) {
            Ok(mv) if self.session.legal().binary_search(&mv).is_ok() => mv,
            Err(error @ GameError::AmbiguousMove { .. }) => return Err(error.to_string()),
            _ => return Err(format!("{shown} is not a legal move here")),
        };
        self.session.play(mover, mv).map_err(|_| format!("{shown} is refused here"))
    }

    /// Takes moves back, the person's last one included.
    fn undo(&mut self) {
        let log = self.session.log();
        let is_persons = |&(player, _): &(Player, _)| self.side.includes(player);
        let Some(keep) = log.iter().rposition(is_persons) else { return };
        for _ in keep..log.len() {
            self.session.undo();
        }
        self.score = None;
    }

    /// Lets the program move while it is its turn.
    fn answer(&mut self, stop: &dyn Fn() -> bool) -> Result<(), String> {
        while let Some(mover) = self.mover() {
            if self.side.includes(mover) || !self.think(mover, stop)? {
                break;
            }
            let Some(mv) = self.session.choose() else { break };
            if self.session.play(mover, mv).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Searches for `mover`; false if it was stopped.
    fn think(&mut self, mover: Player, stop: &dyn Fn() -> bool) -> Result<bool, String> {
        if self.session.begin(mover, Some(self.playouts)).is_err() {
            return Ok(false);
        }
        while !self.session.search(SLICE).map_err(|error| error.to_string())? {
            if stop() {
                return Ok(false);
            }
        }
        let report = self.session.report();
        if report.visits > 0 {
            let score = f64::from(report.wdl.score());
            self.score = Some(if mover == Player::First { score } else { 1.0 - score });
        }
        Ok(true)
    }

    fn hints(&self) -> Vec<Hint> {
        let board = self.board();
        let report = self.session.report();
        let name = |mv| self.session.format(mv);
        let hint = |found: &dz_frontends::MoveReport| Hint {
            mv: board.placed(name(found.mv)),
            visits: found.visits,
            prior: found.prior,
            score: found.wdl.map(|wdl| f64::from(wdl.score())),
            line: found.line.iter().take(LINE_PLIES).map(|&mv| name(mv)).collect(),
        };
        report.moves.iter().filter(|found| found.visits > 0).take(HINTS).map(hint).collect()
    }

    fn policy(&mut self, moves: &[String]) -> Result<PolicyView, String> {
        self.begin();
        for name in moves {
            self.play(name)?;
        }
        let words = |error: dz_infer::EvaluatorError| error.to_string();
        let found = self.session.evaluate(Symmetry::IDENTITY).map_err(words)?;
        let (wdl, priors) = found.ok_or("the game is over, or the player has no network")?;
        let ownership = self.session.ownership(Symmetry::IDENTITY).map_err(words)?;
        let board = self.board();
        let placed = |(mv, prior)| (board.placed(self.session.format(mv)), prior);
        let priors = priors.into_iter().map(placed).collect();
        Ok(PolicyView { wdl: wdl.to_array(), priors, ownership })
    }

    fn board(&self) -> BoardView {
        BoardView::new(self.session.board(), self.session.display())
    }

    fn position(&self, hints: Vec<Hint>) -> Position {
        let board = self.board();
        let session = &*self.session;
        let log = session.log();
        let mover = self.mover();
        let legal = if mover.is_some() { session.legal() } else { Vec::new() };
        let moves: Vec<String> = log.iter().map(|&(_, mv)| session.format(mv)).collect();
        Position {
            game: session.spec().to_string(),
            player: dz_text::line(session.player()).into_owned(),
            side: self.side,
            playouts: self.playouts,
            legal: legal.into_iter().map(|mv| board.placed(session.format(mv))).collect(),
            to_move: mover.map(Player::index),
            over: over_text(session),
            last: moves.last().map_or_else(Vec::new, |name| board.last(name)),
            board: board.shape(),
            cells: board.cells(),
            moves,
            score: self.score,
            hints,
            policy: None,
        }
    }
}

fn over_text(session: &dyn Session) -> Option<String> {
    let Status::Over(outcome) = session.status() else { return None };
    let komi = session.spec().parameter("komi").and_then(Komi::parse);
    Some(outcome_text(outcome, sides_of(session.display()), komi))
}
