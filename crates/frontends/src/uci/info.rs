//! `info` lines: what a search reports.

use std::{fmt::Write, time::Duration};

use dz_game::Wdl;

use crate::Session;

/// What a front end may set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Number of lines to report.
    pub multi_pv: usize,
    /// Whether chances of win, draw and loss are reported.
    pub wdl: bool,
}

/// Time that is kept back of `movetime`.
pub(super) const OVERHEAD: Duration = Duration::from_millis(20);

/// Returns a line for each of the best moves.
pub(super) fn lines(session: &dyn Session, options: Options, time: Duration) -> String {
    let report = session.report();
    let nodes = report.counts.playouts;
    let milliseconds = time.as_millis();
    let per_second = u128::from(nodes) * 1_000 / milliseconds.max(1);
    let mut text = String::new();
    // Moves without visits have no score.
    let seen = report.moves.iter().filter(|found| found.wdl.is_some()).count().max(1);
    for (rank, found) in report.moves.iter().take(options.multi_pv.min(seen)).enumerate() {
        let wdl = found.wdl.unwrap_or(report.wdl);
        let [win, draw, loss] = permille(wdl);
        let line: Vec<String> = found.line.iter().map(|&mv| session.format(mv)).collect();
        let chances = if options.wdl { format!(" wdl {win} {draw} {loss}") } else { String::new() };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "info depth {} multipv {} score cp {}{chances} nodes {nodes} nps {per_second} time \
             {milliseconds} pv {}",
            line.len(),
            rank + 1,
            centipawns(wdl),
            line.join(" ")
        );
    }
    text
}

/// 90 tan(1.5637541897 Q), lc0's scale (`search/classic/search.cc`, score type `centipawn`).
fn centipawns(wdl: Wdl) -> i32 {
    (90.0 * (1.563_754_189_7 * f64::from(wdl.value())).tan()).round() as i32
}

/// Shares in thousandths, which sum to 1,000.
fn permille(wdl: Wdl) -> [i32; 3] {
    let share = |part: f32| ((1_000.0 * part).round() as i32).clamp(0, 1_000);
    let win = share(wdl.win);
    // Two halves of a thousandth may both be rounded up.
    let loss = share(wdl.loss).min(1_000 - win);
    [win, 1_000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_grow_with_values_and_are_fair() {
        let of = |win: f32| centipawns(Wdl { win, draw: 0.0, loss: 1.0 - win });
        assert_eq!(of(0.5), 0);
        assert_eq!(of(0.25), -of(0.75));
        assert!(of(0.75) > 50 && of(1.0) > 10_000 && of(1.0) < 20_000, "{}", of(1.0));
        assert_eq!(permille(Wdl { win: 0.3334, draw: 0.3333, loss: 0.3333 }), [333, 334, 333]);
        assert_eq!(permille(Wdl { win: 0.5005, draw: 0.0, loss: 0.4995 }), [501, 0, 499]);
        assert_eq!(permille(Wdl { win: 0.4995, draw: 0.0, loss: 0.5005 }), [500, 0, 500]);
    }
}
