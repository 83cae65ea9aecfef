//! One game of each stage of a run.

use super::places::{Contents, Kind, Place};
use super::read::each;
use serde::Serialize;

/// Stages that are shown.
const STAGES_MAX: usize = 8;

/// A game of a stage.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Stage {
    cycle: u32,
    generation: Option<u32>,
    file: String,
    number: u64,
}

/// The first self-play game of cycles that are spread evenly over the run, the first and the newest
/// included, on the run's own board. Games that cannot be read are left out.
pub(crate) fn ages(contents: &Contents) -> Vec<Stage> {
    let mut firsts: Vec<&Place> = Vec::new();
    let is_own = |place: &&Place| place.kind == Kind::Selfplay && place.board.is_none();
    for place in contents.places.iter().filter(is_own) {
        if firsts.last().is_none_or(|last| last.cycle != place.cycle) {
            firsts.push(place);
        }
    }
    let picked = spread(firsts.len(), STAGES_MAX);
    let stage = |at: usize| {
        let place = firsts[at];
        let mut number = None;
        let read = each(&contents.run, place, &mut |game| {
            number = Some(game.number);
            false
        });
        read.ok()?;
        let Place { cycle, generation, file, .. } = place.clone();
        Some(Stage { cycle, generation, file, number: number? })
    };
    picked.into_iter().filter_map(stage).collect()
}

/// At most `count` of the numbers below `of`, evenly spread, with both ends.
fn spread(of: usize, count: usize) -> Vec<usize> {
    if of <= count {
        return (0..of).collect();
    }
    (0..count).map(|i| i * (of - 1) / (count - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn both_ends_are_among_the_stages() {
        assert_eq!(spread(3, 8), [0, 1, 2]);
        let many = spread(200, 8);
        assert_eq!((many.len(), many[0], many[7]), (8, 0, 199));
        assert!(spread(0, 8).is_empty());
    }
}
