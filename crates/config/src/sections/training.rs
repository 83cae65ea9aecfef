//! `[training]`: how the network learns.

use crate::sections::DeviceChoice;
use dz_config_keys::{Limits, SameOr, above, below, choice, real, section, whole};

section! {
    /// `[training]`: how the network learns.
    pub struct TrainingSection = "training" {
        /// Devices that train, such as `["cuda:0"]`; several cards share each batch. Empty is
        /// `run.device`. The order of sums depends on the number of cards.
        [Results, Limits::Any] devices: Vec<DeviceChoice> = Vec::new();
        /// What products take their factors in, forward and backward: `f32`, `bf16` (16 bits, with
        /// weights, optimizer, batch norm and losses in 32), or `auto`: `bf16` on a card and `f32`
        /// on the processor, which is slower in 16 bits.
        [Results, Limits::Any] precision: TrainingPrecision = TrainingPrecision::Auto;
        /// Rows a step.
        [Results, whole(2, 1_000_000)] batch: u32 = 256;
        /// Rows that are trained on for each new row, repetitions counted. A cycle samples a row of
        /// its window once at most, so the first cycles, whose windows are small, may have fewer.
        [Results, above(0.0, 1000.0)] rows_per_new_row: f64 = 4.0;
        /// Passes over all games that were read from records (`dagzero import`), in the first cycle
        /// of such a run. The window then holds up to `window.rows_max` rows, `rows_per_new_row`
        /// does not count, and `rows_max` bounds all passes together.
        [Results, whole(1, 10_000)] import_epochs: u32 = 4;
        /// Rows that a cycle trains on at most.
        [Results, whole(2, 1_000_000_000_000)] rows_max: u64 = 10_000_000;
        /// The optimizer: `adamw` (Loshchilov and Hutter 2019), `sgd` with momentum, or `muon`
        /// (Jordan 2024) for the convolutions behind the first, with steps of the size of AdamW's
        /// (Liu et al. 2025), and `adamw` for the rest. `adamw` is what the presets are measured
        /// with.
        [Fixed, Limits::Any] optimizer: Optimizer = Optimizer::AdamW;
        /// Share of the past that momentum keeps, with `sgd` (KataGo: 0.9) and `muon` (Jordan 2024:
        /// 0.95); `adamw` takes no notice of it.
        [Results, below(0.0, 1.0)] momentum: f64 = 0.9;
        /// Learning rate after the warm-up.
        [Results, above(0.0, 10.0)] learning_rate: f64 = 2e-3;
        /// Learning rate that the other schedules end at; `constant` takes no notice of it.
        [Results, real(0.0, 10.0)] learning_rate_final: f64 = 1e-4;
        /// Steps in which the learning rate rises from 0, once a run.
        [Results, whole(0, 1_000_000_000)] warmup_steps: u64 = 100;
        /// Course of the learning rate after the warm-up: `constant`, `cosine` over the planned
        /// steps, `steps`: three falls by the same factor, after 1/7, 3/7 and 5/7 of the planned
        /// steps (AlphaZero, Silver 2017: by 10 each, after 100, 300 and 500 of 700 thousand), or
        /// `two_steps`: two such falls, after 4/7 and 6/7 (AlphaGo Zero, Silver 2017, extended data
        /// table 3: by 10 each, after 400 and 600 of 700 thousand).
        [Results, Limits::Any] schedule: Schedule = Schedule::Cosine;
        /// Decoupled weight decay, a step, times the learning rate (AdamW).
        [Results, real(0.0, 1.0)] weight_decay: f64 = 1e-4;
        /// Norm of all gradients together that a step is scaled down to.
        [Results, above(0.0, 1_000_000.0)] clip_norm: f64 = 1.0;
        /// Share of the averaged weights (EMA) that a step keeps; 0 exports the last weights.
        [Results, below(0.0, 1.0)] ema_decay: f64 = 0.995;
        /// What the value learns by: `cross_entropy` of win, draw and loss, or `mse`, the squared
        /// error of win less loss (Silver 2017, equation 1). With `mse` a draw cannot be
        /// distinguished from win and loss of equal chance. The metric `value_mse`, a quarter of
        /// the squared error, is measured with both.
        [Results, Limits::Any] value_loss: ValueLoss = ValueLoss::CrossEntropy;
        /// Weight of the value's loss beside the policy's cross-entropy.
        [Results, real(0.0, 100.0)] value_weight: f64 = 1.0;
        /// Share of the search's root value in the value target, the rest is the outcome. Half is
        /// ahead on Connect Four's own board, and level on 5x4 (benchmarks/ablation.md).
        [Results, real(0.0, 1.0)] value_mix: f64 = 0.5;
        /// That share in the last cycle, linear over the cycles; `same` keeps it constant. Outcomes
        /// are noisy but never wrong. Root values are as good as the network, so the share may rise
        /// with it (KataGo and AlphaZero take outcomes alone).
        [Results, real(0.0, 1.0)] value_mix_final: SameOr<f64> = SameOr::Same;
        /// Rows that the validation losses of a cycle are taken over at most; 0 measures none.
        [Results, whole(0, 1_000_000_000)] validation_rows_max: u64 = 20_000;
    }
}

choice! {
    /// What products take their factors in.
    pub enum TrainingPrecision {
        /// What is fast on the device.
        Auto = "auto",
        /// 32 bits.
        F32 = "f32",
        /// 16 bits, as large as 32.
        Bf16 = "bf16",
    }
}

choice! {
    /// What the value learns by.
    pub enum ValueLoss {
        /// Cross-entropy of win, draw and loss.
        CrossEntropy = "cross_entropy",
        /// Squared error of win less loss.
        Mse = "mse",
    }
}

choice! {
    /// Course of the learning rate after the warm-up.
    pub enum Schedule {
        /// It stays.
        Constant = "constant",
        /// It falls along half a cosine to `learning_rate_final` over the planned steps.
        Cosine = "cosine",
        /// It falls three times by the same factor, to `learning_rate_final`.
        Steps = "steps",
        /// It falls twice by the same factor, later.
        TwoSteps = "two_steps",
    }
}

choice! {
    /// What turns gradients into steps.
    pub enum Optimizer {
        /// Steps scaled by the size of past gradients, with decoupled weight decay.
        AdamW = "adamw",
        /// Gradient descent with momentum.
        Sgd = "sgd",
        /// Steps of equal size in every direction of a weight matrix.
        Muon = "muon",
    }
}
