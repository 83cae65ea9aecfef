//! Where what stands on the terminal.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{
    Axis, Block, Cell, Chart, Dataset, Gauge, GraphType, Paragraph, Row, Table, Wrap,
};

use super::live::Live;
use dz_store::SelfplaySummary;

use crate::count;
use crate::facts::CycleFacts;
use crate::report::Report;
use crate::ticks::ticks;

/// Columns from which ratings stand beside the curve.
const WIDE: u16 = 76;
/// Columns of the ratings.
const RATINGS: u16 = 38;

/// Everything, from top to bottom.
pub(super) fn draw(report: &Report, live: &Live, frame: &mut Frame<'_>) {
    let area = frame.area();
    let text = said(report);
    let needed = wrapped(&text, area.width.saturating_sub(2).into());
    // A third of a small terminal, so that numbers remain.
    let verdict_lines = needed.min((area.height / 3).saturating_sub(2)).max(1);
    let [head, gauge, middle, cycles, verdict] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(1),
        Constraint::Fill(3),
        Constraint::Fill(2),
        Constraint::Length(verdict_lines + 2),
    ])
    .areas(area);
    frame.render_widget(title(report, live), head);
    frame.render_widget(progress(live), gauge);
    let ratings = if middle.width >= WIDE { RATINGS } else { 0 };
    let [left, right] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(ratings)]).areas(middle);
    curve(report, frame, left);
    if ratings > 0 {
        frame.render_widget(players(report, right.height), right);
    }
    frame.render_widget(table(report, cycles), cycles);
    let leave = if live.driven_by.is_some() { " q leaves; the run goes on " } else { " q leaves " };
    let cut = if needed > verdict_lines { " more in the report " } else { "" };
    let block = Block::bordered()
        .title(" verdict ")
        .title_bottom(leave)
        .title_bottom(Line::from(cut).right_aligned());
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }).block(block), verdict);
}

/// Lines that a text takes where it is broken between words.
fn wrapped(text: &str, columns: usize) -> u16 {
    let mut lines = 1;
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > columns {
            lines += 1;
            used = length;
        } else {
            used += length + usize::from(used > 0);
        }
    }
    lines
}

/// Alarms, the verdict, and what is missing.
fn said(report: &Report) -> String {
    let missing = match report.missing.len() {
        0 => String::new(),
        1 => format!(" Missing: {}", report.missing[0]),
        n => format!(" {n} things are missing; the report names them."),
    };
    let alarms: Vec<String> = report
        .troubles()
        .map(|finding| format!("{} {} ", finding.severity.word(), finding.line()))
        .collect();
    alarms.concat() + &report.verdict() + &missing
}

fn title<'a>(report: &Report, live: &Live) -> Paragraph<'a> {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let state = match (live.driven_by, &report.run.finished) {
        (Some(process), _) if !live.paused.is_empty() => {
            let style = Style::new().fg(Color::Yellow);
            let since = live.paused.join("; ");
            Span::styled(format!("PAUSED (process {process}): {since}"), style)
        }
        (Some(process), _) => {
            Span::styled(format!("running (process {process})"), Style::new().fg(Color::Green))
        }
        (None, Some(_)) => Span::raw("finished"),
        (None, None) => Span::styled("stopped", Style::new().fg(Color::Yellow)),
    };
    let alive: Vec<&str> = live.stages.iter().map(|stage| stage.name()).collect();
    let alive =
        if alive.is_empty() { String::new() } else { format!("  alive: {}", alive.join(", ")) };
    let first = Line::from(vec![
        Span::styled(report.run.name.clone(), bold),
        Span::raw(format!("  {}  seed {}  ", report.run.game, report.run.seed)),
        state,
    ]);
    let elo = report.champion().map_or("not rated yet".to_owned(), |p| {
        let elo = count::elo_error(p.elo, p.error95);
        let zero = report.zero_anchor();
        let against = zero.map_or(String::new(), |zero| format!(" against {}", zero.name));
        format!("{elo} Elo{against}")
    });
    let second = Line::from(format!(
        "generation {}: {elo}  turn: {}{alive}",
        report.generation(),
        live.turn
    ));
    Paragraph::new(vec![first, second])
}

