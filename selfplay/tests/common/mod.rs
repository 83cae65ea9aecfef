//! What the tests of self-play share.

use std::sync::Arc;

use dz_config::RunConfig;
use dz_game::Game;
use dz_infer::{GameTask, Hashed, Request, Sources};
use dz_search::SearchCounts;
use dz_shard::{GameRecord, replay};
use dz_testkit::preset;
use selfplay::{CyclePlan, SelfGame};

/// The configuration of a preset, laid over.
pub fn preset_with(name: &str, overrides: &[&str]) -> RunConfig {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    RunConfig::load(&preset(name), &overrides, &|_| Vec::new()).unwrap().config
}

/// The configuration of a text, laid over.
pub fn text_with(text: &str, overrides: &[&str]) -> RunConfig {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    RunConfig::from_text(text, &overrides).unwrap()
}

/// Games of these numbers, by an evaluator whose priors and values are hashes of what a network
/// would see.
pub fn hashed_games<G: Game>(
    game: &G,
    plan: &CyclePlan,
    numbers: std::ops::Range<u64>,
) -> Vec<(GameRecord, SearchCounts)> {
    let mut sources = Sources::default();
    sources.add_instant(Arc::new(Hashed));
    let play = |number| {
        let mut task = SelfGame::new(game, Arc::clone(&plan.games), number);
        let asks = task.resume(sources.readers(), &mut Request::default());
        assert!(!asks, "a fake answers at once");
        let (record, counts) = task.into_record();
        record.check().unwrap();
        replay(game, &record).unwrap();
        (record, counts)
    };
    numbers.map(play).collect()
}
