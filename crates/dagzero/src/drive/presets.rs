//! The presets of `configs/`, kept inside the program, so that a run starts from a binary alone.

use std::path::Path;

use dz_config_keys::nearest;

/// A configuration that the project ships.
#[derive(Debug)]
pub(crate) struct Preset {
    /// Its name: the file's without `.toml`.
    pub name: &'static str,
    /// The text of its configuration file.
    pub text: &'static str,
    /// What its runs have reached, where that was measured (`NAME.expected.json`).
    pub expected: Option<&'static str>,
}

macro_rules! file {
    ($name:literal, $ending:literal) => {
        include_str!(concat!("../../../../configs/", $name, $ending))
    };
}

/// Lists presets by name, first those without a measured curve, then those with one.
macro_rules! presets {
    ($($plain:literal)*; $($measured:literal)*) => {
        &[
            $(Preset { name: $plain, text: file!($plain, ".toml"), expected: None },)*
            $(Preset {
                name: $measured,
                text: file!($measured, ".toml"),
                expected: Some(file!($measured, ".expected.json")),
            },)*
        ]
    };
}

/// All presets.
pub(crate) static PRESETS: &[Preset] = presets! {
    "tictactoe" "chess-h200" "connect4-h200" "go9-h200"
    "alphago-mini" "alphago-zero-mini" "alphago-zero-20b" "alphago-zero-40b"
    "tictactoe-smoke" "connect4-smoke" "othello-smoke" "hex-smoke" "gomoku-smoke" "go-smoke"
    "chess-smoke" "breakthrough-smoke";
    "connect4-quick" "connect4" "othello6" "othello8" "hex7" "hex11" "go7" "go9" "gomoku9" "chess"
};

impl Preset {
    /// The preset that `path` names. A file of that name goes first.
    pub(crate) fn named(path: &Path) -> Option<&'static Self> {
        let is_preset = |preset: &&Self| path == Path::new(preset.name) && !path.is_file();
        PRESETS.iter().find(is_preset)
    }

    /// The first sentence of the comment that the file begins with.
    pub(crate) fn summary(&self) -> String {
        let comment = self.text.lines().take_while(|line| line.starts_with("# "));
        let text: Vec<&str> = comment.map(|line| line.trim_start_matches("# ")).collect();
        let text = text.join(" ");
        let end = text.find(". ").unwrap_or(text.len());
        text[..end].trim_end_matches('.').to_owned()
    }
}

/// What to say where `path` is neither a file nor a preset: none unless it looks like a name.
pub(crate) fn unknown(path: &Path) -> Option<String> {
    let name = path.to_str()?;
    if path.exists() || path.components().count() != 1 || path.extension().is_some() {
        return None;
    }
    let near = nearest(name, PRESETS.iter().map(|preset| preset.name));
    let meant = near.map_or_else(|| ";".to_owned(), |near| format!("; did you mean {near}?"));
    Some(format!(
        "there is neither a file nor a preset {name:?}{meant} `dagzero presets` lists the presets"
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    /// Presets with whether their curve was measured.
    fn shipped() -> BTreeSet<(String, bool)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
        let names = fs::read_dir(&folder).expect("the folder").filter_map(|entry| {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem()?.to_str()?.to_owned();
            let is_preset = path.extension().is_some_and(|extension| extension == "toml");
            is_preset.then(|| (stem, path.with_extension("expected.json").is_file()))
        });
        names.collect()
    }

    #[test]
    fn every_preset_of_the_folder_is_in_the_program() {
        let inside =
            PRESETS.iter().map(|preset| (preset.name.to_owned(), preset.expected.is_some()));
        assert_eq!(inside.collect::<BTreeSet<_>>(), shipped());
    }

    #[test]
    fn a_preset_is_named_and_what_is_none_is_said() {
        assert!(Preset::named(Path::new("connect4-quick")).is_some());
        assert!(Preset::named(Path::new("./connect4-quick.toml")).is_none());
        let said = unknown(Path::new("connect4-quik")).expect("no preset");
        assert!(said.contains("did you mean connect4-quick? `dagzero presets`"), "{said}");
        let said = unknown(Path::new("zzzzzzzzzzzz")).expect("no preset");
        assert!(said.ends_with("\"zzzzzzzzzzzz\"; `dagzero presets` lists the presets"), "{said}");
        assert_eq!(unknown(Path::new("a/b.toml")), None);
        assert!(PRESETS.iter().all(|preset| (10..200).contains(&preset.summary().len())));
    }
}