fn progress<'a>(live: &Live) -> Gauge<'a> {
    let share = f64::from(live.cycles_done) / f64::from(live.cycles.max(1));
    Gauge::default().ratio(share.clamp(0.0, 1.0)).gauge_style(Style::new().fg(Color::Blue)).label(
        match live.progress.as_slice() {
            [] => format!("cycle {} of {} done", live.cycles_done, live.cycles),
            turns => {
                format!("{} of {} cycles done; {}", live.cycles_done, live.cycles, turns.join("; "))
            }
        },
    )
}

/// Elo of the champions over running time with the anchors' heights.
fn curve(report: &Report, frame: &mut Frame<'_>, area: Rect) {
    let against =
        report.zero_anchor().map_or(String::new(), |zero| format!(" against {}", zero.name));
    let band = report.curve_error95.map_or("", |_| " of places");
    let title = format!(" Elo{against}, 95 % band{band} ");
    let block = Block::bordered().title(title);
    let points = |of: fn(&crate::CurvePoint) -> f64| -> Vec<(f64, f64)> {
        report.curve.iter().map(|p| (p.running_ms as f64 / 60_000.0, of(p))).collect()
    };
    let middle = points(|p| p.elo);
    if middle.is_empty() {
        let text = Paragraph::new("No champion is rated yet.").block(block);
        frame.render_widget(text, area);
        return;
    }
    let low = points(|p| p.elo - p.error95_within);
    let high = points(|p| p.elo + p.error95_within);
    let minutes = middle.iter().map(|p| p.0).fold(0.0, f64::max);
    let reach = |heights: &mut dyn Iterator<Item = f64>| {
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)))
    };
    let (bottom, top) = reach(&mut low.iter().chain(&high).map(|p| p.1));
    let anchors: Vec<(String, Vec<(f64, f64)>)> = report
        .anchors()
        .iter()
        .filter(|anchor| Report::is_drawn(anchor, bottom, top))
        .map(|a| (a.name.clone(), vec![(0.0, a.elo), (minutes, a.elo)]))
        .collect();
    let (bottom, top) =
        reach(&mut [bottom, top].into_iter().chain(anchors.iter().map(|a| a.1[0].1)));
    // Labels on neighbouring rows would run into each other.
    let y = ticks(bottom, top, if area.height < 12 { 3 } else { 5 }, false);
    let x = ticks(0.0, minutes.max(0.1), 5, false);
    let line = |data, colour, name: String| {
        Dataset::default()
            .name(name)
            .data(data)
            .marker(Marker::Braille)
            .graph_type(GraphType::Line)
            .style(Style::new().fg(colour))
    };
    let mut data = vec![
        line(&low, Color::DarkGray, String::new()),
        line(&high, Color::DarkGray, String::new()),
        line(&middle, Color::Blue, "champions".to_owned()),
    ];
    for ((name, ends), colour) in
        anchors.iter().zip([Color::Yellow, Color::Magenta, Color::Green].into_iter().cycle())
    {
        data.push(line(ends, colour, name.clone()));
    }
    let labels = |ticks: &crate::ticks::Ticks| -> Vec<String> {
        ticks.at.iter().map(|&at| ticks.label(at)).collect()
    };
    let chart = Chart::new(data)
        .block(block)
        .x_axis(Axis::default().title("minutes").bounds([x.low, x.high]).labels(labels(&x)))
        .y_axis(Axis::default().title("Elo").bounds([y.low, y.high]).labels(labels(&y)));
    frame.render_widget(chart, area);
}

fn players<'a>(report: &Report, height: u16) -> Table<'a> {
    let best = report.champion().map(|p| p.name.clone());
    let rows = report.players.iter().take(usize::from(height)).map(|p| {
        let style = if Some(&p.name) == best.as_ref() {
            Style::new().add_modifier(Modifier::BOLD)
        } else if p.is_anchor() {
            Style::new().fg(Color::Yellow)
        } else {
            Style::new()
        };
        Row::new(vec![
            Cell::from(p.name.clone()),
            Cell::from(count::elo_error(p.elo, p.error95)),
            Cell::from(count::whole(p.games)),
        ])
        .style(style)
    });
    let widths = [Constraint::Fill(2), Constraint::Length(13), Constraint::Length(6)];
    Table::new(rows, widths)
        .header(Row::new(["player", "Elo ± 95 %", "games"]).style(Style::new().fg(Color::DarkGray)))
        .block(Block::bordered().title(" ratings "))
}

