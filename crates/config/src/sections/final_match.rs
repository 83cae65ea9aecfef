//! `[final]`: the match that ends a run.

use dz_config_keys::{SameOr, even, section, whole};

section! {
    /// `[final]`: the match that ends a run. The last champion plays the best-connected anchor, and
    /// the verdict begins with the score.
    pub struct FinalSection = "final" {
        /// Games of the final match, two an opening with colours swapped; 0 plays none. The 95 %
        /// interval of 400 games reaches about 3 percentage points to either side of a score of
        /// 90 %, and 5 of 50 %. Neither `rating.time_share` nor `run.hours_max` counts them.
        [Results, even(0, 1_000_000)] games: u32 = 400;
        /// Playouts a move of the champion; `same` is `rating.playouts`, and then ratings count
        /// these games.
        [Results, whole(1, 1_000_000)] playouts: SameOr<u32> = SameOr::Same;
    }
}
