//! Imports as a graph of files, and its circles.

use std::collections::{BTreeMap, BTreeSet};

use super::scan::Module;

/// For each module the modules whose items it names, by index.
pub fn edges(modules: &[Module]) -> Vec<BTreeSet<usize>> {
    let crate_map = CrateMap {
        modules,
        by_path: modules.iter().enumerate().map(|(at, m)| (m.path.as_slice(), at)).collect(),
    };
    let of = |from: usize| {
        let named = modules[from].names.iter();
        let owners = named.filter_map(|path| crate_map.owner(from, path, 0));
        owners.filter(|&to| to != from).collect()
    };
    (0..modules.len()).map(of).collect()
}

/// Re-exports that are followed before a path is given up.
const REEXPORTS_MAX: usize = 8;

struct CrateMap<'a> {
    modules: &'a [Module],
    by_path: BTreeMap<&'a [String], usize>,
}

impl CrateMap<'_> {
    /// The module that defines what `path` names inside the module `from`; nothing where another
    /// crate does.
    fn owner(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        if depth > REEXPORTS_MAX {
            return None;
        }
        let mut at = from;
        for (position, segment) in path.iter().enumerate() {
            match segment.as_str() {
                "crate" => at = *self.by_path.get(&[] as &[String])?,
                "self" => {}
                "super" => {
                    let (_, parent) = self.modules[at].path.split_last()?;
                    at = *self.by_path.get(parent)?;
                }
                name => {
                    let module = &self.modules[at];
                    let rest = &path[position + 1..];
                    if module.children.contains(name) {
                        let child = [module.path.as_slice(), &[name.to_owned()]].concat();
                        at = *self.by_path.get(child.as_slice())?;
                        continue;
                    }
                    if module.defines.contains(name) {
                        return Some(at);
                    }
                    if let Some(target) = module.aliases.get(name) {
                        let full = [target.as_slice(), rest].concat();
                        return self.owner(at, &full, depth + 1);
                    }
                    let rest = &path[position..];
                    return self.through_globs(at, rest, depth);
                }
            }
        }
        // A path that ends at a module names the module itself, which is not an item of it.
        None
    }

    fn through_globs(&self, at: usize, path: &[String], depth: usize) -> Option<usize> {
        let mut globs = self.modules[at].globs.iter();
        globs.find_map(|glob| self.owner(at, &[glob, path].concat(), depth + 1))
    }
}

/// Sets of more than one module each of which reaches all others of its set.
pub fn circles(edges: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let reached: Vec<BTreeSet<usize>> = (0..edges.len()).map(|from| reach(edges, from)).collect();
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut circles = Vec::new();
    for start in 0..edges.len() {
        if seen.contains(&start) || !reached[start].contains(&start) {
            continue;
        }
        let both = |&other: &usize| reached[other].contains(&start);
        let circle: Vec<usize> = reached[start].iter().copied().filter(both).collect();
        seen.extend(&circle);
        circles.push(circle);
    }
    circles
}

/// What can be reached from a module by one import or more.
fn reach(edges: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<usize> = edges[from].iter().copied().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(&edges[next]);
        }
    }
    reached
}
