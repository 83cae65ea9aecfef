//! One game, position by position.

use dz_game::{Encoding, Game, Move, Player, Status, Symmetry};
use serde::Serialize;

use super::places::Contents;
use super::read::{RecordedGame, Searched, one, winner};
use crate::board_view::{BoardShape, BoardView, PlacedMove, sides_of};
use crate::outcome_text::outcome_text;
use crate::rules::RulesText;

/// A game as the viewer shows it.
#[derive(Debug, Serialize)]
pub(crate) struct GameView {
    cycle: u32,
    file: String,
    number: u64,
    /// The game with every parameter, this game's komi included.
    game: String,
    /// What pages ask by for the policy and for searches of its positions.
    rules: RulesText,
    players: [String; 2],
    /// `first`, `second` or `draw`.
    result: &'static str,
    /// The same in words, with points.
    outcome: String,
    end: &'static str,
    note: Option<String>,
    opening: usize,
    board: BoardShape,
    /// The position before the first move.
    start: String,
    plies: Vec<Ply>,
    /// Whose each point is at the end: `X`, `O` or `.`; none in games without ownership, and where
    /// the rules did not end the game.
    ownership: Option<String>,
}

/// A move and the position after it.
#[derive(Debug, Serialize)]
struct Ply {
    /// 0 for the first player, 1 for the second.
    by: usize,
    #[serde(flatten)]
    mv: PlacedMove,
    cells: String,
    /// The first player's expected score by the search of this move, 0 to 1.
    score: Option<f64>,
    /// Share of the visits of each move, largest first.
    visits: Vec<(PlacedMove, f64)>,
    /// The same of the policy target, where that is not the visits.
    target: Vec<(PlacedMove, f64)>,
    /// Whether the search was a full one.
    full: bool,
}

/// The game of this number in a file of the run.
///
/// # Errors
/// A line for people: a damaged file, or moves that the rules refuse.
pub(crate) fn view(contents: &Contents, file: &str, number: u64) -> Result<GameView, String> {
    let place = contents.place(file)?;
    let recorded = one(&contents.run, place, number)?;
    let game = contents.rules(place)?;
    let game = recorded.komi.and_then(|komi| game.with_komi(komi)).unwrap_or(game);
    let rules = RulesText {
        board: contents.board(place).to_owned(),
        komi: recorded.komi.map(|komi| komi.to_string()),
    };
    let (stepped, over) = steps(&game, &recorded)?;
    let line = |text: &str| dz_text::line(text).into_owned();
    Ok(GameView {
        cycle: place.cycle,
        file: place.file.clone(),
        number: recorded.number,
        game: game.spec().to_string(),
        rules,
        players: recorded.players.each_ref().map(|name| line(name)),
        result: winner(recorded.outcome),
        outcome: outcome_text(recorded.outcome, sides_of(game.display()), game.komi()),
        end: recorded.end,
        note: recorded.note.as_deref().map(line),
        opening: recorded.opening,
        board: stepped.start.shape(),
        start: stepped.start.cells(),
        ownership: over.and_then(|end| ownership(&game, &end)),
        plies: stepped.plies,
    })
}

/// The positions of a game.
struct Steps {
    start: BoardView,
    plies: Vec<Ply>,
}

/// Returns the positions of a game, and the last one if the game is over there.
fn steps<G: Game>(game: &G, recorded: &RecordedGame) -> Result<(Steps, Option<G::State>), String> {
    let mut state = game.start();
    let mut history = G::History::default();
    let board = |state: &G::State| BoardView::new(game.render(state), game.display());
    let start = board(&state);
    let mut before = start.clone();
    let mut plies = Vec::with_capacity(recorded.moves.len());
    let mut legal = Vec::new();
    for (at, &mv) in recorded.moves.iter().enumerate() {
        let Status::ToMove(mover) = game.status(&state, &history) else {
            return Err(format!("the game goes on after its end at ply {at}"));
        };
        game.legal_moves(&state, &history, &mut legal);
        let is_legal = |mv: Move| legal.binary_search(&mv).is_ok();
        if !is_legal(mv) {
            return Err(format!("move {} of the record is not legal", at + 1));
        }
        let placed = |mv: Move| before.placed(game.format_move(mv));
        let searched = at.checked_sub(recorded.opening).and_then(|at| recorded.searched.get(at));
        let shares = searched.map(|searched| shares(searched, is_legal)).unwrap_or_default();
        let named = |shares: Vec<(Move, f64)>| -> Vec<(PlacedMove, f64)> {
            shares.into_iter().map(|(mv, share)| (placed(mv), share)).collect()
        };
        let [visits, target] = shares.map(named);
        let mv_placed = placed(mv);
        game.advance(&mut state, &mut history, mv);
        before = board(&state);
        plies.push(Ply {
            by: mover.index(),
            mv: mv_placed,
            cells: before.cells(),
            score: searched.map(|searched| match mover {
                Player::First => searched.score,
                Player::Second => 1.0 - searched.score,
            }),
            visits,
            target,
            full: searched.is_some_and(|searched| searched.is_full),
        });
    }
    let over = game.outcome(&state, &history).map(|_| state);
    Ok((Steps { start, plies }, over))
}

/// Shares of visits and of the target, largest first.
fn shares(searched: &Searched, is_legal: impl Fn(Move) -> bool) -> [Vec<(Move, f64)>; 2] {
    let of = |counts: Vec<(Move, f64)>| {
        let sum: f64 = counts.iter().map(|(_, count)| count).sum();
        let legal = counts.into_iter().filter(|&(mv, _)| is_legal(mv));
        let mut shares: Vec<(Move, f64)> =
            legal.map(|(mv, count)| (mv, (1e4 * count / sum).round() / 1e4)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    };
    let visits = searched.visits.iter().map(|&(mv, count)| (mv, f64::from(count)));
    let target = searched.target.iter().flatten().map(|&(mv, share)| (mv, f64::from(share)));
    [of(visits.collect()), of(target.collect())]
}

fn ownership<G: Game>(game: &G, end: &G::State) -> Option<String> {
    let mut owners = Vec::new();
    game.encoding().ownership(end, Symmetry::IDENTITY, &mut owners);
    let sign = |owner: &Option<Player>| match owner {
        Some(Player::First) => 'X',
        Some(Player::Second) => 'O',
        None => '.',
    };
    (!owners.is_empty()).then(|| owners.iter().map(sign).collect())
}
