//! Names that were given up for the field's own, and entry points that have to have an example.

use std::fs;
use std::path::Path;

use anyhow::Context;
use syn::visit::{self, Visit};

use crate::manifest::members;
use crate::sources;

/// Identifiers that must not come back, and what they are called now.
const RETIRED: &[(&str, &str)] = &[
    ("fly", "add_virtual_visits"),
    ("visits_root", "sqrt_visits"),
    ("freshen", "recompute_node"),
    ("Estimate", "ValuePov"),
    ("Convolve", "ConvMethod"),
    ("Boards", "BoardOps"),
    ("Normalised", "BatchNormOutput"),
    ("on_chip", "cuda"),
    ("way_to_learn", "convolution_choice"),
    ("GameIds", "game_ids"),
    ("Contestant", "MatchPlayer"),
    ("PlayerSetup", "MatchPlayer"),
    ("Bout", "Match"),
    ("Referee", "EarlyStopper"),
    ("Thinker", "MoveSearch"),
    ("Thought", "SearchStep"),
    ("FurtherTargets", "AuxTargets"),
    ("FurtherColumns", "AuxColumns"),
    ("Ahead", "AuxBuilder"),
    ("target_of", "Head::is_in_rows"),
    ("Walker", "GameTask"),
    ("Stand", "SlotState"),
    ("Then", "Epilogue"),
    ("Following", "ReanalyzedGame"),
    ("following", "reanalyzed_game"),
];

/// Items that a newcomer calls first, by crate: each has an example that runs as a doc test.
const ENTRY_POINTS: &[(&str, &[&str])] = &[
    ("dz-game", &["Game"]),
    ("dz-infer", &["NetworkEvaluator"]),
    ("dz-search", &["Search"]),
    ("dz-search-settings", &["SearchParams"]),
    ("dz-config", &["RunConfig"]),
    ("dz-play", &["Match"]),
    ("dz-record", &["read"]),
    ("dz-frontends", &["Session", "Protocol"]),
    ("dz-solver", &["Solver"]),
    ("dz-stats", &["rate"]),
    ("dz-store", &["Ledger"]),
    ("dz-shard", &["GameRecord"]),
    ("dz-burn-net", &["Learner"]),
];

/// Retired names in sources, and entry points without an example.
///
/// # Errors
/// If a source cannot be read or is no Rust.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for member in members(root)? {
        let wanted = ENTRY_POINTS.iter().find(|(name, _)| *name == member.name);
        let wanted = wanted.map_or(&[][..], |(_, items)| *items);
        let mut missing: Vec<&str> = wanted.to_vec();
        for path in sources::files(&root.join(&member.folder), &["rs"])? {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let file = syn::parse_file(&text).with_context(|| path.display().to_string())?;
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            findings.extend(retired(&file).map(|what| format!("{name}: {what}")));
            missing.retain(|item| !shows(&text, item));
        }
        let missing = missing.iter();
        findings.extend(missing.map(|item| format!("{}: {item} has no example", member.name)));
    }
    Ok(findings)
}

/// What a file defines under a retired name.
fn retired(file: &syn::File) -> impl Iterator<Item = String> + use<> {
    let mut names = Names::default();
    names.visit_file(file);
    let found = RETIRED.iter().filter(move |(old, _)| names.0.iter().any(|name| name == old));
    found.map(|(old, new)| format!("{old} is a retired name: write {new}"))
}

/// Names of the items and functions that a file defines.
#[derive(Default)]
struct Names(Vec<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.0.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.0.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.0.push(signature.ident.to_string());
    }
}

/// Whether a source has the public item `name` with an example that runs in its documentation.
fn shows(text: &str, name: &str) -> bool {
    let mut has_example = false;
    for line in text.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            has_example |= doc.trim() == "```";
        } else if !line.starts_with("#[") {
            let is_item = ["struct", "enum", "trait", "fn"].iter().any(|kind| {
                let item = line.strip_prefix("pub ").and_then(|rest| rest.strip_prefix(kind));
                item.is_some_and(|rest| {
                    let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '_');
                    words.find(|word| !word.is_empty()) == Some(name)
                })
            });
            if is_item && has_example {
                return true;
            }
            has_example = false;
        }
    }
    false
}
