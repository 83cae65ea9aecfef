//! Numbers as people read them: the one place where the report formats a number, a size or a time.

use std::time::Duration;

use dz_stats::Record;

pub use dz_stage::{bytes_text as bytes, count_text as whole, elo_error_text as elo_error};
pub(crate) use dz_stage::{elo_text as elo, elo_width_text as elo_width, real_text as real};

/// A share as `12.3 %`.
pub(crate) fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1} %", 100.0 * share) } else { "-".to_owned() }
}

/// A probability that is never certain.
pub(crate) fn chance(chance: f64) -> String {
    match chance {
        c if c > 0.999 => "above 99.9 %".to_owned(),
        c if c < 0.001 => "below 0.1 %".to_owned(),
        c => percent(c),
    }
}

/// A share in whole percent, without the sign; 100 and 0 stay for shares that are exactly so.
pub(crate) fn whole_percent(share: f64) -> String {
    let whole = (100.0 * share).round();
    let is_cut = (whole == 100.0 && share < 1.0) || (whole == 0.0 && share > 0.0);
    if is_cut { format!("{:.1}", 100.0 * share) } else { format!("{whole:.0}") }
}

/// Part of whole as a percentage, `-` of nothing.
pub(crate) fn share(part: u64, of: u64) -> String {
    percent(part as f64 / of as f64)
}

/// A number of events a second.
pub(crate) fn rate(events: u64, wall_ms: u64) -> String {
    real(events as f64 / (wall_ms as f64 / 1000.0))
}

/// Wins, draws and losses, `12-3-5`.
pub(crate) fn wdl(record: Record) -> String {
    [record.wins, record.draws, record.losses].map(whole).join("-")
}

/// `1 cycle`, `1,234 cycles`; `2 inaccuracies`.
pub fn plural(count: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if count == 1 => format!("1 {noun}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => {
            format!("{} {stem}ies", whole(count))
        }
        _ => format!("{} {noun}s", whole(count)),
    }
}

/// A loss in nats, or a mean score between 0 and 1: three decimals.
pub(crate) fn loss(value: f64) -> String {
    format!("{value:.3}")
}

/// A learning rate, `2.0e-3`.
pub(crate) fn learning_rate(value: f64) -> String {
    format!("{value:.1e}")
}

/// A value with its interval, `0.625 (0.355 to 0.834)`.
pub(crate) fn interval(text: fn(f64) -> String, [value, low, high]: [f64; 3]) -> String {
    format!("{} ({} to {})", text(value), text(low), text(high))
}

/// A duration, `4.2 s`, and from a minute on as the terminal shows it: `12 min 5 s`, `3 h 20 min`.
pub fn duration(ms: u64) -> String {
    let seconds = (ms + 500) / 1000;
    match seconds {
        0..60 => format!("{:.1} s", ms as f64 / 1000.0),
        _ => dz_stage::duration_text(Duration::from_secs(seconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_rates() {
        assert_eq!(whole(0), "0");
        assert_eq!(whole(999), "999");
        assert_eq!(whole(1_234_567), "1,234,567");
        assert_eq!(real(12_345.6), "12,346");
        assert_eq!(real(-250.4), "-250");
        assert_eq!(real(3.456), "3.46");
        assert_eq!(real(f64::NAN), "-");
        assert_eq!(rate(500, 2000), "250");
        assert_eq!(rate(0, 0), "-");
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(0, 0), "-");
    }

    #[test]
    fn elo_has_a_sign() {
        assert_eq!(elo(-0.3), "+0");
        assert_eq!(elo_error(123.4, 44.6), "+123 ± 45");
        assert_eq!(elo_error(-7.0, 3.0), "-7 ± 3");
        assert_eq!(elo_error(-1206.4, 1366.0), "-1,206 ± 1,366");
        assert_eq!(interval(elo, [12.0, -3.2, 1027.0]), "+12 (-3 to +1,027)");
    }

    #[test]
    fn only_all_games_are_a_hundred_percent() {
        let texts = [0.0, 0.004, 0.5, 0.996, 1.0].map(whole_percent);
        assert_eq!(texts, ["0", "0.4", "50", "99.6", "100"]);
    }

    #[test]
    fn sizes_and_nouns() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(12_345), "12.3 kB");
        assert_eq!(bytes(69_639_300), "69.6 MB");
        assert_eq!(bytes(4_560_000_000), "4.56 GB");
        assert_eq!(plural(1, "row"), "1 row");
        assert_eq!(plural(1_200, "row"), "1,200 rows");
        assert_eq!(wdl(Record { wins: 12_345, draws: 0, losses: 7 }), "12,345-0-7");
        assert_eq!((loss(1.2345), learning_rate(0.002)), ("1.234".to_owned(), "2.0e-3".to_owned()));
    }

    #[test]
    fn times() {
        assert_eq!(duration(4_200), "4.2 s");
        assert_eq!(duration(725_000), "12 min 5 s");
        assert_eq!(duration(12_000_000), "3 h 20 min");
    }
}
