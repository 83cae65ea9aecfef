//! What time it is, and how much of it a move may take.

use std::time::{Duration, Instant};

/// Tells the time since some moment that stays the same.
pub trait Clock {
    /// Time since then.
    fn now(&self) -> Duration;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Kept back of every clock for the way of a move to the referee.
const MARGIN: Duration = Duration::from_millis(100);

/// Least and most moves that a player is thought to have left.
const MOVES_LEFT: (u32, u32) = (20, 80);

/// What a player's clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeLeft {
    /// Time that is left.
    pub left: Duration,
    /// Added after every move.
    pub increment: Duration,
    /// Moves for which it must last, or all that come.
    pub moves: Option<u32>,
}

impl TimeLeft {
    /// Time for the next move where there are `legal` moves to choose from: an even share of what
    /// is left, and the increment; of the last move's time all, else half at most. A player without
    /// a number of moves is thought to have a third of the legal moves left, 20 to 80: Go 9x9
    /// begins with 27, Go 19x19 with 80, chess with 20.
    pub(crate) fn for_a_move(&self, legal: usize) -> Duration {
        let usable = self.left.saturating_sub(MARGIN);
        let (least, most) = MOVES_LEFT;
        let guess = (legal as u32 / 3).clamp(least, most);
        match self.moves.unwrap_or(guess) {
            0 | 1 => usable,
            moves => (usable / moves + self.increment).min(usable / 2),
        }
    }
}

/// A GTP clock's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeSettings {
    /// Main time.
    pub main: Duration,
    /// A period of byo-yomi, and the stones to be played in it; none is sudden death.
    pub byo_yomi: Option<(Duration, u32)>,
}

/// A player's GTP clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SideClock {
    settings: TimeSettings,
    left: Duration,
    /// Stones left in this period of byo-yomi; `None` in main time.
    stones: Option<u32>,
}

impl SideClock {
    pub(crate) fn new(settings: TimeSettings) -> Self {
        let mut clock = Self { settings, left: settings.main, stones: None };
        clock.enter_byo_yomi(Duration::ZERO);
        clock
    }

    /// The clock of the next game.
    pub(crate) fn anew(self) -> Self {
        Self::new(self.settings)
    }

    /// What a referee says: `stones` is 0 in main time.
    pub(crate) fn set(&mut self, left: Duration, stones: u32) {
        (self.left, self.stones) = (left, (stones > 0).then_some(stones));
    }

    /// Takes a move's time.
    pub(crate) fn spend(&mut self, time: Duration) {
        let over = time.saturating_sub(self.left);
        self.left = self.left.saturating_sub(time);
        match &mut self.stones {
            Some(stones) if *stones > 1 => *stones -= 1,
            Some(_) => {
                self.left = Duration::ZERO;
                self.enter_byo_yomi(Duration::ZERO);
            }
            None => self.enter_byo_yomi(over),
        }
    }

    pub(crate) fn time_left(&self) -> TimeLeft {
        let increment = match (self.stones, self.settings.byo_yomi) {
            (None, Some((period, stones))) => period / stones.max(1),
            _ => Duration::ZERO,
        };
        TimeLeft { left: self.left, increment, moves: self.stones }
    }

    /// Begins a period of byo-yomi if main time is used up; `late` of it is gone.
    fn enter_byo_yomi(&mut self, late: Duration) {
        if let Some((period, stones)) = self.settings.byo_yomi.filter(|_| self.left.is_zero()) {
            (self.left, self.stones) = (period.saturating_sub(late), Some(stones));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_game_by_the_rule_never_uses_up_its_clock() {
        for (left, increment) in [(300, 0), (60, 1), (1, 0), (0, 2), (10, 30)] {
            let mut time =
                TimeLeft { left: seconds(left), increment: seconds(increment), moves: None };
            for _ in 0..400 {
                let spent = time.for_a_move(82);
                assert!(spent + MARGIN <= time.left.max(MARGIN), "{time:?}");
                time.left = time.left.saturating_sub(spent) + time.increment;
            }
        }
        let time = TimeLeft { left: seconds(300), increment: Duration::ZERO, moves: None };
        assert_eq!(time.for_a_move(82), seconds(300).saturating_sub(MARGIN) / 27);
        assert_eq!(
            TimeLeft { moves: Some(1), ..time }.for_a_move(82),
            seconds(300).saturating_sub(MARGIN)
        );
    }

    #[test]
    fn main_time_goes_over_into_byo_yomi() {
        let settings = TimeSettings { main: seconds(10), byo_yomi: Some((seconds(30), 3)) };
        let mut clock = SideClock::new(settings);
        assert_eq!(clock.time_left().increment, seconds(10));
        clock.spend(seconds(4));
        assert_eq!(clock.time_left().left, seconds(6));
        clock.spend(seconds(8));
        let byo_yomi = |left, moves| TimeLeft {
            left: seconds(left),
            increment: Duration::ZERO,
            moves: Some(moves),
        };
        assert_eq!(clock.time_left(), byo_yomi(28, 3));
        clock.spend(seconds(5));
        clock.spend(seconds(5));
        assert_eq!(clock.time_left(), byo_yomi(18, 1));
        clock.spend(seconds(5));
        assert_eq!(clock.time_left(), byo_yomi(30, 3), "a new period");
        clock.set(seconds(7), 0);
        assert_eq!(clock.time_left().moves, None);
    }
}
