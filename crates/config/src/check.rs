//! Contradictions between keys that are each fine alone.

use crate::run_config::RunConfig;
use crate::sections::{GateRule, Resign, Schedule};
use dz_config_keys::{Fault, Findings};

/// Every contradiction between keys that are not at fault themselves.
pub(crate) fn contradictions(config: &RunConfig, findings: &Findings) -> Vec<Fault> {
    let mut checks = Checks { config, findings, faults: Vec::new() };
    checks.at_most("selfplay.groups", "selfplay.parallel_games");
    checks.at_most("selfplay.playouts_start", "selfplay.playouts");
    checks.at_most("selfplay.playouts_fast", "selfplay.playouts");
    if config.selfplay.temperature_plies == 0 {
        checks.at_most("selfplay.temperature_final", "selfplay.temperature");
    }
    for opening in ["selfplay.opening_plies_max", "gate.opening_plies", "rating.opening_plies"] {
        checks.below(opening, "selfplay.plies_max");
    }
    for playouts in [
        "selfplay.playouts",
        "bootstrap.playouts",
        "gate.playouts",
        "rating.playouts",
        "final.playouts",
    ] {
        checks.below(playouts, "search.nodes_max");
    }
    checks.at_most("window.rows_min", "window.rows_max");
    checks.at_most("training.batch", "training.rows_max");
    checks.at_most("network.squeeze_ratio", "network.channels");
    checks.network();
    if config.training.schedule != Schedule::Constant {
        let concerns = ["training.schedule"];
        checks.compare("training.learning_rate_final", "training.learning_rate", &concerns, false);
    }
    checks.temperature();
    checks.reinforce();
    checks.resign();
    checks.gate();
    checks.workers();
    checks.policy_files();
    if checks.sound(&["run.boards", "run.board_weights", "network.any_size", "workers.mailbox"]) {
        checks.faults.extend(config.board_faults());
    }
    checks.faults
}

/// The checks' common ground.
struct Checks<'a> {
    config: &'a RunConfig,
    findings: &'a Findings,
    faults: Vec<Fault>,
}

