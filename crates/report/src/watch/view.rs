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
use crate::count;
use crate::facts::CycleFacts;
use crate::report::Report;
use crate::ticks::ticks;

/// Everything, from top to bottom.
pub(super) fn draw(report: &Report, live: &Live, frame: &mut Frame<'_>) {
    let [head, gauge, middle, cycles, verdict] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(1),
        Constraint::Fill(3),
        Constraint::Fill(2),
        Constraint::Length(6),
    ])
    .areas(frame.area());
    frame.render_widget(title(report, live), head);
    frame.render_widget(progress(live), gauge);
    let wide = middle.width >= 90;
    let sides = if wide { [60, 40] } else { [100, 0] };
    let [left, right] = Layout::horizontal(sides.map(Constraint::Percentage)).areas(middle);
    curve(report, frame, left);
    if wide {
        frame.render_widget(players(report, right.height), right);
    }
    frame.render_widget(table(report, cycles.height), cycles);
    let said = report.missing.len();
    let missing = match said {
        0 => String::new(),
        1 => format!(" Missing: {}", report.missing[0]),
        n => format!(" {n} things are missing; the report names them."),
    };
    let alarms: Vec<String> = report
        .troubles()
        .map(|finding| format!("{} {} ", finding.severity.word(), finding.line()))
        .collect();
    let text = alarms.concat() + &report.verdict() + &missing;
    let block = Block::bordered().title(" verdict ").title_bottom(" q leaves; the run goes on ");
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }).block(block), verdict);
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
    Gauge::default()
        .ratio(share.clamp(0.0, 1.0))
        .gauge_style(Style::new().fg(Color::Blue))
        .label(format!("cycle {} of {} done", live.cycles_done, live.cycles))
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
    let y = ticks(bottom, top, 5, false);
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
    let widths = [Constraint::Fill(2), Constraint::Length(14), Constraint::Length(7)];
    Table::new(rows, widths)
        .header(Row::new(["player", "Elo ± 95 %", "games"]).style(Style::new().fg(Color::DarkGray)))
        .block(Block::bordered().title(" ratings "))
}

/// The newest cycles, the last one at the bottom.
fn table<'a>(report: &Report, height: u16) -> Table<'a> {
    let shown = usize::from(height.saturating_sub(3));
    let skip = report.cycles.len().saturating_sub(shown);
    let rows: Vec<Row<'a>> = report.cycles.iter().skip(skip).map(cycle_row).collect();
    let widths = [
        Constraint::Length(5),
        Constraint::Length(10),
        Constraint::Length(8),
        Constraint::Length(11),
        Constraint::Length(13),
        Constraint::Length(13),
        Constraint::Length(9),
        Constraint::Length(9),
        Constraint::Fill(1),
    ];
    Table::new(rows, widths)
        .header(
            Row::new([
                "cycle",
                "generation",
                "games",
                "evals/s",
                "policy loss",
                "value loss",
                "gate",
                "time",
                "verdict",
            ])
            .style(Style::new().fg(Color::DarkGray)),
        )
        .block(Block::bordered().title(" cycles "))
}

fn cycle_row<'a>(facts: &CycleFacts) -> Row<'a> {
    let none = || "-".to_owned();
    let s = facts.selfplay.as_ref();
    let loss = |train: Option<f64>, validation: Option<f64>| match (train, validation) {
        (Some(train), Some(validation)) => {
            format!("{} {}", count::loss(train), count::loss(validation))
        }
        (Some(train), None) => count::loss(train),
        _ => "-".to_owned(),
    };
    let losses = facts.losses.as_ref();
    let verdict = match (&facts.verdict, facts.promoted) {
        (_, Some(generation)) => {
            Cell::from(format!("generation {generation}")).style(Style::new().fg(Color::Green))
        }
        (Some(_), None) => Cell::from("refused").style(Style::new().fg(Color::Red)),
        (None, None) => Cell::from(none()),
    };
    Row::new(vec![
        Cell::from(facts.cycle.to_string()),
        Cell::from(facts.generation.map_or_else(none, |g| g.to_string())),
        Cell::from(s.map_or_else(none, |s| count::whole(s.games))),
        Cell::from(s.map_or_else(none, |s| count::rate(s.evaluations, s.wall_ms))),
        Cell::from(loss(losses.map(|l| l.policy), losses.and_then(|l| l.validation_policy))),
        Cell::from(loss(losses.map(|l| l.value), losses.and_then(|l| l.validation_value))),
        Cell::from(facts.gate.as_ref().map_or_else(none, |gate| count::wdl(gate.record()))),
        Cell::from(facts.wall_ms.map_or_else(none, count::duration)),
        verdict,
    ])
}
