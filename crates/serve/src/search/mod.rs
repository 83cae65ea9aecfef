//! Searches laid open, kept so that a page can ask for one playout after another.

mod turns;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::turns::Turns;
use crate::rules::RulesText;
use crate::{LaidOpen, secret};

/// Most playouts of a search.
pub(crate) const PLAYOUTS_MAX: u32 = 2_000;
/// Searches that are kept, the newest ones.
const KEPT_MAX: usize = 6;
/// Bytes of JSON that are kept of a trace; playouts after that are left out.
const TRACE_BYTES_MAX: usize = 24 << 20;

/// What a page asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchAsk {
    #[serde(default)]
    pub(crate) moves: String,
    pub(crate) generation: Option<u32>,
    pub(crate) playouts: u32,
    /// `search.key=value`, a line each.
    #[serde(default)]
    pub(crate) settings: String,
    /// The rules of the position; those of the run, where there are none.
    pub(crate) rules: Option<RulesText>,
    /// A name that the page made up: a new search stops the previous one of this name.
    #[serde(default)]
    pub(crate) client: String,
}

/// The answer: the report of the search, and the way of each playout.
#[derive(Debug, Serialize)]
pub(crate) struct SearchAnswer {
    id: String,
    /// The moves from the start to the root.
    moves: Vec<String>,
    /// What evaluated, for people.
    evaluator: String,
    report: Value,
    ways: Vec<Way>,
    /// Playouts whose scores are kept.
    traced: usize,
}

/// The way of a playout through the graph.
#[derive(Debug, Serialize)]
struct Way {
    /// Number of each node, its visits and its mover's value before the playout, and the child that
    /// was chosen.
    steps: Vec<(u64, u64, f64, Option<u64>)>,
    end: Value,
    root_value: f64,
}

/// The newest searches.
#[derive(Debug, Default)]
pub(crate) struct Searches {
    kept: Mutex<VecDeque<Kept>>,
    pub(crate) turns: Turns,
}

#[derive(Debug)]
struct Kept {
    id: String,
    /// Each playout as JSON.
    trace: Arc<Vec<String>>,
}

impl Searches {
    /// Keeps a search, and says what its page shows.
    ///
    /// # Errors
    /// A line for people.
    pub(crate) fn keep(
        &self,
        found: LaidOpen,
        moves: Vec<String>,
        evaluator: String,
    ) -> Result<SearchAnswer, String> {
        let id = secret::token().map_err(|error| error.to_string())?;
        let children = children(&found.report);
        let ways = found.trace.iter().map(|playout| way(playout, &children)).collect();
        let mut bytes = 0;
        let trace = found.trace.into_iter().map(|playout| playout.to_string());
        let trace: Vec<String> = trace
            .take_while(|text| {
                bytes += text.len();
                bytes <= TRACE_BYTES_MAX
            })
            .collect();
        let traced = trace.len();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(Kept { id: id.clone(), trace: Arc::new(trace) });
        if kept.len() > KEPT_MAX {
            kept.pop_front();
        }
        Ok(SearchAnswer { id, moves, evaluator, report: found.report, ways, traced })
    }

    /// A playout of a kept search as JSON, from 0; none where it is not kept any more.
    pub(crate) fn playout(&self, id: &str, number: usize) -> Option<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|kept| kept.id == id)?;
        found.trace.get(number).cloned()
    }
}

/// The child of each node by the move that leads to it.
fn children(report: &Value) -> HashMap<(u64, String), u64> {
    let mut children = HashMap::new();
    for node in report["nodes"].as_array().into_iter().flatten() {
        let Some(number) = node["node"].as_u64() else { continue };
        for edge in node["edges"].as_array().into_iter().flatten() {
            if let (Some(mv), Some(child)) = (edge["move"].as_str(), edge["child"].as_u64()) {
                children.insert((number, mv.to_owned()), child);
            }
        }
    }
    children
}

fn way(playout: &Value, children: &HashMap<(u64, String), u64>) -> Way {
    let step = |step: &Value| {
        let node = step["node"].as_u64()?;
        let mv = step["move"].as_str()?.to_owned();
        let visits = step["visits"].as_u64()?;
        Some((node, visits, step["value"].as_f64()?, children.get(&(node, mv)).copied()))
    };
    let steps = playout["steps"].as_array();
    Way {
        steps: steps.into_iter().flatten().filter_map(step).collect(),
        end: playout["end"].clone(),
        root_value: playout["root_value"].as_f64().unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ways_name_the_child_and_old_searches_go() {
        let report = json!({"nodes": [
            {"node": 0, "edges": [{"move": "1", "child": 1}, {"move": "2", "child": 2}]},
        ]});
        let step = json!({"node": 0, "visits": 3, "value": 0.5, "move": "2", "moves": []});
        let playout =
            json!({"playout": 4, "steps": [step], "end": "evaluation", "root_value": 0.1});
        let searches = Searches::default();
        let found = LaidOpen { report, trace: vec![playout.clone()] };
        let answer = searches.keep(found.clone(), Vec::new(), String::new()).unwrap();
        assert_eq!(answer.ways[0].steps, [(0, 3, 0.5, Some(2))]);
        assert_eq!(searches.playout(&answer.id, 0), Some(playout.to_string()));
        assert_eq!(searches.playout(&answer.id, 1), None);
        for _ in 0..KEPT_MAX {
            searches.keep(found.clone(), Vec::new(), String::new()).unwrap();
        }
        assert_eq!(searches.playout(&answer.id, 0), None);
    }
}
