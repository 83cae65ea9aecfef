//! Computes the auxiliary targets of a game's rows, which depend on the plies after each row.

use dz_aux_heads::HORIZONS;
use dz_game::{Encoding, Outcome, PlaneWriter, Player, Symmetry, Wdl};

use crate::{
    AuxTargets, GameEnd, GameRecord, HORIZON_FACTORS, Head, RowBlock, WdlShares,
    aux_columns::ownership_bytes, aux_targets::ownership_shape,
};

/// Keeps what the targets need of each ply until the end of the game is known.
#[derive(Debug, Default)]
pub(crate) struct AuxBuilder {
    movers: Vec<Player>,
    /// Which plies have a row.
    rows: Vec<usize>,
    /// Where each ply's policy target ends; plies without one have none.
    target_ends: Vec<usize>,
    target_index: Vec<u16>,
    target_share: Vec<u16>,
}

impl AuxBuilder {
    /// Keeps the next ply: its mover, its policy target (empty unless it was a full search), and
    /// whether it has a row.
    pub(crate) fn add(&mut self, mover: Player, index: &[u16], share: &[u16], has_row: bool) {
        if has_row {
            self.rows.push(self.movers.len());
        }
        self.movers.push(mover);
        self.target_index.extend_from_slice(index);
        self.target_share.extend_from_slice(share);
        self.target_ends.push(self.target_index.len());
    }

    /// Adds the auxiliary targets of all rows of the game, which are in `rows` already. `end` is
    /// the last position.
    pub(crate) fn finish<E: Encoding>(
        &self,
        encoding: &E,
        record: &GameRecord,
        end: &<E::Game as dz_game::Game>::State,
        rows: &mut RowBlock,
    ) {
        let shape = rows.shape();
        let by_rules = record.end == GameEnd::Rules;
        let short_term = if shape.targets.has(Head::ShortTerm) {
            self.short_term(record, shape.planes.area())
        } else {
            Vec::new()
        };
        let owned = shape.targets.has(Head::Ownership) && by_rules;
        let ownership = owned.then(|| pack_ownership(encoding, end));
        for &i in &self.rows {
            let mover = self.movers[i];
            let (reply_index, reply_share) = self.target(i + 1);
            let ownership = ownership.as_ref().map(|both| both[mover.index()].as_slice());
            let aux = AuxTargets {
                reply_index,
                reply_share,
                short_term: short_term.get(i).copied(),
                plies_left: by_rules.then_some((self.movers.len() - i) as u16),
                margin: margin_of(record.outcome, mover).filter(|_| by_rules),
                ownership,
            };
            rows.aux.push(shape, &aux);
        }
    }

    /// The policy target of a ply; empty after the last.
    fn target(&self, ply: usize) -> (&[u16], &[u16]) {
        let Some(&end) = self.target_ends.get(ply) else { return (&[], &[]) };
        let start = if ply == 0 { 0 } else { self.target_ends[ply - 1] };
        (&self.target_index[start..end], &self.target_share[start..end])
    }

    /// From the end to the beginning, in the first player's view; then each ply in its mover's.
    fn short_term(&self, record: &GameRecord, area: usize) -> Vec<[WdlShares; HORIZONS]> {
        let shares = HORIZON_FACTORS.map(|factor| 1.0 / (1.0 + area as f64 * factor));
        let wide = |wdl: Wdl| wdl.to_array().map(f64::from);
        let mut later = [wide(record.outcome.wdl_for(Player::First)); HORIZONS];
        let mut all = vec![[WdlShares::default(); HORIZONS]; self.movers.len()];
        for (i, (&mover, ply)) in self.movers.iter().zip(&record.plies).enumerate().rev() {
            // As a shard keeps it, so that rows do not depend on whether it came from one.
            let root = WdlShares::new(ply.root_value).unwrap_or_default().wdl();
            let now = wide(seen_by(mover, root));
            for ((later, share), stored) in later.iter_mut().zip(shares).zip(&mut all[i]) {
                for (later, now) in later.iter_mut().zip(now) {
                    *later = share * now + (1.0 - share) * *later;
                }
                let value = seen_by(mover, Wdl::from_array(later.map(|part| part as f32)));
                *stored = WdlShares::new(value).unwrap_or_default();
            }
        }
        all
    }
}

/// A value of the first player's in another's view, and back.
fn seen_by(player: Player, value: Wdl) -> Wdl {
    if player == Player::First { value } else { value.flip() }
}

/// Points of `player` minus those of the other.
fn margin_of(outcome: Outcome, player: Player) -> Option<i16> {
    let margin = outcome.margin?;
    if player == Player::First { Some(margin) } else { margin.checked_neg() }
}

/// Mine and theirs as packed planes, for the first player and for the second.
fn pack_ownership<E: Encoding>(
    encoding: &E,
    end: &<E::Game as dz_game::Game>::State,
) -> [Vec<u8>; 2] {
    let shape = ownership_shape(encoding.planes());
    let mut owners = Vec::new();
    encoding.ownership(end, Symmetry::IDENTITY, &mut owners);
    Player::BOTH.map(|player| {
        let mut bits = vec![0; ownership_bytes(shape)];
        let mut writer = PlaneWriter::new(shape, &mut bits, &mut []);
        for (point, owner) in owners.iter().enumerate() {
            if let Some(owner) = owner {
                let plane = usize::from(*owner != player);
                writer.set(plane, point / shape.width, point % shape.width);
            }
        }
        bits
    })
}
