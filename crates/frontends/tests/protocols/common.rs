//! Engines for tests: players without networks, and a clock that ticks when it is looked at.

use std::{cell::Cell, time::Duration};

use dz_frontends::{
    Activity, Clock, GameSession, Gtp, Limits, Protocol, Resignation, Session, Uci,
};
use dz_game::{AnyGame, GameSpec};
use dz_play::{MatchPlayer, NoNetworks, PlayerEvaluator, PlayerKind, PlayerPool, rollout_anchor};
use dz_search::{Gumbel, GumbelInner, MoveChoice, Puct, Selection};

/// A millisecond passes with every look.
#[derive(Debug, Default)]
pub struct Ticking(Cell<u32>);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        self.0.set(self.0.get() + 1);
        Duration::from_millis(self.0.get().into())
    }
}

/// What evaluates positions.
#[derive(Clone, Copy, Debug)]
pub enum Eyes {
    Uniform,
    Rollouts,
}

impl Eyes {
    pub fn evaluator(self) -> PlayerEvaluator {
        match self {
            Self::Uniform => PlayerEvaluator::Uniform,
            Self::Rollouts => PlayerEvaluator::Rollout,
        }
    }
}

/// The rollout anchor's search with this evaluator, kept from move to move.
pub fn player(name: &str, evaluator: PlayerEvaluator) -> MatchPlayer {
    let mut player = rollout_anchor(name, 1);
    if let PlayerKind::Search(search) = &mut player.kind {
        search.evaluator = evaluator;
        search.reuse = true;
    }
    player
}

/// [`player`] with sequential halving at the root.
pub fn gumbel_player(name: &str, evaluator: PlayerEvaluator) -> MatchPlayer {
    let mut player = player(name, evaluator);
    if let PlayerKind::Search(search) = &mut player.kind {
        // Below the root PUCT, which does not trust the first rollout of a move.
        let inner = GumbelInner::Puct(Puct::default());
        let gumbel = Gumbel { scale: 0.0, inner, ..Gumbel::default() };
        search.choice = MoveChoice::Gumbel(gumbel.sigma);
        search.params.selection = Selection::Gumbel(gumbel);
    }
    player
}

pub fn session(spec: &GameSpec, eyes: Eyes) -> Result<Box<dyn Session>, String> {
    session_of(spec, &player("tester", eyes.evaluator()))
}

/// A session of this player.
pub fn session_of(spec: &GameSpec, player: &MatchPlayer) -> Result<Box<dyn Session>, String> {
    // One type for all games. A session for each game would take a minute to compile.
    let game = AnyGame::of(spec).map_err(|error| error.to_string())?;
    let pool = PlayerPool::new(&game, NoNetworks, 0);
    let session = GameSession::new(player, pool, 1);
    Ok(Box::new(session.expect("no network is loaded")))
}

pub fn gtp(game: &str, eyes: Eyes, playouts: u32) -> Gtp {
    gtp_resigning(game, eyes, playouts, Resignation::default())
}

pub fn gtp_resigning(game: &str, eyes: Eyes, playouts: u32, resignation: Resignation) -> Gtp {
    let spec: GameSpec = game.parse().expect("a game");
    let limits = Limits { playouts: Some(playouts), time: None, default_playouts: 1 };
    let first = session(&spec, eyes).expect("a session");
    let maker = Box::new(move |spec: &GameSpec| session(spec, eyes));
    Gtp::new(first, maker, Box::new(Ticking::default()), limits, resignation)
}

pub fn uci() -> Uci {
    let chess: GameSpec = "chess".parse().expect("a game");
    let limits = Limits { playouts: None, time: None, default_playouts: 40 };
    let session = session(&chess, Eyes::Uniform).expect("a session");
    Uci::new(session, Box::new(Ticking::default()), limits)
}

/// Says a line and goes on until the search is answered, or rests.
pub fn say_uci(uci: &mut Uci, line: &str) -> String {
    let mut text = uci.line(line.as_bytes());
    while uci.activity() == Activity::Interruptible {
        text += &uci.step();
    }
    text
}

/// The move that an answer names.
pub fn best_move(text: &str) -> &str {
    let (_, rest) = text.split_once("bestmove ").unwrap_or_else(|| panic!("no move: {text}"));
    rest.split_whitespace().next().expect("a move")
}

/// Says a line and goes on until the protocol waits for another one, or would take one.
pub fn say(protocol: &mut dyn Protocol, line: &str) -> String {
    let mut text = protocol.line(line.as_bytes());
    while protocol.activity() == Activity::Thinking {
        text += &protocol.step();
    }
    text
}

/// The text of an answer that is a success.
pub fn ask(gtp: &mut Gtp, line: &str) -> String {
    let text = say(gtp, line);
    let body = text.strip_prefix('=').and_then(|body| body.strip_suffix("\n\n"));
    body.unwrap_or_else(|| panic!("{line}: {text}")).trim_start().to_owned()
}
