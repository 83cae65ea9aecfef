//! The settings behind a player's name: `rollout:3000,policy=mogo,selection=rave`,
//! `data/go9,selection=gumbel`.

use dz_config::{Fault, SearchSection};
use dz_play::{rollout_section, with_rollouts};
use dz_search_settings::search_faults;

/// Parts between commas, but for those within braces or brackets, as arrays and tables of TOML have
/// them. There is at least one part.
pub(super) fn split_outside_braces(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0_u32;
    let mut begin = 0;
    for (at, sign) in text.char_indices() {
        match sign {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// `key=value` of a player as a setting. The policy of its rollouts is called `policy` here, since
/// `rollout` stands in front.
pub(super) fn setting(key: &str) -> String {
    let key = key.trim();
    match key.strip_prefix("policy=") {
        Some(policy) => format!("search.rollout={policy}"),
        None => format!("search.{key}"),
    }
}

/// A setting as the player's name has it.
pub(super) fn shown(setting: &str) -> String {
    let key = setting.strip_prefix("search.").unwrap_or(setting);
    key.strip_prefix("rollout=").map_or(key.to_owned(), |policy| format!("policy={policy}"))
}

/// The search of a rollout player.
pub(super) fn rollout_settings(settings: &[String]) -> Result<SearchSection, String> {
    let (section, _) =
        rollout_section().with_overrides(settings).map_err(|faults| lines(&faults))?;
    checked(with_rollouts(section))
}

/// The search of a run or network, with settings of a player's own.
pub(super) fn search_with(
    section: SearchSection,
    settings: &[String],
) -> Result<SearchSection, String> {
    if settings.is_empty() {
        return Ok(section);
    }
    let (section, _) = section.with_overrides(settings).map_err(|faults| lines(&faults))?;
    checked(section)
}

/// Refuses a search whose settings do not fit each other.
fn checked(section: SearchSection) -> Result<SearchSection, String> {
    let faults = search_faults(&section);
    if faults.is_empty() { Ok(section) } else { Err(lines(&faults)) }
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
