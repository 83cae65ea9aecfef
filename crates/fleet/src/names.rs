//! The names of a mailbox's objects.

use std::fmt;

/// Folder of a mailbox in which the gatekeeper offers segments of matches. It is laid out like the
/// mailbox itself, and has a board and plans of its own.
pub const MATCHES: &str = "matches";
/// The board.
pub const BOARD: &str = "board.json";
/// Longest unit that is read, in bytes.
pub const UNIT_BYTES_MAX: u64 = 256 << 20;

/// Hexadecimal digits of a hash.
const HASH_DIGITS: usize = 64;

/// A plan's object.
pub fn plan_path(plan: u64) -> String {
    format!("plan/{plan:08}.json")
}

/// The number of a plan, if `path` names one.
pub fn plan_number(path: &str) -> Option<u64> {
    let number = path.strip_prefix("plan/")?.strip_suffix(".json")?.parse().ok()?;
    (plan_path(number) == path).then_some(number)
}

/// Folder of the objects that distinguish homes.
pub const HOMES: &str = "home";

/// The object that makes its creator the home of this epoch.
pub fn home_path(epoch: u64) -> String {
    format!("{HOMES}/{epoch:08}")
}

/// The epoch that `path` names, if it names one.
pub fn home_epoch(path: &str) -> Option<u64> {
    let epoch = path.strip_prefix(HOMES)?.strip_prefix('/')?.parse().ok()?;
    (home_path(epoch) == path).then_some(epoch)
}

/// The network with this hash.
pub fn network_path(blake3: &str) -> String {
    format!("networks/{blake3}.dzn")
}

/// What games of a plan take from earlier ones, by hash.
pub fn past_path(blake3: &str) -> String {
    format!("past/{blake3}.dzp")
}

/// The folder of a plan's claims.
pub fn claims_folder(plan: u64) -> String {
    format!("claims/{plan:08}")
}

/// The claim of one attempt at a unit, counted from 0.
pub fn claim_path(plan: u64, unit: u32, attempt: u32) -> String {
    format!("{}/{unit:06}.{attempt}", claims_folder(plan))
}

/// Unit and attempt of a claim, if `path` names one of this plan.
pub fn claim_of(plan: u64, path: &str) -> Option<(u32, u32)> {
    let name = path.strip_prefix(&claims_folder(plan))?.strip_prefix('/')?;
    let (unit, attempt) = name.split_once('.')?;
    let (unit, attempt) = (unit.parse().ok()?, attempt.parse().ok()?);
    (claim_path(plan, unit, attempt) == path).then_some((unit, attempt))
}

/// The folder that units of a plan are handed in to.
pub fn inbox_folder(plan: u64) -> String {
    format!("inbox/{plan:08}")
}

/// The content of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnitKind {
    /// Games of self-play, as a shard.
    Games,
    /// Games of a match, as JSON lines.
    Match,
}

impl UnitKind {
    const ALL: [Self; 2] = [Self::Games, Self::Match];

    const fn ending(self) -> &'static str {
        match self {
            Self::Games => "dzs",
            Self::Match => "jsonl",
        }
    }
}

/// A unit that was handed in, as its name describes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitName {
    /// What it holds.
    pub kind: UnitKind,
    /// The plan.
    pub plan: u64,
    /// Its number in the plan.
    pub unit: u32,
    /// BLAKE3 of its bytes, 64 hexadecimal digits.
    pub blake3: String,
}

impl UnitName {
    /// The name of these bytes.
    pub fn of(kind: UnitKind, plan: u64, unit: u32, bytes: &[u8]) -> Self {
        Self { kind, plan, unit, blake3: blake3::hash(bytes).to_hex().to_string() }
    }

    /// The object with its games.
    pub fn path(&self) -> String {
        format!("{self}.{}", self.kind.ending())
    }

    /// The object that names who played it.
    pub fn note_path(&self) -> String {
        format!("{self}.json")
    }
}

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:06}-{}", inbox_folder(self.plan), self.unit, self.blake3)
    }
}

/// The unit that `path` names, if it is one of this plan.
pub fn unit_name(plan: u64, path: &str) -> Option<UnitName> {
    let name = path.strip_prefix(&inbox_folder(plan))?.strip_prefix('/')?;
    let (name, ending) = name.rsplit_once('.')?;
    let kind = UnitKind::ALL.into_iter().find(|kind| kind.ending() == ending)?;
    let (unit, blake3) = name.split_once('-')?;
    let name = UnitName { kind, plan, unit: unit.parse().ok()?, blake3: blake3.to_owned() };
    (is_hash(blake3) && name.path() == path).then_some(name)
}

/// Whether `text` is a BLAKE3 hash, which is safe as a part of a path.
pub(crate) fn is_hash(text: &str) -> bool {
    text.len() == HASH_DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_made_are_names() {
        let name = UnitName::of(UnitKind::Match, 3, 7, b"games");
        assert_eq!(unit_name(3, &name.path()), Some(name));
        let name = UnitName::of(UnitKind::Games, 3, 7, b"games");
        assert_eq!(unit_name(3, &name.path()), Some(name.clone()));
        assert_eq!(unit_name(4, &name.path()), None, "another plan's");
        let path = name.path();
        for other in [
            path.replace("000007", "7"),
            path.replace(".dzs", ".json"),
            path.replace("000007-", "+00007-"),
            path.to_uppercase(),
            path.replace('-', "-0"),
            path.replace("inbox/", "inbox//"),
        ] {
            assert_eq!(unit_name(3, &other), None, "{other}");
        }
        assert_eq!(claim_of(3, &claim_path(3, 12, 1)), Some((12, 1)));
        assert_eq!(claim_of(3, "claims/00000003/12.1"), None);
        assert_eq!(plan_number(&plan_path(12)), Some(12));
        assert_eq!(plan_number("plan/12.json"), None);
    }
}
