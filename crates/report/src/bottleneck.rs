//! What a run's time went into, in a sentence.

use std::fmt::Write as _;

use crate::count;
use crate::report::Report;

impl Report {
    /// The stage that takes the most time, and what that suggests; none before a cycle is over.
    pub(crate) fn bottleneck(&self) -> Option<String> {
        let over = || self.cycles.iter().filter(|facts| facts.wall_ms.is_some());
        let sum = |of: &dyn Fn(&crate::CycleFacts) -> u64| over().map(of).sum::<u64>();
        let whole = sum(&|facts| facts.wall_ms.unwrap_or(0));
        if whole == 0 {
            return None;
        }
        let selfplay = sum(&|facts| facts.selfplay.as_ref().map_or(0, |s| s.wall_ms));
        let training = sum(&|facts| facts.losses.as_ref().map_or(0, |l| l.wall_ms));
        let shuffling = sum(&|facts| facts.rows.as_ref().map_or(0, |r| r.wall_ms));
        let matches = sum(&|facts| facts.matches_ms.unwrap_or(0));
        let mut parts = [
            ("self-play", selfplay),
            ("training", training),
            ("shuffling", shuffling),
            ("matches for gate and ratings", matches),
        ];
        parts.sort_by_key(|part| std::cmp::Reverse(part.1));
        let shares: Vec<String> =
            parts.iter().map(|(name, ms)| format!("{name} {}", count::share(*ms, whole))).collect();
        let parts_ms: u64 = parts.iter().map(|part| part.1).sum();
        let aside = if parts_ms > whole { ", side by side" } else { "" };
        let mut text = format!("Of the running time{aside}, {}.", shares.join(", "));
        let Some(last) = self.cycles.iter().rev().find_map(|facts| facts.selfplay.as_ref()) else {
            return Some(text);
        };
        if parts[0].0 == "self-play" {
            if let Some(sentence) = last.bottleneck() {
                let _ = write!(text, " {sentence}");
            }
        } else if parts[0].0.starts_with("matches") {
            text += " Fewer rating or gate games would leave more time for self-play.";
        }
        Some(text)
    }
}
