//! Imports point down.

use std::path::Path;

use crate::manifest::{Member, members, needs};

/// The layers, lowest first. A crate may name crates of lower layers only, in its tests too.
const LAYERS: [&[&str]; 10] = [
    &["dz-config-keys", "dz-text", "dz-testkit"],
    &["dz-search-settings", "dz-aux-heads"],
    &["dz-game", "dz-config", "dz-stats", "dz-store", "dz-network-file"],
    &[
        "dz-search",
        "dz-external-engines",
        "dz-fleet",
        "dz-linear",
        "dz-record",
        "dz-shard",
        "dz-solver",
        "dz-infer",
        "dz-testkit-runs",
    ],
    &["dz-cpu-net", "dz-search-file"],
    &["dz-cuda-net", "dz-onnx"],
    &["dz-burn-net", "dz-play", "dz-stage"],
    &["selfplay", "shuffler", "trainer", "gatekeeper", "dz-frontends", "dz-report"],
    &["dz-bench", "dz-serve"],
    &["dagzero"],
];

/// Repository chores: outside the layers, names none of our crates.
const OUTSIDE: &str = "xtask";

/// Packages, by the beginning of their names, that one crate alone may name.
const OWNED: [(&str, &str); 3] =
    [("burn", "dz-burn-net"), ("cubecl", "dz-burn-net"), ("object_store", "dz-store")];

/// Crates that must not be anywhere in the dependencies of some other crates, tests' dependencies
/// included: these are built and tested in seconds, and do not need them.
const KEPT_APART: [(&[&str], &[&str]); 3] = [
    (
        &[
            "dz-game",
            "dz-search",
            "dz-infer",
            "dz-linear",
            "dz-record",
            "dz-shard",
            "dz-play",
            "dz-cpu-net",
            "dz-cuda-net",
            "dz-onnx",
        ],
        &["burn", "cubecl"],
    ),
    (&["shuffler", "dz-report", "dz-serve"], &["burn", "cubecl"]),
    (&["trainer"], &["dz-search"]),
];

/// What contradicts the layers.
///
/// # Errors
/// If a manifest or the lock file cannot be read.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let members = members(root)?;
    let mut findings = Vec::new();
    for member in &members {
        findings.extend(upward(member, &members));
        findings.extend(not_owned(member));
    }
    let needs = needs(root)?;
    for (crates, kept_away) in KEPT_APART {
        for name in crates.iter().filter(|name| members.iter().any(|m| m.name == **name)) {
            let Some(needs) = needs.get(*name) else {
                findings.push(format!("{name} is not in Cargo.lock"));
                continue;
            };
            let found = kept_away.iter().filter(|away| needs.contains(**away));
            findings.extend(found.map(|away| format!("{name} depends on {away} in the end")));
        }
    }
    Ok(findings)
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

fn upward(member: &Member, members: &[Member]) -> Vec<String> {
    let ours = member.dependencies.iter().filter(|name| members.iter().any(|m| m.name == **name));
    match layer(&member.name) {
        None if member.name != OUTSIDE => {
            vec![format!("{} has no layer: add it to the table in xtask", member.name)]
        }
        // Outside counts as below everything.
        own => ours
            .filter(|name| layer(name).is_none_or(|theirs| own.is_none_or(|own| theirs >= own)))
            .map(|name| format!("{} must not name {name}, which is not below it", member.name))
            .collect(),
    }
}

fn not_owned(member: &Member) -> Vec<String> {
    let mut findings = Vec::new();
    for (package, owner) in OWNED.iter().filter(|(_, owner)| *owner != member.name) {
        let named = member.dependencies.iter().filter(|name| name.starts_with(package));
        findings
            .extend(named.map(|name| format!("{} names {name}: only {owner} may", member.name)));
    }
    findings
}
