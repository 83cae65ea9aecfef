//! Policies of rollouts that lie in files, and where a run keeps them.
//!
//! A run depends on nothing outside its directory. When it begins, each such file is copied into it
//! under the hash of its content, and the configuration names the copy: equal configurations have
//! equal policies.

use std::path::Path;

use dz_search_settings::RolloutMoves;

use crate::run_config::RunConfig;
use crate::sections::AnchorKind;

/// Folder of a run's policies.
const FOLDER: &str = "policies";

/// `policies/<hash>.policy`; `hash` is the BLAKE3 hash of the file's content in hex.
pub fn kept_policy_path(hash: &str) -> String {
    format!("{FOLDER}/{hash}.policy")
}

/// The hash in a path that [`kept_policy_path`] makes; none for any other path.
pub fn kept_policy_hash(path: &str) -> Option<&str> {
    let hash = path.strip_prefix(FOLDER)?.strip_prefix('/')?.strip_suffix(".policy")?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|b| b"0123456789abcdef".contains(&b));
    is_hash.then_some(hash)
}

impl RunConfig {
    /// The files of policies that rollouts of this run move by, each with its key.
    pub fn policy_files(&self) -> Vec<(String, &str)> {
        let anchors = self.rating.anchors.iter().enumerate().filter_map(|(at, anchor)| {
            let AnchorKind::Rollout(rollout) = &anchor.kind else { return None };
            Some((format!("rating.anchors[{at}].policy"), &rollout.policy))
        });
        let all = [("search.rollout".to_owned(), &self.search.rollout)].into_iter().chain(anchors);
        all.filter_map(|(key, policy)| Some((key, policy.file()?))).collect()
    }

    /// Returns the configuration with renamed policy files.
    ///
    /// # Errors
    /// What `rename` reports.
    pub fn with_policy_files<E>(
        mut self,
        mut rename: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Self, E> {
        let anchors = self.rating.anchors.iter_mut().filter_map(|anchor| match &mut anchor.kind {
            AnchorKind::Rollout(rollout) => Some(&mut rollout.policy),
            _ => None,
        });
        for policy in [&mut self.search.rollout].into_iter().chain(anchors) {
            if let RolloutMoves::Learned(path) = policy {
                *path = rename(path)?;
            }
        }
        Ok(self)
    }

    /// Returns the configuration with the full paths of the policies that the run in `root` keeps,
    /// for players that load them. It has another hash than the run's configuration.
    #[must_use]
    pub fn with_policies_in(self, root: &Path) -> Self {
        let place = |path: &str| {
            let kept = kept_policy_hash(path).map(|_| root.join(path).display().to_string());
            Ok::<_, std::convert::Infallible>(kept.unwrap_or_else(|| path.to_owned()))
        };
        match self.with_policy_files(place) {
            Ok(config) => config,
            Err(never) => match never {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "format = 1\nrun = { game = \"go:size=9\", cycles = 1 }\n\
        selfplay = { games = 8 }\nbootstrap = { games = 8 }\n\
        network = { blocks = 1, channels = 8 }\ngate = { rule = \"always\" }\n\
        search = { rollout = \"policy:a\" }\n[rating]\nanchors = [\n\
        { name = \"random\", kind = \"random\" },\n\
        { name = \"one\", kind = \"rollout\", playouts = 9, policy = \"policy:b\" },\n\
        { name = \"two\", kind = \"rollout\", playouts = 9, policy = \"mogo\" },\n]\n";

    #[test]
    fn each_file_of_a_policy_is_found_and_renamed() {
        let config = RunConfig::from_text(TEXT, &[]).unwrap();
        let files = |config: &RunConfig| -> Vec<String> {
            let files = config.policy_files().into_iter();
            files.map(|(key, path)| format!("{key}: {path}")).collect()
        };
        assert_eq!(files(&config), ["search.rollout: a", "rating.anchors[1].policy: b"]);
        let hash = "0f".repeat(32);
        let kept = config.clone().with_policy_files(|path| match path {
            "a" => Ok(kept_policy_path(&hash)),
            other => Err(other.to_owned()),
        });
        assert_eq!(kept.unwrap_err(), "b");
        let kept = config.clone().with_policy_files(|path| {
            Ok::<_, String>(if path == "a" { kept_policy_path(&hash) } else { "/b".to_owned() })
        });
        let kept = kept.unwrap();
        assert_ne!(kept.results_hash(), config.results_hash());
        let placed = kept.with_policies_in(Path::new("/runs/one"));
        let place = format!("search.rollout: /runs/one/policies/{hash}.policy");
        assert_eq!(files(&placed), [place, "rating.anchors[1].policy: /b".to_owned()]);
    }

    #[test]
    fn paths_of_kept_policies_are_known_by_their_hash_alone() {
        let hash = "ab".repeat(32);
        assert_eq!(kept_policy_hash(&kept_policy_path(&hash)), Some(&*hash));
        let others = [
            format!("policies/{hash}"),
            format!("policies/x{hash}.policy"),
            format!("policies/../{hash}.policy"),
            format!("/policies/{hash}.policy"),
            format!("policies/{}.policy", "AB".repeat(32)),
        ];
        for path in others {
            assert_eq!(kept_policy_hash(&path), None, "{path}");
        }
    }
}
