//! The run in plain words.

use crate::count;
use crate::facts::PlayerFacts;
use crate::final_match::FinalFacts;
use crate::report::{FORGOTTEN, Report};

impl Report {
    /// One paragraph: the score of the final match, how strong the champion is, against what, how
    /// much it gained, and whether it still gains.
    pub fn verdict(&self) -> String {
        let Some(cycle) = self.cycles.last() else {
            return "No data yet: no cycle of this run has published anything.".to_owned();
        };
        let mut sentences: Vec<String> =
            self.final_match.as_ref().map(FinalFacts::sentence).into_iter().collect();
        sentences.push(self.progress(cycle.elapsed_ms));
        match self.champion() {
            Some(champion) => {
                if champion.generation < Some(self.generation()) {
                    sentences.push(format!("Generation {} is not rated yet.", self.generation()));
                }
                sentences.push(self.strength(champion));
                sentences.extend(self.gain_over_first(champion));
                sentences.extend(self.trend(champion));
                sentences.extend(self.forgotten(champion));
            }
            None if self.generation() > 0 => {
                sentences.push("No rating games have been fitted yet.".to_owned());
            }
            None => sentences.push("No network has become champion yet.".to_owned()),
        }
        sentences.join(" ")
    }

    fn progress(&self, elapsed_ms: u64) -> String {
        let done = self.cycles.iter().filter(|cycle| cycle.wall_ms.is_some()).count();
        let games: u64 =
            self.cycles.iter().filter_map(|cycle| Some(cycle.selfplay.as_ref()?.games)).sum();
        format!(
            "After {} of the loop, {} self-play games and {} of running time, the champion is \
             generation {}.",
            count::plural(done as u64, "cycle"),
            count::whole(games),
            count::duration(elapsed_ms),
            self.generation(),
        )
    }

    fn strength(&self, champion: &PlayerFacts) -> String {
        let name = describe(champion);
        let elo = count::elo_error(champion.elo, champion.error95);
        match self.zero_anchor() {
            Some(zero) => format!("{name} is at {elo} Elo against {} (95 % error).", zero.name),
            None => format!("{name} is rated {elo} Elo; no anchor pins that scale."),
        }
    }

    fn gain_over_first(&self, champion: &PlayerFacts) -> Option<String> {
        let first = self.champions().into_iter().next()?;
        if first.name == champion.name {
            return None;
        }
        let gain = self.gain(champion, first);
        Some(format!(
            "That is {} Elo over {}, the first rated one.",
            count::elo_error(gain.elo.0, gain.error95.0),
            lower(&describe(first)),
        ))
    }

    /// Where an earlier champion is rated above the newest one.
    fn forgotten(&self, champion: &PlayerFacts) -> Option<String> {
        let best = self.strongest().filter(|best| best.name != champion.name)?;
        let gain = self.gain(best, champion);
        let says = if self.luck(best, champion) < FORGOTTEN {
            ": what it knew has been forgotten"
        } else {
            ", within the error of the best of so many"
        };
        Some(format!(
            "{} is rated higher, by {} Elo{says}.",
            describe(best),
            count::elo_error(gain.elo.0, gain.error95.0),
        ))
    }

    /// Elo an hour of running time between two champions; nothing where their times are not known.
    fn rate(&self, before: &PlayerFacts, champion: &PlayerFacts, elo: f64) -> String {
        let at = |player: &PlayerFacts| Some(self.cycle(player.cycle?)?.elapsed_ms);
        match (at(before), at(champion)) {
            (Some(from), Some(to)) if to > from => {
                let hours = (to - from) as f64 / 3_600_000.0;
                format!(", at {} Elo an hour", count::whole((elo / hours).round().max(0.0) as u64))
            }
            _ => String::new(),
        }
    }

    /// Since when the champions are as strong as the newest one, as far as their errors show.
    fn level_since(&self, champion: &PlayerFacts) -> String {
        let champions = self.champions();
        let level = |player: &&&PlayerFacts| {
            let gain = self.gain(champion, player);
            gain.elo.0.abs() <= gain.error95.0
        };
        let since = champions.iter().rev().skip(1).take_while(level).last();
        let at = |player: &PlayerFacts| Some(self.cycle(player.cycle?)?.elapsed_ms);
        since.map_or(String::new(), |since| {
            let when =
                at(since).map_or(String::new(), |ms| format!(", after {}", count::duration(ms)));
            format!(" since {}{when}", lower(&describe(since)))
        })
    }

    /// Compares with the champion that stood after three quarters of the judged cycles.
    fn trend(&self, champion: &PlayerFacts) -> Option<String> {
        let last = self.cycles.iter().rfind(|cycle| cycle.verdict.is_some())?.cycle;
        let since = last - last.div_ceil(4);
        let champions = self.champions();
        let before = champions.iter().rfind(|player| player.cycle <= Some(since))?;
        if before.name == champion.name {
            let idle = last.saturating_sub(champion.cycle?);
            // A refusal or two is chance.
            let says = if idle < 3 { "" } else { ", so progress has stalled" };
            return (idle > 0).then(|| {
                let cycles = count::plural(u64::from(idle), "cycle");
                format!("No candidate has replaced it in the last {cycles}{says}.")
            });
        }
        let gain = self.gain(champion, before);
        let elo = gain.elo.0;
        let error = gain.error95.0;
        let los = count::chance(gain.los);
        let says = if elo > error {
            let rate = self.rate(before, champion, elo);
            format!("so it is still rising{rate} (stronger with probability {los})")
        } else if elo < -error {
            format!("so it has fallen back (stronger with probability {los})")
        } else if error <= LEVEL_ERROR_MAX {
            let since = self.level_since(champion);
            format!("which is within a small error: it has levelled off{since}")
        } else {
            format!("too few rating games to tell whether it still rises (probability {los})")
        };
        Some(format!(
            "Since {} (cycle {}) it changed by {} Elo, {says}.",
            lower(&describe(before)),
            before.cycle?,
            count::elo_error(elo, error),
        ))
    }
}

/// With a larger 95 % error than this, in Elo, a difference within it is no evidence of a plateau:
/// a quarter of a run is expected to gain less than that.
const LEVEL_ERROR_MAX: f64 = 40.0;

/// `Generation 3`, or the name of a player without one.
fn describe(player: &PlayerFacts) -> String {
    player.generation.map_or_else(|| player.name.clone(), |g| format!("Generation {g}"))
}

fn lower(text: &str) -> String {
    text.replacen('G', "g", 1)
}
