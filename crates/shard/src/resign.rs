//! Resignation, as records show it.

use dz_game::Player;

use crate::{PlyRecord, ResignThresholds, WdlShares};

impl PlyRecord {
    /// Bit of `flags`: the root's value and that of its best move were below the game's threshold,
    /// or, where players resign at once, the best move's alone.
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

    /// Whether the turn that is below ends the game itself.
    pub fn is_at_once(&self) -> bool {
        self.turns == 0
    }
}

/// How many of their newest turns in a row were below, for both players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnsBelow {
    turns: [u32; 2],
    /// Who made the last turn, if it was below.
    last: Option<Player>,
}

impl TurnsBelow {
    /// Counts a recorded turn of `mover`.
    pub fn add(&mut self, mover: Player, ply: &PlyRecord) {
        let turns = &mut self.turns[mover.index()];
        *turns = if ply.is_below() { *turns + 1 } else { 0 };
        self.last = ply.is_below().then_some(mover);
    }

    /// Returns who resigns now that it is `mover`'s turn: who made the last turn, if one that is
    /// below resigns at once; else `mover`, instead of searching.
    pub fn resigner(&self, mover: Player, resign: &ResignThresholds) -> Option<Player> {
        if resign.is_at_once() {
            return self.last;
        }
        (self.turns[mover.index()] >= u32::from(resign.turns)).then_some(mover)
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
            assert_eq!(turns.resigner(mover, &resign).is_some(), resigns, "{turns:?}");
        }
    }

    #[test]
    fn one_turn_below_is_enough_at_once() {
        let resign = ResignThresholds { value_min: -0.8, turns: 0, enforced: true };
        let mut turns = TurnsBelow::default();
        for (mover, flags, resigner) in [
            (Player::First, 0, None),
            (Player::Second, PlyRecord::BELOW, Some(Player::Second)),
            (Player::First, 0, None),
        ] {
            turns.add(mover, &ply(flags));
            for to_move in [Player::First, Player::Second] {
                assert_eq!(turns.resigner(to_move, &resign), resigner);
            }
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
