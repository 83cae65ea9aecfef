//! The board on a terminal: a cursor moved by keys, and a line for what is written.

use dz_frontends::{Choice, Direction, Mark, Person, Pointer, Said};
use ratatui::{
    DefaultTerminal, Frame,
    crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    style::{Color, Modifier, Style, Stylize},
    text::{Line, Span, Text},
};

/// Lines of what was told that are shown.
const TOLD_LINES: usize = 14;

/// Characters that may be written.
const WRITTEN_MAX: usize = 200;

/// The keys, for the last line.
const KEYS: &str = "arrows and Enter, or write a move or `help`  F2 hint  F3 undo  Ctrl-C leave";

/// What is on the screen.
pub(super) struct Screen {
    person: Person,
    pointer: Pointer,
    written: String,
    told: String,
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Nothing that takes time.
    Nothing,
    /// That this line is carried out, which may take a while.
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
    let played = go_on(Screen::new(person), &mut terminal);
    ratatui::restore();
    played
}

fn go_on(mut screen: Screen, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
    terminal.draw(|frame| screen.draw(frame))?;
    screen.begin()?;
    while !screen.person.ended() {
        terminal.draw(|frame| screen.draw(frame))?;
        let Event::Key(key) = event::read()? else { continue };
        match screen.key(key) {
            Wish::Nothing => {}
            Wish::Leave => break,
            Wish::Line(line) => {
                "it thinks ...".clone_into(&mut screen.told);
                terminal.draw(|frame| screen.draw(frame))?;
                screen.carry_out(&line)?;
            }
        }
    }
    Ok(())
}

impl Screen {
    pub(super) fn new(person: Person) -> Self {
        let pointer = Pointer::new(person.session());
        Self { person, pointer, written: String::new(), told: "it thinks ...".to_owned() }
    }

    /// Lets the program move, if it is first.
    pub(super) fn begin(&mut self) -> anyhow::Result<()> {
        let said = self.person.begin()?;
        self.tell(said);
        Ok(())
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> Wish {
        if key.kind == KeyEventKind::Release {
            return Wish::Nothing;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'd') if control => return Wish::Leave,
            KeyCode::Up => self.pointer.step(Direction::Up),
            KeyCode::Down => self.pointer.step(Direction::Down),
            KeyCode::Left => self.pointer.step(Direction::Left),
            KeyCode::Right => self.pointer.step(Direction::Right),
            KeyCode::F(2) => return Wish::Line("hint".to_owned()),
            KeyCode::F(3) => return Wish::Line("undo".to_owned()),
            KeyCode::Backspace => {
                self.written.pop();
            }
            KeyCode::Esc => {
                self.written.clear();
                self.pointer.let_go();
            }
            KeyCode::Enter if !self.written.trim().is_empty() => {
                return Wish::Line(std::mem::take(&mut self.written));
            }
            KeyCode::Enter => match self.pointer.choose() {
                Choice::Move(name) => return Wish::Line(name),
                Choice::Hint(what) => self.told = what,
            },
            KeyCode::Char(c) if !control && self.written.len() < WRITTEN_MAX => {
                self.written.push(c);
            }
            _ => {}
        }
        Wish::Nothing
    }

    /// Carries out a line, as if it had been written.
    pub(super) fn carry_out(&mut self, line: &str) -> anyhow::Result<()> {
        let said = self.person.say(line)?;
        self.tell(said);
        Ok(())
    }

    fn tell(&mut self, said: Said) {
        self.told = said.text;
        if said.board {
            self.pointer.look(self.person.session());
        }
    }

    /// Draws it, whatever the size.
    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        let marks = self.pointer.marks();
        let picture = self.pointer.picture().iter().enumerate();
        let mut lines: Vec<Line<'_>> = picture
            .map(|(line, text)| marked(text, marks.iter().filter(|mark| mark.line == line)))
            .collect();
        let beside = self.pointer.beside();
        if !beside.is_empty() {
            let words = beside.into_iter().flat_map(|(name, here)| {
                let style = if here { cursor() } else { Style::new() };
                [Span::styled(format!("[{name}]"), style), Span::raw(" ")]
            });
            lines.push(words.collect::<Line<'_>>());
        }
        lines.push(Line::default());
        lines.extend(self.person.standing().lines().map(|line| Line::raw(line.to_owned())));
        let bar = self.person.bar_line();
        lines.extend(bar.lines().map(|line| Line::raw(line.to_owned())));
        lines.push(Line::default());
        lines.extend(self.told.lines().take(TOLD_LINES).map(|line| Line::raw(line).dim()));
        lines.push(Line::from(vec![Span::raw("> "), Span::raw(&self.written), Span::raw("_")]));
        lines.push(Line::raw(KEYS).dim());
        // Of a picture that is too high the end is shown, where the words are.
        let height = usize::from(frame.area().height);
        let skipped = lines.len().saturating_sub(height);
        let shown = lines.into_iter().skip(skipped).collect::<Text<'_>>();
        frame.render_widget(shown, frame.area());
    }
}

fn cursor() -> Style {
    Style::new().add_modifier(Modifier::REVERSED)
}

/// A line of the board with its marked characters.
fn marked<'a>(text: &str, marks: impl Iterator<Item = &'a Mark>) -> Line<'static> {
    let mut spans: Vec<Span<'static>> =
        text.chars().map(|sign| Span::raw(sign.to_string())).collect();
    for mark in marks {
        if let Some(span) = spans.get_mut(mark.at) {
            span.style = if mark.cursor { cursor() } else { Style::new().fg(Color::Yellow).bold() };
        }
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests;
