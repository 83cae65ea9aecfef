//! The cache of what the shards of finished cycles show.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;

use dz_store::{Writes, open_own};
use serde::{Deserialize, Serialize};

use crate::health::ShardFacts;
use crate::measures::OpeningNode;

/// A line of the cache.
#[derive(Serialize, Deserialize)]
pub(crate) struct HealthLine {
    pub(crate) cycle: u32,
    /// Identifies the shards.
    pub(crate) key: String,
    pub(crate) facts: ShardFacts,
}

/// The cache's lines by cycle. Openings are shown of the newest cycle alone, so only its line keeps
/// them.
pub(crate) fn known_health(path: &Path) -> BTreeMap<u32, HealthLine> {
    let mut known: BTreeMap<u32, HealthLine> = BTreeMap::new();
    let Ok(file) = dz_text::open_regular(path) else { return known };
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        let Ok(line) = serde_json::from_slice::<HealthLine>(&line) else { continue };
        if let Some((_, before)) = known.range_mut(..line.cycle).next_back() {
            before.facts.openings = OpeningNode::default();
        }
        known.insert(line.cycle, line);
    }
    known
}

/// Adds a line to the cache; where that fails, the shards are read again next time.
pub(crate) fn keep_health(path: &Path, line: &HealthLine) {
    if let Ok(mut text) = serde_json::to_string(line)
        && let Ok(mut file) = open_own(path, Writes::Append)
    {
        text.push('\n');
        let _ = file.write_all(text.as_bytes());
    }
}
