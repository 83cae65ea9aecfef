//! Clocks, and how much time a move may take.

use std::time::{Duration, Instant};

/// A source of time, which tests replace.
pub trait Clock {
    /// Returns the time since a fixed moment.
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

/// Time that is kept back of every clock, for the transport of a move to the referee.
const MARGIN: Duration = Duration::from_millis(100);

/// Least and most moves that a player is assumed to have left.
const MOVES_LEFT: (u32, u32) = (20, 80);

/// The state of a player's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeLeft {
    /// Remaining time.
    pub left: Duration,
    /// Added after every move.
    pub increment: Duration,
    /// Moves for which the time must last; `None` for the rest of the game.
    pub moves: Option<u32>,
}

impl TimeLeft {
    /// Returns the time for the next move: an even share of the remaining time plus the increment,
    /// and at most half of the remaining time unless the move is the last one. Without a number of
    /// moves, a third of the `legal` moves is assumed, between 20 and 80: Go 9x9 begins with 27, Go
    /// 19x19 with 80, chess with 20.
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
    /// A period of byo-yomi, and the stones to be played in it; `None` is sudden death.
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

    /// Returns the clock for the next game.
    pub(crate) fn reset(self) -> Self {
        Self::new(self.settings)
    }

    /// Sets what a referee reports; `stones` is 0 in main time.
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
