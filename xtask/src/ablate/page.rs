//! The table as Markdown, made of the cells that are stored.

use std::{collections::BTreeSet, fmt::Write};

use anyhow::Context;

use super::{
    cell::{Cell, Figure},
    stats::{Mean, mean, paired},
    table::{BASE, Table, Variant},
};

/// A table's part of the page, marks included.
pub fn section(table: &Table, cells: &[Cell]) -> String {
    let mut text = format!("{}\n## {}\n\n", begin(&table.name), table.title);
    let figures = figures(cells);
    if figures.is_empty() {
        text += "No cell is stored yet.\n";
        return text + &end(&table.name) + "\n";
    }
    text += &head(table, cells);
    text += "| variant | what it asks | seeds |";
    for figure in &figures {
        // The options of another program stand above the table, not in its columns.
        let name = figure.name.split(" --").next().unwrap_or_default();
        let _ = write!(text, " {name} | difference |");
    }
    text += " games | evaluations | seconds |\n|---|---|---|";
    text += &"---|---|".repeat(figures.len());
    text += "---|---|---|\n";
    for variant in &table.variants {
        text += &row(variant, &figures, cells);
    }
    text + &end(&table.name) + "\n"
}

/// A page with the section of a table in the place of the one that it has.
///
/// # Errors
/// If the page has no marks for the table.
pub fn with_section(page: &str, table: &Table, section: &str) -> anyhow::Result<String> {
    let begin = begin(&table.name);
    let end = end(&table.name) + "\n";
    let parts = page.split_once(&begin).and_then(|(head, rest)| {
        let (_, tail) = rest.split_once(&end)?;
        Some(format!("{head}{section}{tail}"))
    });
    parts.with_context(|| format!("the page has no line {begin} with {} behind it", end.trim()))
}

/// What came of one cell, in a line.
pub(super) fn line(cell: &Cell) -> String {
    let figure = |f: &Figure| format!("{} {:.1} %", f.name, 100.0 * f.share);
    let figures: Vec<String> = cell.figures.iter().map(figure).collect();
    format!(
        "{}, seed {}: {}; {} evaluations, {:.0} s",
        cell.variant,
        cell.seed,
        figures.join(", "),
        cell.evaluations,
        cell.seconds.total()
    )
}

fn begin(name: &str) -> String {
    format!("<!-- ablation {name}: begin -->")
}

fn end(name: &str) -> String {
    format!("<!-- ablation {name}: end -->")
}

/// The figures that there are, in the order of the first cell that has them.
fn figures(cells: &[Cell]) -> Vec<Figure> {
    let mut found: Vec<Figure> = Vec::new();
    for figure in cells.iter().flat_map(|cell| &cell.figures) {
        if found.iter().all(|other| other.name != figure.name) {
            found.push(figure.clone());
        }
    }
    found
}

/// What all cells have in common, and where they were made.
fn head(table: &Table, cells: &[Cell]) -> String {
    let distinct = |of: fn(&Cell) -> String| {
        let all: BTreeSet<String> = cells.iter().map(of).collect();
        all.into_iter().collect::<Vec<_>>().join("; ")
    };
    let counts = figures(cells);
    let counts: Vec<String> = counts
        .iter()
        .map(|figure| format!("{} on {}", figure.name, thousands(figure.count)))
        .collect();
    let dates: BTreeSet<&str> =
        cells.iter().filter_map(|cell| cell.date.split(' ').next()).collect();
    let made = match (dates.first(), dates.last()) {
        (Some(first), Some(last)) if first != last => format!("from {first} to {last}"),
        (first, _) => format!("on {}", first.unwrap_or(&"")),
    };
    format!(
        "{} evaluations a cell. Shares in per cent ({}). Made {made} by {} on {}, threads a stage: {}.\n\n",
        thousands(table.evaluations),
        counts.join(", "),
        distinct(|cell| cell.program.clone()),
        distinct(|cell| cell.machine.clone()),
        distinct(|cell| cell.threads.to_string()),
    )
}

fn row(variant: &Variant, figures: &[Figure], cells: &[Cell]) -> String {
    let of = |name: &str| -> Vec<&Cell> { cells.iter().filter(|c| c.variant == name).collect() };
    let own = of(&variant.name);
    let base = of(BASE);
    let changes: Vec<String> = variant.set.iter().map(|change| format!("`{change}`")).collect();
    let colon = if changes.is_empty() { "" } else { ": " };
    let seeds = if own.is_empty() { "-".to_owned() } else { own.len().to_string() };
    let mut text = format!(
        "| {} | {}{colon}{} | {seeds} |",
        variant.name,
        variant.question,
        changes.join(", ")
    );
    for figure in figures {
        let values = |cells: &[&Cell]| -> Vec<(u64, f64)> {
            let value = |cell: &&Cell| Some((cell.seed, 100.0 * cell.share(&figure.name)?));
            cells.iter().filter_map(value).collect()
        };
        let own = values(&own);
        let alone: Vec<f64> = own.iter().map(|(_, value)| *value).collect();
        let difference = if variant.name == BASE { None } else { paired(&own, &values(&base)) };
        let _ = write!(text, " {} | {} |", share(mean(&alone)), difference_text(difference));
    }
    let average = |of: fn(&Cell) -> f64| {
        let found = mean(&own.iter().map(|cell| of(cell)).collect::<Vec<_>>());
        found.map_or("-".to_owned(), |found| thousands(found.mean.round() as u64))
    };
    let columns: [fn(&Cell) -> f64; 3] =
        [|cell| cell.games() as f64, |cell| cell.evaluations as f64, |cell| cell.seconds.total()];
    for column in columns {
        let _ = write!(text, " {} |", average(column));
    }
    text.push('\n');
    text
}

fn share(of: Option<Mean>) -> String {
    of.map_or("-".to_owned(), |Mean { mean, error95 }| match error95 {
        Some(error95) => format!("{mean:.1} ± {error95:.1}"),
        None => format!("{mean:.1}"),
    })
}

/// Bold where the interval is without 0.
fn difference_text(of: Option<Mean>) -> String {
    of.map_or("-".to_owned(), |Mean { mean, error95 }| match error95 {
        Some(error95) if mean.abs() > error95 => format!("**{mean:+.1} ± {error95:.1}**"),
        Some(error95) => format!("{mean:+.1} ± {error95:.1}"),
        None => format!("{mean:+.1}"),
    })
}

/// A number with a comma after each three digits.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
