//! Commands about the game: board, moves, score.

use dz_game::{GameSpec, Outcome, Player, Status};

use super::job::{CommandResult, done, text};
use super::{
    Gtp,
    syntax::{color, color_name, whole, word},
};
use crate::Session;

/// Another size is another game, and its board is empty. Programs for Hex say the size twice.
pub(super) fn boardsize(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let size = whole(arguments, 0, "the size")?;
    let square = arguments.len() < 2 || whole(arguments, 1, "the size")? == size;
    let spec = with_parameter(&gtp.session.spec(), "size", &size.to_string());
    let spec = spec.filter(|_| square).ok_or("unacceptable size")?;
    if spec == gtp.session.spec() {
        gtp.clear();
        return done();
    }
    gtp.session =
        (gtp.session_maker)(&spec).map_err(|error| format!("unacceptable size: {error}"))?;
    gtp.clear();
    done()
}

pub(super) fn clear_board(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    gtp.clear();
    done()
}

/// Another komi is another game; its moves are played again.
pub(super) fn komi(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let given = word(arguments, 0, "komi")?;
    let number = given.parse::<f64>().ok().filter(|komi| komi.is_finite());
    let number = number.ok_or("syntax error: komi is a number")?;
    let half = (number * 2.0).fract() == 0.0 && number.abs() <= 361.0;
    if !half {
        return Err(format!("komi {number} is not played here: whole and half points to 361"));
    }
    let before = gtp.session.spec();
    let spec = with_parameter(&before, "komi", &number.to_string());
    let spec = spec.ok_or("this game has no komi")?;
    if spec == before {
        return done();
    }
    let mut session = (gtp.session_maker)(&spec)?;
    if let Some(start) = gtp.session.start_text() {
        session.begin_game(Some(start)).map_err(|error| error.to_string())?;
    }
    for (at, &(player, mv)) in gtp.session.log().iter().enumerate() {
        session.play(player, mv).map_err(|error| error.to_string())?;
        if at + 1 == gtp.session.handicap_moves() {
            session.fix_handicap();
        }
    }
    gtp.session = session;
    done()
}

pub(super) fn get_komi(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    text(komi_of(&gtp.session.spec()).to_string())
}

pub(super) fn play(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let player = color(word(arguments, 0, "the color")?)?;
    play_vertex(gtp, player, word(arguments, 1, "the move")?)?;
    done()
}

/// `gogui-play_sequence`: colors and moves in turn; all of them or none.
pub(super) fn play_sequence(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let before = gtp.session.log().len();
    for pair in arguments.chunks(2) {
        if let Err(error) = play(gtp, pair) {
            while gtp.session.log().len() > before && gtp.session.undo() {}
            return Err(error);
        }
    }
    done()
}

pub(super) fn play_vertex(gtp: &mut Gtp, player: Player, vertex: &str) -> Result<(), String> {
    let mv = gtp.session.parse(vertex).map_err(|_| "invalid color or coordinate".to_owned())?;
    gtp.session.play(player, mv).map_err(|error| error.to_string())
}

pub(super) fn undo(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    if gtp.session.undo() { done() } else { Err("cannot undo".to_owned()) }
}

/// The board with the names of its columns and rows, and who moves.
pub(super) fn showboard(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    let session = &*gtp.session;
    let board = board_text(session).unwrap_or_else(|| session.board());
    let status = match session.status() {
        Status::ToMove(player) => format!("{} to move", color_name(player)),
        Status::Over(outcome) => format!("over: {}", result(session, outcome)),
    };
    text(format!("\n{board}{}, {status}\n", session.spec()))
}

/// The score of the position as it lies: in Go every stone counts as alive.
pub(super) fn final_score(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    match gtp.session.score() {
        Some(outcome) => text(result(&*gtp.session, outcome)),
        None => Err("cannot score: the game is not over".to_owned()),
    }
}

/// By the rules that are played here every stone on the board is alive.
pub(super) fn final_status_list(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let session = &*gtp.session;
    match word(arguments, 0, "the status")? {
        "alive" => {
            let stones = session.stones().unwrap_or_default();
            let taken = (0u16..).zip(stones).filter(|(_, stone)| stone.is_some());
            let names: Vec<String> =
                taken.map(|(point, _)| session.format(dz_game::Move(point))).collect();
            text(names.join("\n"))
        }
        "dead" | "seki" => done(),
        _ => Err("syntax error: the status is alive, dead or seki".to_owned()),
    }
}

/// `B+3.5`, `W+`, or `0` for a draw; komi is counted.
pub(super) fn result(session: &dyn Session, outcome: Outcome) -> String {
    let Some(winner) = outcome.winner else { return "0".to_owned() };
    let letter = if winner == Player::First { "B" } else { "W" };
    let points = outcome.margin.map(|margin| {
        let margin = f64::from(margin) - komi_of(&session.spec());
        margin.abs().to_string()
    });
    format!("{letter}+{}", points.unwrap_or_default())
}

/// The rows of the board with their numbers, the highest number first, as front ends print them: X
/// for black and O for white.
pub(super) fn rows(session: &dyn Session) -> Option<Vec<(String, String)>> {
    let size = usize::from(session.size()?);
    let stones = session.stones()?;
    let mut rows: Vec<(u16, String)> = stones
        .chunks(size)
        .enumerate()
        .map(|(row, stones)| {
            let name = session.format(dz_game::Move((row * size) as u16));
            let number = name.trim_start_matches(|c: char| c.is_alphabetic()).parse();
            let signs: Vec<&str> = stones
                .iter()
                .map(|stone| match stone {
                    Some(Player::First) => "X",
                    Some(Player::Second) => "O",
                    None => ".",
                })
                .collect();
            (number.unwrap_or_default(), signs.join(" "))
        })
        .collect();
    rows.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    Some(rows.into_iter().map(|(number, signs)| (number.to_string(), signs)).collect())
}

fn board_text(session: &dyn Session) -> Option<String> {
    let columns: Vec<String> = (0..session.size()?)
        .map(|column| {
            let name = session.format(dz_game::Move(column));
            name.chars().take_while(|c| c.is_alphabetic()).collect()
        })
        .collect();
    let rows = rows(session)?;
    let mut lines: Vec<String> =
        rows.iter().map(|(name, signs)| format!("{name:>2} {signs}")).collect();
    lines.push(format!("   {}\n", columns.join(" ")));
    Some(lines.join("\n"))
}

fn komi_of(spec: &GameSpec) -> f64 {
    spec.parameter("komi").and_then(|komi| komi.parse().ok()).unwrap_or(0.0)
}

/// The same game with another value of a parameter that it has.
fn with_parameter(spec: &GameSpec, key: &str, value: &str) -> Option<GameSpec> {
    let parameters: Vec<(&str, String)> = spec
        .parameters()
        .iter()
        .map(|(own, old)| (own.as_str(), if own == key { value.to_owned() } else { old.clone() }))
        .collect();
    spec.parameter(key).map(|_| GameSpec::new(spec.name(), &parameters))
}
