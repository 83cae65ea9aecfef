//! Resignation, as records show it.

use dz_game::Player;

use crate::{PlyRecord, ResignThresholds, WdlShares};

impl PlyRecord {
    /// Bit of `flags`: the root's value and that of its best move were below the game's threshold.
    pub const BELOW: u8 = 1;

    /// Whether the ply counts towards its mover's resignation.
    pub fn is_below(&self) -> bool {
        self.flags & Self::BELOW != 0
    }
}

impl ResignThresholds {
    /// Whether the stored root value, which is the mover's, is below. [`PlyRecord::BELOW`] requires
    /// this, and the same of the value of the best move, which records do not have.
    pub fn is_below(&self, root: WdlShares) -> bool {
        root.value() < f64::from(self.value_min)
    }
}

/// How many of their newest turns in a row were below, for both players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnsBelow([u32; 2]);

impl TurnsBelow {
    /// Counts a recorded turn of `mover`.
    pub fn add(&mut self, mover: Player, ply: &PlyRecord) {
        let turns = &mut self.0[mover.index()];
        *turns = if ply.is_below() { *turns + 1 } else { 0 };
    }

    /// Whether `mover`, whose turn it is, resigns instead of searching.
    pub fn resigns(&self, mover: Player, resign: &ResignThresholds) -> bool {
        self.0[mover.index()] >= u32::from(resign.turns.max(1))
    }
}

#[cfg(test)]
mod tests {
    use dz_game::{Move, Wdl};

    use super::*;
    use crate::SearchKind;

    fn ply(flags: u8) -> PlyRecord {
        PlyRecord {
            mv: Move(0),
            network: 0,
            kind: SearchKind::Full,
            budget: 1,
            visits: Vec::new(),
            root_value: Wdl::LOSS,
            flags,
            weight: 1.0,
            target: None,
        }
    }

    #[test]
    fn turns_count_for_their_mover_and_only_in_a_row() {
        let resign = ResignThresholds { value_min: -0.5, turns: 2, enforced: true };
        let mut turns = TurnsBelow::default();
        for (mover, flags, resigns) in [
            (Player::First, PlyRecord::BELOW, false),
            (Player::Second, PlyRecord::BELOW, false),
            (Player::First, 0, false),
            (Player::First, 1, false),
            (Player::Second, 0xff, true),
            (Player::First, 1, true),
            (Player::First, 0xfe, false),
        ] {
            turns.add(mover, &ply(flags));
            assert_eq!(turns.resigns(mover, &resign), resigns, "{turns:?}");
        }
    }

    #[test]
    fn values_are_compared_as_stored() {
        let resign = ResignThresholds { value_min: -0.5, turns: 1, enforced: true };
        let root = |loss: f32| WdlShares::new(Wdl { win: 1.0 - loss, draw: 0.0, loss }).unwrap();
        assert!(resign.is_below(root(0.76)));
        assert!(!resign.is_below(root(0.74)));
        // 49,151 / 65,535 loses a shade less than three quarters: -0.49998.
        assert!(!resign.is_below(WdlShares { win: 16_384, draw: 0 }));
        assert!(resign.is_below(WdlShares { win: 16_383, draw: 0 }));
    }
}
