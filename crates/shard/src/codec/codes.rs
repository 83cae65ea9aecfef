//! Numbers that stand for names in columns.

use dz_game::{Outcome, Player};

use crate::{GameEnd, SearchKind};

pub(super) fn winner_code(winner: Option<Player>) -> u64 {
    match winner {
        None => 0,
        Some(Player::First) => 1,
        Some(Player::Second) => 2,
    }
}

pub(super) fn outcome_of(code: u64, margin: Option<i16>) -> Option<Outcome> {
    let winner = match code {
        0 => None,
        1 => Some(Player::First),
        2 => Some(Player::Second),
        _ => return None,
    };
    Some(Outcome { winner, margin })
}

pub(super) fn end_code(end: GameEnd) -> u64 {
    match end {
        GameEnd::Rules => 0,
        GameEnd::Resigned => 1,
        GameEnd::PlyLimit => 2,
    }
}

pub(super) fn end_of(code: u64) -> Option<GameEnd> {
    match code {
        0 => Some(GameEnd::Rules),
        1 => Some(GameEnd::Resigned),
        2 => Some(GameEnd::PlyLimit),
        _ => None,
    }
}

pub(super) fn kind_code(kind: SearchKind) -> u64 {
    match kind {
        SearchKind::Full => 0,
        SearchKind::Fast => 1,
    }
}

pub(super) fn kind_of(code: u64) -> Option<SearchKind> {
    match code {
        0 => Some(SearchKind::Full),
        1 => Some(SearchKind::Fast),
        _ => None,
    }
}

/// Small numbers of either sign to small numbers.
pub(super) fn zigzag(value: i16) -> u16 {
    (value << 1 ^ value >> 15) as u16
}

pub(super) fn unzigzag(code: u16) -> i16 {
    (code >> 1) as i16 ^ -((code & 1) as i16)
}
