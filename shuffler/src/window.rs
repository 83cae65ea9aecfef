//! How many rows the window holds, and how many of them a cycle trains on.

/// The power law of `KataGo`'s `python/shuffle.py`: the window grows with the rows played, ever
/// more slowly.
///
/// With `N` rows played, `s = scale`, `E = exponent` and `x = N - rows_min + s` it holds
/// `(x^E - s^E) / (E s^(E-1)) * rows_per_new_row + rows_min` rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowLaw {
    /// Rows of the smallest window. While fewer were played, the window has all of them.
    pub rows_min: u64,
    /// Rows of the largest window.
    pub rows_max: u64,
    /// `E`, in (0, 1).
    pub exponent: f64,
    /// Rows by which the window grows a new row, at first.
    pub rows_per_new_row: f64,
    /// `s`: rows after which the growth slows down.
    pub scale: u64,
}

impl WindowLaw {
    /// Rows that the window should hold when `rows` were played in all.
    pub fn rows(&self, rows: u64) -> u64 {
        if rows <= self.rows_min {
            return rows;
        }
        let scale = self.scale as f64;
        let x = (rows - self.rows_min) as f64 + scale;
        let e = self.exponent;
        let grown = (x.powf(e) - scale.powf(e)) / (e * scale.powf(e - 1.0));
        let window = (grown * self.rows_per_new_row) as u64 + self.rows_min;
        window.clamp(self.rows_min, self.rows_max).min(rows)
    }
}

/// How many rows a cycle trains on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowCounts {
    /// Rows that are sampled for each new row.
    pub rows_per_new_row: f64,
    /// Rows that are sampled at most.
    pub rows_max: u64,
    /// Validation rows that are written at most.
    pub validation_rows_max: u64,
}

impl RowCounts {
    /// Returns the number of rows to sample from a window of `window_rows` after `new_rows` were
    /// added. Never more than the window holds: a row is sampled once a cycle.
    pub fn train_rows(&self, new_rows: u64, window_rows: u64) -> u64 {
        let wanted = (new_rows as f64 * self.rows_per_new_row).round() as u64;
        wanted.min(self.rows_max).min(window_rows)
    }

    /// Rows to sample from a window of `window_rows` in so many passes over it.
    pub fn epochs_rows(&self, epochs: u32, window_rows: u64) -> u64 {
        window_rows.saturating_mul(u64::from(epochs)).min(self.rows_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_agrees_with_katagos_tables() {
        // Rows played; windows of KataGo's main run and of its synchronous loop, three digits.
        let table: [(f64, f64, Option<f64>); 7] = [
            (250e3, 250e3, Some(145e3)),
            (1e6, 475e3, Some(278e3)),
            (5e6, 1.17e6, Some(679e3)),
            (10e6, 1.79e6, Some(1.03e6)),
            (25e6, 3.17e6, Some(1.81e6)),
            (100e6, 7.65e6, None),
            (1e9, 33.9e6, None),
        ];
        let main = WindowLaw {
            rows_min: 250_000,
            rows_max: u64::MAX,
            exponent: 0.65,
            rows_per_new_row: 0.4,
            scale: 250_000,
        };
        let sync = WindowLaw { rows_min: 100_000, scale: 50_000, ..main };
        let near = |window: u64, expected: f64| (window as f64 / expected - 1.0).abs() < 0.005;
        for (rows, main_window, sync_window) in table {
            assert!(
                near(main.rows(rows as u64), main_window),
                "{rows}: {}",
                main.rows(rows as u64)
            );
            if let Some(expected) = sync_window {
                assert!(
                    near(sync.rows(rows as u64), expected),
                    "{rows}: {}",
                    sync.rows(rows as u64)
                );
            }
        }
    }

    #[test]
    fn the_window_is_bounded_and_its_oldest_row_never_moves_back() {
        let law = WindowLaw {
            rows_min: 1000,
            rows_max: 50_000,
            exponent: 0.9,
            rows_per_new_row: 0.99,
            scale: 2000,
        };
        let mut oldest = 0;
        for rows in (0..1_000_000).step_by(777) {
            let window = law.rows(rows);
            assert!(window <= rows && window <= 50_000 && window >= rows.min(1000));
            assert!(rows - window >= oldest, "expired rows stay expired");
            oldest = rows - window;
        }
        assert_eq!(law.rows(10_000_000), 50_000);
    }

    #[test]
    fn a_cycle_samples_no_more_than_there_is() {
        let counts = RowCounts { rows_per_new_row: 4.0, rows_max: 1000, validation_rows_max: 0 };
        assert_eq!(counts.train_rows(100, 5000), 400);
        assert_eq!(counts.train_rows(100, 300), 300);
        assert_eq!(counts.train_rows(500, 5000), 1000);
        assert_eq!(counts.train_rows(0, 5000), 0);
        assert_eq!(counts.epochs_rows(3, 300), 900);
        assert_eq!(counts.epochs_rows(3, 400), 1000);
    }
}
