//! Events as progress bars, for people at a terminal.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use dz_store::Stage;
use dz_text::{Colour, Look};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::event::{Event, Progress};
use crate::numbers::{count_text, duration_text, rate_texts};
use crate::plain::{TurnClock, kept_line};
use crate::screen::{Screen, fitted};
use crate::sink::Sink;
use crate::stderr::{BARS, around_bars};

/// Columns of a stage's name in front of its lines.
const STAGE_COLUMNS: usize = 11;

/// How often the bars are drawn, a second.
const DRAWS: u8 = 20;

/// The fewest columns of a bar without its brackets, and the most.
const BAR_COLUMNS: (usize, usize) = (8, 40);

/// One bar for each stage whose turn it is.
pub(crate) struct TerminalBars {
    shown: BTreeMap<Stage, (TurnClock, ProgressBar)>,
}

impl TerminalBars {
    pub(crate) fn new() -> Self {
        BARS.get_or_init(|| {
            let screen = Box::new(Screen::default());
            MultiProgress::with_draw_target(ProgressDrawTarget::term_like_with_hz(screen, DRAWS))
        });
        Self { shown: BTreeMap::new() }
    }

    fn show(&mut self, progress: &Progress) {
        let Some(bars) = BARS.get() else { return };
        let (clock, bar) = self
            .shown
            .entry(progress.stage)
            .or_insert_with(|| (TurnClock::new(progress), bars.add(new_bar())));
        if clock.cycle != progress.cycle {
            *clock = TurnClock::new(progress);
        }
        let columns = usize::from(Screen::default().width());
        let look = Look::of(&io::stderr());
        bar.set_message(bar_line(progress, clock.time_left(progress), columns, look));
    }

    fn clear(&mut self, stage: Stage) {
        if let (Some((_, bar)), Some(bars)) = (self.shown.remove(&stage), BARS.get()) {
            bar.finish_and_clear();
            bars.remove(&bar);
        }
    }
}

impl Sink for TerminalBars {
    fn accept(&mut self, event: &Event) {
        match event {
            Event::Progress(progress) => self.show(progress),
            Event::TurnDone { stage, .. } | Event::Stopped { stage, .. } => self.clear(*stage),
            Event::Started { .. } | Event::Note { .. } | Event::Alarm { .. } => {}
        }
        if let Some(line) = kept_line(event) {
            // Whoever closed standard output wanted no more lines.
            let fits = fitted(&line, STAGE_COLUMNS);
            let line = painted(event, &fits);
            let _ = around_bars(|| writeln!(io::stdout(), "{line}"));
        }
    }
}

/// A line of what asks for a look in a colour.
fn painted<'a>(event: &Event, line: &'a str) -> Cow<'a, str> {
    let look = Look::of(&io::stdout());
    match event {
        Event::Alarm { .. } => look.paint(Colour::Yellow, line),
        Event::Started { .. } => look.paint(Colour::Dim, line),
        _ => Cow::Borrowed(line),
    }
}

/// The line is made by [`bar_line`], because `indicatif` gives a bar only what other texts leave,
/// which at 80 columns is nothing.
fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg}");
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// `selfplay cycle 3 [=====>    ] 120/400 games, 8 s left, 35.0 games/s`: the bar first, then as
/// much as fits in front of the last of `columns` columns.
fn bar_line(progress: &Progress, left: Option<Duration>, columns: usize, look: Look) -> String {
    let Progress { stage, cycle, done, total, unit, rates, .. } = progress;
    let head = format!("{stage} cycle {cycle} [");
    let mut texts = vec![format!("{}/{} {unit}", count_text(*done), count_text(*total))];
    texts.extend(left.map(|left| format!("{} left", duration_text(left))));
    texts.extend(rate_texts(rates));
    // A full line would make some terminals go on in the next one.
    let room = columns.saturating_sub(head.len() + "] ".len() + BAR_COLUMNS.0 + 1);
    let mut tail = String::new();
    for text in texts {
        let separator = if tail.is_empty() { "" } else { ", " };
        if tail.len() + separator.len() + text.len() > room {
            break;
        }
        tail = tail + separator + &text;
    }
    let bar_columns = (BAR_COLUMNS.0 + room - tail.len()).min(BAR_COLUMNS.1);
    format!("{head}{}] {tail}", bar(*done, *total, bar_columns, look))
}

/// `=====>    ` in so many columns, or `█████░░░░░` where the terminal shows Unicode.
fn bar(done: u64, total: u64, columns: usize, look: Look) -> String {
    let share = if total == 0 { 1.0 } else { (done as f64 / total as f64).clamp(0.0, 1.0) };
    if look.unicode {
        return look.bar(share, columns).concat();
    }
    let full = (share * columns as f64) as usize;
    let tip = if full < columns { ">" } else { "" };
    format!("{:<columns$}", "=".repeat(full) + tip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Rates;

    fn progress(done: u64) -> Progress {
        let rates = [("games/s", 35.04), ("playouts/s", 8_100.0), ("batch fill %", 93.0)];
        Progress {
            stage: Stage::Gatekeeper,
            cycle: 1_234,
            generation: 7,
            done,
            total: 1_500_000,
            unit: "games".to_owned(),
            rates: rates
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect::<Rates>(),
        }
    }

    #[test]
    fn every_width_has_a_bar_and_is_not_exceeded() {
        for columns in 60..=200 {
            for done in [0, 1, 749_999, 1_499_999, 1_500_000, 2_000_000] {
                let left = Some(Duration::from_mins(125));
                let unicode = Look { unicode: true, ..Look::default() };
                let drawn = bar_line(&progress(done), left, columns, unicode);
                assert!(drawn.chars().count() < columns, "{columns}: {drawn}");
                let line = bar_line(&progress(done), left, columns, Look::default());
                assert!(line.len() < columns, "{columns}: {line}");
                let inside = line.split(['[', ']']).nth(1).expect("a bar");
                let drawn = inside.trim_end().len();
                assert!(inside.len() >= BAR_COLUMNS.0 && drawn > 0, "{columns}: {line}");
                assert!(line.contains("/1,500,000 games"), "{columns}: {line}");
            }
        }
    }

    #[test]
    fn wide_lines_say_more() {
        let left = Some(Duration::from_secs(90));
        let line = |columns| bar_line(&progress(750_000), left, columns, Look::default());
        assert_eq!(line(60), "gatekeeper cycle 1234 [=====>     ] 750,000/1,500,000 games");
        assert!(line(80).ends_with("] 750,000/1,500,000 games, 1 min 30 s left"), "{}", line(80));
        let end = "1 min 30 s left, batch fill 93.0 %, 35.0 games/s, 8,100 playouts/s";
        assert!(line(160).ends_with(end), "{}", line(160));
    }

    #[test]
    fn a_turn_without_work_is_done() {
        let plain = |done, total| bar(done, total, 4, Look::default());
        assert_eq!(plain(0, 0), "====");
        assert_eq!(plain(0, 9), ">   ");
        assert_eq!(plain(9, 9), "====");
    }
}
