//! The whole configuration: its sections, its text, its hash, and how two of them differ.

use std::fmt::Write as _;

use dz_aux_heads::HeadsSection;
use dz_config_keys::{
    Effect, Findings, Key, SameOr, Section, SectionReader, path_of, section, whole,
};
use dz_search_settings::SearchSection;
use toml::{Table, Value};

use crate::change::Change;
use crate::sections::{
    AlarmsSection, BootstrapSection, FinalSection, GateSection, NetworkSection, RatingSection,
    ReinforceSection, RunSection, SelfplaySection, ShuffleSection, StorageSection, TrainingSection,
    WindowSection, WorkersSection,
};

/// Lists the sections once, for the struct and for all that walks over them.
macro_rules! run_config {
    ($($(#[doc = $doc:literal])* $name:ident: $Section:ty,)*) => {
        /// The configuration of a run: every key has a value, and no two contradict each other.
        ///
        /// ```
        /// use dz_config::RunConfig;
        ///
        /// let text = r#"
        ///     format = 1
        ///     run = { game = "connect4", cycles = 3 }
        ///     selfplay = { games = 100 }
        ///     bootstrap = { games = 50 }
        ///     network = { blocks = 2, channels = 16 }
        ///     gate = { rule = "always" }
        /// "#;
        /// let config = RunConfig::from_text(text, &["search.c_puct=2".to_owned()]).unwrap();
        /// assert_eq!((config.selfplay.games, config.search.c_puct), (100, 2.0));
        ///
        /// let error = RunConfig::from_text(text, &["search.c_punct=2".to_owned()]).unwrap_err();
        /// assert!(error.to_string().contains("did you mean 'search.c_puct'?"));
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub struct RunConfig {
            /// Version of the configuration format; always 1.
            pub format: u32,
            $($(#[doc = $doc])* pub $name: $Section,)*
        }

        impl RunConfig {
            /// Every key that a file may have, in the order of [`Self::to_toml`].
            pub fn keys() -> Vec<Key> {
                let mut keys = FileSection::keys();
                $(keys.extend(<$Section as Section>::keys());)*
                keys
            }

            /// Reads all sections; unknown keys are not looked at.
            pub(crate) fn read(file: &Table, findings: &mut Findings) -> Self {
                let format = FileSection::read(&mut SectionReader::new("", file, findings)).format;
                Self {
                    format,
                    $($name: Section::read(
                        &mut SectionReader::new(plain(stringify!($name)), file, findings)
                    ),)*
                }
            }

            /// Every section with its keys and values; the first, without a name, is the file
            /// itself.
            pub(crate) fn sections(&self) -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
                vec![
                    ("", FileSection { format: self.format }.write()),
                    $((plain(stringify!($name)), self.$name.write()),)*
                ]
            }
        }
    };
}

run_config! {
    /// What the run is.
    run: RunSection,
    /// How every search walks.
    search: SearchSection,
    /// The games that the network learns from.
    selfplay: SelfplaySection,
    /// Self-play before there is a network.
    bootstrap: BootstrapSection,
    /// The rows that training samples from.
    window: WindowSection,
    /// How rows are mixed.
    shuffle: ShuffleSection,
    /// The shape of the network.
    network: NetworkSection,
    /// How the network learns.
    training: TrainingSection,
    /// What it learns beside policy and value.
    heads: HeadsSection,
    /// Policy gradient and value regression before searches play.
    reinforce: ReinforceSection,
    /// The match that decides.
    gate: GateSection,
    /// The games that place a champion on the Elo scale.
    rating: RatingSection,
    /// The match that ends a run.
    r#final: FinalSection,
    /// Games that other machines play.
    workers: WorkersSection,
    /// What stays on disk.
    storage: StorageSection,
    /// When it stops by itself.
    alarms: AlarmsSection,
}

section! {
    /// The keys outside of any section.
    pub struct FileSection = "" {
        /// Version of the configuration format.
        [Fixed, whole(1, 1)] format: u32 = 1;
    }
}

/// The name of a section in a file: some are words that Rust has kept for itself.
fn plain(name: &'static str) -> &'static str {
    name.strip_prefix("r#").unwrap_or(name)
}

impl RunConfig {
    /// The playouts a move of the champion in the final match.
    pub fn final_playouts(&self) -> u32 {
        match self.r#final.playouts {
            SameOr::Same => self.rating.playouts,
            SameOr::Own(playouts) => playouts,
        }
    }

    /// Whether ratings count the games of the final match. With other playouts than in rating games
    /// its champion would be another player, and without rating games nobody is rated.
    pub fn rates_final_match(&self) -> bool {
        self.rating.games > 0 && self.final_playouts() == self.rating.playouts
    }

    /// The effective configuration as a file: every key with its value, sections in a fixed order.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for (section, pairs) in self.sections() {
            if !section.is_empty() {
                let _ = write!(text, "\n[{section}]\n");
            }
            for (name, value) in pairs {
                let _ = writeln!(text, "{name} = {value}");
            }
        }
        text
    }

    /// BLAKE3 of the effective configuration, 64 hex digits: the same for files with the same
    /// meaning, independent of order, comments and left-out defaults.
    pub fn hash(&self) -> String {
        self.hash_of(|_, _| true)
    }

    /// As [`Self::hash`], over the keys that decide results: what files name that must not depend
    /// on threads, batches and caches.
    pub fn results_hash(&self) -> String {
        self.hash_of(|_, effect| effect != Effect::Speed)
    }

    /// BLAKE3 over the keys that `counts` chooses by path and effect.
    pub(crate) fn hash_of(&self, counts: impl Fn(&str, Effect) -> bool) -> String {
        let mut lines: Vec<String> = Self::keys()
            .iter()
            .zip(self.flat())
            .filter(|(key, (path, _))| counts(path, key.effect))
            .map(|(_, (path, value))| format!("{path} = {value}\n"))
            .collect();
        lines.sort();
        blake3::hash(lines.concat().as_bytes()).to_hex().to_string()
    }

    /// The keys in which `new` differs, in the order of [`Self::to_toml`].
    pub fn diff(&self, new: &Self) -> Vec<Change> {
        let values = self.flat().into_iter().zip(new.flat());
        Self::keys()
            .into_iter()
            .zip(values)
            .filter(|(_, ((_, old), (_, new)))| old != new)
            .map(|(key, ((path, old), (_, new)))| Change {
                key: path,
                old: old.to_string(),
                new: new.to_string(),
                effect: key.effect,
            })
            .collect()
    }

    /// Returns the value of a key, such as `search.c_puct`, as TOML; `None` if there is no such
    /// key.
    pub fn value(&self, path: &str) -> Option<Value> {
        self.flat().into_iter().find(|(other, _)| other == path).map(|(_, value)| value)
    }

    /// Every key with its section, and its value.
    fn flat(&self) -> Vec<(String, Value)> {
        let sections = self.sections().into_iter();
        sections
            .flat_map(|(section, pairs)| {
                pairs.into_iter().map(move |(name, value)| (path_of(section, name), value))
            })
            .collect()
    }
}
