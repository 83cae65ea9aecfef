//! The board on a terminal: a cursor moved by keys, and a line for what is written.

use dz_frontends::{Choice, Direction, Mark, MarkKind, Person, Pointer, Response};
use dz_game::Player;
use ratatui::{
    DefaultTerminal, Frame,
    crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    style::{Color, Modifier, Style, Stylize},
    text::{Line, Span, Text},
};

/// Lines of the message that are shown.
const MESSAGE_LINES: usize = 14;

/// Characters of the written line at most.
const WRITTEN_MAX: usize = 200;

/// The keys, for the last line.
const KEYS: &str = "arrows and Enter, or write a move or `help`  F2 hint  F3 undo  Ctrl-C leave";

/// The content of the screen.
pub(super) struct Screen {
    person: Person,
    pointer: Pointer,
    written: String,
    message: String,
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyAction {
    /// Nothing; the key is handled.
    Nothing,
    /// To run this line, which may take a while.
    Line(String),
    /// To leave.
    Leave,
}

/// Plays on the terminal until the person leaves.
///
/// # Errors
/// What the terminal or evaluators report. The terminal is given back in any case.
pub(super) fn play(person: Person) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let played = run(Screen::new(person), &mut terminal);
    ratatui::restore();
    played
}

fn run(mut screen: Screen, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
    terminal.draw(|frame| screen.draw(frame))?;
    screen.begin()?;
    while !screen.person.ended() {
        terminal.draw(|frame| screen.draw(frame))?;
        let Event::Key(key) = event::read()? else { continue };
        match screen.key(key) {
            KeyAction::Nothing => {}
            KeyAction::Leave => break,
            KeyAction::Line(line) => {
                "it thinks ...".clone_into(&mut screen.message);
                terminal.draw(|frame| screen.draw(frame))?;
                screen.run_line(&line)?;
            }
        }
    }
    Ok(())
}

impl Screen {
    pub(super) fn new(person: Person) -> Self {
        let pointer = Pointer::new(person.session());
        Self { person, pointer, written: String::new(), message: "it thinks ...".to_owned() }
    }

    /// Lets the program move, if it is first.
    pub(super) fn begin(&mut self) -> anyhow::Result<()> {
        let response = self.person.begin()?;
        self.show(response);
        Ok(())
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> KeyAction {
        if key.kind == KeyEventKind::Release {
            return KeyAction::Nothing;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'd') if control => return KeyAction::Leave,
            KeyCode::Up => self.pointer.step(Direction::Up),
            KeyCode::Down => self.pointer.step(Direction::Down),
            KeyCode::Left => self.pointer.step(Direction::Left),
            KeyCode::Right => self.pointer.step(Direction::Right),
            KeyCode::F(2) => return KeyAction::Line("hint".to_owned()),
            KeyCode::F(3) => return KeyAction::Line("undo".to_owned()),
            KeyCode::Backspace => {
                self.written.pop();
            }
            KeyCode::Esc => {
                self.written.clear();
                self.pointer.put_back();
            }
            KeyCode::Enter if !self.written.trim().is_empty() => {
                return KeyAction::Line(std::mem::take(&mut self.written));
            }
            KeyCode::Enter => match self.pointer.choose() {
                Choice::Move(name) => return KeyAction::Line(name),
                Choice::Hint(what) => self.message = what,
            },
            KeyCode::Char(c) if !control && self.written.len() < WRITTEN_MAX => {
                self.written.push(c);
            }
            _ => {}
        }
        KeyAction::Nothing
    }

    /// Runs a line, as if it had been written.
    pub(super) fn run_line(&mut self, line: &str) -> anyhow::Result<()> {
        let response = self.person.respond(line)?;
        self.show(response);
        Ok(())
    }

    fn show(&mut self, response: Response) {
        self.message = response.text;
        if response.board {
            self.pointer.update(self.person.session());
        }
    }

    /// Draws the screen at any size.
    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        let marks = self.pointer.marks();
        let picture = self.pointer.lines(self.person.look());
        let picture = picture.iter().enumerate();
        let mut lines: Vec<Line<'_>> = picture
            .map(|(line, text)| marked(text, marks.iter().filter(|mark| mark.line == line)))
            .collect();
        let off_board = self.pointer.off_board();
        if !off_board.is_empty() {
            let words = off_board.into_iter().flat_map(|(name, here)| {
                let style = if here { cursor() } else { Style::new() };
                [Span::styled(format!("[{name}]"), style), Span::raw(" ")]
            });
            lines.push(words.collect::<Line<'_>>());
        }
        lines.push(Line::default());
        lines.extend(self.person.status_text().lines().map(|line| Line::raw(line.to_owned())));
        let bar = self.person.bar_line();
        lines.extend(bar.lines().map(|line| Line::raw(line.to_owned())));
        lines.push(Line::default());
        lines.extend(self.message.lines().take(MESSAGE_LINES).map(|line| Line::raw(line).dim()));
        lines.push(Line::from(vec![Span::raw("> "), Span::raw(&self.written), Span::raw("_")]));
        lines.push(Line::raw(KEYS).dim());
        // If the content is too high, its end is shown, because the message is there.
        let height = usize::from(frame.area().height);
        let skipped = lines.len().saturating_sub(height);
        let shown = lines.into_iter().skip(skipped).collect::<Text<'_>>();
        frame.render_widget(shown, frame.area());
    }
}

fn cursor() -> Style {
    Style::new().add_modifier(Modifier::REVERSED)
}

/// What a mark adds to the style that a character has.
fn style(kind: MarkKind) -> Style {
    match kind {
        MarkKind::Piece(Player::First) => Style::new().fg(Color::Cyan),
        MarkKind::Piece(Player::Second) => Style::new().fg(Color::Magenta),
        MarkKind::LastMove => Style::new().bold().underlined(),
        MarkKind::PickedUp => Style::new().fg(Color::Yellow).bold(),
        MarkKind::Cursor => cursor(),
    }
}

/// A line of the board with its marked characters.
fn marked<'a>(text: &str, marks: impl Iterator<Item = &'a Mark>) -> Line<'static> {
    let mut spans: Vec<Span<'static>> =
        text.chars().map(|sign| Span::raw(sign.to_string())).collect();
    for mark in marks {
        if let Some(span) = spans.get_mut(mark.at) {
            span.style = span.style.patch(style(mark.kind));
        }
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests;
