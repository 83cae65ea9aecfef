//! Handicap stones: section 4.1 of the specification. They are no part of the move history, so
//! `undo` leaves them.

use dz_game::{Move, Player};

use super::job::{CommandResult, done, text};
use super::{Gtp, board::play_vertex, syntax::whole};

/// Stones on the points that the specification fixes.
pub(super) fn fixed(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let stones = whole(arguments, 0, "the number of stones")?;
    let points = gtp.session.size().and_then(|size| points(size, stones));
    put(gtp, &points.ok_or("invalid number of stones")?)
}

/// Stones where the engine likes them: on the fixed points, at most as many as there are.
pub(super) fn place_free(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    let stones = whole(arguments, 0, "the number of stones")?;
    let size = gtp.session.size().unwrap_or_default();
    let most = (2..=stones.min(9)).rev().find_map(|stones| points(size, stones));
    put(gtp, &most.ok_or("invalid number of stones")?)
}

/// Stones where the front end wants them.
pub(super) fn set_free(gtp: &mut Gtp, arguments: &[String]) -> CommandResult {
    ensure_empty(gtp)?;
    if arguments.len() < 2 {
        return Err("bad vertex list: at least two stones".to_owned());
    }
    for vertex in arguments {
        let pass = gtp.session.parse(vertex).is_ok_and(|mv| Some(mv) == gtp.session.pass());
        if pass || play_vertex(gtp, Player::First, vertex).is_err() {
            while gtp.session.undo() {}
            return Err("bad vertex list".to_owned());
        }
    }
    gtp.session.fix_handicap();
    done()
}

fn put(gtp: &mut Gtp, points: &[Move]) -> CommandResult {
    ensure_empty(gtp)?;
    for &point in points {
        gtp.session.play(Player::First, point).map_err(|error| error.to_string())?;
    }
    gtp.session.fix_handicap();
    let names: Vec<String> = points.iter().map(|&point| gtp.session.format(point)).collect();
    text(names.join(" "))
}

fn ensure_empty(gtp: &Gtp) -> Result<(), String> {
    let stones = gtp.session.stones().unwrap_or_default();
    let empty = gtp.session.log().is_empty() && stones.iter().all(Option::is_none);
    if empty { Ok(()) } else { Err("board not empty".to_owned()) }
}

/// The fixed points for so many stones, in the specification's order; rows are counted from the
/// top. Boards of 7 rows and those with an even number have the corners alone.
fn points(size: u16, stones: u32) -> Option<Vec<Move>> {
    let most = if size == 7 || size.is_multiple_of(2) { 4 } else { 9 };
    if size < 7 || !(2..=most).contains(&stones) {
        return None;
    }
    let low = if size < 13 { 2 } else { 3 };
    let high = size - 1 - low;
    let middle = size / 2;
    // Row and column: D4, Q16, D16, Q4, D10, Q10, K4, K16 on 19 rows.
    let ring = [
        (high, low),
        (low, high),
        (low, low),
        (high, high),
        (middle, low),
        (middle, high),
        (high, middle),
        (low, middle),
    ];
    let odd = stones >= 5 && stones % 2 == 1;
    let from_ring = stones as usize - usize::from(odd);
    let center = odd.then_some((middle, middle));
    let chosen = ring[..from_ring].iter().copied().chain(center);
    Some(chosen.map(|(row, column)| Move(row * size + column)).collect())
}

#[cfg(test)]
mod tests {
    use dz_game::{Game, games::Go};

    use super::*;

    #[test]
    fn the_points_are_those_of_the_specification() {
        let named = |size: u16, stones: u32| {
            let game = Go::from_spec(&format!("go:size={size}").parse().expect("a spec"));
            let game = game.expect("a game");
            let names = points(size, stones)?.into_iter().map(|point| game.format_move(point));
            Some(names.collect::<Vec<_>>().join(" "))
        };
        let expect = |text: &str| Some(text.to_owned());
        assert_eq!(named(19, 3), expect("D4 Q16 D16"));
        assert_eq!(named(19, 5), expect("D4 Q16 D16 Q4 K10"));
        assert_eq!(named(19, 7), expect("D4 Q16 D16 Q4 D10 Q10 K10"));
        assert_eq!(named(19, 9), expect("D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"));
        assert_eq!(named(9, 2), expect("C3 G7"));
        assert_eq!(named(7, 4), expect("C3 E5 C5 E3"));
        for (size, stones) in [(9, 1), (9, 10), (8, 5), (7, 5), (6, 2)] {
            assert_eq!(named(size, stones), None);
        }
    }
}
