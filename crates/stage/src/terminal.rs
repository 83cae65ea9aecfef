//! Events as progress bars, for people at a terminal.

use std::collections::BTreeMap;
use std::io::{self, Write};

use dz_store::Stage;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::event::{Event, Progress};
use crate::numbers::rates_text;
use crate::plain::kept_line;
use crate::screen::Screen;
use crate::sink::Sink;
use crate::stderr::{BARS, around_bars};

/// How often the bars are drawn, a second.
const DRAWS: u8 = 20;

/// One bar for each stage whose turn it is.
pub(crate) struct TerminalBars {
    shown: BTreeMap<Stage, (u32, ProgressBar)>,
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
        let (cycle, bar) = self
            .shown
            .entry(progress.stage)
            .or_insert_with(|| (progress.cycle, bars.add(new_bar(progress))));
        if *cycle != progress.cycle {
            *cycle = progress.cycle;
            bar.reset();
            bar.set_prefix(prefix(progress));
        }
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        bar.set_message(format!("{} {}", progress.unit, rates_text(&progress.rates)));
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
            let _ = around_bars(|| writeln!(io::stdout(), "{line}"));
        }
    }
}

fn prefix(progress: &Progress) -> String {
    format!("{:<10} cycle {}", progress.stage, progress.cycle)
}

fn new_bar(progress: &Progress) -> ProgressBar {
    let template = "{prefix} {wide_bar} {human_pos}/{human_len} {msg} {eta} left";
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ");
    ProgressBar::new(progress.total).with_style(style).with_prefix(prefix(progress))
}
