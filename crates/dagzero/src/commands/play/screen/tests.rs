use clap::Parser;
use dz_game::{GameSpec, Player};
use ratatui::{Terminal, backend::TestBackend};

use super::*;
use crate::commands::{
    players::{PlayerArg, TableArgs},
    session::session_of,
};

#[derive(Parser)]
struct TableLine {
    #[command(flatten)]
    table: TableArgs,
}

fn screen(game: &str, side: Option<Player>) -> Screen {
    let spec: GameSpec = game.parse().expect("a game");
    let found =
        PlayerArg::Rollout { playouts: 1, settings: Vec::new() }.find_ours(1).expect("a player");
    let table = TableLine::parse_from([""]).table;
    let session = session_of(found, &spec, &table).expect("a session");
    let mut screen = Screen::new(Person::new(session, side, 8));
    screen.begin().expect("rollouts do not fail");
    screen
}

/// Presses keys, each a word: `up`, `enter`, `f2`, or one character.
fn press(screen: &mut Screen, keys: &str) {
    for word in keys.split(' ') {
        let code = match word {
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "enter" => KeyCode::Enter,
            "esc" => KeyCode::Esc,
            "back" => KeyCode::Backspace,
            "f2" => KeyCode::F(2),
            "f3" => KeyCode::F(3),
            other => KeyCode::Char(other.chars().next().expect("a character")),
        };
        if let KeyAction::Line(line) = screen.key(KeyEvent::new(code, KeyModifiers::NONE)) {
            screen.run_line(&line).expect("rollouts do not fail");
        }
    }
}

fn shown(screen: &Screen) -> String {
    let mut terminal = Terminal::new(TestBackend::new(110, 40)).expect("memory does not fail");
    terminal.draw(|frame| screen.draw(frame)).expect("memory does not fail");
    terminal.backend().to_string()
}

fn log(screen: &Screen) -> Vec<String> {
    let session = screen.person.session();
    session.log().iter().map(|&(_, mv)| session.format(mv)).collect()
}

#[test]
fn points_are_chosen_and_passes_stand_below() {
    let mut both = screen("go:size=5", None);
    press(&mut both, "enter up up up up left enter");
    assert_eq!(log(&both), ["C3", "B5"]);
    press(&mut both, "enter");
    assert!(shown(&both).contains("this is no legal move"), "{}", shown(&both));
    press(&mut both, "down down down down down enter");
    assert_eq!(log(&both), ["C3", "B5", "pass"]);
    press(&mut both, "f3");
    assert_eq!(log(&both), ["C3", "B5"]);
    let picture = shown(&both);
    for part in ["[pass]", "black (you)", "> _", "F2 hint"] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
}

#[test]
fn what_is_written_goes_before_the_cursor() {
    let mut mine = screen("tictactoe", Some(Player::First));
    press(&mut mine, "x back 1 enter");
    assert_eq!(log(&mine).len(), 2, "the program has answered");
    assert_eq!(log(&mine)[0], "1");
    press(&mut mine, "f2");
    assert!(shown(&mine).contains(" %  "), "{}", shown(&mine));
    press(&mut mine, "q u i t enter");
    assert!(mine.person.ended());
    let left = mine.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert_eq!(left, KeyAction::Leave);
}

#[test]
fn columns_and_moves_without_a_board() {
    let mut both = screen("connect4", None);
    press(&mut both, "left enter right right enter");
    assert_eq!(log(&both), ["3", "5"]);
    let mut toy = screen("shuttle", None);
    press(&mut toy, "right enter");
    assert_eq!(log(&toy), ["right"]);
    let mut swap = screen("hex:size=3,swap=true", None);
    press(&mut swap, "enter down down enter");
    assert_eq!(log(&swap)[0], "b2");
    assert_eq!(swap.person.session().log().len(), 2, "swapped: {}", shown(&swap));
}

#[test]
fn pieces_are_taken_up_and_put_down() {
    let mut both = screen("chess", None);
    press(&mut both, "down down enter");
    assert!(shown(&both).contains("e2, and to where?"), "{}", shown(&both));
    press(&mut both, "esc enter up up enter");
    assert_eq!(log(&both), ["e2e4"]);
    press(&mut both, "enter");
    assert!(shown(&both).contains("nothing on e4 can move"), "{}", shown(&both));
}

#[test]
fn boards_name_their_points_as_moves_are_named() {
    let mut both = screen("gomoku:size=9", None);
    press(&mut both, "up up up up left left left left enter");
    assert_eq!(log(&both), ["a1"], "a1 is drawn top left: {}", shown(&both));
    press(&mut both, "a 2 enter");
    assert_eq!(log(&both), ["a1", "a2"]);
}

#[test]
fn pieces_have_colours_and_the_last_move_is_marked() {
    let mut both = screen("go:size=5", None);
    press(&mut both, "enter up up enter");
    assert_eq!(log(&both), ["C3", "C5"]);
    let mut terminal = Terminal::new(TestBackend::new(60, 30)).expect("memory does not fail");
    terminal.draw(|frame| both.draw(frame)).expect("memory does not fail");
    let cell = |x, y| terminal.backend().buffer().cell((x, y)).expect("on the screen").clone();
    let (first, last) = (cell(7, 2), cell(7, 0));
    assert_eq!((first.symbol(), first.fg), ("X", Color::Cyan));
    assert_eq!((last.symbol(), last.fg), ("O", Color::Magenta));
    assert!(last.modifier.contains(Modifier::UNDERLINED | Modifier::REVERSED));
    assert!(!first.modifier.contains(Modifier::UNDERLINED));
    assert!(shown(&both).contains("captured by black: 0, by white: 0"), "{}", shown(&both));
}

#[test]
fn a_small_terminal_shows_the_words() {
    let both = screen("go:size=19", None);
    let mut terminal = Terminal::new(TestBackend::new(20, 5)).expect("memory does not fail");
    terminal.draw(|frame| both.draw(frame)).expect("memory does not fail");
    assert!(terminal.backend().to_string().contains("> _"));
}
