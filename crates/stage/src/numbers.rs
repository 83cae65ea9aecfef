//! Numbers as people read them.

use std::time::Duration;

use indicatif::HumanCount;

use crate::event::{Progress, Rates};

/// `1,234,567`.
pub fn count_text(count: u64) -> String {
    HumanCount(count).to_string()
}

/// Three significant digits or so: `1.5e-3`, `0.712`, `12.3`, `840`, `2,169`, `12.3k`, `4.56M`.
pub fn number_text(value: f64) -> String {
    let size = value.abs();
    let (scaled, suffix) = if size >= 999_500.0 {
        (value / 1e6, "M")
    } else if size >= 9_999.5 {
        (value / 1e3, "k")
    } else {
        (value, "")
    };
    match scaled.abs() {
        // Negative zero would read as a sign.
        0.0 => "0".to_owned(),
        x if x < 9.995 && suffix == "M" => format!("{scaled:.2}{suffix}"),
        // Learning rates, which would all be 0.00 and a digit.
        x if x < 0.01 => format!("{scaled:.1e}"),
        x if x < 1.0 => format!("{scaled:.3}{suffix}"),
        x if x < 10.0 => format!("{scaled:.2}{suffix}"),
        x if x < 99.95 => format!("{scaled:.1}{suffix}"),
        x if x < 999.5 => format!("{scaled:.0}{suffix}"),
        // Only below 10,000 are there four digits, and no suffix.
        x => format!("{}{}", if scaled < 0.0 { "-" } else { "" }, count_text(x.round() as u64)),
    }
}

/// `8 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration_text(duration: Duration) -> String {
    let s = duration.as_secs();
    match s {
        0..=59 => format!("{s} s"),
        60..=3599 => format!("{} min {} s", s / 60, s % 60),
        _ => format!("{} h {} min", s / 3600, s / 60 % 60),
    }
}

/// A rate or mean: grouped without decimals from 100 on, with one or two below; `-` where it is not
/// a number.
pub fn real_text(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".to_owned(),
        v if v.abs() >= 100.0 => {
            let sign = if v < 0.0 { "-" } else { "" };
            format!("{sign}{}", count_text(v.abs().round() as u64))
        }
        v if v.abs() >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// A number of bytes in the unit that fits, `12.3 MB`; a MB is a million.
pub fn bytes_text(bytes: u64) -> String {
    let (value, unit) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (bytes as f64 / 1e3, "kB"),
        1_000_000..1_000_000_000 => (bytes as f64 / 1e6, "MB"),
        _ => (bytes as f64 / 1e9, "GB"),
    };
    format!("{} {unit}", real_text(value))
}

/// An Elo difference with its sign, `+1,234`.
pub fn elo_text(elo: f64) -> String {
    // Rounded first, so that -0.3 is `+0` and not `-0`.
    let rounded = elo.round() as i64;
    format!("{}{}", if rounded < 0 { '-' } else { '+' }, count_text(rounded.unsigned_abs()))
}

/// The half width of an interval in Elo, `1,234`.
pub fn elo_width_text(error95: f64) -> String {
    count_text(error95.round() as u64)
}

/// A rating with its error: `+123 ± 45`.
pub fn elo_error_text(value: f64, error95: f64) -> String {
    format!("{} ± {}", elo_text(value), elo_width_text(error95))
}

/// `35 games/s, 8.1k playouts/s, batch fill 93.0 %`.
pub(crate) fn rates_text(rates: &Rates) -> String {
    rate_texts(rates).collect::<Vec<_>>().join(", ")
}

/// As [`rates_text`], each by itself.
pub(crate) fn rate_texts(rates: &Rates) -> impl Iterator<Item = String> {
    let one = |(name, &value): (&String, &f64)| match name.strip_suffix('%') {
        _ if name.contains('/') => format!("{} {name}", number_text(value)),
        Some(name) => format!("{} {value:.1} %", name.trim_end()),
        None => format!("{name} {}", number_text(value)),
    };
    rates.iter().map(one)
}

/// `selfplay   cycle 3: 120/400 games`.
pub(crate) fn progress_head(progress: &Progress) -> String {
    let Progress { stage, cycle, done, total, unit, .. } = progress;
    let [done, total] = [*done, *total].map(count_text);
    format!("{stage:<10} cycle {cycle}: {done}/{total} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1e-4, "1.0e-4"),
            (-0.002_96, "-3.0e-3"),
            (0.0714, "0.071"),
            (9.5, "9.50"),
            (12.34, "12.3"),
            (840.2, "840"),
            (9_999.0, "9,999"),
            (12_345.0, "12.3k"),
            (456_789.0, "457k"),
            (4_560_000.0, "4.56M"),
        ];
        assert_eq!(cases.map(|(value, _)| number_text(value)), cases.map(|(_, text)| text));
    }

    #[test]
    fn durations_are_short() {
        let texts = [8, 200, 7500].map(|s| duration_text(Duration::from_secs(s)));
        assert_eq!(texts, ["8 s", "3 min 20 s", "2 h 5 min"]);
    }

    #[test]
    fn rates_say_their_units() {
        let rates = [("games/s", 35.04), ("batch fill %", 93.0), ("policy loss", 1.25)];
        let rates = rates.map(|(name, value)| (name.to_owned(), value)).into();
        assert_eq!(rates_text(&rates), "batch fill 93.0 %, 35.0 games/s, policy loss 1.25");
    }
}
