//! What bounds the speed of self-play, in a sentence.

use super::summary::{LoadSummary, SelfplaySummary};

/// Share of filled places below which games that are missing cost more than anything else.
const FILL_MIN: f64 = 0.8;
/// Share of the time that tasks wait for a card from which on it is the card that bounds them.
const WAITING_MIN: f64 = 0.2;

/// The resource that limited the speed of self-play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// Batches were not full, because the cycle had too few games.
    BatchFill,
    /// Network evaluation on the CPU.
    Network,
    /// Search, with the network on the CPU.
    Search,
    /// The GPU.
    Device,
    /// The CPU, with the network on a GPU.
    Host,
}

impl SelfplaySummary {
    /// Returns what limited the speed of these games. Returns `None` if no batches were evaluated.
    pub fn bottleneck_kind(&self) -> Option<Bottleneck> {
        let LoadSummary { device_share, waiting_share, .. } = self.load?;
        let on_card = self.evaluator.contains("-cuda-");
        Some(if self.batch_fill < FILL_MIN {
            Bottleneck::BatchFill
        } else if !on_card && device_share >= 0.5 {
            Bottleneck::Network
        } else if !on_card {
            Bottleneck::Search
        } else if waiting_share >= WAITING_MIN {
            Bottleneck::Device
        } else {
            Bottleneck::Host
        })
    }

    /// Returns the bottleneck of these games, and the setting that would help; `None` where no
    /// batches were evaluated.
    pub fn bottleneck(&self) -> Option<String> {
        let LoadSummary { device_share, waiting_share, host_us } = self.load?;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        Some(match self.bottleneck_kind()? {
            // A task in progress always asks, so places are empty once no game follows one that
            // ended.
            Bottleneck::BatchFill => format!(
                "Only {} of the places in batches were filled, since too few games follow when others end: more \
                 selfplay.games or fewer selfplay.parallel_games would fill them.",
                percent(self.batch_fill)
            ),
            Bottleneck::Network => format!(
                "Evaluating networks took {} of the threads' time, search {host_us:.0} µs an evaluation: a card \
                 (run.device) or a smaller network would speed self-play up most.",
                percent(device_share)
            ),
            Bottleneck::Search => format!(
                "Search took {} of the threads' time, {host_us:.0} µs an evaluation: more threads (run.threads) \
                 or fewer selfplay.playouts would speed self-play up most.",
                percent(1.0 - device_share)
            ),
            Bottleneck::Device => format!(
                "The card is the bottleneck, search waited for it {} of the time: more cards (selfplay.devices), or larger \
                 batches (selfplay.parallel_games, {:.0} positions now), would help.",
                percent(waiting_share),
                self.evaluations as f64 / self.batches.max(1) as f64
            ),
            Bottleneck::Host => format!(
                "The processor is the bottleneck, {host_us:.1} µs an evaluation; the card had work at most {} of the time: \
                 more threads (run.threads) would help, and more selfplay.groups if that is far below 100 %.",
                percent(device_share)
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cycle of this evaluator, fill, device share and waiting share.
    fn cycle(evaluator: &str, batch_fill: f64, device_share: f64, waiting_share: f64) -> String {
        let load = Some(LoadSummary { device_share, waiting_share, host_us: 12.5 });
        let (evaluator, evaluations, batches) = (evaluator.to_owned(), 64_000, 100);
        let summary = SelfplaySummary {
            evaluations,
            batches,
            batch_fill,
            evaluator,
            load,
            ..SelfplaySummary::default()
        };
        summary.bottleneck().unwrap()
    }

    #[test]
    fn what_bounds_self_play_is_named_with_a_setting() {
        let (cpu, card) = ("0123-cpu-winograd4-fma-f32", "0123-cuda-f16-c4096");
        for (sentence, words) in [
            (cycle(cpu, 0.5, 0.9, 0.0), ["50 %", "selfplay.games"]),
            (cycle(card, 0.5, 0.9, 0.9), ["50 %", "selfplay.games"]),
            (cycle(cpu, 0.9, 0.7, 0.0), ["70 %", "run.device"]),
            (cycle(cpu, 0.9, 0.3, 0.0), ["70 %", "run.threads"]),
            (cycle(card, 0.9, 0.99, 0.4), ["waited for it 40 %", "640 positions"]),
            (cycle(card, 0.9, 0.8, 0.05), ["12.5 µs", "run.threads"]),
        ] {
            assert!(words.iter().all(|word| sentence.contains(word)), "{words:?}: {sentence}");
        }
        assert_eq!(SelfplaySummary::default().bottleneck(), None);
        assert_eq!(SelfplaySummary::default().bottleneck_kind(), None);
    }
}