impl Checks<'_> {
    /// The key may not be larger than the other.
    fn at_most(&mut self, key: &str, other: &str) {
        self.compare(key, other, &[], false);
    }

    /// The key must be smaller than the other.
    fn below(&mut self, key: &str, other: &str) {
        self.compare(key, other, &[], true);
    }

    fn compare(&mut self, key: &str, other: &str, concerns: &[&str], strict: bool) {
        if !self.sound(&[key, other]) || !self.sound(concerns) {
            return;
        }
        let (Some(left), Some(right)) = (self.number(key), self.number(other)) else {
            return;
        };
        let (holds, word, allowed) = if strict {
            (left < right, "is not below", "below")
        } else {
            (left <= right, "is above", "at most")
        };
        if !holds {
            let problem = format!("{word} {other} = {right}");
            let fault = Fault::new(key, problem).value(left);
            self.faults.push(fault.allowed(format!("{allowed} {right}, or a larger {other}")));
        }
    }

    /// A step of the temperature leaves nothing to the keys of its decay.
    fn temperature(&mut self) {
        let plies = self.config.selfplay.temperature_plies;
        if plies == 0 || !self.sound(&["selfplay.temperature_plies"]) {
            return;
        }
        let keys = ["selfplay.temperature_final", "selfplay.temperature_halflife_plies"];
        for (path, also_0) in keys.into_iter().zip([true, false]) {
            let default = RunConfig::keys().into_iter().find(|key| key.path() == path);
            let default = default.and_then(|key| key.default?.as_float());
            let (Some(default), Some(value)) = (default, self.number(path)) else { continue };
            if !self.sound(&[path]) || value == default || (also_0 && value == 0.0) {
                continue;
            }
            let problem = format!(
                "selfplay.temperature_plies = {plies} is a step to temperature 0, without a decay"
            );
            let fault = Fault::new(path, problem).value(value);
            let allowed = if also_0 { "0, or the key left out" } else { "the key left out" };
            self.faults
                .push(fault.allowed(format!("{allowed}, or selfplay.temperature_plies = 0")));
        }
        if self.sound(&["selfplay.temperature"]) && self.config.selfplay.temperature == 0.0 {
            let problem = "selfplay.temperature = 0 leaves it nothing to change";
            let fault = Fault::new("selfplay.temperature_plies", problem).value(plies);
            self.faults.push(fault.allowed("0, or a selfplay.temperature above 0"));
        }
    }

    /// Cycles whose moves are sampled from policies need the newest network, and one network a
    /// cycle.
    fn reinforce(&mut self) {
        let reinforce = &self.config.reinforce;
        if reinforce.cycles == 0 && reinforce.value_cycles == 0 {
            return;
        }
        if self.sound(&["gate.rule"]) && self.config.gate.rule != GateRule::Always {
            let rule = format!("\"{}\"", self.config.gate.rule);
            let problem = "[reinforce] trains the network that plays, whatever its score";
            let fault = Fault::new("gate.rule", problem).value(rule);
            self.faults.push(fault.allowed("\"always\", or no cycles of [reinforce]"));
        }
        let value_weight = self.config.training.value_weight;
        if reinforce.value_cycles > 0
            && self.sound(&["training.value_weight"])
            && value_weight == 0.0
        {
            let problem = "reinforce.value_cycles train the value alone";
            let fault = Fault::new("training.value_weight", problem).value(value_weight);
            self.faults.push(fault.allowed("above 0, or reinforce.value_cycles = 0"));
        }
        if self.sound(&["run.mode", "run.lead_cycles_max"]) && self.config.lead_cycles() > 0 {
            let problem = "[reinforce] learns from the games of the network that it trains";
            let mode = format!("\"{}\"", self.config.run.mode);
            let fault = Fault::new("run.mode", problem).value(mode);
            self.faults.push(fault.allowed("\"synchronous\", or no cycles of [reinforce]"));
        }
    }

    /// An adaptive threshold is measured on games that are played on.
    fn resign(&mut self) {
        let selfplay = &self.config.selfplay;
        let keys = ["selfplay.resign", "selfplay.resign_play_on_share"];
        let measures = selfplay.resign_play_on_share > 0.0;
        if self.sound(&keys) && matches!(selfplay.resign, Resign::Adaptive(_)) && !measures {
            let problem =
                "selfplay.resign = { adaptive = ... } measures nothing without such games";
            let fault = Fault::new("selfplay.resign_play_on_share", problem).value(0.0);
            self.faults
                .push(fault.allowed("a number above 0, or selfplay.resign = { fixed = ... }"));
        }
    }

    /// Pooling needs a second block, and channels that it leaves; bottlenecks halve them.
    fn network(&mut self) {
        let network = &self.config.network;
        let keys = ["network.global_pooling", "network.blocks", "network.channels"];
        if !self.sound(&keys) || !self.sound(&["network.bottleneck_blocks"]) {
            return;
        }
        if network.global_pooling && network.blocks == 1 {
            let problem = "every second block pools, and network.blocks = 1";
            let fault = Fault::new("network.global_pooling", problem).value(true);
            self.faults.push(fault.allowed("false, or 2 or more network.blocks"));
        }
        let halves = network.bottleneck_blocks > 0;
        let least = if halves { 2 } else { 1 } * if network.global_pooling { 2 } else { 1 };
        if network.channels < least {
            let problem = "too few for network.global_pooling or network.bottleneck_blocks";
            let fault = Fault::new("network.channels", problem).value(network.channels);
            self.faults.push(fault.allowed(format!("{least} or more")));
        }
    }

    /// The rules that play need games, and something to decide by.
    fn gate(&mut self) {
        let gate = &self.config.gate;
        if gate.rule == GateRule::Always || !self.sound(&["gate.rule"]) {
            return;
        }
        if gate.rule == GateRule::Score && self.findings.defaulted.contains("gate.score_min") {
            let problem = "missing, and gate.rule = \"score\" decides by it";
            let fault = Fault::new("gate.score_min", problem);
            self.faults.push(fault.allowed("a number from 0 to 1, or gate.rule = \"always\""));
        }
        if gate.rule == GateRule::Sprt {
            self.below("gate.elo0", "gate.elo1");
        }
        if self.sound(&["gate.games"]) && gate.games == 0 {
            let problem = format!("gate.rule = \"{}\" cannot decide without games", gate.rule);
            let fault = Fault::new("gate.games", problem).value(0);
            self.faults.push(fault.allowed("an even number from 2, or gate.rule = \"always\""));
        }
    }

    /// A shard is made of whole units.
    fn workers(&mut self) {
        let (shard, unit) = (self.config.selfplay.games_per_shard, self.config.unit_games());
        let keys = ["workers.unit_games", "workers.mailbox", "selfplay.games_per_shard"];
        let has_workers = self.config.mailbox().is_some();
        if self.sound(&keys) && has_workers && !shard.is_multiple_of(unit) {
            let problem = format!("does not divide selfplay.games_per_shard = {shard}");
            let fault = Fault::new("workers.unit_games", problem).value(unit);
            self.faults.push(fault.allowed(format!("a divisor of {shard}")));
        }
    }

    /// Policies in files are on this machine, and each is of one board.
    fn policy_files(&mut self) {
        if !self.sound(&["search.rollout", "rating.anchors", "run.boards", "workers.mailbox"]) {
            return;
        }
        let Some((key, path)) = self.config.policy_files().into_iter().next() else { return };
        let value = format!("policy:{path}");
        if self.config.mailbox().is_some() {
            let problem = "workers have no files of this machine, and workers.mailbox is set";
            let fault = Fault::new(key, problem).value(value);
            self.faults.push(fault.allowed("\"uniform\" or \"mogo\", or a run without workers"));
        } else if !self.config.run.boards.is_empty() {
            let problem = "the policy is of one board, and run.boards has others";
            let fault = Fault::new(key, problem).value(value);
            self.faults.push(fault.allowed("\"uniform\" or \"mogo\", or no run.boards"));
        }
    }

    /// Whether none of the keys stands in for a value at fault.
    fn sound(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| !self.findings.faulty.contains(*key))
    }

    /// The value of a key that is a number.
    fn number(&self, path: &str) -> Option<f64> {
        let value = self.config.value(path)?;
        value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
    }
}