/// A column of the table of cycles.
struct Column {
    title: &'static str,
    columns: u16,
    /// Narrow terminals have only the columns of the lowest numbers.
    rank: u8,
    text: fn(&CycleFacts) -> String,
}

/// From left to right.
const COLUMNS: [Column; 9] = [
    Column { title: "cycle", columns: 5, rank: 0, text: |facts| facts.cycle.to_string() },
    Column {
        title: "generation",
        columns: 10,
        rank: 6,
        text: |facts| facts.generation.map_or_else(none, |g| g.to_string()),
    },
    Column {
        title: "games",
        columns: 7,
        rank: 2,
        text: |facts| facts.selfplay.as_ref().map_or_else(none, |s| count::whole(s.games)),
    },
    Column {
        title: "evals/s",
        columns: 9,
        rank: 5,
        text: |facts| {
            let rate = |s: &SelfplaySummary| count::rate(s.evaluations, s.wall_ms);
            facts.selfplay.as_ref().map_or_else(none, rate)
        },
    },
    Column {
        title: "policy loss",
        columns: 11,
        rank: 3,
        text: |facts| {
            facts.losses.as_ref().map_or_else(none, |l| losses(l.policy, l.validation_policy))
        },
    },
    Column {
        title: "value loss",
        columns: 11,
        rank: 4,
        text: |facts| {
            facts.losses.as_ref().map_or_else(none, |l| losses(l.value, l.validation_value))
        },
    },
    Column {
        title: "gate",
        columns: 9,
        rank: 7,
        text: |facts| facts.gate.as_ref().map_or_else(none, |gate| count::wdl(gate.record())),
    },
    Column {
        title: "time",
        columns: 12,
        rank: 1,
        text: |facts| facts.wall_ms.map_or_else(none, count::duration),
    },
    Column { title: "verdict", columns: 16, rank: 0, text: verdict },
];

/// The newest cycles, the last one at the bottom, with as many columns as have room.
fn table<'a>(report: &Report, area: Rect) -> Table<'a> {
    let shown = usize::from(area.height.saturating_sub(3));
    let skip = report.cycles.len().saturating_sub(shown);
    let room = area.width.saturating_sub(2);
    let needed = |rank: u8| {
        let kept = COLUMNS.iter().filter(|column| column.rank <= rank);
        kept.map(|column| column.columns + 1).sum::<u16>()
    };
    let rank = (0..=7).rev().find(|&rank| needed(rank) <= room + 1).unwrap_or(0);
    let columns = || COLUMNS.iter().filter(move |column| column.rank <= rank);
    let rows = report.cycles.iter().skip(skip).map(|facts| {
        let is_refused = facts.promoted.is_none() && facts.verdict.is_some();
        let colour = match facts.promoted {
            Some(_) => Color::Green,
            None if is_refused => Color::Red,
            None => Color::Reset,
        };
        Row::new(columns().map(|column| {
            let cell = Cell::from((column.text)(facts));
            if column.title == "verdict" { cell.style(Style::new().fg(colour)) } else { cell }
        }))
    });
    Table::new(rows, columns().map(|column| Constraint::Length(column.columns)))
        .header(
            Row::new(columns().map(|column| column.title)).style(Style::new().fg(Color::DarkGray)),
        )
        .block(Block::bordered().title(" cycles "))
}

fn none() -> String {
    "-".to_owned()
}

/// A loss on training rows, and on rows kept from training.
fn losses(train: f64, validation: Option<f64>) -> String {
    match validation {
        Some(validation) => format!("{} {}", count::loss(train), count::loss(validation)),
        None => count::loss(train),
    }
}

fn verdict(facts: &CycleFacts) -> String {
    match (&facts.verdict, facts.promoted) {
        (_, Some(generation)) => format!("generation {generation}"),
        (Some(_), None) => "refused".to_owned(),
        (None, None) => none(),
    }
}
