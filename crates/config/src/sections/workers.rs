//! `[workers]`: games that other machines play for this run.

use dz_config_keys::{SameOr, choice, real, section, text_field, whole};
use std::fmt;
use std::str::FromStr;

use crate::run_config::RunConfig;

section! {
    /// `[workers]`: games that other machines play for this run.
    pub struct WorkersSection = "workers" {
        /// Where this run and its workers meet: a folder that all of them see, or
        /// `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix` (a build with the
        /// feature `cloud`). A mailbox belongs to one run. `none`: the run plays alone.
        [Speed, dz_config_keys::Limits::Any] mailbox: MailboxAddress = MailboxAddress::None;
        /// Games of a unit, which one worker plays; they divide `selfplay.games_per_shard`. `same`
        /// is 64, or the largest divisor below. Segments of matches have at most so many.
        [Speed, whole(1, 65_536)] unit_games: SameOr<u32> = SameOr::Same;
        /// Whether this machine plays too, beside its workers: self-play games and matches.
        [Speed, dz_config_keys::Limits::Any] home_plays: bool = true;
        /// Whose games count. `same`: those of evaluators with the id of this machine's, so that
        /// the run has the bytes that it would have alone. `any`: other cards and processors round
        /// otherwise, and the first good unit counts.
        [Speed, dz_config_keys::Limits::Any] evaluators: WorkerEvaluators = WorkerEvaluators::Same;
        /// Share of workers' units that this machine plays again and compares. Units of other
        /// evaluators are not compared.
        [Speed, real(0.0, 1.0)] audit_share: f64 = 0.02;
        /// Whether the mailbox also has a copy of the run, seconds old, from which
        /// `dagzero resume MAILBOX --dir DIR` goes on elsewhere.
        [Speed, dz_config_keys::Limits::Any] mirror: bool = true;
    }
}

choice! {
    /// Whose games count.
    pub enum WorkerEvaluators {
        /// Those of the home's evaluator.
        Same = "same",
        /// Those of any.
        Any = "any",
    }
}

/// Where a run meets its workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MailboxAddress {
    /// Nowhere.
    #[default]
    None,
    /// A folder or a bucket.
    At(String),
}

impl FromStr for MailboxAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err("it is empty".to_owned());
        }
        if let Some((scheme, _)) = text.split_once("://")
            && !["s3", "gs", "az", "file"].contains(&scheme)
        {
            return Err(format!("{scheme}:// is not known"));
        }
        Ok(if text == "none" { Self::None } else { Self::At(text.to_owned()) })
    }
}

impl fmt::Display for MailboxAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::At(address) => f.write_str(address),
        }
    }
}

text_field!(
    MailboxAddress,
    Self::None,
    ["none"],
    "\"none\", a folder, or an address such as \"s3://bucket/prefix\", \"gs://bucket/prefix\" or \
     \"az://container/prefix\"",
    dz_config_keys::schema::of_type("string")
);

/// Games of a unit unless the configuration says otherwise.
const UNIT_GAMES: u32 = 64;

impl RunConfig {
    /// The address of the run's mailbox, if it has one.
    pub fn mailbox(&self) -> Option<&str> {
        match &self.workers.mailbox {
            MailboxAddress::None => None,
            MailboxAddress::At(address) => Some(address),
        }
    }

    /// Games of a unit: what is asked for, else the largest divisor of `selfplay.games_per_shard`
    /// up to 64.
    pub fn unit_games(&self) -> u32 {
        let shard = self.selfplay.games_per_shard;
        match self.workers.unit_games {
            SameOr::Own(games) => games,
            SameOr::Same => {
                let divides = |games: &u32| shard.is_multiple_of(*games);
                (1..=UNIT_GAMES.min(shard)).rev().find(divides).unwrap_or(1)
            }
        }
    }
}
